package nested

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/replaytest"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// crewFor returns a team of n workers for a program, which get it as an outline.
func crewFor(n int, p *stoch.Multistage) *replaytest.Crew {
	outline, err := Outline{p}.MarshalOutline()
	if err != nil {
		panic(err)
	}
	return replaytest.New(n, func() replaytest.Worker {
		w, err := NewOutlineWorker(outline)
		if err != nil {
			panic(err)
		}
		return w
	})
}

// FuzzOutline reads damaged outlines: an error, or a worker with a valid program.
func FuzzOutline(f *testing.F) {
	for _, p := range []*stoch.Multistage{inventory(3, 2), inventory(2, 4)} {
		outline, err := Outline{p}.MarshalOutline()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(outline)
	}
	f.Fuzz(func(t *testing.T, outline []byte) {
		if w, err := NewOutlineWorker(outline); err == nil && w.p.Validate() != nil {
			t.Error("a program that is not valid")
		}
	})
}

// timeless removes the times of a result.
func timeless(r *benders.Result) *benders.Result {
	if r != nil {
		r.Elapsed = 0
		r.Parts = benders.Parts{}
	}
	return r
}

// same compares a run with another one, the errors by their texts.
func same(a, b *benders.Result, errA, errB error) bool {
	if errA != nil || errB != nil {
		return errA != nil && errB != nil && errA.Error() == errB.Error()
	}
	return reflect.DeepEqual(printed(a), printed(b))
}

// printed makes NaN equal to itself.
func printed(r *benders.Result) benders.Result {
	out := *timeless(r)
	if out.Design == nil {
		out.Objective, out.Terminal = 0, 0
	}
	return out
}

// TestTeamsAndThreadsMakeNoDifference solves programs by one thread, several threads, and teams of workers some of whom
// are lost: every number of the result is the same bit for bit. The inventories have complete passes, and probes.
func TestTeamsAndThreadsMakeNoDifference(t *testing.T) {
	type instance struct {
		name string
		p    *stoch.Multistage
		gap  float64
	}
	list := []instance{{"inventory", inventory(8, 8), 3e-3}, {"small inventory", inventory(4, 3), 1e-9}}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 17))
		p, err := draw(rng, seed%2 == 1).Multistage(smps.DefaultOptions())
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		list = append(list, instance{"random", p, 1e-9})
	}

	lost := 0
	for k, in := range list {
		o := DefaultOptions()
		o.Gap = in.gap
		o.Parts = k % 3
		o.Threads = 1
		want, wantErr := Solve(t.Context(), in.p, o)
		o.Threads = 3
		if got, err := Solve(t.Context(), in.p, o); !same(got, want, err, wantErr) {
			t.Errorf("%s %d: 3 threads:\n%+v, %v, want\n%+v, %v", in.name, k, got, err, want, wantErr)
		}
		for _, n := range []int{1, 3} {
			rng := rand.New(rand.NewPCG(uint64(k), 3))
			c := crewFor(n, in.p)
			c.Lose = func() bool { return rng.IntN(20) == 0 }
			o.Team = c
			if got, err := Solve(t.Context(), in.p, o); !same(got, want, err, wantErr) {
				t.Errorf("%s %d: %d workers, %d lost:\n%+v, %v, want\n%+v, %v", in.name, k, n, c.Lost, got, err, want, wantErr)
			}
			lost += c.Lost

			// The workers work for another run of the same program.
			c.Lose = func() bool { return false }
			if got, err := Solve(t.Context(), in.p, o); !same(got, want, err, wantErr) {
				t.Errorf("%s %d: %d workers again:\n%+v, %v, want\n%+v, %v", in.name, k, n, got, err, want, wantErr)
			}
		}
	}
	if lost < 20 {
		t.Errorf("%d workers were lost", lost)
	}
}

// TestTeamLimits stops runs that have a team.
func TestTeamLimits(t *testing.T) {
	p := inventory(12, 10)
	o := DefaultOptions()
	o.Gap = 1e-9
	o.Team = crewFor(2, p)
	o.TimeLimit = 50 * time.Millisecond
	if r, err := Solve(t.Context(), p, o); err != nil || r.Status != lp.TimeLimit {
		t.Errorf("%+v, %v", r, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	o.TimeLimit = time.Hour
	if r, err := Solve(ctx, p, o); err != nil || r.Status != lp.Interrupted {
		t.Errorf("%+v, %v", r, err)
	}
}

// FuzzWorker gives a worker damaged operations: an error or an answer, and no panic.
func FuzzWorker(f *testing.F) {
	p := inventory(4, 3)
	c := crewFor(1, p)
	c.See = func(text []byte) { f.Add(text) }
	o := DefaultOptions()
	o.Team = c
	o.MaxPasses = 10
	if _, err := Solve(f.Context(), p, o); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		w := NewWorker(p)
		for key := range uint64(2) {
			state, err := w.Hold(key+1, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = w.Work(t.Context(), state, payload)
		}
	})
}
