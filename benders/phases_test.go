package benders_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// weak returns a separator of valid cuts that say half of what the exact ones do.
func (s *site) weak() *separator {
	return &separator{site: s, choose: func(_ int, exact float64) float64 { return exact / 2 }}
}

// phases solves a site weakly first; what the phases were given is kept.
type phases struct {
	*site
	cuts         []benders.Cut
	first, later benders.Options
	ended        []benders.Phase
	stop         func() // called at the end of the first phase, if not nil
}

func (p *phases) solve(ctx context.Context, o benders.Options) (*benders.Result, error) {
	return benders.Phases{
		Limits: benders.DefaultPhaseLimits(),
		First: func(b benders.Options) (*benders.Result, error) {
			p.first = b
			r, err := benders.BranchAndCut(ctx, p.problem(false), p.weak(), b)
			if p.stop != nil {
				p.stop()
			}
			return r, err
		},
		Second: func(b benders.Options, first *benders.Result, cuts []benders.Cut) (*benders.Result, error) {
			p.later, p.cuts = b, cuts
			problem := p.problem(false)
			problem.Initial = cuts
			if first.Design != nil {
				problem.Starts = [][]float64{first.Design}
			}
			return benders.BranchAndCut(ctx, problem, &separator{site: p.site, choose: identity, exact: true}, b)
		},
		Ended: func(done benders.Phase) { p.ended = append(p.ended, done) },
	}.Solve(ctx, o)
}

// tally counts separations.
type tally struct{ calls int }

func (t *tally) Separated(benders.Point, *benders.Separation, []benders.Cut) { t.calls++ }

// TestPhasesEndOptimal joins a weak phase and an exact one, and compares with the enumeration of all designs.
func TestPhasesEndOptimal(t *testing.T) {
	both := 0
	for seed := range uint64(40) {
		s := randomSite(rand.New(rand.NewPCG(seed, 4)), 5, 6, seed%2 == 1)
		want := s.brute()
		o := benders.DefaultOptions()
		o.Gap, o.Recorder = 0, new(tally)
		p := phases{site: s}
		r, err := p.solve(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(want, 1) {
			if r.Status != lp.Infeasible {
				t.Errorf("seed %d: %v, there is no design", seed, r.Status)
			}
			continue
		}
		if r.Status != lp.Optimal || !near(r.Objective, want) || !near(r.Bound, want) {
			t.Errorf("seed %d: %v objective %v bound %v, want %v", seed, r.Status, r.Objective, r.Bound, want)
		}
		if len(p.ended) != len(r.Phases) {
			t.Errorf("seed %d: told of %d phases, the result has %d", seed, len(p.ended), len(r.Phases))
		}
		var sum benders.Phase
		for k, done := range r.Phases {
			if done != p.ended[k] {
				t.Errorf("seed %d: told of %+v, the result has %+v", seed, p.ended[k], done)
			}
			if done.Bound > want+1e-9 || done.Objective < want-1e-9 {
				t.Errorf("seed %d: %+v, the optimum is %v", seed, done, want)
			}
			sum.Nodes += done.Nodes
			sum.Cuts.User += done.Cuts.User
			sum.Cuts.Optimality += done.Cuts.Optimality
		}
		if sum.Nodes != r.Nodes || sum.Cuts.User != r.Cuts.User || sum.Cuts.Optimality != r.Cuts.Optimality {
			t.Errorf("seed %d: phases %+v do not add up to %+v", seed, r.Phases, r)
		}
		if len(r.Phases) == 2 && len(p.cuts) > 0 {
			both++
		}
		if o.Recorder.(*tally).calls == 0 {
			t.Errorf("seed %d: the recorder was told nothing", seed)
		}
	}
	if both < 20 {
		t.Errorf("%d runs had two phases and cuts to hand over", both)
	}
}

// TestPhasesKeepLimits interrupts a run after its first phase and gives others little: what is returned is valid, and
// the second phase has what the first left.
func TestPhasesKeepLimits(t *testing.T) {
	for seed := range uint64(20) {
		s := randomSite(rand.New(rand.NewPCG(seed, 4)), 5, 6, false)
		want := s.brute()
		valid := func(how string, r *benders.Result, err error) {
			t.Helper()
			if err != nil || r.Bound > want+1e-9 || r.Objective < want-1e-9 || r.Status == lp.Optimal && !near(r.Objective, want) {
				t.Errorf("seed %d %s: %+v, %v, the optimum is %v", seed, how, r, err, want)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		o := benders.DefaultOptions()
		o.Gap = 0
		p := phases{site: s, stop: cancel}
		r, err := p.solve(ctx, o)
		if valid("interrupted", r, err); len(r.Phases) != 1 {
			t.Errorf("seed %d: %d phases of an interrupted run", seed, len(r.Phases))
		}
		for _, nodes := range []int{0, 1, 3, 10} {
			o.MaxNodes, o.TimeLimit = nodes, time.Hour
			p := phases{site: s}
			r, err := p.solve(context.Background(), o)
			if valid("with few nodes", r, err); r.Nodes > nodes {
				t.Errorf("seed %d: %d nodes of %d", seed, r.Nodes, nodes)
			}
			if p.first.TimeLimit != o.TimeLimit/2 || p.first.StallNodes != 5 {
				t.Errorf("seed %d: the first phase was given %v and %d nodes", seed, p.first.TimeLimit, p.first.StallNodes)
			}
			if len(r.Phases) == 2 && (p.later.MaxNodes != nodes-r.Phases[0].Nodes || !(p.later.TimeLimit < o.TimeLimit)) {
				t.Errorf("seed %d: the second phase was given %v and %d nodes of %d", seed, p.later.TimeLimit, p.later.MaxNodes, nodes)
			}
		}
	}
}
