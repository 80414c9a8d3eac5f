package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// supplied has sites and customers with random demands, which are the sides of rows; where linked, they are coefficients
// of the sites too, more than there are sides.
func supplied(count int, linked bool) *stoch.Program {
	rng := rand.New(rand.NewPCG(3, 9))
	const sites, customers = 4, 5
	m := &lp.Model{Name: "supplied"}
	var built [sites]lp.Var
	for j := range built {
		built[j] = m.Binary(fmt.Sprintf("built_%d", j), 10)
	}
	need := make([]lp.Con, customers)
	var links [customers][sites]lp.Con
	for i := range customers {
		served := lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", i), 30))
		for j := range sites {
			v := m.Nonnegative(fmt.Sprintf("sent_%d_%d", j, i), 1+9*rng.Float64())
			served = append(served, v.Times(1))
			links[i][j] = m.AtMost(0, lp.Total(v), built[j].Times(-4))
		}
		need[i] = m.AtLeast(5, served)
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range count {
		var list []stoch.Change
		for i := range customers {
			demand := 1 + 9*rng.Float64()
			list = append(list, stoch.SetRowLower(need[i], demand))
			for j := range sites {
				if linked {
					list = append(list, stoch.SetEntry(links[i][j], built[j], -min(demand, float64(3+j))))
				}
			}
		}
		p.Add("", 1/float64(count), list...)
	}
	return p
}

// TestSegments compares what the pool finds best for each scenario with the cuts of all certificates for it, and the
// numbers of several threads with those of one, bit for bit.
func TestSegments(t *testing.T) {
	for _, linked := range []bool{false, true} {
		var engines []*engine
		for _, threads := range []int{1, 2, 3} {
			q, err := New(supplied(2*segmentSize+40, linked))
			if err != nil {
				t.Fatal(err)
			}
			e, err := newEngine(q)
			if err != nil {
				t.Fatal(err)
			}
			e.limitThreads(threads)
			engines = append(engines, e)
		}
		first := engines[0]
		if len(first.pool.segments) != 3 || first.pool.tabled == linked {
			t.Fatalf("%d segments, tabled %v", len(first.pool.segments), first.pool.tabled)
		}

		rng := rand.New(rand.NewPCG(2, 2))
		for range 6 {
			y := make([]float64, first.p.frame.First)
			for j := range y {
				y[j] = max(0, 1.5*rng.Float64()-0.5) // some are zero
			}
			for _, e := range engines {
				e.move(y)
				e.byPool()
				if _, err := e.solveAll(t.Context()); err != nil {
					t.Fatal(err)
				}
				e.byPool()
				same := func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }
				if !slices.EqualFunc(e.pool.best, first.pool.best, same) || !slices.Equal(e.pool.by, first.pool.by) {
					t.Fatalf("linked %v: %d threads find other certificates", linked, e.threads)
				}
			}
			checkBest(t, first.pool, y)
		}
	}
}

// checkBest compares the best values of a pool with the greatest ones of the certificates' own cuts.
func checkBest(t *testing.T, q *pool, y []float64) {
	t.Helper()
	for s := 0; s < q.count; s += 7 {
		most := math.Inf(-1)
		for _, d := range q.duals {
			cut, ok := d.Cut(s, 0)
			if !ok {
				t.Fatal("a certificate without a cut")
			}
			most = max(most, cut.Value(y))
		}
		if v := q.best[s]; !(math.Abs(v-most) <= 1e-8*max(1, math.Abs(most))) {
			t.Fatalf("scenario %d: %g, the cuts say %g", s, v, most)
		}
		slope := make([]float64, len(y))
		at := q.plane(s, 1, slope)
		for j, v := range slope {
			at += v * y[j]
		}
		if !(math.Abs(at-most) <= 1e-8*max(1, math.Abs(most))) {
			t.Fatalf("scenario %d: the plane is %g, the cuts say %g", s, at, most)
		}
	}
}
