package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestClausesKeepPoints solves random models and enumerates, for every conflict that is learnt, the model within its
// bounds: no point there is better than the objective to beat when the conflict was learnt.
func TestClausesKeepPoints(t *testing.T) {
	var count clauseCount
	for seed := range uint64(bulk(t, 1500)) {
		if err := count.solve(rand.New(rand.NewPCG(seed, 42))); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	t.Logf("%+v", count)
	if count.learnt == 0 || count.longer == 0 || count.continuous == 0 || count.general == 0 {
		t.Errorf("too few conflicts of a kind: %+v", count)
	}
}

// clauseCount counts conflicts that were enumerated.
type clauseCount struct{ nodes, learnt, longer, general, continuous int }

// solve solves a random model, and checks its conflicts and its result.
func (n *clauseCount) solve(rng *rand.Rand) error {
	m := branchedTiny(rng)
	opt := optionSet(rng)
	opt.Presolve = false
	if rng.IntN(2) == 0 {
		opt.tuning.heuristicsOff = ^heuristicSet(0)
	}
	s, err := newSearch(job{model: m.model(nil), opt: opt})
	if err != nil {
		return err
	}
	err = s.run(context.Background())
	if err != nil {
		return err
	}
	n.nodes += s.effort.nodes
	for _, c := range s.clauses.list {
		n.add(m, c)
		if err := m.refute(c, s.p.sense); err != nil {
			return fmt.Errorf("%w\n%+v", err, m)
		}
	}
	res, err := s.result(nil)
	if err != nil {
		return err
	}
	if err := m.verify(res, m.solve()); err != nil {
		return fmt.Errorf("%w\n%+v", err, m)
	}
	return nil
}

// add counts a conflict.
func (n *clauseCount) add(m *tiny, c *clause) {
	n.learnt++
	if len(c.bounds) > 1 {
		n.longer++
	}
	if slices.ContainsFunc(c.bounds, func(b change) bool { return m.integer[b.col] && m.upper[b.col] > m.lower[b.col]+1 }) {
		n.general++
	}
	if slices.ContainsFunc(c.bounds, func(b change) bool { return !m.integer[b.col] }) {
		n.continuous++
	}
}

// refute returns an error if a point of the model better than the objective to beat satisfies a conflict's bounds.
func (t *tiny) refute(c *clause, sense float64) error {
	within := *t
	within.lower, within.upper = slices.Clone(t.lower), slices.Clone(t.upper)
	for _, b := range c.bounds {
		if bound := b.of(within.lower, within.upper); b.tightens(*bound) {
			*bound = b.value
		}
	}
	if best := within.solve(); !math.IsNaN(best) && sense*best < c.strict-1e-6 {
		return fmt.Errorf("%v excludes a point of value %g, to beat is %g", c.bounds, best, sense*c.strict)
	}
	return nil
}

// branchedTiny draws a model that takes some nodes: 0-1 columns, some general integers and continuous ones, in equality
// knapsacks, parity rows, rows of few columns and rows with a large coefficient that switch a continuous column off.
func branchedTiny(rng *rand.Rand) *tiny {
	binaries, general, conts := 6+rng.IntN(4), rng.IntN(3), rng.IntN(3)
	n := binaries + general + conts
	t := &tiny{maximize: rng.IntN(2) == 0, box: 3}
	for j := range n {
		lo, up := 0.0, 1.0
		switch {
		case j >= binaries+general:
			lo, up = float64(-rng.IntN(3)), float64(2+rng.IntN(9))
		case j >= binaries:
			lo, up = float64(-rng.IntN(4)), float64(rng.IntN(4))
			if rng.IntN(4) == 0 {
				lo, up = math.Inf(-1), math.Inf(1)
			}
		}
		t.cost = append(t.cost, float64(rng.IntN(13)-6))
		t.lower, t.upper = append(t.lower, lo), append(t.upper, up)
		t.integer = append(t.integer, j < binaries+general)
		if math.IsInf(lo, -1) {
			boxed := row{-float64(t.box), float64(t.box), make([]float64, n)}
			boxed.coef[j] = 1
			t.rows = append(t.rows, boxed)
		}
	}
	for range 2 + rng.IntN(5) {
		t.rows = append(t.rows, t.branchedRow(rng, binaries, general))
	}
	return t
}

// branchedRow draws a row of such a model.
func (t *tiny) branchedRow(rng *rand.Rand, binaries, general int) row {
	n := len(t.cost)
	r := row{lower: math.Inf(-1), upper: math.Inf(1), coef: make([]float64, n)}
	sum, size := 0.0, 5+rng.IntN(20)
	for j := range binaries {
		if rng.IntN(3) > 0 {
			r.coef[j] = float64(rng.IntN(size) - size/2)
			sum += r.coef[j] * float64(rng.IntN(2))
		}
	}
	switch kind := rng.IntN(5); {
	case kind == 0 && general > 0: // parity: an even number besides the 0-1 columns
		r.coef[binaries+rng.IntN(general)] = 2
		r.lower, r.upper = sum, sum
	case kind == 1 && n > binaries+general: // a large coefficient
		clear(r.coef)
		r.coef[rng.IntN(binaries)] = -10
		r.coef[binaries+general+rng.IntN(n-binaries-general)] = 1
		r.upper = 0
	case kind == 2: // few columns
		clear(r.coef)
		for range 3 {
			r.coef[rng.IntN(n)] = float64(2*rng.IntN(2) - 1)
		}
		r.upper = float64(rng.IntN(2))
	case kind == 3:
		r.lower, r.upper = sum, sum
	default:
		for j := binaries; j < n; j++ {
			r.coef[j] = float64(rng.IntN(7) - 3)
		}
		r.upper = sum + float64(rng.IntN(3))
	}
	return r
}
