package lagrange

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Design is a 0-1 vector of the first-stage columns and what it costs in all; Cost is +Inf and Y nil where there is
// none.
type Design struct {
	Y    []float64
	Cost float64
}

// Pricer prices designs of a family.
type Pricer interface {
	// Carries returns false where a design has no recourse for certain, as far as a quick check decides that.
	Carries(y []float64) bool
	// Price returns what a design costs, first stage included; +Inf where it has no recourse.
	Price(ctx context.Context, y []float64) (float64, error)
	// Cut fills slope with the optimality cut of the last design that Price found a recourse for, first stage included,
	// and returns its constant: the cut is about the cost of that design, and a lower bound on that of all others.
	Cut(slope []float64) (constant float64)
	// Trim closes the columns of y, that design, which its recourse makes no use of, and reports whether there are any.
	Trim(y []float64) bool
}

// LocalSearch improves designs by closing a column, opening one, or both. Neighbours are priced exactly, and only if no
// cut found so far proves that they are no better: each priced design leaves its own optimality cut, and the cuts bound
// all neighbours in a few operations each. It implements Search. It is for one goroutine.
type LocalSearch struct {
	Best   Design
	Enough func() bool // nil for never; true stops the pricing of designs
	Report func()      // is called after every price; nil for nobody

	priced  int // designs
	pricer  Pricer
	refuter InfeasibilityProver // the pricer, nil where it is none
	cuts    planes              // optimality cuts
	rows    planes              // what every design with a recourse satisfies: at most 0
	bounds  []float64           // scratch: of neighbours that close the same column
	prices  map[key]float64     // of all designs so far
	keys    []key               // of each column
}

const (
	maxCuts  = 64   // of designs that were priced last
	progress = 1e-9 // relative, by which a design must be cheaper to count as better
)

// enough reports whether the pricing of designs is to stop.
func (s *LocalSearch) enough() bool { return s.Enough != nil && s.Enough() }

// NewLocalSearch returns the local search over n columns. Every design with a recourse satisfies the rows, which are
// feasibility cuts.
func NewLocalSearch(n int, p Pricer, rows []benders.Cut) *LocalSearch {
	s := &LocalSearch{
		Best:   Design{Cost: math.Inf(1)},
		pricer: p,
		cuts:   planes{most: maxCuts},
		rows:   planes{given: len(rows), most: maxRows},
		bounds: make([]float64, n+1),
		prices: make(map[key]float64),
		keys:   newKeys(n),
	}
	s.refuter, _ = p.(InfeasibilityProver)

	// The rows are dense, since every neighbour reads one or two of their slopes.
	for _, r := range rows {
		row := plane{constant: r.Alpha, slope: make([]float64, n)}
		for k, j := range r.Index {
			row.slope[j] = r.Beta[k]
		}
		s.rows.add(row)
	}
	return s
}

// Cost implements Search.
func (s *LocalSearch) Cost() float64 { return s.Best.Cost }

// Visited returns how many designs have a known price.
func (s *LocalSearch) Visited() int { return len(s.prices) }

// Price implements Search.
func (s *LocalSearch) Price(ctx context.Context, y []float64) (float64, error) {
	cost, _, err := s.price(ctx, y)
	return cost, err
}

// price is Price that also reports whether the design was priced just now and has a recourse, so that there is a cut of
// it.
func (s *LocalSearch) price(ctx context.Context, y []float64) (cost float64, fresh bool, err error) {
	k := s.keyOf(y)
	if cost, ok := s.prices[k]; ok {
		return cost, false, nil
	}

	// A quick check comes first, and where it refuses the design its reason may refuse others.
	cost = math.Inf(1)
	if s.pricer.Carries(y) {
		s.priced++
		if cost, err = s.pricer.Price(ctx, y); err != nil {
			return math.Inf(1), false, err
		}
		fresh = !math.IsInf(cost, 1)
	} else {
		s.refuse(len(y))
	}
	s.prices[k] = cost
	if cost < s.Best.Cost {
		s.Best = Design{slices.Clone(y), cost}
	}
	if s.Report != nil {
		s.Report()
	}
	return cost, fresh, nil
}

// learn keeps the cut of the last design that was priced.
func (s *LocalSearch) learn(n int) {
	cut := plane{slope: make([]float64, n)}
	cut.constant = s.pricer.Cut(cut.slope)
	s.cuts.add(cut)
}

// neighbour is a design that closes a column and opens one, -1 for none, and a bound on its cost.
type neighbour struct {
	out, in int32
	bound   float64
}

// enter changes y to the neighbour, leave back again.
func (n neighbour) enter(y []float64) { n.set(y, 0, 1) }
func (n neighbour) leave(y []float64) { n.set(y, 1, 0) }

// set gives the two columns these values.
func (n neighbour) set(y []float64, out, in float64) {
	if n.out >= 0 {
		y[n.out] = out
	}
	if n.in >= 0 {
		y[n.in] = in
	}
}

// Descend improves the design y in place until the cuts prove that no neighbour is better, or budget designs were
// priced, and returns its cost. A design whose price is known already is left as it is.
func (s *LocalSearch) Descend(ctx context.Context, y []float64, budget int) (float64, error) {
	cost, fresh, err := s.price(ctx, y)
	if err != nil || !fresh {
		return cost, err
	}
	return s.descend(ctx, y, cost, budget)
}

// DescendAgain is Descend also from a design whose price is known.
func (s *LocalSearch) DescendAgain(ctx context.Context, y []float64, budget int) (float64, error) {
	delete(s.prices, s.keyOf(y))
	return s.Descend(ctx, y, budget)
}

// descend is Descend from the design that was priced last.
func (s *LocalSearch) descend(ctx context.Context, y []float64, cost float64, budget int) (_ float64, err error) {
	for limit := s.priced + budget; ; {
		// Each round begins with the cut of the design at hand.
		if cost, err = s.trim(ctx, y, cost); err != nil {
			return cost, err
		}
		next, err := s.step(ctx, y, cost, limit)
		if err != nil || next >= cost {
			return cost, err
		}
		cost = next
	}
}

// step moves y to the first neighbour that is better, the most promising ones first, and returns its cost, or that of y
// if there is none.
func (s *LocalSearch) step(ctx context.Context, y []float64, cost float64, limit int) (float64, error) {
	for _, n := range s.promising(y, cost) {
		if s.priced >= limit || s.enough() || ctx.Err() != nil {
			return cost, nil
		}

		// Cuts that were found since the neighbours were listed may exclude this one.
		if s.bound(n, cost) >= cost {
			continue
		}

		// The neighbour is priced. Its solution gives a cut and prices, from which the other neighbours are bounded.
		n.enter(y)
		next, fresh, err := s.price(ctx, y)
		if err != nil || fresh && next < cost*(1-progress) {
			return next, err
		}
		if fresh {
			s.learn(len(y))
		}

		// New cuts and rows are evaluated at y, from which the neighbours are counted.
		n.leave(y)
		switch {
		case fresh:
			s.evaluate(y)
		case math.IsInf(next, 1):
			s.evaluateNew(y)
		}
	}
	return cost, nil
}

// trim adds the cut of the last design, and closes what its recourse does not use.
func (s *LocalSearch) trim(ctx context.Context, y []float64, cost float64) (float64, error) {
	s.learn(len(y))
	if !s.pricer.Trim(y) {
		return cost, nil
	}

	// Without the closed columns the same recourse costs less.
	next, fresh, err := s.price(ctx, y)
	if fresh {
		s.learn(len(y))
	}
	return min(cost, next), err
}

// evaluate computes cuts and rows at y.
func (s *LocalSearch) evaluate(y []float64) {
	for _, list := range [2][]plane{s.cuts.list, s.rows.list} {
		for k := range list {
			list[k].evaluate(y)
		}
	}
}

// bound returns the lower bound of cuts and rows on the cost of a neighbour, or any bound that is at least the limit.
func (s *LocalSearch) bound(n neighbour, limit float64) float64 {
	for k := range s.rows.list {
		if s.rows.list[k].at(n) > 0 {
			return math.Inf(1)
		}
	}
	bound := math.Inf(-1)
	for k := range s.cuts.list {
		if bound = max(bound, s.cuts.list[k].at(n)); bound >= limit {
			return bound
		}
	}
	return bound
}

// promising returns the neighbours that cuts and rows do not exclude, the least bound first.
func (s *LocalSearch) promising(y []float64, cost float64) []neighbour {
	s.evaluate(y)

	// The columns that may be closed and opened; -1 stands for none.
	out, in := []int32{-1}, []int32{-1}
	for j, v := range y {
		if v == 1 {
			out = append(out, int32(j))
		} else {
			in = append(in, int32(j))
		}
	}

	// All pairs of a column to close and one to open, none of either among them, but not both.
	var list []neighbour
	limit := cost * (1 - progress)
	for a := range out {
		for b, bound := range s.boundsWithout(a-1, len(in), limit) {
			if bound < limit && a+b > 0 {
				list = append(list, neighbour{out: out[a], in: in[b], bound: bound})
			}
		}
	}

	// Equal bounds go by the columns, so that the order does not depend on the algorithm of the sort.
	slices.SortFunc(list, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.out, b.out), cmp.Compare(a.in, b.in))
	})
	return list
}

// boundsWithout returns bounds of the neighbours that close the open column at a position, -1 for none, and open
// nothing or each of the closed columns; nil where all of them are from the limit on. The newest cuts, which exclude
// most, come first.
func (s *LocalSearch) boundsWithout(at, n int, limit float64) []float64 {
	bounds := s.bounds[:n]
	for b := range bounds {
		bounds[b] = math.Inf(-1)
	}
	for k := range s.rows.list {
		s.rows.list[k].exclude(bounds, at)
	}

	// From the one before the oldest, which is the newest, backwards.
	cuts := s.cuts.list
	for k := range cuts {
		if !cuts[(s.cuts.next+len(cuts)-1-k)%len(cuts)].raise(bounds, at, limit) {
			return nil
		}
	}
	return bounds
}

// Rounded returns the design that opens the columns of a point above one half, and others by descending value until it
// carries; nil if all of them do not.
func Rounded(point []float64, carries func(y []float64) bool) []float64 {
	y, order := make([]float64, len(point)), make([]int32, len(point))
	for j, v := range point {
		order[j] = int32(j)
		if v > 0.5 {
			y[j] = 1
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(point[b], point[a]) })

	// Before each column that is opened the design is tried as it is.
	for _, j := range order {
		if y[j] == 1 {
			continue
		}
		if carries(y) {
			return y
		}
		y[j] = 1
	}
	if !carries(y) {
		return nil
	}
	return y
}

// Round implements Search: a descent from the point, rounded until the design has a recourse, if that design is a new
// one.
func (s *LocalSearch) Round(ctx context.Context, point []float64, budget int) error {
	// The price of the last design that was tried is that of the rounded one.
	var cost float64
	var fresh bool
	var err error
	y := Rounded(point, func(y []float64) bool {
		cost, fresh, err = s.price(ctx, y)
		return err != nil || !math.IsInf(cost, 1)
	})
	if err == nil && y != nil && fresh {
		_, err = s.descend(ctx, y, cost, budget)
	}
	return err
}

// Kick disturbs the best design, closing and opening some columns at random, and descends again, until the given
// number of descents in a row has not found a better one.
func (s *LocalSearch) Kick(ctx context.Context, kicks, budget int) error {
	rng := rand.New(rand.NewPCG(1, 0x6b69636b))
	for failed := 0; failed < kicks && s.Best.Y != nil && ctx.Err() == nil; failed++ {
		before := s.Best.Cost
		if err := s.Round(ctx, disturbed(rng, s.Best.Y), budget); err != nil {
			return err
		}

		// A better design begins a new row of descents.
		if s.Best.Cost < before*(1-progress) {
			failed = -1
		}
	}
	return nil
}

// disturbed returns a point near a design: some columns are closed and others opened, and those that are closed have a
// random value, which rounding takes the largest of first where the design does not carry.
func disturbed(rng *rand.Rand, design []float64) []float64 {
	y := make([]float64, len(design))
	var open []int
	for j, v := range design {
		if y[j] = 0.5 * rng.Float64(); v == 1 {
			y[j] = 1
			open = append(open, j)
		}
	}

	// Up to three exchanges.
	for range 1 + rng.IntN(3) {
		if len(open) > 0 {
			y[open[rng.IntN(len(open))]] = 0
		}
		y[rng.IntN(len(y))] = 1
	}
	return y
}

// Improver returns the search as a function of a design, for benders.Problem. Calls that find nothing better than the
// best design so far are followed by more and more that return the design as it is.
func (s *LocalSearch) Improver(budget int) func(context.Context, []float64) ([]float64, error) {
	return s.ImproverFrom(budget, func(y []float64) []float64 { return y })
}

// ImproverFrom is Improver from another point than the design: begin returns it, or nil for none.
func (s *LocalSearch) ImproverFrom(budget int, begin func(y []float64) []float64) func(context.Context,
	[]float64) ([]float64, error) {
	const maxSkipped = 64 // calls in a row that return the design as it is
	pause, skip := 1, 0
	return func(ctx context.Context, y []float64) ([]float64, error) {
		if skip--; skip > 0 || s.enough() {
			return y, nil
		}
		before, point := s.Best.Cost, begin(y)
		if point == nil {
			return y, nil
		}
		if err := s.Round(ctx, point, budget); err != nil || s.Best.Y == nil {
			return y, benders.NotCancelled(ctx, err)
		}

		// A search in vain doubles the pause, a better design ends it.
		if pause = min(2*pause, maxSkipped); s.Best.Cost < before*(1-progress) {
			pause = 1
		}
		skip = pause
		return slices.Clone(s.Best.Y), nil
	}
}
