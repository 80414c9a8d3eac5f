package presolve

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// congruentModel draws equations over integer columns, with columns that stand for multiples of 2, 3 or 5.
func congruentModel(rng *rand.Rand) *lp.Model {
	m := &lp.Model{Maximize: rng.IntN(2) == 0}
	prime := []float64{2, 2, 3, 5}[rng.IntN(4)]
	n, rows := 2+rng.IntN(3), 1+rng.IntN(3)
	for range n {
		c := lp.Col{Cost: float64(rng.IntN(9) - 4), Upper: 1, Integer: true}
		if rng.IntN(4) == 0 {
			c.Lower = float64(rng.IntN(4) - 3)
			c.Upper = c.Lower + float64(1+rng.IntN(4))
		}
		m.AddCol(c)
	}
	at := make([]float64, n, n+rows) // a point of most models
	for j := range at {
		at[j] = m.Cols[j].Lower + float64(rng.IntN(2))
	}
	scale := []float64{1, 1, -1, 0.5, 3}[rng.IntN(5)]
	for range rows {
		var index []int32
		var value []float64
		side := 0.0
		for j := range n {
			if v := float64(rng.IntN(5) - 2); v != 0 && rng.IntN(3) > 0 {
				index, value = append(index, int32(j)), append(value, v*scale)
				side += v * scale * at[j]
			}
		}
		if rng.IntN(5) > 0 { // what a multiple takes up
			k := m.AddCol(lp.Col{Cost: float64(rng.IntN(3)), Lower: -1, Upper: 2, Integer: true})
			index, value = append(index, int32(k)), append(value, prime*scale)
			side += prime * scale * float64(rng.IntN(2))
		}
		if rng.IntN(4) == 0 {
			side += scale * float64(rng.IntN(3)-1)
		}
		m.AddRow(lp.Row{Lower: side, Upper: side}, index, value)
	}
	return m
}

// TestResidues compares optima of models that equations modulo a prime say much about with those of the reduced ones.
func TestResidues(t *testing.T) {
	seen := func(r *Reduced) bool { return r.Counts.Residues > 0 }
	found, refuted := compareDrawn(t, count(t, 3000), 24, congruentModel, Residues, seen)
	t.Logf("%d with a reduction, %d infeasible", found, refuted)
	if !testing.Short() && (found < 150 || refuted < 200) {
		t.Errorf("%d models with a reduction, %d infeasible: too few", found, refuted)
	}
}

// TestResiduesComplete compares what elimination says of systems of congruences with all their solutions: a column has
// a residue, or a system none, if and only if the solutions say so.
func TestResiduesComplete(t *testing.T) {
	known, empty := 0, 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 25))
		prime := []int64{2, 3, 5}[rng.IntN(3)]
		n := 2 + rng.IntN(3)
		s := &congruences{prime: prime, uses: map[int32][]int32{}}
		for range 1 + rng.IntN(4) {
			c := congruence{side: rng.Int64N(prime)}
			for j := range n {
				if v := rng.Int64N(prime); v != 0 {
					c.terms = append(c.terms, integerTerm{int32(j), v})
				}
			}
			s.rows = append(s.rows, c)
		}
		seen := solutions(s, n)
		s.eliminate()
		got := make([]int64, n)
		for j := range got {
			got[j] = -1
		}
		refuted := false
		for _, c := range s.rows {
			refuted = refuted || len(c.terms) == 0 && c.side != 0
			if len(c.terms) == 1 {
				got[c.terms[0].col] = s.mod(c.side * s.inverse(c.terms[0].val))
			}
		}
		if none := seen[0] == 0; none != refuted {
			t.Fatalf("seed %d: no solution is %v, refuted %v", seed, none, refuted)
		}
		if refuted {
			empty++
			continue
		}
		for j, set := range seen {
			want := int64(-1)
			if set&(set-1) == 0 {
				want = int64(math.Log2(float64(set)))
				known++
			}
			if got[j] != want {
				t.Fatalf("seed %d: column %d has the residue %d, found %d (-1 for several)", seed, j, want, got[j])
			}
		}
	}
	if known < 500 || empty < 200 {
		t.Errorf("%d residues and %d refutations: too few", known, empty)
	}
}

// solutions returns the values that each column takes in solutions of s, as bits.
func solutions(s *congruences, n int) []uint64 {
	seen := make([]uint64, n)
	x := make([]int64, n)
	var walk func(j int)
	walk = func(j int) {
		if j < n {
			for x[j] = 0; x[j] < s.prime; x[j]++ {
				walk(j + 1)
			}
			return
		}
		for _, c := range s.rows {
			sum := -c.side
			for _, t := range c.terms {
				sum += t.val * x[t.col]
			}
			if s.mod(sum) != 0 {
				return
			}
		}
		for j, v := range x {
			seen[j] |= 1 << v
		}
	}
	walk(0)
	return seen
}

// TestLightsOut has a square of lamps whose buttons switch them and their neighbours: all must end dark. Nothing is
// left for a search where the buttons are independent modulo 2, as they are on 10 by 10.
func TestLightsOut(t *testing.T) {
	const n = 10
	m := &lp.Model{}
	for range n * n {
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	for i := range n {
		for j := range n {
			index, value := []int32{int32(m.AddCol(lp.Col{Upper: lp.Inf, Integer: true}))}, []float64{-2}
			for _, d := range [][2]int{{0, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
				if a, b := i+d[0], j+d[1]; a >= 0 && a < n && b >= 0 && b < n {
					index, value = append(index, int32(a*n+b)), append(value, 1)
				}
			}
			m.AddRow(lp.Row{Lower: 1, Upper: 1}, index, value)
		}
	}
	r, err := Reduce(context.Background(), m, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Model.Cols) != 0 {
		t.Fatalf("%d columns are left", len(r.Model.Cols))
	}
	x := r.Restore(nil)
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	act := make([]float64, len(m.Rows))
	for j, v := range x {
		index, value := a.Vec(j)
		for k, i := range index {
			act[i] += value[k] * v
		}
	}
	for i, v := range act {
		if v != 1 {
			t.Errorf("row %d has the activity %g", i, v)
		}
	}
}
