package simplex

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// TestBrokenWeights re-solves with edge weights that hide every row from the dual loop: the answer must not
// pass for optimal.
func TestBrokenWeights(t *testing.T) {
	for _, w := range []float64{math.Inf(1), math.NaN(), 1e300, 0} {
		m := transportation(4, 10, 40)
		s := newSolver(t, m)
		mustSolve(t, s)
		for i := range 40 {
			m.Rows[i].Lower *= 1.1
			s.SetRowBounds(lp.Con(i), m.Rows[i].Lower, lp.Inf)
		}
		for p := range s.weights.at {
			s.weights.at[p] = w
		}
		got := mustSolve(t, s)
		if r := Check(m, s.Solution(got)); !r.OK(1e-6) {
			t.Errorf("weights %g: %+v", w, r)
		}
		want, err := Solve(context.Background(), m, DefaultOptions())
		if err != nil || math.Abs(got.Objective-want.Objective) > 1e-9*want.Objective {
			t.Errorf("weights %g: %g, want %g, %v", w, got.Objective, want.Objective, err)
		}
	}
}

// TestPrimalLoopWeights takes a binding row out of a hard model, solves by the primal loop, which moves far, and
// puts the row back: the weights that the primal loop leaves must serve the dual one.
func TestPrimalLoopWeights(t *testing.T) {
	m, _, err := mps.ReadFile(netlib + "/25fv47.mps.gz")
	if err != nil {
		t.Skip("no Netlib files")
	}
	s := newSolver(t, m)
	mustSolve(t, s)
	if _, ok := tryWarm(t, s, warmChange{"cut", changeCut}, 0, func() {}, func() {}); !ok {
		t.Error("no such change")
	}
	for p, w := range s.weights.at {
		if !(w > 0 && w < 1e15) {
			t.Errorf("weight %g at position %d", w, p)
		}
	}
}

// TestWeightsOfBasis goes back to bases that GetBasis returned earlier, with rows added in between: their edge weights
// come back. A basis without weights starts from weights of 1, and wrong ones are refused.
func TestWeightsOfBasis(t *testing.T) {
	l := newLocation(5, 25, 20)
	s := newSolver(t, l.master())
	l.run(t, s, math.MaxInt)
	type kept struct {
		basis  Basis
		weight map[int32]float64
	}

	// Each basis is the optimum with another column fixed.
	var bases []kept
	for j := range 12 {
		s.SetColBounds(lp.Var(j), 1, 1)
		mustSolve(t, s)
		s.SetColBounds(lp.Var(j), 0, 1)
		k := kept{weight: map[int32]float64{}}
		s.GetBasis(&k.basis)
		for p, v := range s.basis.head {
			k.weight[v] = s.weights.at[p]
		}
		bases = append(bases, k)
		s.AddRow(0, lp.Inf, []int32{int32(j)}, []float64{1})
	}

	// A basis that was set and not yet solved from has the weights that it was set with.
	var again Basis
	for n, k := range bases {
		if err := s.SetBasis(&k.basis); err != nil {
			t.Fatal(err)
		}
		s.GetBasis(&again)
		if got := again.Weights[:len(k.basis.Weights)]; !slices.Equal(got, k.basis.Weights) {
			t.Fatalf("basis %d: weights %v, were %v", n, got, k.basis.Weights)
		}
		s.sync()
		for p, v := range s.basis.head {
			want, old := k.weight[v]
			if !old {
				want = 1 // the logical of an added row
			}
			if s.weights.at[p] != want {
				t.Fatalf("basis %d: weight %g of variable %d, was %g", n, s.weights.at[p], v, want)
			}
		}
		mustSolve(t, s)
	}

	b := bases[0].basis
	for _, wrong := range [][]float64{b.Weights[1:], append(slices.Clone(b.Weights[1:]), 0), {math.NaN()}} {
		bad := Basis{Cols: b.Cols, Rows: b.Rows, Weights: wrong}
		if err := s.SetBasis(&bad); !errors.Is(err, ErrBasis) {
			t.Errorf("weights %v: error %v", wrong, err)
		}
	}
	if err := s.SetBasis(&Basis{Cols: b.Cols, Rows: b.Rows}); err != nil {
		t.Fatal(err)
	}
	s.sync()
	for p, w := range s.weights.at {
		if w != 1 {
			t.Fatalf("weight %g at position %d of a basis without weights", w, p)
		}
	}
}
