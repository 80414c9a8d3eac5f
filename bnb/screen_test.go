package bnb

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestScreen adds cuts that are dense, then sparse, then dense in more columns, and compares the activities with those
// added up cut by cut. The matrix must come and go on the way.
func TestScreen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	x := make([]float64, 400)
	for j := range x {
		x[j] = r.Float64()*4 - 2
	}
	q := &pool{}
	add := func(from, width int, density float64) {
		c := &cut{generated: true}
		for j := from; j < from+width; j++ {
			if r.Float64() < density {
				c.index, c.value = append(c.index, int32(j)), append(c.value, r.NormFloat64())
			}
		}
		q.give(c)
	}
	compare := func(stage string, matrix bool) {
		t.Helper()
		s := &q.hooked
		if (s.matrix != nil) != matrix {
			t.Errorf("%s: a matrix: %v", stage, !matrix)
		}
		for at := 0; at < len(s.cuts); at += 7 {
			end := min(at+19, len(s.cuts))
			for k, got := range s.activities(x, at, end) {
				if want := s.cuts[at+k].activity(x); math.Abs(got-want) > 1e-12 {
					t.Errorf("%s: cut %d has activity %g, want %g", stage, at+k, got, want)
				}
			}
		}
	}
	add(0, 0, 1)
	compare("empty", true)
	for k := range 40 {
		add(120-k, 60, 0.8)
	}
	compare("dense", true)
	for range 60 {
		add(0, 400, 0.02)
	}
	compare("sparse", false)
	for range 200 {
		add(10, 380, 0.9)
	}
	compare("dense again", true)
}
