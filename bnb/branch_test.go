package bnb

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestMiddle divides domains near zero and far from it.
func TestMiddle(t *testing.T) {
	for _, c := range []struct {
		lower, upper, want float64
		ok                 bool
	}{
		{0, 1, 0, true},
		{-3, 2, -1, true},
		{4, 4, 0, false},
		{-inf, inf, 0, true},
		{7, inf, 500000003, true},
		{-inf, -1e9 + 1, -1e9, true},
		{2e9, 3e9, 2.5e9, true},
		{-4e9, -4e9 + 1, -4e9, true},
		{-inf, -1e9, 0, false},
		{2e9, inf, 0, false},
		{1e300, 1.1e300, 0, false}, // the next integer is the same float
		{-math.MaxFloat64, math.MaxFloat64, 0, true},
	} {
		if v, ok := middle(c.lower, c.upper); ok != c.ok || ok && v != c.want {
			t.Errorf("[%g, %g] is divided at %g, %t", c.lower, c.upper, v, ok)
		}
	}
}

// TestSplitBlind branches without LP points, always on to the same side: both children are smaller than their parent
// and not empty, and the path ends.
func TestSplitBlind(t *testing.T) {
	for _, bounds := range [][2]float64{{2e9, 3e9}, {-inf, inf}, {-inf, 5}, {3, inf}, {2e9, inf}, {-5, 5}} {
		for side := range 2 {
			// Column 0 is the one to branch on. Column 1 is at least 0.25, the optimal value.
			m := &lp.Model{}
			m.AddCol(lp.Col{Lower: bounds[0], Upper: bounds[1], Integer: true})
			m.AddCol(lp.Col{Cost: 1, Upper: 1.5})
			m.AddRow(lp.Row{Lower: 0.25, Upper: inf}, []int32{1}, []float64{1})

			s := searchOf(t, m, exact())
			ctx, cancel := s.limits.begin(context.Background())
			defer cancel()
			s.tree.newRoot(0)

			// Each pass enters a node and branches on it.
			depth := 0
			for ; s.tree.len() > 0; depth++ {
				nd := s.tree.pop(1)
				s.plunge.enter(nd, true)
				if ok, err := s.enter(nd); !ok || err != nil || depth > 100 {
					t.Fatalf("%v, side %d: node %d at [%g, %g] can be entered: %t, %v", bounds, side, depth, s.dom.lower[0],
						s.dom.upper[0], ok, err)
				}

				// A split makes two children. There is none at the last node, which ends the path.
				if _, err := s.splitBlind(ctx, nd); err != nil {
					t.Fatal(err)
				}
				if s.tree.len() == 1 {
					t.Fatalf("%v, side %d: one child at depth %d", bounds, side, depth)
				}

				// The child with the higher lower bound is put first, so that side is the same direction at every depth.
				if s.tree.len() == 2 {
					children := [2]*node{s.tree.pop(1), s.tree.pop(1)}
					if children[0].changes[0].upper {
						children[0], children[1] = children[1], children[0]
					}
					s.tree.push(children[side])
				}

				s.plunge.leave()
			}

			// The LP of the last node has an integral point.
			if s.inc.x == nil || s.inc.objective != 0.25 {
				t.Errorf("%v, side %d: the point %v with %g", bounds, side, s.inc.x, s.inc.objective)
			}
		}
	}
}

// TestSplitBlindGivesUp has columns far out without a lower bound, whose LP has no integral point: nothing is claimed
// of such a node.
func TestSplitBlindGivesUp(t *testing.T) {
	m := &lp.Model{}
	m.AddCol(lp.Col{Lower: -inf, Upper: -1e9, Integer: true})
	m.AddCol(lp.Col{Lower: -inf, Upper: -1e9, Integer: true})
	m.AddRow(lp.Row{Lower: 1, Upper: 1}, []int32{0, 1}, []float64{2, -2})
	s := searchOf(t, m, exact())
	ctx, cancel := s.limits.begin(context.Background())
	defer cancel()
	s.tree.newRoot(math.Inf(-1))
	nd := s.next()
	if ok, err := s.enter(nd); !ok || err != nil {
		t.Fatalf("the root can be entered: %t, %v", ok, err)
	}
	if _, err := s.splitBlind(ctx, nd); err != nil {
		t.Fatal(err)
	}
	s.plunge.leave()
	if res, err := s.result(nil); s.tree.len() > 0 || res.Status != lp.NotSolved || !errors.Is(err, ErrNumerical) {
		t.Errorf("%d nodes, %v, %v", s.tree.len(), res.Status, err)
	}
}
