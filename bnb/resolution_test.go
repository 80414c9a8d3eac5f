package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestResolvedRowsKeepPoints solves random models and enumerates, for every row that is learnt, the points of the model
// beyond it: none is better than the objective to beat when the row was learnt.
func TestResolvedRowsKeepPoints(t *testing.T) {
	var count rowCount
	for seed := range uint64(bulk(t, 3000)) {
		if err := count.solve(rand.New(rand.NewPCG(seed, 44))); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%+v", count)
	if count.resolved < 100 || count.open < 100 {
		t.Errorf("too few rows of a kind: %+v", count)
	}
}

// rowCount counts rows that were enumerated.
type rowCount struct {
	learnt   int
	resolved int // found by resolution
	open     int // rows at a time when there were better points, which a wrong row might have excluded
}

// solve solves a random model, and checks the rows that are left.
func (n *rowCount) solve(rng *rand.Rand) error {
	m := branchedTiny(rng)
	opt := optionSet(rng)
	opt.Presolve = false
	if rng.IntN(3) > 0 {
		opt.tuning.heuristicsOff = ^heuristicSet(0)
	}
	s, err := newSearch(job{model: m.model(nil), opt: opt})
	if err != nil {
		return err
	}
	if err := s.run(context.Background()); err != nil {
		return err
	}
	n.learnt += len(s.learnt.list)
	n.resolved += s.graph.rows.found
	best := s.p.sense * m.solve()
	for _, c := range s.learnt.list {
		strict := c.strict - s.p.offset
		if best < c.strict-1e-6 {
			n.open++
		}
		if beyond := s.p.sense * m.beyond(c, strict); beyond < c.strict-1e-6 {
			return fmt.Errorf("%v x[%v] <= %g excludes a point of value %g, to beat is %g\n%+v",
				c.value, c.index, c.upper(strict), beyond, c.strict, m)
		}
	}
	return nil
}

// beyond returns the best value of the points that violate a learnt row by more than rounding, NaN without one.
func (t *tiny) beyond(c *conflict, strict float64) float64 {
	r := row{lower: c.upper(strict) + 1e-6, upper: math.Inf(1), coef: make([]float64, len(t.cost))}
	for k, j := range c.index {
		r.coef[j] = c.value[k]
	}
	outside := *t
	outside.rows = append(slices.Clone(t.rows), r)
	return outside.solve()
}
