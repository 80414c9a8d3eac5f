package scenario_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/scenario"
)

// crew is a team of workers in this process. Now and then one loses all its chunks, which another one is given.
type crew struct {
	workers []*scenario.Worker
	states  []map[uint64]any // of each worker, by chunk
	of      map[uint64]int   // the worker of a chunk
	lose    func() bool      // whether a worker is lost before a run
	lost    int
	bytes   int
	seen    func(payload []byte) // is called with what workers get; nil for nobody

	data func(key uint64) ([]byte, error) // of chunks, for workers that have an outline; nil for workers with a problem
}

// newCrew returns a team whose workers each have a copy of the problem.
func newCrew(t *testing.T, n int, problem func() *scenario.Problem, lose func() bool) *crew {
	t.Helper()
	c := &crew{of: map[uint64]int{}, lose: lose}
	for range n {
		c.workers = append(c.workers, scenario.NewWorker(problem()))
		c.states = append(c.states, map[uint64]any{})
	}
	return c
}

// outlined replaces the workers by those of an outline of the problem.
func (c *crew) outlined(t *testing.T, p *scenario.Problem) *crew {
	t.Helper()
	text, err := p.MarshalOutline()
	if err != nil {
		t.Fatal(err)
	}
	for k := range c.workers {
		if c.workers[k], err = scenario.NewOutlineWorker(text, nil); err != nil {
			t.Fatal(err)
		}
	}
	c.data = p.MarshalChunk
	return c
}

// Run implements scenario.Team.
func (c *crew) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	if c.lose() {
		w := c.lost % len(c.workers)
		c.lost++
		clear(c.states[w])
		for key, at := range c.of {
			if at == w {
				c.of[key] = (w + 1) % len(c.workers)
			}
		}
	}
	out := make([][]byte, len(keys))
	errs := make([]error, len(keys))
	var wait sync.WaitGroup
	for k, key := range keys {
		w, known := c.of[key]
		if !known {
			w = int(key) % len(c.workers)
			c.of[key] = w
		}
		state := c.states[w][key]
		if state == nil {
			var data []byte
			var err error
			if c.data != nil {
				data, err = c.data(key)
			}
			if err == nil {
				state, err = c.workers[w].Hold(key, data)
			}
			if err != nil {
				return nil, err
			}
			c.states[w][key] = state
		}
		if c.seen != nil {
			c.seen(payloads[k])
		}
		wait.Go(func() { out[k], errs[k] = c.workers[w].Work(ctx, state, payloads[k]) })
	}
	wait.Wait()
	for k, err := range errs {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		c.bytes += len(out[k]) + len(payloads[k])
	}
	return out, nil
}

// TestTeamsMakeNoDifference solves programs in this process and by teams of workers, some of which are lost: every
// number of the result is the same bit for bit.
func TestTeamsMakeNoDifference(t *testing.T) {
	for _, p := range manyScenarios() {
		problem := func() *scenario.Problem {
			q, err := scenario.New(p)
			if err != nil {
				t.Fatal(err)
			}
			return q
		}
		solve := func(q *scenario.Problem, threads int) *benders.Result {
			o := decompose.DefaultOptions()
			o.Benders.Gap = 1e-6
			o.Threads = threads
			r, err := decompose.Solve(t.Context(), q.Program(), o)
			if err != nil {
				t.Fatal(err)
			}
			r.Parts, r.Elapsed, r.Pricing = benders.Parts{}, 0, 0
			return r
		}
		want := solve(problem(), 1)
		for _, n := range []int{1, 2, 3} {
			for seed := range uint64(3) {
				rng := rand.New(rand.NewPCG(seed, 3))
				never := func() bool { return false }
				lose := never
				if seed > 0 {
					lose = func() bool { return rng.IntN(20) == 0 }
				}
				c := newCrew(t, n, problem, lose)
				if n > 1 {
					c.outlined(t, problem())
				}
				got := solve(problem().WithTeam(c), 1+int(seed)%2)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s, %d workers, %d lost:\n%+v, want\n%+v", p.Name, n, c.lost, got, want)
				}
				if seed > 0 && c.lost == 0 {
					t.Errorf("seed %d: no worker was lost", seed)
				}
			}
		}
	}
}

// TestOutlinesOfRandomPrograms solves small programs of all kinds of differences by workers that have an outline: the
// results, errors among them, are those of one process bit for bit.
func TestOutlinesOfRandomPrograms(t *testing.T) {
	solved := 0
	for seed := range uint64(60) {
		solve := func(spread bool) (*benders.Result, error) {
			q, err := scenario.New(draw(seed))
			if err != nil {
				t.Fatal(err)
			}
			if spread {
				same := func() *scenario.Problem { return q }
				q.WithTeam(newCrew(t, 2, same, func() bool { return false }).outlined(t, q))
			}
			r, err := decompose.Solve(t.Context(), q.Program(), decompose.DefaultOptions())
			if r != nil {
				r.Parts, r.Elapsed, r.Pricing = benders.Parts{}, 0, 0
			}
			return r, err
		}
		want, failed := solve(false)
		got, err := solve(true)
		if fmt.Sprint(err) != fmt.Sprint(failed) || fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
			t.Errorf("seed %d:\n%+v %v, want\n%+v %v", seed, got, err, want, failed)
		}
		if failed == nil && got.Status.String() == "optimal" {
			solved++
		}
	}
	if solved < 20 {
		t.Errorf("only %d programs have an optimum", solved)
	}
}

// TestWorkersRefuseOtherScenarios gives a worker the scenarios of another chunk.
func TestWorkersRefuseOtherScenarios(t *testing.T) {
	q, err := scenario.New(plants(300, true))
	if err != nil {
		t.Fatal(err)
	}
	c := newCrew(t, 1, func() *scenario.Problem { return q }, func() bool { return false }).outlined(t, q)
	other, err := c.data(2)
	if err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{other, nil, other[:len(other)/2]} {
		if _, err := c.workers[0].Hold(1, data); err == nil {
			t.Errorf("chunk 1 was made of %d bytes", len(data))
		}
	}
}

// FuzzWorker gives a worker damaged operations: an error or an answer, and no panic.
func FuzzWorker(f *testing.F) {
	q, err := scenario.New(plants(20, false))
	if err != nil {
		f.Fatal(err)
	}
	sample := &crew{of: map[uint64]int{}, lose: func() bool { return false }, seen: func(text []byte) { f.Add(text) }}
	sample.workers = append(sample.workers, scenario.NewWorker(q))
	sample.states = append(sample.states, map[uint64]any{})
	o := decompose.DefaultOptions()
	o.Benders.MaxNodes = 1
	other, err := scenario.New(plants(20, false))
	if err != nil {
		f.Fatal(err)
	}
	if _, err := decompose.Solve(f.Context(), other.WithTeam(sample).Program(), o); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		w := scenario.NewWorker(q)
		state, err := w.Hold(1, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Work(t.Context(), state, payload)
	})
}
