package benders

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"
)

// visited is a design with its exact price.
type visited struct {
	y        []float64
	q        []float64 // exact Q_k(y)
	cost     float64   // f'y + sum_k q_k, NaN if it is not feasible
	feasible bool      // it satisfies the master and has a feasible recourse
}

// selection prices integer designs by their true cost and keeps the cheapest one (paper, section
// 4.3, optional deployment refinement). A design is priced once.
type selection struct {
	problem *Problem
	seen    map[string]*visited // by floatKey, infeasible ones too
	best    *visited            // the cheapest one, nil before the first
	elapsed time.Duration       // of pricing
}

// newSelection returns a selection without any design.
func newSelection(p *Problem) *selection {
	return &selection{problem: p, seen: make(map[string]*visited)}
}

// price returns the exact price of an integer design and whether it is the cheapest so far.
func (s *selection) price(ctx context.Context, y []float64) (v *visited, improved bool, err error) {
	key := floatKey(y)
	if v := s.seen[key]; v != nil {
		return v, false, nil
	}

	// The design is copied: callers reuse their points.
	start := time.Now()
	defer func() { s.elapsed += time.Since(start) }()
	v = &visited{
		y: append([]float64(nil), y...),
		q: make([]float64, s.problem.Epigraphs),
	}
	if v.cost, v.feasible, err = s.problem.Price(ctx, v.y, v.q); err != nil {
		return nil, false, fmt.Errorf("benders: pricing a design of %s: %w", s.problem.Name, err)
	}
	s.seen[key] = v

	// Of equal costs the first design stays the best one.
	improved = v.feasible && (s.best == nil || v.cost < s.best.cost)
	if improved {
		s.best = v
	}
	return v, improved, nil
}

// bestCost returns the price of the cheapest design so far, NaN if there is none.
func (s *selection) bestCost() float64 {
	if s.best == nil {
		return math.NaN()
	}
	return s.best.cost
}

// floatKey packs a point into a map key, bit for bit: a byte for a small integer, as nearly all components of
// designs are, nine for any other value.
func floatKey(y []float64) string {
	const other = 0xff // comes before the eight bytes of a value that is no small integer
	key := make([]byte, 0, len(y))
	for _, v := range y {
		if v >= 0 && v < other && v == math.Trunc(v) {
			key = append(key, byte(v))
			continue
		}
		key = binary.LittleEndian.AppendUint64(append(key, other), math.Float64bits(v))
	}
	return string(key)
}
