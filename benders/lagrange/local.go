package lagrange

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Design is a 0-1 vector of the first-stage columns and what it costs in all; Cost is +Inf and Y nil where there is none.
type Design struct {
	Y    []float64
	Cost float64
}

// Pricer is what a family tells of designs.
type Pricer interface {
	// Carries returns false where a design has no recourse for certain, as far as can be told quickly.
	Carries(y []float64) bool
	// Price returns what a design costs, first stage included; +Inf where it has no recourse.
	Price(ctx context.Context, y []float64) (float64, error)
	// Cut fills slope with the optimality cut of the last design that Price found a recourse for, first stage included, and
	// returns its constant: the cut is about the cost of that design, and a lower bound on that of all others.
	Cut(slope []float64) (constant float64)
	// Trim closes the columns of y, that design, that its recourse makes no use of, and reports whether there are any.
	Trim(y []float64) bool
}

// LocalSearch improves designs by changing one or two columns. Neighbours are priced exactly, and only if no cut found so far
// says that they are no better: each priced design leaves its own optimality cut, and the cuts bound all neighbours in a few
// operations each. It implements Search. It is for one goroutine.
type LocalSearch struct {
	Best   Design
	Priced int // designs

	pricer Pricer
	cuts   []plane   // optimality cuts
	rows   []plane   // what every design with a recourse satisfies: at most 0
	next   int       // the cut that is replaced next, the oldest
	bounds []float64 // scratch
	prices map[string]float64
}

// plane is an affine function of the design, with its value at the design at hand and what changing a column adds.
type plane struct {
	constant    float64
	slope, flip []float64
	here        float64
}

func newPlane(n int) plane { return plane{slope: make([]float64, n), flip: make([]float64, n)} }

// at returns the value of a neighbour of the design at hand.
func (p *plane) at(n neighbour) float64 {
	if n.b < 0 {
		return p.here + p.flip[n.a]
	}
	return p.here + p.flip[n.a] + p.flip[n.b]
}

const (
	mostCuts = 96
	progress = 1e-9 // relative, by which a design must be cheaper to count as better
)

// NewLocalSearch returns the local search over n columns. Every design with a recourse satisfies the rows, which are
// feasibility cuts.
func NewLocalSearch(n int, p Pricer, rows []benders.Cut) *LocalSearch {
	s := &LocalSearch{pricer: p, bounds: make([]float64, n), prices: make(map[string]float64), Best: Design{Cost: math.Inf(1)}}
	for _, r := range rows {
		row := newPlane(n)
		row.constant = r.Alpha
		for k, j := range r.Index {
			row.slope[j] = r.Beta[k]
		}
		s.rows = append(s.rows, row)
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

// price also says whether the design was priced just now and has a recourse, so that there is a cut of it.
func (s *LocalSearch) price(ctx context.Context, y []float64) (cost float64, fresh bool, err error) {
	key := designKey(y)
	if cost, ok := s.prices[string(key)]; ok {
		return cost, false, nil
	}
	cost = math.Inf(1)
	if s.pricer.Carries(y) {
		s.Priced++
		if cost, err = s.pricer.Price(ctx, y); err != nil {
			return math.Inf(1), false, err
		}
		fresh = !math.IsInf(cost, 1)
	}
	s.prices[string(key)] = cost
	if cost < s.Best.Cost {
		s.Best = Design{slices.Clone(y), cost}
	}
	return cost, fresh, nil
}

func designKey(y []float64) []byte {
	key := make([]byte, len(y))
	for j, v := range y {
		key[j] = byte(v)
	}
	return key
}

// learn keeps the cut of the last design that was priced.
func (s *LocalSearch) learn(n int) {
	cut := newPlane(n)
	cut.constant = s.pricer.Cut(cut.slope)
	if len(s.cuts) < mostCuts {
		s.cuts = append(s.cuts, cut)
		return
	}
	s.cuts[s.next] = cut
	s.next = (s.next + 1) % mostCuts
}

// neighbour is a design that differs in column a, and in column b if that is not -1, and a bound on its cost.
type neighbour struct {
	a, b  int32
	bound float64
}

func (n neighbour) flip(y []float64) {
	y[n.a] = 1 - y[n.a]
	if n.b >= 0 {
		y[n.b] = 1 - y[n.b]
	}
}

// Descend improves the design y in place until the cuts say that no neighbour is better, or so many designs were priced, and
// returns its cost. A design whose price is known already is left as it is.
func (s *LocalSearch) Descend(ctx context.Context, y []float64, budget int) (float64, error) {
	cost, fresh, err := s.price(ctx, y)
	if err != nil || !fresh {
		return cost, err
	}
	return s.descend(ctx, y, cost, budget)
}

// DescendAgain is Descend also from a design whose price is known.
func (s *LocalSearch) DescendAgain(ctx context.Context, y []float64, budget int) (float64, error) {
	delete(s.prices, string(designKey(y)))
	return s.Descend(ctx, y, budget)
}

// descend is Descend from the design that was priced last.
func (s *LocalSearch) descend(ctx context.Context, y []float64, cost float64, budget int) (_ float64, err error) {
	for limit := s.Priced + budget; ; {
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

// step moves y to the first neighbour that is better, the most promising ones first, and returns its cost, or that of y if
// there is none.
func (s *LocalSearch) step(ctx context.Context, y []float64, cost float64, limit int) (float64, error) {
	for _, n := range s.promising(y, cost) {
		if s.Priced >= limit || ctx.Err() != nil {
			return cost, nil
		}
		if s.bound(n, cost) >= cost {
			continue
		}
		n.flip(y)
		next, fresh, err := s.price(ctx, y)
		if err != nil || fresh && next < cost*(1-progress) {
			return next, err
		}
		if fresh {
			s.learn(len(y))
		}
		n.flip(y)
		if fresh {
			s.evaluate(y)
		}
	}
	return cost, nil
}

// trim closes what the last solution does not use, and learns its cut.
func (s *LocalSearch) trim(ctx context.Context, y []float64, cost float64) (float64, error) {
	s.learn(len(y))
	if !s.pricer.Trim(y) {
		return cost, nil
	}
	next, fresh, err := s.price(ctx, y)
	if fresh {
		s.learn(len(y))
	}
	return min(cost, next), err
}

// evaluate computes cuts and rows at y.
func (s *LocalSearch) evaluate(y []float64) {
	for _, list := range [2][]plane{s.cuts, s.rows} {
		for k := range list {
			p := &list[k]
			p.here = p.constant
			for j, v := range y {
				if p.flip[j] = p.slope[j]; v == 1 {
					p.here += p.slope[j]
					p.flip[j] = -p.slope[j]
				}
			}
		}
	}
}

// bound returns what the cuts say that a neighbour costs at least, or something from the limit on.
func (s *LocalSearch) bound(n neighbour, limit float64) float64 {
	bound := math.Inf(-1)
	for k := range s.cuts {
		if bound = max(bound, s.cuts[k].at(n)); bound >= limit {
			return bound
		}
	}
	return bound
}

// promising returns the neighbours that cuts and rows do not exclude, the least bound first.
func (s *LocalSearch) promising(y []float64, cost float64) []neighbour {
	s.evaluate(y)
	var list []neighbour
	limit := cost * (1 - progress)
	for a := range int32(len(y)) {
		for at, bound := range s.boundsWith(a, limit) {
			if bound < limit {
				list = append(list, neighbour{a: a, b: int32(at) - 1, bound: bound})
			}
		}
	}
	slices.SortFunc(list, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(a.bound, b.bound), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	return list
}

// boundsWith returns bounds of the neighbours that change a alone and with each column before it, nil where all of them are
// from the limit on. The newest cuts, which exclude most, come first.
func (s *LocalSearch) boundsWith(a int32, limit float64) []float64 {
	bounds := s.bounds[:a+1]
	for b := range bounds {
		bounds[b] = math.Inf(-1)
	}
	for k := range s.rows {
		r := &s.rows[k]
		v := r.here + r.flip[a]
		if v > 0 {
			bounds[0] = math.Inf(1)
		}
		for b, f := range r.flip[:a] {
			if v+f > 0 {
				bounds[b+1] = math.Inf(1)
			}
		}
	}
	for k := range s.cuts {
		c := &s.cuts[(s.next+len(s.cuts)-1-k)%len(s.cuts)]
		v := c.here + c.flip[a]
		bounds[0] = max(bounds[0], v)
		some := bounds[0] < limit
		for b, f := range c.flip[:a] {
			if v+f > bounds[b+1] {
				bounds[b+1] = v + f
			}
			if bounds[b+1] < limit {
				some = true
			}
		}
		if !some {
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

// Round implements Search: a descent from the point, rounded until the design has a recourse, if that design is a new one.
func (s *LocalSearch) Round(ctx context.Context, point []float64, budget int) error {
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

// Kick disturbs the best design, closing and opening some columns at random, and descends again, until so many descents in a
// row have not found a better one.
func (s *LocalSearch) Kick(ctx context.Context, kicks, budget int) error {
	rng := rand.New(rand.NewPCG(1, 0x6b69636b))
	for failed := 0; failed < kicks && s.Best.Y != nil && ctx.Err() == nil; failed++ {
		before := s.Best.Cost
		if err := s.Round(ctx, disturbed(rng, s.Best.Y), budget); err != nil {
			return err
		}
		if s.Best.Cost < before*(1-progress) {
			failed = -1
		}
	}
	return nil
}

// disturbed returns a point near a design: some columns are closed and others opened, and those that are closed have a random
// value, which rounding takes the largest of first where the design does not carry.
func disturbed(rng *rand.Rand, design []float64) []float64 {
	y := make([]float64, len(design))
	var open []int
	for j, v := range design {
		if y[j] = 0.5 * rng.Float64(); v == 1 {
			y[j] = 1
			open = append(open, j)
		}
	}
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
	const mostSkipped = 64
	pause, skip := 1, 0
	return func(ctx context.Context, y []float64) ([]float64, error) {
		if skip--; skip > 0 {
			return y, nil
		}
		before := s.Best.Cost
		if err := s.Round(ctx, y, budget); err != nil || s.Best.Y == nil {
			return y, notCancelled(ctx, err)
		}
		if pause = min(2*pause, mostSkipped); s.Best.Cost < before*(1-progress) {
			pause = 1
		}
		skip = pause
		return slices.Clone(s.Best.Y), nil
	}
}
