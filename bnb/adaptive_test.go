package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// searchAt is a search that stands at the LP point lpPoint of m, with the incumbent x.
func searchAt(t *testing.T, m *lp.Model, x, lpPoint []float64) *search {
	t.Helper()
	s, err := newSearch(job{model: m, opt: DefaultOptions(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	s.point.x, s.point.price = slices.Clone(lpPoint), make([]float64, len(x))
	s.inc.set(x, s.p.value(x), FromHeuristic)
	return s
}

// freeColumns are the integer columns of a neighbourhood that are not fixed.
func freeColumns(s *search, m *lp.Model) []int {
	var free []int
	for _, j := range s.p.ints {
		if m.Cols[j].Lower < m.Cols[j].Upper {
			free = append(free, int(j))
		}
	}
	return free
}

// pathModel has n binary columns; nearByRows share a row.
func pathModel(n int) *lp.Model {
	m := &lp.Model{}
	for range n {
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	for j := range n - 1 {
		m.AddRow(lp.Row{Lower: 1, Upper: math.Inf(1)}, []int32{int32(j), int32(j + 1)}, []float64{1, 1})
	}
	return m
}

// TestNeighbourhoodHoldsIncumbent checks on random models that every neighbourhood fixes enough columns, all at the
// values of the incumbent, and so holds it.
func TestNeighbourhoodHoldsIncumbent(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	for seed := range uint64(200) {
		s := randomJump(t, seed)
		s.point.price = make([]float64, s.p.n)
		var a adaptive
		for step := range 12 {
			x := make([]float64, s.p.n)
			for j := range x {
				x[j] = float64(rng.IntN(1 + int(s.p.upper[j])))
			}
			s.inc.objective = math.Inf(1)
			s.inc.set(x, s.p.value(x), FromHeuristic)
			m, ok := a.model(s)
			if ok != (len(s.p.decisions) >= 2*subMinFixed) {
				t.Fatalf("seed %d: %d decisions, neighbourhood %t", seed, len(s.p.decisions), ok)
			}
			if !ok {
				break
			}
			fixed := 0
			for _, j := range s.p.ints {
				switch c := m.Cols[j]; {
				case x[j] < c.Lower || x[j] > c.Upper:
					t.Fatalf("seed %d step %d kind %d: column %d of the incumbent is %g in [%g, %g]", seed, step, a.last, j, x[j], c.Lower, c.Upper)
				case c.Lower == c.Upper:
					fixed++
				}
			}
			if fixed < subMinFixed {
				t.Fatalf("seed %d step %d kind %d: only %d of %d fixed", seed, step, a.last, fixed, len(s.p.ints))
			}
			a.learn(subOutcome{found: rng.IntN(2) == 0, complete: rng.IntN(2) == 0}, rng.IntN(4) == 0)
			if f := a.kinds[a.last].free; !(f > 0 && f <= maxFree) {
				t.Fatalf("seed %d step %d: share %g", seed, step, f)
			}
		}
	}
}

// TestNeighbourhoodKinds checks which columns each kind frees.
func TestNeighbourhoodKinds(t *testing.T) {
	const n = 60
	x, point, other := make([]float64, n), make([]float64, n), make([]float64, n)
	for j := range n {
		x[j] = 1
		point[j], other[j] = 1, 1
	}
	apart := []int{3, 10, 11, 25, 40, 41, 59}
	for _, j := range apart {
		point[j] = 0.5
	}
	differ := []int{0, 8, 20, 21, 22, 50}
	for _, j := range differ {
		other[j] = 0
	}
	s := searchAt(t, pathModel(n), x, point)
	var a adaptive
	a.record(other)

	kind := func(k neighbourhoodKind) []int {
		t.Helper()
		for o := range neighbourhoodKinds {
			a.kinds[o].tried, a.kinds[o].found = 1e6, 0
		}
		a.kinds[k].found = 1e6
		m, ok := a.model(s)
		if !ok || a.last != k {
			t.Fatalf("kind %d asked, kind %d drawn, %t", k, a.last, ok)
		}
		return freeColumns(s, m)
	}
	if got := kind(farFromLP); !slices.Equal(got, apart) {
		t.Errorf("far from the LP: %v, want %v", got, apart)
	}
	if got := kind(farFromOthers); !slices.Equal(got, differ) {
		t.Errorf("far from others: %v, want %v", got, differ)
	}
	if got, again := kind(anyColumns), kind(anyColumns); len(got) != 12 || slices.Equal(got, again) {
		t.Errorf("drawn twice: %v, %v", got, again)
	}
	for range 20 {
		got := kind(nearByRows)
		if len(got) != 12 || got[11]-got[0] > 12 { // at an end of the path the columns lie on one side
			t.Fatalf("near by rows on a path: %v", got)
		}
	}
}

// TestNeighbourhoodSkipsLongRows checks that a row over all columns makes no column the neighbour of another, and
// that all are ranked all the same.
func TestNeighbourhoodSkipsLongRows(t *testing.T) {
	const n = 200
	m := pathModel(n)
	index, value := make([]int32, n), make([]float64, n)
	for j := range n {
		index[j], value[j] = int32(j), 1
	}
	m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: n}, index, value)
	x := make([]float64, n)
	for j := range x {
		x[j] = 1
	}
	s := searchAt(t, m, x, x)
	a := adaptive{rng: rand.New(rand.NewPCG(1, 1)), order: slices.Clone(s.p.ints)}
	a.rng.Shuffle(n, func(i, k int) { a.order[i], a.order[k] = a.order[k], a.order[i] })
	a.connect(s.p)
	first := slices.Sorted(slices.Values(a.order[:20]))
	if first[19]-first[0] > 20 {
		t.Errorf("the first 20 columns are %v", first)
	}
	if all := slices.Sorted(slices.Values(a.order)); !slices.Equal(all, s.p.ints) {
		t.Errorf("%d columns ranked of %d", len(all), n)
	}
}

// TestNeighbourhoodKindsLearn checks that shares follow the outcomes of searches, and that the kind that finds points
// is tried most, the others still.
func TestNeighbourhoodKindsLearn(t *testing.T) {
	a := adaptive{known: [][]float64{{0}, {1}}}
	count := make([]int, neighbourhoodKinds)
	for range 200 {
		a.last = a.pick()
		count[a.last]++
		if a.kinds[a.last].free == 0 {
			a.kinds[a.last].free = 0.3
		}
		before := a.kinds[a.last].free
		out := subOutcome{found: a.last == anyColumns, complete: a.last == nearByRows}
		a.learn(out, false)
		switch after := a.kinds[a.last].free; {
		case out.complete && after <= before && before < maxFree:
			t.Fatalf("kind %d: a complete search took the share from %g to %g", a.last, before, after)
		case out.found && after != before:
			t.Fatalf("kind %d: a search that found a point took the share from %g to %g", a.last, before, after)
		case !out.found && !out.complete && after >= before:
			t.Fatalf("kind %d: a search without an end took the share from %g to %g", a.last, before, after)
		}
	}
	for k, n := range count {
		if neighbourhoodKind(k) == anyColumns && n < 100 || n < 5 {
			t.Errorf("kind %d was tried %d times of 200", k, n)
		}
	}
	a = adaptive{kinds: a.kinds, known: [][]float64{{0}}}
	for range 50 {
		if a.last = a.pick(); a.last == farFromOthers {
			t.Fatal("one incumbent differs from no other")
		}
		a.learn(subOutcome{}, false)
	}
}

// TestStandstill checks what neighbourhoods of the incumbent that have found nothing may use of the work: a twentieth,
// and three tenths while the bound of the tree is that of its root.
func TestStandstill(t *testing.T) {
	const n = 20
	for _, c := range []struct {
		name   string
		bound  float64 // of the tree, in a gap from 0 to 100
		hooked bool
		used   float64 // by neighbourhoods, of 100 units of other work
		still  float64
		goesOn bool
	}{
		{"at the root's bound", 0, false, 29, 1, true},
		{"at the root's bound, more used", 0, false, 31, 1, false},
		{"1% closed", 1, false, 14, 0.5, true},
		{"1% closed, more used", 1, false, 16, 0.5, false},
		{"2% closed", 2, false, 4, 0, true},
		{"2% closed, more used", 2, false, 6, 0, false},
		{"half closed", 50, false, 6, 0, false},
		{"a hook separates", 0, true, 6, 0, false},
	} {
		x := make([]float64, n)
		for j := range x {
			x[j] = 1
		}
		s := searchAt(t, pathModel(n), x, x)
		if c.hooked {
			s.hooks.User = func(context.Context, Candidate) (Separation, error) { return Separation{}, nil }
		}
		s.root.known, s.root.objective, s.inc.cutoff = true, 0, 100
		s.tree.outside.bound = c.bound
		s.effort.work = 100 + c.used
		h := &neighbourhoods{budget: subMinBudget, work: c.used, fruitless: c.used}
		if got := s.standstill(s.tree.bound()); math.Abs(got-c.still) > 1e-12 {
			t.Errorf("%s: standstill %g, want %g", c.name, got, c.still)
		}
		if got := h.affordable(s); got != c.goesOn {
			t.Errorf("%s: affordable %t, want %t", c.name, got, c.goesOn)
		}
	}
}
