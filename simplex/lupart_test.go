package simplex

import (
	"math"
	"testing"

	"github.com/proxybd/proxybd/internal/sparse"
)

// TestPartialSolve compares a solve for a few places with the whole one, after build and after updates and new rows, and
// looks for entries that are missing from the pattern.
func TestPartialSolve(t *testing.T) {
	for seed := range uint64(80) {
		l := newLUFixture(t, seed, 2+int(seed)%60*2, []float64{0.01, 0.05, 0.3}[seed%3])
		for k := range 30 {
			// The parts are those of L and U: bases of few rows would have their inverse.
			l.f.inverse.valid = false
			l.checkPart()
			l.replace()
			if k%7 == 3 {
				l.addRow()
			}
		}
	}
}

func (l *luFixture) checkPart() {
	l.f.sizeScratch()
	whole, part, where := sparse.NewVector(l.m), sparse.NewVector(l.m), sparse.NewVector(l.m)
	for range 1 + l.rng.IntN(3) {
		whole.Add(int32(l.rng.IntN(l.m)), l.rng.NormFloat64())
		where.Add(int32(l.rng.IntN(l.m)), 1)
	}
	part.Copy(whole)
	if l.rng.IntN(4) == 0 {
		part.N = -1
	}
	history := 0.0
	l.f.ftran(whole, &history, false)
	l.f.ftranL(part, true)
	l.f.ftranR(part)
	l.f.ftranUWhere(part, where)
	size := 1.0
	for _, v := range whole.Value {
		size = max(size, math.Abs(v))
	}
	for _, p := range where.Index[:where.N] {
		if d := math.Abs(part.Value[p] - whole.Value[p]); !(d <= 1e-9*size) {
			l.t.Fatalf("seed %d: %g instead of %g at %d", l.seed, part.Value[p], whole.Value[p], p)
		}
	}
	part.Clear()
	for p, v := range part.Value {
		if v != 0 {
			l.t.Fatalf("seed %d: position %d was missing from the pattern", l.seed, p)
		}
	}
}

// TestPartSolveTakesTheCheaperWay lets the costs of the two ways change places, twice.
func TestPartSolveTakesTheCheaperWay(t *testing.T) {
	var c partSolve
	cost := [2]float64{10, 90}
	for phase := range 3 {
		dear := 0
		for k := range 4000 {
			part, probe := c.part()
			way := 0
			if part {
				way = 1
			}
			work := c.note(part, probe, cost[way])
			if k < 2000 {
				continue
			}
			if cost[way] == 90 {
				dear++
			}
			if work > 10.1 {
				t.Fatalf("phase %d: a solve is charged %g", phase, work)
			}
		}
		if dear == 0 || dear > 2000/probeMost+1 {
			t.Errorf("phase %d: the dearer way was taken %d times of 2000", phase, dear)
		}
		cost[0], cost[1] = cost[1], cost[0]
	}
}
