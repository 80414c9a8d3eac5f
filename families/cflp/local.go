package cflp

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
)

// Design is a set of open facilities, ascending, and what it costs in all.
type Design struct {
	Open []int32
	Cost float64
}

// LocalSearch improves designs by opening, closing and swapping facilities. A neighbour is priced exactly, by
// Transport, and only if no cut found so far says that it is no better: each priced design leaves its own
// optimality cut, which is exact there, and the cuts bound all neighbours in a few operations each. It is for one
// goroutine.
type LocalSearch struct {
	in        *Instance
	transport *Transport
	certifier *Certifier
	rows      []coverRow
	core      []float64 // multipliers near which cuts are made, nil for none
	lambda    []float64
	y         []float64
	alpha     []float64   // of each cut
	slope     [][]float64 // f_j + beta_j of each cut
	next      int         // the cut that is replaced next
	priced    int
}

const searchCuts = 64

// NewLocalSearch returns the local search of a valid instance.
func NewLocalSearch(in *Instance) *LocalSearch {
	return &LocalSearch{in: in, transport: NewTransport(in), certifier: NewCertifier(in), rows: in.coverRows(),
		lambda: make([]float64, in.Clients), y: make([]float64, in.Facilities)}
}

// Cost returns f'y + Q(y) of the design that opens the facilities listed, +Inf if they do not suffice.
func (s *LocalSearch) Cost(ctx context.Context, open []int32) (float64, error) {
	clear(s.y)
	var total outward.Sum
	for _, j := range open {
		s.y[j] = 1
		total.Add(s.in.Fixed[j])
	}
	q, feasible, err := s.transport.Solve(ctx, s.y)
	if err != nil || !feasible {
		return math.Inf(1), err
	}
	s.priced++
	total.Add(q)
	return total.Value(), nil
}

// learn keeps the cut of the design that was priced last.
func (s *LocalSearch) learn() {
	s.transport.Duals(s.lambda, s.core)
	slope := make([]float64, s.in.Facilities)
	alpha := 0.0
	for _, v := range s.lambda {
		alpha += v
	}
	for j, f := range s.in.Fixed {
		slope[j] = f - s.certifier.solve(benders.Optimality, s.lambda, j)
	}
	if len(s.alpha) < searchCuts {
		s.alpha, s.slope = append(s.alpha, alpha), append(s.slope, slope)
		return
	}
	s.alpha[s.next], s.slope[s.next] = alpha, slope
	s.next = (s.next + 1) % searchCuts
}

// move is a neighbour: a facility to open and one to close, -1 for none, and a bound on the cost.
type move struct {
	in, out int32
	bound   float64
}

// Descend returns a design no neighbour of which is better, from the one given, which must be feasible; at most the
// given number of designs are priced.
func (s *LocalSearch) Descend(ctx context.Context, open []int32, most int) (Design, error) {
	current := Design{Open: slices.Clone(open)}
	var err error
	if current.Cost, err = s.Cost(ctx, open); err != nil || math.IsInf(current.Cost, 1) {
		return current, err
	}
	s.learn()
	for range most {
		m := s.promising(current)
		if !(m.bound < current.Cost*(1-1e-9)) || ctx.Err() != nil {
			break
		}
		next := m.apply(current.Open)
		cost, err := s.Cost(ctx, next)
		if err != nil {
			if ctx.Err() != nil {
				break
			}
			return current, err
		}
		s.learn()
		if cost < current.Cost*(1-1e-12) {
			current = Design{next, cost}
		}
	}
	slices.Sort(current.Open)
	return current, nil
}

func (m move) apply(open []int32) []int32 {
	var next []int32
	for _, j := range open {
		if j != m.out {
			next = append(next, j)
		}
	}
	if m.in >= 0 {
		next = append(next, m.in)
	}
	return next
}

// promising returns the neighbour of least bound.
func (s *LocalSearch) promising(d Design) move {
	clear(s.y)
	capacity := 0.0
	for _, j := range d.Open {
		s.y[j] = 1
		capacity += s.rows[0].weight[j]
	}
	base := slices.Clone(s.alpha)
	for k, slope := range s.slope {
		for _, j := range d.Open {
			base[k] += slope[j]
		}
	}
	best := move{-1, -1, math.Inf(1)}
	try := func(in, out int32) {
		bound := math.Inf(-1)
		for k, slope := range s.slope {
			v := base[k]
			if in >= 0 {
				v += slope[in]
			}
			if out >= 0 {
				v -= slope[out]
			}
			if bound = max(bound, v); bound >= best.bound {
				return
			}
		}
		best = move{in, out, bound}
	}
	need := s.rows[0].need
	for _, out := range d.Open {
		left := capacity - s.rows[0].weight[out]
		if left >= need && len(d.Open) > 1 {
			try(-1, out)
		}
		for in, y := range s.y {
			if y == 0 && left+s.rows[0].weight[in] >= need {
				try(int32(in), out)
			}
		}
	}
	for in, y := range s.y {
		if y == 0 {
			try(int32(in), -1)
		}
	}
	return best
}

// Round returns a feasible design near a fractional point: the facilities above one half, and then others by
// descending value until the capacity covers the demand; nil if all of them do not.
func (s *LocalSearch) Round(y []float64) []int32 {
	order := make([]int32, len(y))
	for j := range order {
		order[j] = int32(j)
	}
	weight, capacity := s.rows[0].weight, 0.0
	slices.SortStableFunc(order, func(a, b int32) int {
		switch {
		case y[a] > y[b]:
			return -1
		case y[a] < y[b]:
			return 1
		}
		return 0
	})
	var open []int32
	for _, j := range order {
		if y[j] <= 0.5 && capacity >= s.rows[0].need && len(open) > 0 {
			break
		}
		open = append(open, j)
		capacity += weight[j]
	}
	if capacity < s.rows[0].need {
		return nil
	}
	return open
}
