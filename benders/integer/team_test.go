package integer_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp/stoch"
)

// crew is a team of workers in this process that work jobs at the same time. Every worker has a problem of its own; the
// chunks of the relaxation are held by the first one until it is lost.
type crew struct {
	workers []*integer.Worker
	states  map[uint64]any
	runs    int
	jobs    int
	seen    func(payload []byte)

	problem *integer.Problem // whose chunks are sent; nil where the workers have the program
}

// Run implements scenario.Team.
func (c *crew) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	// Every seventh run the worker that holds the chunks is lost.
	c.runs++
	if c.runs%7 == 0 && len(c.workers) > 1 {
		clear(c.states)
		c.workers = append(c.workers[1:], c.workers[0])
	}
	states := make([]any, len(payloads))
	for k, key := range keys {
		var err error
		if c.states[key] == nil {
			var data []byte
			if c.problem != nil {
				if data, err = c.problem.MarshalChunk(key); err != nil {
					return nil, err
				}
			}
			if c.states[key], err = c.workers[0].Hold(key, data); err != nil {
				return nil, err
			}
		}
		states[k] = c.states[key]
	}

	out := make([][]byte, len(payloads))
	err := parallel.Each(3, len(payloads), func(k int) (err error) {
		w := c.workers[0]
		if keys == nil {
			w = c.workers[k%len(c.workers)]
			if c.seen != nil {
				c.seen(payloads[k])
			}
		}
		out[k], err = w.Work(ctx, states[k], payloads[k])
		return err
	})
	if keys == nil {
		c.jobs += len(payloads)
	}
	return out, err
}

// newCrew returns a team of n workers for a program.
func newCrew(t testing.TB, n int, p *stoch.Program) *crew {
	c := &crew{states: map[uint64]any{}}
	for range n {
		q, err := integer.New(p)
		if err != nil {
			t.Fatal(err)
		}
		c.workers = append(c.workers, integer.NewWorker(q))
	}
	return c
}

// newOutlined returns a team of n workers that get the program as an outline, and its scenarios with the chunks.
func newOutlined(t testing.TB, n int, p *stoch.Program) *crew {
	q, err := integer.New(p)
	if err != nil {
		t.Fatal(err)
	}
	outline, err := q.MarshalOutline()
	if err != nil {
		t.Fatal(err)
	}
	c := &crew{states: map[uint64]any{}, problem: q}
	for range n {
		w, err := integer.NewOutlineWorker(outline)
		if err != nil {
			t.Fatal(err)
		}
		c.workers = append(c.workers, w)
	}
	return c
}

// TestTeamsMakeNoDifference solves programs with integer recourse in this process and by teams, by every method that
// has jobs: all numbers of the results are the same bit for bit.
func TestTeamsMakeNoDifference(t *testing.T) {
	jobs := 0
	for seed := range uint64(40) {
		p := random(rand.New(rand.NewPCG(seed, 0x7465616d)), int(seed)%kinds)
		for _, method := range []decompose.Method{decompose.Exact, decompose.Decoupled} {
			solve := func(team *crew) *benders.Result {
				q, err := integer.New(p)
				if err != nil {
					t.Fatal(err)
				}
				if team != nil {
					q.WithTeam(team)
				}
				program := q.Program()
				program.Recourse.PreferFull = false
				o := decompose.DefaultOptions()
				o.Method = method
				o.Benders.Gap = 1e-6
				o.Threads = 1
				r, err := decompose.Solve(t.Context(), program, o)
				if err != nil {
					t.Fatalf("seed %d, %v: %v", seed, method, err)
				}
				r.Parts, r.Elapsed, r.Pricing = benders.Parts{}, 0, 0
				return r
			}
			want := solve(nil)
			for _, team := range []*crew{newCrew(t, 1, p), newCrew(t, 3, p), newOutlined(t, 2, p)} {
				got := solve(team)
				jobs += team.jobs
				if !reflect.DeepEqual(got, want) {
					t.Errorf("seed %d, %v, %d workers:\n%+v, want\n%+v", seed, method, len(team.workers), got, want)
				}
			}
		}
	}
	if jobs < 1000 {
		t.Errorf("%d jobs of scenarios", jobs)
	}
}

// FuzzWorker gives a worker damaged jobs: an error or an answer, and no panic.
func FuzzWorker(f *testing.F) {
	p := random(rand.New(rand.NewPCG(1, 0x7465616d)), general)
	team := newCrew(f, 1, p)
	team.seen = func(payload []byte) { f.Add(payload) }
	for _, method := range []decompose.Method{decompose.Exact, decompose.Decoupled} {
		q, err := integer.New(p)
		if err != nil {
			f.Fatal(err)
		}
		program := q.WithTeam(team).Program()
		program.Recourse.PreferFull = false
		o := decompose.DefaultOptions()
		o.Method = method
		if _, err := decompose.Solve(f.Context(), program, o); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		// A damaged job may be one that takes very long: it has a short time.
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, _ = newCrew(t, 1, p).workers[0].Work(ctx, nil, payload)
	})
}

// FuzzOutline reads damaged outlines: an error, or a worker that has models.
func FuzzOutline(f *testing.F) {
	for kind := range kinds {
		q, err := integer.New(random(rand.New(rand.NewPCG(2, 0x7465616d)), kind))
		if err != nil {
			f.Fatal(err)
		}
		outline, err := q.MarshalOutline()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(outline)
	}
	f.Fuzz(func(t *testing.T, outline []byte) {
		w, err := integer.NewOutlineWorker(outline)
		if err != nil {
			return
		}
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, _ = w.Work(ctx, nil, []byte{0})
	})
}
