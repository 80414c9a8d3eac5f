// Package conformance is the one test that every family of two-stage problems and the general problem pass: the exact
// scheme ends at the optimum of the whole model, certificates hold in rationals, certified values never pass the
// recourse cost, completions are the strongest, supergradients are what finite differences say, and every run ends,
// whatever a network says. It is for use in tests.
package conformance

import (
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
	Name      string
	Problem   func() *benders.Problem // with Recourse
	Compact   *lp.Model               // the whole program, minimised; its first columns are those of the master
	Exact     func() benders.Separator
	Certifier func() proxy.Certifier
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

// Proofs is the environment variable that says how many cuts of random nets Run proves, a fixture; a few by default.
const Proofs = "PROXYBD_PROOFS"

// Count is what a run of the suite looked at, so that a test can refuse one that looked at nothing.
type Count struct {
	Cuts      int // proven
	Projected int // predictions that were not finite
	Feasible  bool
	Infeasible,
	Smooth, // directions in which a supergradient was compared with finite differences
	Strongest int // completions compared with a linear program
	Phased, // hybrid runs of two phases
	Explained int // proxy runs whose gap was held against the error of their certificates
}

// Add adds another count.
func (c *Count) Add(o Count) {
	c.Cuts += o.Cuts
	c.Projected += o.Projected
	c.Infeasible += o.Infeasible
	c.Smooth += o.Smooth
	c.Strongest += o.Strongest
	c.Explained += o.Explained
	c.Phased += o.Phased
	c.Feasible = c.Feasible || o.Feasible
}

// suite is a running test of one fixture.
type suite struct {
	*Fixture
	t       testing.TB
	rng     *rand.Rand
	problem *benders.Problem
	optimum float64 // +Inf if there is no feasible point
	count   Count
}

// Run runs the whole suite on a fixture. Failures name the fixture and the seed.
func Run(t testing.TB, f *Fixture, seed uint64) Count {
	t.Helper()
	s := newSuite(t, f, seed)
	if !s.full() {
		return s.count
	}
	s.exactEqualsFull()
	if f.Certifier().Dim() == 0 {
		return s.count // nothing to predict
	}
	proofs := 20
	if v, err := strconv.Atoi(os.Getenv(Proofs)); err == nil {
		proofs = v
	}
	s.randomNets(proofs)
	s.runsEnd()
	s.hybridEnds()
	for range 4 {
		s.completion()
	}
	return s.count
}

// RunHybrid runs the part of the suite that is about the hybrid, for larger instances than the rest is for.
func RunHybrid(t testing.TB, f *Fixture, seed uint64) Count {
	t.Helper()
	s := newSuite(t, f, seed)
	if s.full() {
		s.hybridEnds()
	}
	return s.count
}

func newSuite(t testing.TB, f *Fixture, seed uint64) *suite {
	s := &suite{Fixture: f, t: t, rng: rand.New(rand.NewPCG(seed, 0xc0f)), problem: f.Problem()}
	if s.Tolerance == 0 {
		s.Tolerance = 1e-6
	}
	return s
}

func (s *suite) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Errorf(s.Name+": "+format, args...)
}

// full solves the whole model by branch and cut.
func (s *suite) full() bool {
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	r, err := bnb.Solve(context.Background(), s.Compact, o, bnb.Hooks{})
	if err != nil {
		s.fail("the whole model: %v", err)
		return false
	}
	switch r.Status {
	case lp.Optimal:
		s.optimum, s.count.Feasible = r.Objective, true
	case lp.Infeasible:
		s.optimum = math.Inf(1)
	default:
		s.fail("the whole model is %v", r.Status)
		return false
	}
	return true
}

func (s *suite) near(a, b float64) bool {
	return math.Abs(a-b) <= s.Tolerance*max(1, math.Abs(a), math.Abs(b)) || a == b
}

// prover proves every cut of a run.
type prover struct{ s *suite }

// Separated implements benders.Recorder.
func (p prover) Separated(_ benders.Point, sep *benders.Separation, _ []benders.Cut) {
	p.s.prove(sep.Cuts)
}

func (s *suite) prove(cuts []benders.Cut) {
	for k := range cuts {
		s.count.Cuts++
		if err := s.Check(&cuts[k]); err != nil {
			s.fail("a cut of kind %d on epigraph %d: %v", cuts[k].Kind, cuts[k].Theta, err)
		}
	}
}

// drivers are the schemes that every fixture is solved by.
var drivers = []struct {
	name  string
	solve func(context.Context, *benders.Problem, benders.Separator, benders.Options) (*benders.Result, error)
}{{"outer", benders.OuterLoop}, {"bbc", benders.BranchAndCut}}

func (s *suite) exactEqualsFull() {
	for _, d := range drivers {
		o := benders.DefaultOptions()
		o.Gap, o.Recorder = 1e-9, prover{s}
		p := s.Problem()
		s.prove(p.Initial)
		r, err := d.solve(context.Background(), p, s.Exact(), o)
		if err != nil {
			s.fail("exact by %s: %v", d.name, err)
			continue
		}
		if math.IsInf(s.optimum, 1) {
			if r.Status != lp.Infeasible {
				s.fail("exact by %s: %v, the whole model is infeasible", d.name, r.Status)
			}
			continue
		}
		boundHolds := r.Bound <= s.optimum || s.near(r.Bound, s.optimum)
		if r.Status != lp.Optimal || !s.near(r.Objective, s.optimum) || !boundHolds {
			s.fail("exact by %s: %v objective %v bound %v, the whole model %v", d.name, r.Status, r.Objective, r.Bound,
				s.optimum)
		}
	}
}

// point draws a point within the bounds of the first stage, a design or a fractional one.
func (s *suite) point() (y []float64, integer bool) {
	cols := s.problem.Master.Cols
	y = make([]float64, len(cols))
	integer = s.rng.IntN(2) == 0
	for j, c := range cols {
		l, u := c.Lower, min(c.Upper, c.Lower+10)
		if math.IsInf(l, -1) {
			l, u = min(c.Upper, 5)-10, min(c.Upper, 5)
		}
		y[j] = l + s.rng.Float64()*(u-l)
		if c.Integer && (integer || s.rng.IntN(3) == 0) {
			y[j] = min(max(math.Round(y[j]), c.Lower), c.Upper)
		}
	}
	return y, integer
}

// recourse returns Q(y), by the linear program of the whole model with y fixed; +Inf if it is infeasible.
func (s *suite) recourse(y []float64) float64 {
	return s.relaxed(y, nil)
}

// relaxed returns the least recourse cost at y with the predicted rows priced by multipliers instead of imposed
// (lambda nil: imposed); +Inf if infeasible, -Inf if unbounded.
func (s *suite) relaxed(y, lambda []float64) float64 {
	// The columns of the first stage are fixed at y, and their cost is taken off again.
	m := s.Compact.Clone()
	offset := -s.problem.Master.Offset
	for j, v := range y {
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
		offset -= s.problem.Master.Cols[j].Cost * v
	}

	// With multipliers the predicted rows leave the program: its costs become reduced costs, and each multiplier times
	// the side that it prices is a constant.
	constant := 0.0
	if lambda != nil {
		a, err := m.Matrix()
		if err != nil {
			s.t.Fatal(err)
		}
		price := make([]float64, len(m.Rows))
		for k, i := range s.Predicted {
			r, v := &m.Rows[i], lambda[k]
			if s.Scale != nil {
				v *= s.Scale[k]
			}
			if v > 0 {
				constant += v * r.Lower
			} else if v < 0 {
				constant += v * r.Upper
			}
			price[i] += v
			r.Lower, r.Upper = math.Inf(-1), lp.Inf
		}
		for j := range m.Cols {
			index, value := a.Vec(j)
			for t, i := range index {
				m.Cols[j].Cost -= value[t] * price[i]
			}
		}
	}

	// Rows of the first stage do not bind: y is fixed, and need not satisfy them.
	a, err := m.Matrix()
	if err != nil {
		s.t.Fatal(err)
	}
	touched := make([]bool, len(m.Rows))
	for j := len(y); j < len(m.Cols); j++ {
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
	o := simplex.DefaultOptions()
	sol, err := simplex.Solve(context.Background(), m, o)
	if err != nil {
		s.fail("the linear program of a point: %v", err)
		return math.NaN()
	}
	switch sol.Status {
	case lp.Infeasible:
		return math.Inf(1)
	case lp.Unbounded:
		return math.Inf(-1)
	}
	return sol.Objective + offset + constant
}
