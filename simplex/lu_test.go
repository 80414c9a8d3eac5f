package simplex

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/internal/sparse"
)

// luFixture is a basis of random sparse columns and logicals with its factors.
type luFixture struct {
	t    *testing.T
	seed uint64
	rng  *rand.Rand
	n, m int
	a    *sparse.Dynamic
	head []int32
	f    factor
}

func newLUFixture(t *testing.T, seed uint64, m int, density float64) *luFixture {
	l := &luFixture{t: t, seed: seed, rng: rand.New(rand.NewPCG(seed, 4)), n: 2 * m, m: m, head: make([]int32, m),
		f: factor{threshold: thresholdFirst, least: pivotTol, inverted: true}}
	l.a = sparse.NewDynamic(&sparse.Matrix{Start: []int{0}})
	for j := range l.n {
		var idx []int32
		var val []float64
		for i := range m {
			if i == j%m && l.rng.IntN(8) > 0 || l.rng.Float64() < density {
				idx, val = append(idx, int32(i)), append(val, math.Ldexp(l.rng.NormFloat64(), l.rng.IntN(7)-3))
			}
		}
		l.a.AddVec(idx, val)
	}
	var cand []int32
	for i := range m {
		if l.rng.IntN(4) == 0 {
			cand = append(cand, int32(l.n+i))
		} else {
			cand = append(cand, int32(i))
		}
	}
	l.f.build(l.head, cand, l.n, l.a)
	return l
}

// check solves with B and B' for random right-hand sides, sparse and dense, and returns the largest
// residual relative to the size of the solution.
func (l *luFixture) check() float64 {
	worst := 0.0
	for _, dense := range []bool{false, true} {
		rhs := make([]float64, l.m)
		for i := range rhs {
			if dense || l.rng.IntN(l.m) == 0 {
				rhs[i] = l.rng.NormFloat64()
			}
		}
		history := 1.0
		if !dense {
			history = 0
		}
		worst = max(worst, l.residual(rhs, &history, false), l.residual(rhs, &history, true))
	}
	return worst
}

func (l *luFixture) residual(rhs []float64, history *float64, transposed bool) float64 {
	x := sparse.NewVector(l.m)
	for i, v := range rhs {
		if v != 0 {
			x.Add(int32(i), v)
		}
	}
	if transposed {
		l.f.btran(x, history, -1)
	} else {
		l.f.ftran(x, history, false)
	}
	seen := make(map[int32]bool)
	for _, i := range x.Index[:x.N] {
		if seen[i] {
			l.t.Fatalf("seed %d: position %d twice in the pattern", l.seed, i)
		}
		seen[i] = true
	}
	r := append([]float64(nil), rhs...)
	size := 1.0
	for p, v := range l.head {
		if x.Value[p] != 0 && !seen[int32(p)] {
			l.t.Fatalf("seed %d: position %d is missing from the pattern", l.seed, p)
		}
		idx, val := []int32{v - int32(l.n)}, []float64{-1}
		if int(v) < l.n {
			idx, val = l.a.Vec(int(v))
		}
		for k, i := range idx {
			if transposed {
				r[p] -= val[k] * x.Value[i]
				size = max(size, math.Abs(val[k]*x.Value[i]))
			} else {
				r[i] -= val[k] * x.Value[p]
				size = max(size, math.Abs(val[k]*x.Value[p]))
			}
		}
	}
	worst := 0.0
	for _, v := range r {
		worst = max(worst, math.Abs(v))
	}
	return worst / size
}

// TestFactor checks the residuals of the factors after build, after every update, and after rows were
// added, on sparse and dense bases.
func TestFactor(t *testing.T) {
	for seed := range uint64(120) {
		m := 1 + int(seed)%60*2
		density := []float64{0.01, 0.05, 0.3, 0.9}[seed%4]
		l := newLUFixture(t, seed, m, density)
		if e := l.check(); !(e < 1e-9) {
			t.Fatalf("seed %d: residual %g after build", seed, e)
		}
		for k := range 60 {
			if !l.replace() {
				continue
			}
			if e := l.check(); !(e < 1e-7) {
				t.Fatalf("seed %d: residual %g after update %d", seed, e, k)
			}
			if k%7 == 3 {
				l.addRow()
				if e := l.check(); !(e < 1e-7) {
					t.Fatalf("seed %d: residual %g after adding a row", seed, e)
				}
			}
		}
	}
}

// replace makes a random nonbasic variable basic where its largest pivot is.
func (l *luFixture) replace() bool {
	q := int32(l.rng.IntN(l.n + l.m))
	for _, v := range l.head {
		if v == q {
			return false
		}
	}
	x := sparse.NewVector(l.m)
	if int(q) < l.n {
		idx, val := l.a.Vec(int(q))
		for k, i := range idx {
			x.Add(i, val[k])
		}
	} else {
		x.Add(q-int32(l.n), -1)
	}
	history := l.rng.Float64() * 0.2
	l.f.ftran(x, &history, true)
	best := 0
	for p, v := range x.Value {
		if math.Abs(v) > math.Abs(x.Value[best]) {
			best = p
		}
	}
	alpha := x.Value[best]
	if a := math.Abs(alpha); a < 0.05 || a > 100 { // keep the basis well conditioned
		return false
	}
	if l.rng.IntN(2) == 0 { // otherwise update must find the row by itself
		e := sparse.NewVector(l.m)
		e.Add(int32(best), 1)
		l.f.btran(e, &history, int32(best))
	}
	if err := l.f.update(int32(best), alpha); !(err < 1e-6) {
		l.t.Fatalf("seed %d: relative error %g of the new pivot", l.seed, err)
	}
	l.head[best] = q
	return true
}

// addRow extends the matrix and the factors by a row whose logical is basic.
func (l *luFixture) addRow() {
	row := int32(l.m)
	where := make(map[int32]int32)
	for p, v := range l.head {
		where[v] = int32(p)
	}
	var ids []int32
	var vals []float64
	for j := range l.n {
		if l.rng.IntN(3) > 0 {
			continue
		}
		v := l.rng.NormFloat64()
		l.a.Append(j, row, v)
		if p, ok := where[int32(j)]; ok {
			ids, vals = append(ids, p), append(vals, v)
		}
	}
	l.m++
	l.head = append(l.head, int32(l.n)+row)
	if !l.f.addRow(ids, vals) {
		l.f.build(l.head, append([]int32(nil), l.head...), l.n, l.a)
	}
}

// TestFactorSingular factors bases with dependent, empty and repeated columns and with too few and too
// many candidates.
func TestFactorSingular(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := 1 + rng.IntN(12)
		n := 2 * m
		a := sparse.NewDynamic(&sparse.Matrix{Start: []int{0}})
		for range n {
			var idx []int32
			var val []float64
			for i := range m {
				if rng.IntN(3) == 0 {
					idx, val = append(idx, int32(i)), append(val, float64(rng.IntN(3)+1))
				}
			}
			if rng.IntN(4) == 0 && a.Major() > 0 {
				i, v := a.Vec(rng.IntN(a.Major()))
				idx, val = append([]int32(nil), i...), append([]float64(nil), v...)
			}
			a.AddVec(idx, val)
		}
		var cand []int32
		for v := range n + m {
			if rng.IntN(3) == 0 {
				cand = append(cand, int32(v))
			}
		}
		l := &luFixture{t: t, seed: seed, rng: rng, n: n, m: m, a: a, head: make([]int32, m),
			f: factor{threshold: thresholdFirst, least: pivotTol, inverted: true}}
		l.f.build(l.head, cand, n, a)
		if len(cand)-len(l.f.dropped)+len(l.f.filled) != m {
			t.Fatalf("seed %d: %d candidates, %d dropped, %d filled, %d rows", seed, len(cand), len(l.f.dropped),
				len(l.f.filled), m)
		}
		if e := l.check(); !(e < 1e-9) {
			t.Fatalf("seed %d: residual %g", seed, e)
		}
	}
}
