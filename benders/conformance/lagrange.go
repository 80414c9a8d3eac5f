package conformance

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders/lagrange"
)

// Lagrangian is a small instance with what package lagrange works on. The functions return fresh objects.
type Lagrangian struct {
	Name  string
	Relax func() (lagrange.Binary, *lagrange.Volume) // with multipliers to begin with

	// Cost returns what a design costs, nil where it has no recourse. It is off by at most Accuracy, relative.
	Cost     func(y []float64) *big.Rat
	Accuracy float64

	Rule   func() lagrange.Rule                          // for the tree
	Search func() lagrange.Search                        // that has a design, for the tree
	Local  func() *lagrange.LocalSearch                  // nil if the family has its own
	Refine func(lagrange.Binary, *lagrange.Volume) error // for the preparation, nil for none
}

// LagrangianCount is what runs looked at.
type LagrangianCount struct {
	Fixed      int // columns, by reduced costs
	Probed     int // columns, by probes
	Slopes     int // shifted supergradients that were compared
	Nodes      int // of trees
	Neighbours int // designs that were compared with the end of a descent
}

// relaxed is a fixture with the costs of all its designs. They are rationals, so that a comparison with a bound is
// exact: a bound that is above a cost by one rounding error is an error of the code under test.
type relaxed struct {
	*Lagrangian
	t       *testing.T
	rng     *rand.Rand
	designs [][]float64
	costs   []*big.Rat // of each of the designs, nil for no recourse
	least   *big.Rat   // the optimum, nil where no design has a recourse
	count   *LagrangianCount
}

// RunLagrangian checks bounds, fixings, probes, preparation, tree and local search against all designs, and adds to
// total what it looked at.
func RunLagrangian(t *testing.T, f *Lagrangian, seed uint64, total *LagrangianCount) {
	t.Helper()
	r := &relaxed{
		Lagrangian: f,
		t:          t,
		rng:        rand.New(rand.NewPCG(seed, 0x6c616772)),
		count:      total,
	}
	b, _ := f.Relax()
	n := len(b.Known().State)

	// All designs are priced in rationals. Bit j of the number of a design is its column j.
	for mask := range 1 << n {
		y := make([]float64, n)
		for j := range y {
			y[j] = float64(mask >> j & 1)
		}
		cost := f.Cost(y)
		r.designs, r.costs = append(r.designs, y), append(r.costs, cost)
		if cost != nil && (r.least == nil || cost.Cmp(r.least) < 0) {
			r.least = cost
		}
	}
	if r.least == nil {
		return
	}

	// With these costs every bound, fixing and design of a relaxation can be checked. The probes have the limit of the
	// optimum, and one that several designs may meet.
	r.bounds()
	r.slopes()
	for _, limit := range []float64{r.above(r.least), r.above(r.some())} {
		r.probes(limit)
	}
	if f.Local != nil {
		r.prepares()
		r.neighbours()
	}
	r.tree()
}

// failIf ends the test where a result is bad.
func (r *relaxed) failIf(bad bool, format string, args ...any) {
	r.t.Helper()
	if bad {
		r.t.Fatalf(r.Name+": "+format, args...)
	}
}

// above returns a float64 that is no less than a cost.
func (r *relaxed) above(cost *big.Rat) float64 {
	v := float(cost)
	return v + math.Abs(v)*(r.Accuracy+1e-15)
}

// some returns the cost of a random design.
func (r *relaxed) some() *big.Rat {
	// At least one design has a recourse, so that this ends.
	for {
		if c := r.costs[r.rng.IntN(len(r.costs))]; c != nil {
			return c
		}
	}
}

// holds fails if a design within the limit of what is known is fixed away or cheaper than the bound. forced are columns
// that the designs in question have at a value.
func (r *relaxed) holds(what string, known *lagrange.Columns, bound float64, forced []lagrange.State) {
	r.t.Helper()
	for d, y := range r.designs {
		cost := r.costs[d]

		// Fixings and bounds are about the designs that cost at most UB, and prices are off by the accuracy.
		if cost == nil || times(cost, 1+2*r.Accuracy, known.UB) > 0 || !agrees(forced, y) {
			continue
		}
		r.failIf(!agrees(known.State, y), "%s: %v costs %v within %v, fixed is %v", what, y, float(cost), known.UB,
			known.State)
		r.failIf(times(cost, 1+r.Accuracy, bound) < 0, "%s: %v costs %.17g, the bound is %.17g", what, y, float(cost),
			bound)
	}
}

// times compares a cost times a factor with a float, exactly: the result is that of cmp.Compare.
func times(cost *big.Rat, factor, v float64) int {
	// An infinite float is no rational.
	switch {
	case math.IsInf(v, 1):
		return -1
	case math.IsInf(v, -1):
		return 1
	}
	return new(big.Rat).Mul(cost, new(big.Rat).SetFloat64(factor)).Cmp(new(big.Rat).SetFloat64(v))
}

// float returns the float64 that is nearest to a cost.
func float(v *big.Rat) float64 {
	f, _ := v.Float64()
	return f
}

// agrees reports whether a design has every column that is decided at its value.
func agrees(state []lagrange.State, y []float64) bool {
	for j, s := range state {
		if s != lagrange.Undecided && s.Value() != y[j] {
			return false
		}
	}
	return true
}

// bounds evaluates at wild and at improved multipliers, with limits and with columns forced.
func (r *relaxed) bounds() {
	for round := range 12 {
		b, v := r.Relax()
		known := b.Known()
		forced := make([]lagrange.State, len(known.State))

		// Every third round has a limit, and every third a column that is forced.
		if round%3 == 1 {
			known.UB = r.above(r.some())
		}
		if round%3 == 2 {
			// Closed and Open are the two states after Undecided.
			j := r.rng.IntN(len(forced))
			forced[j] = lagrange.Closed + lagrange.State(r.rng.IntN(2))
			copy(known.State, forced)
		}

		// The bounds of the first multipliers and of improved ones hold for every design that is left.
		v.Restart(b)
		r.holds("start", known, v.Bound, forced)
		v.Improve(context.Background(), b, 1+r.rng.IntN(60))
		r.holds("volume", known, v.Bound, forced)

		// The count has the forced columns too, one at most.
		for _, s := range known.State {
			if s != lagrange.Undecided {
				r.count.Fixed++
			}
		}

		// So do those of multipliers of any size and sign, and of none.
		slope, wild := make([]float64, len(v.Multipliers)), make([]float64, len(v.Multipliers))
		for range 4 {
			for k, m := range v.Multipliers {
				// One in twenty is no number, infinite, of the wrong sign, or huge.
				wild[k] = m * 2 * r.rng.Float64()
				if r.rng.IntN(20) == 0 {
					wild[k] = []float64{math.NaN(), math.Inf(1), -1, 1e300}[r.rng.IntN(4)]
				}
			}

			// Project turns them into multipliers that have a bound.
			b.Project(wild)
			bound, _ := b.Evaluate(wild, slope)
			r.holds("wild multipliers", known, bound, forced)
		}
	}
}

// slopes checks that Shift is what forcing a column changes.
func (r *relaxed) slopes() {
	b, v := r.Relax()
	known := b.Known()
	v.Restart(b)
	v.Improve(context.Background(), b, 5)
	slope, at := make([]float64, len(v.Multipliers)), make([]float64, len(v.Multipliers))
	for range 20 {
		// Multipliers around good ones, from half to one and a half of each.
		for k, x := range v.Multipliers {
			at[k] = x * (0.5 + r.rng.Float64())
		}
		b.Project(at)
		_, point := b.Evaluate(at, slope)

		// The point is a view that the next evaluation overwrites.
		j := r.rng.IntN(len(known.State))
		r.shifted(b, at, slope, slices.Clone(point), j)
		known.State[j] = lagrange.Undecided
	}
}

// shifted forces column j to the other value and compares supergradients, if no other column moves.
func (r *relaxed) shifted(b lagrange.Binary, at, slope, point []float64, j int) {
	to := lagrange.Open
	if point[j] > 0.5 {
		to = lagrange.Closed
	}
	b.Known().State[j] = to
	forced := make([]float64, len(slope))

	// Without a point the forced relaxation is infeasible, and has no supergradient.
	_, moved := b.Evaluate(at, forced)
	if moved == nil {
		return
	}
	for k, v := range moved {
		if k != j && v != point[k] {
			return
		}
	}

	// Then the two supergradients differ by the part of column j alone, which is what Shift adds.
	b.Shift(slope, at, j, to.Value()-point[j])
	for k, g := range forced {
		r.failIf(math.Abs(g-slope[k]) > 1e-9*(1+math.Abs(g)), "slope %d is %g with column %d forced, not %g", k, g, j,
			slope[k])
	}
	r.count.Slopes++
}

// probes fixes columns one by one against a limit. Designs that cost no more than the limit must be left, and the bound
// of the relaxation without the fixed columns holds for them.
func (r *relaxed) probes(limit float64) {
	b, v := r.Relax()
	b.Known().UB = limit
	v.Restart(b)
	v.Improve(context.Background(), b, 20)
	r.count.Probed += lagrange.Probe(context.Background(), b, v, 10, func() {})

	// What is fixed for good leaves the data, and the bound of the rest still holds.
	b.Compact(-1)
	v.Resume(b)
	r.holds("probes", b.Known(), v.Bound, nil)
}

// prepares runs the preparation with local search: whatever it fixes, and whatever bound it ends with, must hold for
// every design, and its best design must cost what its price is.
func (r *relaxed) prepares() {
	b, v := r.Relax()
	p := lagrange.Preparation{
		Relaxation: b,
		Volume:     v,
		Search:     r.Local(),
		Accuracy:   100 * r.Accuracy,
		Options:    lagrange.Options{Steps: 60, Every: 20, Budget: 20, Kicks: 2, Probe: 10},
	}
	if r.Refine != nil {
		p.Refine = func() error { return r.Refine(b, v) }
	}
	must(r.t, p.Run(context.Background()))

	// A bound above the limit is about designs that no longer matter.
	r.holds("preparation", b.Known(), min(p.Bound, b.Limit()), nil)
	r.priced(p.Search.Best)
}

// priced fails if a design does not cost what its price is.
func (r *relaxed) priced(d lagrange.Design) {
	r.t.Helper()
	if d.Y == nil {
		return
	}
	c := r.Cost(d.Y)
	r.failIf(c == nil || math.Abs(float(c)-d.Cost) > 1e-8*(1+math.Abs(d.Cost)), "%v is said to cost %g", d.Y, d.Cost)
}

// neighbours descends from random designs: no neighbour is better where nothing stops the search. Neighbours are the
// designs that a search may move to: with one column closed, one opened, or both.
func (r *relaxed) neighbours() {
	for round := range 4 {
		// The first descent begins with everything open, which has a recourse in most families.
		s := r.Local()
		start := len(r.designs) - 1
		if round > 0 {
			start = r.rng.IntN(len(r.designs))
		}
		y := slices.Clone(r.designs[start])

		// The search descends to a design whose cost is checked.
		cost, err := s.DescendAgain(context.Background(), y, 1<<20)
		must(r.t, err)

		// A start without a recourse ends the descent before it begins.
		if math.IsInf(cost, 1) {
			continue
		}
		r.priced(lagrange.Design{Y: y, Cost: cost})
		r.priced(s.Best)

		// Designs that differ by one column, or by an exchange of two, are no better.
		for d, other := range r.designs {
			differ := 0
			for j := range y {
				if y[j] != other[j] {
					differ++
				}
			}
			if differ > 2 || r.costs[d] == nil {
				continue
			}
			r.count.Neighbours++
			c := float(r.costs[d])
			r.failIf(c < cost-1e-8*(1+math.Abs(cost)), "%v costs %g, its neighbour %v only %g", y, cost, other, c)
		}
	}
}

// tree proves the optimum by branch and bound without a master, from a search that has a design already, and without a
// limit: the tree must be complete.
func (r *relaxed) tree() {
	const gap = 1e-6
	b, v := r.Relax()
	v.Restart(b)
	t := lagrange.Tree{
		Relaxation: b,
		Search:     r.Search(),
		Rule:       r.Rule(),
		Root:       v,
		Bound:      math.Inf(-1),
		Gap:        gap,
		Accuracy:   r.Accuracy,
		MaxNodes:   math.MaxInt,
	}
	found, err := t.Solve(context.Background())
	must(r.t, err)
	r.count.Nodes += found.Nodes

	// Cost and bound enclose the optimum, and are within the gap of each other.
	least, cost := float(r.least), t.Search.Cost()
	slack := (r.Accuracy+1e-15)*math.Abs(least) + 1e-300
	costHolds := cost >= least-slack && cost <= least*(1+2*gap)+slack
	boundHolds := found.Bound <= least+slack && found.Bound >= cost*(1-2*gap)-slack
	r.failIf(!found.Complete || !costHolds || !boundHolds, "%+v with the design of %.12g, the optimum is %.12g", found,
		cost, least)
}
