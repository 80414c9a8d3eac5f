package benders_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

type driver struct {
	name  string
	solve func(context.Context, *benders.Problem, benders.Separator, benders.Options) (*benders.Result, error)
}

var drivers = []driver{{"outer", benders.OuterLoop}, {"bbc", benders.BranchAndCut}}

// settings are the option sets that every driver is tried with.
func settings() map[string]benders.Options {
	exact := benders.DefaultOptions()
	exact.Gap = 0
	plain := exact
	plain.InOut.Weight, plain.Fractional, plain.TrueCost = 1, benders.Never, false
	root := exact
	root.Fractional, root.Heuristic = benders.AtRoot, false
	return map[string]benders.Options{"default": exact, "plain": plain, "root": root}
}

func identity(_ int, exact float64) float64 { return exact }

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*max(1, math.Abs(b)) }

// TestExactEqualsBruteForce solves random sites with both kinds of cut by both drivers and compares
// with the enumeration of all designs.
func TestExactEqualsBruteForce(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := randomSite(rng, 3+rng.IntN(6), 3+rng.IntN(5), seed%2 == 1)
		want := s.brute()
		for name, opt := range settings() {
			for _, aggregated := range []bool{false, true} {
				for _, d := range drivers {
					// The separator is exact, so that the run has to end with the optimum.
					sep := &separator{site: s, aggregated: aggregated, choose: identity, exact: true}
					r, err := d.solve(context.Background(), s.problem(aggregated), sep, opt)
					if err != nil {
						t.Fatalf("seed %d %s %s: %v", seed, d.name, name, err)
					}

					// Where the enumeration finds no feasible design the run has to prove that there is none.
					if math.IsInf(want, 1) {
						if r.Status != lp.Infeasible {
							t.Errorf("seed %d %s %s: status %v, want infeasible", seed, d.name, name, r.Status)
						}
						continue
					}

					// Otherwise the objective is that of the enumeration, and the bound is not above it.
					if r.Status != lp.Optimal || !near(r.Objective, want) || r.Bound > want+1e-6 {
						t.Errorf("seed %d %s %s aggregated %v: %v objective %v bound %v, want %v", seed, d.name, name, aggregated, r.Status, r.Objective, r.Bound, want)
					}
				}
			}
		}
	}
}

// TestAnyValidSeparatorIsSafe feeds the drivers valid but arbitrary cuts: the bound stays valid, the
// design is feasible and priced truly, and the run ends.
func TestAnyValidSeparatorIsSafe(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 2))
		s := randomSite(rng, 3+rng.IntN(6), 3+rng.IntN(5), seed%2 == 1)
		want := s.brute()

		// An infeasible site has no optimum to compare with.
		if math.IsInf(want, 1) {
			continue
		}
		for _, d := range drivers {
			// Every multiplier makes a valid cut. Random ones, from half to one and a half of the best, make weak cuts.
			noise := rand.New(rand.NewPCG(seed, 3))
			sep := &separator{site: s, choose: func(_ int, exact float64) float64 {
				return max(0, exact*(0.5+noise.Float64()))
			}}
			opt := benders.DefaultOptions()
			opt.TimeLimit = 5 * time.Minute // the processor may be shared
			r, err := d.solve(context.Background(), s.problem(false), sep, opt)
			if err != nil {
				t.Fatalf("seed %d %s: %v", seed, d.name, err)
			}

			// Weak cuts may leave a gap when the search is complete. Then the run ends at a fixed point with a valid bound.
			if r.Status != lp.Optimal && r.Status != lp.FixedPoint {
				t.Errorf("seed %d %s: status %v", seed, d.name, r.Status)
			}
			if r.Bound > want+1e-6 {
				t.Errorf("seed %d %s: bound %v above the optimum %v", seed, d.name, r.Bound, want)
			}

			// No design costs less than the optimum, and one that is called optimal costs as much within the gap.
			if !(r.Objective >= want-1e-6) {
				t.Errorf("seed %d %s: objective %v below the optimum %v", seed, d.name, r.Objective, want)
			}
			if r.Status == lp.Optimal && !(r.Objective <= want+opt.Gap*want+1e-6) {
				t.Errorf("seed %d %s: claims optimal at %v, optimum %v", seed, d.name, r.Objective, want)
			}
		}
	}
}

// TestLimitsReturnBestSoFar stops runs at once: statuses, never errors, and a valid bound.
func TestLimitsReturnBestSoFar(t *testing.T) {
	s := randomSite(rand.New(rand.NewPCG(7, 7)), 30, 12, false)
	want := s.brute()
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, d := range drivers {
		opt := benders.DefaultOptions()
		opt.MaxNodes, opt.MaxIterations = 1, 1
		sep := &separator{site: s, choose: identity, exact: true}
		r, err := d.solve(context.Background(), s.problem(false), sep, opt)
		if err != nil || r.Bound > want+1e-6 || r.Objective < want-1e-6 {
			t.Errorf("%s limited: %+v, %v", d.name, r, err)
		}
		opt = benders.DefaultOptions()
		opt.TimeLimit = 0
		if r, err = d.solve(context.Background(), s.problem(false), sep, opt); err != nil || r.Status != lp.TimeLimit {
			t.Errorf("%s without time: %+v, %v", d.name, r, err)
		}
		if r, err = d.solve(cancelled, s.problem(false), sep, benders.DefaultOptions()); err != nil || r.Status != lp.Interrupted {
			t.Errorf("%s cancelled: %+v, %v", d.name, r, err)
		}
	}
}

// TestRoundingsArePriced checks that a run without a heuristic returns the design that Problem.Round makes of the
// root's point.
func TestRoundingsArePriced(t *testing.T) {
	s := randomSite(rand.New(rand.NewPCG(7, 8)), 30, 12, false)
	opt := benders.DefaultOptions()
	opt.Heuristic = false
	sep := &separator{site: s, choose: identity, exact: true}
	full, err := benders.BranchAndCut(context.Background(), s.problem(false), sep, opt)
	if err != nil || full.Status != lp.Optimal {
		t.Fatalf("%+v, %v", full, err)
	}
	p, asked := s.problem(false), 0
	p.Round = func([]float64) []float64 {
		asked++
		return append([]float64(nil), full.Design...)
	}
	opt.MaxNodes = 1
	r, err := benders.BranchAndCut(context.Background(), p, sep, opt)
	if err != nil || asked == 0 || !(math.Abs(r.Objective-full.Objective) <= 1e-9*full.Objective) {
		t.Errorf("asked %d times, objective %v of %v, %v", asked, r.Objective, full.Objective, err)
	}
}

// TestErrorsAreReported checks bad problems, bad options and a failing separator.
func TestErrorsAreReported(t *testing.T) {
	s := randomSite(rand.New(rand.NewPCG(1, 1)), 3, 3, false)
	sep := &separator{site: s, choose: identity, exact: true}
	for _, d := range drivers {
		opt := benders.DefaultOptions()
		opt.Gap = math.NaN()
		if _, err := d.solve(context.Background(), s.problem(false), sep, opt); !errors.Is(err, benders.ErrOptions) {
			t.Errorf("%s: NaN gap: %v", d.name, err)
		}
		p := s.problem(false)
		p.ThetaLower = p.ThetaLower[:1]
		if _, err := d.solve(context.Background(), p, sep, benders.DefaultOptions()); !errors.Is(err, benders.ErrProblem) {
			t.Errorf("%s: short ThetaLower: %v", d.name, err)
		}
		boom := errors.New("boom")
		if _, err := d.solve(context.Background(), s.problem(false), failing{boom}, benders.DefaultOptions()); !errors.Is(err, boom) {
			t.Errorf("%s: failing separator: %v", d.name, err)
		}
	}
}

type failing struct{ error }

func (failing) Source() benders.Source { return "failing" }
func (f failing) Separate(context.Context, benders.Point) (benders.Separation, error) {
	return benders.Separation{}, f.error
}

// TestStateLog records what a run separates, without repetitions and up to its limit.
func TestStateLog(t *testing.T) {
	s := randomSite(rand.New(rand.NewPCG(3, 3)), 8, 6, false)
	log := &benders.StateLog{Max: 4}
	opt := benders.DefaultOptions()
	opt.Recorder = log
	if _, err := benders.BranchAndCut(context.Background(), s.problem(false), &separator{site: s, choose: identity, exact: true}, opt); err != nil {
		t.Fatal(err)
	}
	if len(log.States) == 0 || len(log.States) > 4 {
		t.Fatalf("%d states", len(log.States))
	}
	for i, a := range log.States {
		for _, b := range log.States[:i] {
			same := true
			for j := range a.Y {
				same = same && a.Y[j] == b.Y[j]
			}
			if same {
				t.Errorf("state %d is recorded twice", i)
			}
		}
	}
}

// TestDeterminism runs the same problem twice.
func TestDeterminism(t *testing.T) {
	s := randomSite(rand.New(rand.NewPCG(11, 5)), 25, 10, true)
	for _, d := range drivers {
		var first *benders.Result
		for range 2 {
			r, err := d.solve(context.Background(), s.problem(false), &separator{site: s, choose: identity, exact: true}, benders.DefaultOptions())
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = r
				continue
			}
			if r.Objective != first.Objective || r.Bound != first.Bound || r.Nodes != first.Nodes || r.LPIterations != first.LPIterations || r.Cuts != first.Cuts {
				t.Errorf("%s: %+v then %+v", d.name, first, r)
			}
		}
	}
}

// slow is a separator that takes until it is stopped.
type slow struct{}

func (slow) Source() benders.Source { return "slow" }
func (slow) Separate(ctx context.Context, _ benders.Point) (benders.Separation, error) {
	<-ctx.Done()
	return benders.Separation{}, fmt.Errorf("slow: %w", ctx.Err())
}

// TestLimitStopsSeparation has a time limit, or a cancellation, end a separation: that is a status, not an error.
func TestLimitStopsSeparation(t *testing.T) {
	p := randomSite(rand.New(rand.NewPCG(1, 1)), 4, 3, false).problem(false)
	for _, d := range drivers {
		o := benders.DefaultOptions()
		o.TimeLimit = 100 * time.Millisecond
		r, err := d.solve(t.Context(), p, slow{}, o)
		if err != nil || r.Status != lp.TimeLimit {
			t.Errorf("%s: %v, %v", d.name, r, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(100*time.Millisecond, cancel)
		if r, err = d.solve(ctx, p, slow{}, benders.DefaultOptions()); err != nil || r.Status != lp.Interrupted {
			t.Errorf("%s, cancelled: %v, %v", d.name, r, err)
		}
	}
}

// TestCancelledPriceIsAStatus cancels the run while its second start is priced: the first one is returned.
func TestCancelledPriceIsAStatus(t *testing.T) {
	for _, d := range drivers {
		p := randomSite(rand.New(rand.NewPCG(1, 1)), 4, 3, false).problem(false)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()

		// Everything open is a design, and so is everything but one site.
		all := slices.Repeat([]float64{1}, len(p.Master.Cols))
		other := slices.Clone(all)
		other[0] = 0
		p.Starts = [][]float64{all, other}
		price := p.Recourse
		calls := 0
		p.Recourse = func(ctx context.Context, y, q []float64) (bool, error) {
			if calls++; calls > 1 {
				cancel()
				return false, ctx.Err()
			}
			return price(ctx, y, q)
		}
		r, err := d.solve(ctx, p, slow{}, benders.DefaultOptions())
		if err != nil || r.Status != lp.Interrupted || r.Design == nil {
			t.Errorf("%s: %+v, %v", d.name, r, err)
		}
	}
}

// TestLastDesignIsPricedAfterCancellation cancels runs without true-cost selection once their master has a design,
// where the price needs a context that is not cancelled: the design is the result, with its cost.
func TestLastDesignIsPricedAfterCancellation(t *testing.T) {
	for _, d := range drivers {
		s := randomSite(rand.New(rand.NewPCG(7, 7)), 30, 12, false)
		p := s.problem(false)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		price := p.Recourse
		p.Recourse = func(ctx context.Context, y, q []float64) (bool, error) {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			return price(ctx, y, q)
		}

		// The outer loop reports its first round, the tree its first incumbent.
		opt := benders.DefaultOptions()
		opt.Heuristic = false
		opt.TrueCost = false
		opt.LogEvery = 0
		opt.Progress = func(p benders.Progress) {
			if p.Iteration > 0 || p.Incumbent {
				cancel()
			}
		}
		sep := &separator{site: s, choose: identity, exact: true}
		r, err := d.solve(ctx, p, sep, opt)
		if err != nil || r.Status != lp.Interrupted || r.Design == nil {
			t.Fatalf("%s: %+v, %v", d.name, r, err)
		}

		// The enumeration of the sites gives the cost.
		q := make([]float64, p.Epigraphs)
		if cost, ok, err := p.Price(t.Context(), r.Design, q); err != nil || !ok || !near(r.Objective, cost) {
			t.Errorf("%s: objective %v of a design that costs %v, %v", d.name, r.Objective, cost, err)
		}
	}
}
