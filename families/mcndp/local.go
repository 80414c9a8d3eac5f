package mcndp

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// Design is a 0-1 vector of the arcs and what it costs in all; Cost is +Inf and Y nil where there is none.
type Design struct {
	Y    []float64
	Cost float64
}

// LocalSearch improves designs by changing one or two arcs. Neighbours are priced exactly, by Recourse, and only if no cut
// found so far says that they are no better: each priced design leaves its own optimality cut, which is exact there, and
// the cuts bound all neighbours in a few operations each. It is for one goroutine.
type LocalSearch struct {
	in        *Instance
	recourse  *Recourse
	certifier *Certifier
	u, load   []float64
	alpha     []float64          // of each cut
	slope     [][]float64        // f_j + beta_j of each cut
	base      []float64          // of each cut, its value at the design at hand
	next      int                // the cut that is replaced next
	known     map[string]float64 // prices of designs
	Best      Design
	Priced    int
}

// NewLocalSearch returns the local search of a valid instance.
func NewLocalSearch(in *Instance) (*LocalSearch, error) {
	r, err := NewRecourse(in)
	n := in.Arcs()
	return &LocalSearch{in: in, recourse: r, certifier: NewCertifier(in, Penalty(in)), u: make([]float64, in.size()),
		load: make([]float64, n), known: make(map[string]float64), Best: Design{Cost: math.Inf(1)}}, err
}

// Cost returns f'y + Q(y) of a design, +Inf where it has no recourse, and keeps it if it is the best. fresh says that a
// linear program was solved for it just now.
func (s *LocalSearch) Cost(ctx context.Context, y []float64) (cost float64, fresh bool, err error) {
	key := designBytes(y)
	if cost, ok := s.known[string(key)]; ok {
		return cost, false, nil
	}
	cost = math.Inf(1)
	if s.in.carries(y) {
		q, feasible, err := s.recourse.Solve(ctx, y)
		if err != nil {
			return math.Inf(1), false, err
		}
		if s.Priced++; feasible {
			cost, fresh = s.in.fixedCost(y)+q, true
		}
	}
	s.known[string(key)] = cost
	if cost < s.Best.Cost {
		s.Best = Design{copied(y), cost}
	}
	return cost, fresh, nil
}

// searchCuts is how many cuts the search keeps.
const searchCuts = 96

// learn keeps the cut of the last design that was solved for.
func (s *LocalSearch) learn() {
	s.recourse.Duals(s.u)
	s.certifier.straighten(s.u)
	alpha, slope := s.certifier.supplies(s.certifier.scratch(), s.u), make([]float64, s.in.Arcs())
	for j, f := range s.in.Fixed {
		slope[j] = f - s.certifier.solve(benders.Optimality, s.u, j)
	}
	if len(s.alpha) < searchCuts {
		s.alpha, s.slope, s.base = append(s.alpha, alpha), append(s.slope, slope), append(s.base, 0)
		return
	}
	s.alpha[s.next], s.slope[s.next] = alpha, slope
	s.next = (s.next + 1) % searchCuts
}

// neighbour is a design that differs in arc a, and in arc b if that is not -1, and a bound on its cost.
type neighbour struct {
	a, b  int32
	bound float64
}

// Descend improves the design y in place until the cuts say that no neighbour is better, or so many designs were priced.
// Arcs without flow are closed at once.
func (s *LocalSearch) Descend(ctx context.Context, y []float64, most int) (float64, error) {
	cost, fresh, err := s.Cost(ctx, y)
	if err != nil || !fresh {
		return cost, err
	}
	for limit := s.Priced + most; ; {
		if cost, err = s.drop(ctx, y, cost); err != nil {
			return cost, err
		}
		better := false
		for _, n := range s.promising(y, cost) {
			if s.Priced >= limit || ctx.Err() != nil {
				return cost, nil
			}
			if s.bound(y, n, cost) >= cost {
				continue
			}
			n.flip(y)
			next, fresh, err := s.Cost(ctx, y)
			if err != nil {
				return cost, err
			}
			if fresh {
				if next < cost*(1-1e-9) {
					cost, better = next, true
					break
				}
				s.learn()
			}
			n.flip(y)
			if fresh {
				s.settle(y)
			}
		}
		if !better {
			return cost, nil
		}
	}
}

func (n neighbour) flip(y []float64) {
	y[n.a] = 1 - y[n.a]
	if n.b >= 0 {
		y[n.b] = 1 - y[n.b]
	}
}

// drop closes the open arcs that carry nothing in the last solution, and learns its cut.
func (s *LocalSearch) drop(ctx context.Context, y []float64, cost float64) (float64, error) {
	s.learn()
	s.recourse.cost.loads(s.load)
	some := false
	for j, v := range y {
		if v == 1 && s.load[j] <= 1e-9 {
			y[j], some = 0, true
		}
	}
	if !some {
		return cost, nil
	}
	next, fresh, err := s.Cost(ctx, y)
	if fresh {
		s.learn()
	}
	return min(cost, next), err
}

// settle computes the values of the cuts at y.
func (s *LocalSearch) settle(y []float64) {
	for k, slope := range s.slope {
		s.base[k] = s.alpha[k]
		for j, v := range y {
			if v == 1 {
				s.base[k] += slope[j]
			}
		}
	}
}

// bound returns what the cuts say that a neighbour of y costs at least, or something from the limit on.
func (s *LocalSearch) bound(y []float64, n neighbour, limit float64) float64 {
	a := 1 - 2*y[n.a]
	b, at := 0.0, n.a
	if n.b >= 0 {
		b, at = 1-2*y[n.b], n.b
	}
	bound := math.Inf(-1)
	for k, slope := range s.slope {
		if bound = max(bound, s.base[k]+a*slope[n.a]+b*slope[at]); bound >= limit {
			return bound
		}
	}
	return bound
}

// promising returns the neighbours that the cuts do not exclude, the least bound first.
func (s *LocalSearch) promising(y []float64, cost float64) []neighbour {
	s.settle(y)
	var list []neighbour
	limit := cost * (1 - 1e-9)
	for a := range int32(len(y)) {
		for b := int32(-1); b < a; b++ {
			n := neighbour{a: a, b: b}
			if n.bound = s.bound(y, n, limit); n.bound < limit {
				list = append(list, n)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b neighbour) int { return cmp.Compare(a.bound, b.bound) })
	return list
}

// scale is slope scaling (Crainic, Gendron and Hernu 2004): flows that pay the fixed cost of an arc by the unit, at the last
// load, show which arcs are used; every design on the way is priced, and the best one descends. It must have a time limit in
// ctx, or none.
func (s *LocalSearch) scale(ctx context.Context, rounds, budget int) error {
	in := s.in
	p, err := newFlowProgram(in, benders.Optimality)
	if err != nil {
		return err
	}
	n := in.Arcs()
	p.move(ones(n))
	extra, y, best := make([]float64, n), make([]float64, n), Design{Cost: math.Inf(1)}
	for j, f := range in.Fixed {
		extra[j] = f / max(min(in.Capacity[j], in.TotalDemand()), tooSmall)
	}
	for range rounds {
		p.charge(extra)
		r, err := p.solver.Solve(ctx)
		if err != nil || r.Status != lp.Optimal {
			return err
		}
		p.loads(s.load)
		for j, load := range s.load {
			if y[j] = 0; load > 1e-9 {
				y[j] = 1
				extra[j] = in.Fixed[j] / load
			}
		}
		cost, fresh, err := s.Cost(ctx, y)
		if err != nil {
			return err
		}
		if cost < best.Cost {
			best = Design{copied(y), cost}
		}
		if !fresh {
			break
		}
	}
	if best.Y == nil {
		return nil
	}
	delete(s.known, string(designBytes(best.Y)))
	_, err = s.Descend(ctx, best.Y, budget)
	return err
}

func designBytes(y []float64) []byte {
	key := make([]byte, len(y))
	for j, v := range y {
		key[j] = byte(v)
	}
	return key
}

// Round opens the arcs of a fractional point above one half, and others by descending value until all cut sets are
// carried, and descends from there.
func (s *LocalSearch) Round(ctx context.Context, point []float64, budget int) error {
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
		if s.in.carries(y) {
			cost, fresh, err := s.Cost(ctx, y)
			if err != nil {
				return err
			}
			if !math.IsInf(cost, 1) {
				if fresh {
					delete(s.known, string(designBytes(y)))
					_, err = s.Descend(ctx, y, budget)
				}
				return err
			}
		}
		y[j] = 1
	}
	return nil
}

// Kick disturbs the best design, opening and closing some arcs at random, and descends again, until so many descents in a
// row have not found a better one.
func (s *LocalSearch) Kick(ctx context.Context, rng *rand.Rand, most, budget int) error {
	for failed := 0; failed < most && s.Best.Y != nil && ctx.Err() == nil; failed++ {
		y, before := copied(s.Best.Y), s.Best.Cost
		for range 2 + rng.IntN(3) {
			y[rng.IntN(len(y))] = 1
		}
		if rng.IntN(2) == 0 {
			y[rng.IntN(len(y))] = 0
		}
		if _, err := s.Descend(ctx, y, budget); err != nil {
			return err
		}
		if s.Best.Cost < before*(1-1e-9) {
			failed = -1
		}
	}
	return nil
}
