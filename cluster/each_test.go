package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestEach works jobs that fail, and one that ends two processes: each has its own error, and all others their answers.
func TestEach(t *testing.T) {
	options := testOptions()
	options.MaxLosses = 1
	options.Slots = 0
	options.Ahead = 0 // a job beside the one that ends a process is lost with it
	c, place := coordinate(t, options)
	for range 3 {
		spawn(t, place)
	}
	mustWait(t, c, 3)

	jobs := []Job{
		{Kind: "fail", Payload: []byte("first")},
		{Kind: "die"},
		{Kind: "panic"},
	}
	more, want := sums(60, 3, 0)
	jobs = append(jobs, more...)

	calls := make([]int, len(jobs))
	answers := make([][]byte, len(jobs))
	errs := make([]error, len(jobs))
	err := c.Each(t.Context(), jobs, func(job int, answer []byte, err error) {
		calls[job]++
		answers[job] = answer
		errs[job] = err
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, n := range calls {
		if n != 1 {
			t.Errorf("job %d has ended %d times", k, n)
		}
		if k > 2 && errs[k] != nil {
			t.Errorf("job %d: %v", k, errs[k])
		}
	}
	compare(t, answers[3:], want)
	var failed *JobError
	if !errors.As(errs[0], &failed) || failed.Text != "infeasible first" || failed.Index != 0 {
		t.Errorf("error %v", errs[0])
	}
	if !errors.Is(errs[1], errLosses) || !strings.Contains(errs[1].Error(), "job 1 (die): 2 members") {
		t.Errorf("error %v", errs[1])
	}
	if errs[2] == nil || !strings.Contains(errs[2].Error(), "out of range") {
		t.Errorf("error %v", errs[2])
	}

	// The coordinator goes on with other runs. Of the three that have joined at least one is lost.
	if err := c.WaitJoined(t.Context(), 3); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if c.Wait(ctx, 3) == nil {
		t.Error("there are still three members")
	}
	if err := c.Each(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
	compare(t, mustRun(t, c, more), want)
}

// TestEachEnds cancels a run of which one job has ended.
func TestEachEnds(t *testing.T) {
	options := testOptions()
	options.Slots = 2
	c, _ := coordinate(t, options)
	ctx, cancel := context.WithCancel(t.Context())
	ended := 0
	err := c.Each(ctx, []Job{{Kind: "wait"}, {Kind: "echo", Payload: []byte("x")}}, func(job int, answer []byte, err error) {
		if ended++; job != 1 || string(answer) != "x" || err != nil {
			t.Errorf("job %d: %q, %v", job, answer, err)
		}
		cancel()
	})
	if !errors.Is(err, context.Canceled) || ended != 1 {
		t.Errorf("%d jobs ended, error %v", ended, err)
	}
}
