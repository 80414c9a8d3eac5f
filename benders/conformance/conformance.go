// Package conformance is the one test that every family of two-stage problems and the general problem pass: the exact
// scheme ends at the optimum of the whole model, certificates hold in rationals, certified values never pass the
// recourse cost, completions are the strongest, supergradients are those of finite differences, and every run ends,
// whatever a network predicts. It is for use in tests.
//
// Run tests cuts, separators and drivers of a Fixture, against the whole model solved by branch and cut and by linear
// programs. RunLagrangian tests bounds, fixings and searches of package lagrange against all designs of an instance,
// priced in rationals. RunRecorded records runs, proves the records, and has forged copies refused. Each of them adds
// up what it looked at, since a suite that skips everything passes too.
package conformance

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Fixture is a small instance with everything that the suite looks at. The functions return fresh objects.
type Fixture struct {
	Name      string                   // with the seed, for failures
	Problem   func() *benders.Problem  // with Recourse
	Compact   *lp.Model                // the whole program, minimised; its first columns are those of the master
	Exact     func() benders.Separator // for Problem
	Certifier func() proxy.Certifier   // for Problem
	Check     func(*benders.Cut) error // proves a cut in exact arithmetic

	// Predicted names the row of Compact that each predicted multiplier prices; nil leaves out what needs it. A
	// certifier with a second head has twice as many multipliers.
	Predicted []int
	// Scale multiplies each predicted multiplier to make it that of its row; nil for 1.
	Scale []float64
	// Predict draws a plausible prediction. It may be nil: then all predictions are wild.
	Predict func(rng *rand.Rand, y []float64) []float64
	// Value returns the certified value of a projected prediction and, if dst is not nil, its supergradient; nil if the
	// family has none.
	Value func(dst, prediction, y []float64) (float64, error)

	// Hybrid solves by the family's hybrid in phases with a network of random weights, the same at each call, and so weak
	// a start that both phases have something to do. It may be nil: then the family has none.
	Hybrid func(ctx context.Context, o benders.Options) (*benders.Result, error)

	Tolerance float64 // relative, of values against linear programs; 0 for 1e-6
}

// proofsVariable is the environment variable for the number of cuts of random nets that Run proves, a fixture; a few by
// default.
const proofsVariable = "PROXYBD_PROOFS"

// Count is what runs of the suite looked at, so that a test can refuse them if they looked at nothing.
type Count struct {
	Cuts       int  // proven
	Projected  int  // predictions that were not finite
	Feasible   bool // some fixture has a feasible point
	Infeasible int  // points without a recourse
	Smooth     int  // directions in which a supergradient was compared with finite differences
	Strongest  int  // completions compared with a linear program
	Phased     int  // hybrid runs of two phases
	Explained  int  // proxy runs whose gap was held against the error of their certificates
}

// suite is a running test of one fixture. Its parts are independent but for the optimum, which full finds first, and
// for the generator, so that a part that is left out changes the random choices of those after it.
type suite struct {
	*Fixture
	t       testing.TB
	rng     *rand.Rand
	problem *benders.Problem
	optimum float64 // +Inf if there is no feasible point
	count   *Count
}

// Run runs the whole suite on a fixture, and adds to total what it looked at. Failures name the fixture and the seed.
func Run(t testing.TB, f *Fixture, seed uint64, total *Count) {
	t.Helper()
	s := newSuite(t, f, seed, total)
	if !s.full() {
		return
	}
	s.exactEqualsFull()

	// Without a multiplier to predict there is nothing more to test.
	if f.Certifier().Dim() == 0 {
		return
	}
	proofs := 20
	if v, err := strconv.Atoi(os.Getenv(proofsVariable)); err == nil {
		proofs = v
	}
	s.randomNets(proofs)
	s.runsEnd()
	s.hybridEnds()

	// Every call draws a point and a prediction of its own; some predictions have no completion.
	for range 4 {
		s.completion()
	}
}

// RunHybrid runs the part of the suite that is about the hybrid, for larger instances than the rest is for.
func RunHybrid(t testing.TB, f *Fixture, seed uint64, total *Count) {
	t.Helper()
	if s := newSuite(t, f, seed, total); s.full() {
		s.hybridEnds()
	}
}

// newSuite returns the suite of a fixture with a generator of its own, so that a seed replays a failure.
func newSuite(t testing.TB, f *Fixture, seed uint64, total *Count) *suite {
	s := &suite{
		Fixture: f,
		t:       t,
		rng:     rand.New(rand.NewPCG(seed, 0xc0f)),
		problem: f.Problem(),
		count:   total,
	}
	s.Tolerance = cmp.Or(s.Tolerance, 1e-6)
	return s
}

// must ends the test on an error that no part of it is about.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fail fails the test with the name of the fixture in front. The test goes on, since later parts may show more of the
// same fault.
func (s *suite) fail(format string, args ...any) {
	s.t.Helper()
	s.failIf(true, format, args...)
}

// failIf fails the test where a result is bad. Conditions name what is wrong rather than what is right, so that numbers
// which are allowed to be NaN, such as the objective of an infeasible program, compare as false.
func (s *suite) failIf(bad bool, format string, args ...any) {
	s.t.Helper()
	if bad {
		s.t.Errorf(s.Name+": "+format, args...)
	}
}

// full solves the whole model by branch and cut, and reports whether it could. Its optimum, or +Inf for an infeasible
// model, is the truth that every other run is compared with.
func (s *suite) full() bool {
	// The gap is far below the tolerance of the comparisons.
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	r, err := bnb.Solve(context.Background(), s.Compact, o, bnb.Hooks{})
	if err != nil {
		s.fail("the whole model: %v", err)
		return false
	}

	// Other statuses would be failures, or limits, and there are no limits here.
	switch r.Status {
	case lp.Optimal:
		s.optimum = r.Objective
		s.count.Feasible = true
	case lp.Infeasible:
		s.optimum = math.Inf(1)
	default:
		s.fail("the whole model is %v", r.Status)
		return false
	}
	return true
}

// near reports whether two values are equal to the tolerance, or the same infinity.
func (s *suite) near(a, b float64) bool {
	return math.Abs(a-b) <= s.Tolerance*max(1, math.Abs(a), math.Abs(b)) || a == b
}

// prover is a recorder that proves every cut of a run, those that the master's point does not violate included.
type prover struct{ s *suite }

// Separated implements benders.Recorder. The point plays no part: a cut holds everywhere or is wrong.
func (p prover) Separated(_ benders.Point, sep *benders.Separation, _ []benders.Cut) {
	p.s.prove(sep.Cuts)
}

// prove proves cuts by their certificates in exact arithmetic.
func (s *suite) prove(cuts []benders.Cut) {
	for k := range cuts {
		s.count.Cuts++
		err := s.Check(&cuts[k])
		s.failIf(err != nil, "a cut of kind %d on epigraph %d: %v", cuts[k].Kind, cuts[k].Theta, err)
	}
}

// drivers are the schemes that every fixture is solved by. The schemes of single families have tests of their own, in
// their packages.
var drivers = []struct {
	name  string
	solve func(context.Context, *benders.Problem, benders.Separator, benders.Options) (*benders.Result, error)
}{{"outer", benders.OuterLoop}, {"bbc", benders.BranchAndCut}}

// exactEqualsFull solves by the exact separator with every driver, which all end at the optimum of the whole model.
func (s *suite) exactEqualsFull() {
	for _, d := range drivers {
		o := benders.DefaultOptions()
		o.Gap = 1e-9
		o.Recorder = prover{s}

		// The cuts that the master begins with are proven here, those of the run as they are made.
		p := s.Problem()
		s.prove(p.Initial)
		r, err := d.solve(context.Background(), p, s.Exact(), o)
		if err != nil {
			s.fail("exact by %s: %v", d.name, err)
			continue
		}

		// An infeasible program has no objective to compare.
		if math.IsInf(s.optimum, 1) {
			s.failIf(r.Status != lp.Infeasible, "exact by %s: %v, the whole model is infeasible", d.name, r.Status)
			continue
		}

		// The bound may be anywhere below the optimum, but not above it by more than the tolerance.
		boundHolds := r.Bound <= s.optimum || s.near(r.Bound, s.optimum)
		s.failIf(r.Status != lp.Optimal || !s.near(r.Objective, s.optimum) || !boundHolds,
			"exact by %s: %v objective %v bound %v, the whole model %v",
			d.name, r.Status, r.Objective, r.Bound, s.optimum)
	}
}

// point draws a point within the bounds of the first stage, a design or a fractional one.
func (s *suite) point() (y []float64, integer bool) {
	// The point need not satisfy the rows of the first stage: cuts hold at every point within the bounds.
	cols := s.problem.Master.Cols
	y = make([]float64, len(cols))
	integer = s.rng.IntN(2) == 0
	for j, c := range cols {
		// A column that lacks a bound has a range of ten, next to the other bound or around zero.
		l, u := c.Lower, min(c.Upper, c.Lower+10)
		if math.IsInf(l, -1) {
			l, u = min(c.Upper, 5)-10, min(c.Upper, 5)
		}
		y[j] = l + s.rng.Float64()*(u-l)

		// A third of the columns of a fractional point are integer too.
		if c.Integer && (integer || s.rng.IntN(3) == 0) {
			y[j] = min(max(math.Round(y[j]), c.Lower), c.Upper)
		}
	}
	return y, integer
}

// recourse returns Q(y), by the linear program of the whole model with y fixed; +Inf if it is infeasible.
func (s *suite) recourse(y []float64) float64 { return s.relaxed(y, nil) }

// relaxed returns the least recourse cost at y with the predicted rows priced by multipliers instead of imposed
// (lambda nil: imposed); +Inf if infeasible, -Inf if unbounded.
func (s *suite) relaxed(y, lambda []float64) float64 {
	// The columns of the first stage are fixed at y, and their cost is taken off again, with the constant of the master:
	// what is left of the objective is the recourse cost.
	m := s.Compact.Clone()
	offset := -s.problem.Master.Offset
	for j, v := range y {
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
		offset -= s.problem.Master.Cols[j].Cost * v
	}

	// With multipliers the predicted rows leave the program: its costs become reduced costs, and each multiplier times
	// the side that it prices is a constant.
	a, err := m.Matrix()
	must(s.t, err)
	constant := 0.0
	if lambda != nil {
		price := make([]float64, len(m.Rows))
		for k, i := range s.Predicted {
			r := &m.Rows[i]
			v := lambda[k]
			if s.Scale != nil {
				v *= s.Scale[k]
			}

			// A positive multiplier prices the lower side, a negative one the upper side.
			if v > 0 {
				constant += v * r.Lower
			} else if v < 0 {
				constant += v * r.Upper
			}
			price[i] += v
			r.Lower, r.Upper = math.Inf(-1), lp.Inf
		}

		// The columns of the first stage are fixed, and their reduced costs are a constant too.
		for j := range m.Cols {
			index, value := a.Vec(j)
			for t, i := range index {
				m.Cols[j].Cost -= value[t] * price[i]
			}
		}
	}

	// Rows of the first stage do not bind: y is fixed, and need not satisfy them.
	touched := make([]bool, len(m.Rows))
	for j := len(y); j < len(m.Cols); j++ {
		// A row with a column of the recourse belongs to the recourse.
		index, _ := a.Vec(j)
		for _, i := range index {
			touched[i] = true
		}
	}
	for i := range m.Rows {
		if !touched[i] {
			m.Rows[i].Lower, m.Rows[i].Upper = math.Inf(-1), lp.Inf
		}
	}

	// What is left is an ordinary linear program.
	sol, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		s.fail("the linear program of a point: %v", err)
		return math.NaN()
	}
	switch sol.Status {
	case lp.Infeasible:
		return math.Inf(1)
	case lp.Unbounded:
		// With multipliers only: they leave a reduced cost that no bound prices.
		return math.Inf(-1)
	}
	return sol.Objective + offset + constant
}
