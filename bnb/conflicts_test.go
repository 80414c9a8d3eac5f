package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestConflictsKeepPoints checks what searches have learnt against every point that is better than their incumbent at
// a limit.
func TestConflictsKeepPoints(t *testing.T) {
	const rows, cols = 2, 12
	learnt := 0
	for seed := range uint64(30) {
		opt := exact()
		opt.Cuts, opt.MaxNodes = false, 30+10*int(seed)
		m := marketSplit(rows, cols, seed)
		s := searchOf(t, m, opt)
		if err := s.run(context.Background()); err != nil {
			t.Fatal(err)
		}
		learnt += s.learnt.learnt
		x := make([]float64, len(m.Cols))
		for bits := range 1 << cols {
			for j := range cols {
				x[j] = float64(bits >> j & 1)
			}
			for i := range rows {
				index, value := s.p.byRow.Vec(i)
				rest := s.p.rowLower[i]
				for k, j := range index {
					if j < cols {
						rest -= value[k] * x[j]
					}
				}
				x[cols+2*i], x[cols+2*i+1] = math.Max(rest, 0), math.Max(-rest, 0)
			}
			if s.p.value(x) >= s.inc.strict {
				continue
			}
			for _, c := range s.learnt.list {
				act := 0.0
				for k, j := range c.index {
					act += c.value[k] * x[j]
				}
				upper := c.base
				if c.price > 0 {
					upper += c.price * (s.inc.strict - s.p.offset)
				}
				if act > upper+1e-6 {
					t.Fatalf("seed %d: %v x[%v] <= %g excludes %v of value %g", seed, c.value, c.index, upper, x, s.p.value(x))
				}
			}
		}
	}
	if learnt < 300 {
		t.Errorf("only %d rows were learnt", learnt)
	}
}

// TestConflictReaches propagates random rows over random domains: one that does not reach changes nothing, and one that
// does, over binary columns, does.
func TestConflictReaches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var kept, changed int
	for range 2000 {
		m := &lp.Model{}
		for range 6 {
			m.AddCol(lp.Col{Upper: 1, Integer: true})
		}
		s := searchOf(t, m, exact())
		c := conflict{base: float64(rng.IntN(7) - 3), reach: 3}
		for j := range int32(6) {
			c.index, c.value = append(c.index, j), append(c.value, []float64{-3, -2, -1, 1, 2, 3}[rng.IntN(6)])
			if rng.IntN(3) == 0 {
				s.dom.tighten(change{j, rng.IntN(2) == 0, float64(rng.IntN(2))})
			}
		}
		before := len(s.dom.stack)
		reaches := c.reaches(s.dom, c.base-c.least(s.dom))
		ok := s.prop.row(s.dom, line{c.index, c.value, math.Inf(-1), c.base})
		if moved := !ok || len(s.dom.stack) > before; moved != reaches {
			t.Fatalf("%v over [%v, %v]: reaches %v, moved %v", c, s.dom.lower, s.dom.upper, reaches, moved)
		}
		if reaches {
			changed++
		} else {
			kept++
		}
	}
	if min(kept, changed) < 200 {
		t.Errorf("%d rows reach, %d do not", changed, kept)
	}
}
