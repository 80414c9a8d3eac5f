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

// TestBarren: the bound comes first once three nodes in ten have brought no point, but not in a young tree.
func TestBarren(t *testing.T) {
	for _, c := range []struct {
		nodes, improved int
		want            bool
	}{{200, 0, false}, {201, 0, true}, {1000, 700, true}, {1000, 701, false}, {1000, 1000, false}} {
		e := effort{nodes: c.nodes, improved: c.improved}
		if got := e.noRecentImprovement(); got != c.want {
			t.Errorf("%d nodes, the last point at %d: %v", c.nodes, c.improved, got)
		}
	}
}

// TestTree compares the queue with a sorted list through pushes, pops, removals and prunings.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	q := newTree()
	var list []*node
	for step := range 3000 {
		switch r := rng.IntN(10); {
		case r < 6:
			nd := &node{bound: float64(rng.IntN(50)), estimate: float64(50 + rng.IntN(50))}
			q.add(nd)
			list = append(list, nd)
		case r < 9 && len(list) > 0:
			every := 1 + rng.IntN(3)
			byBoundNow := (q.picks+1)%every == 0
			nd := q.pop(every)
			kind := byEstimate
			if byBoundNow {
				kind = byBound
			}
			for _, o := range list {
				if less(kind, o, nd) {
					t.Fatalf("step %d: took bound %g estimate %g before %g, %g", step, nd.bound, nd.estimate, o.bound, o.estimate)
				}
			}
			list = slices.DeleteFunc(list, func(o *node) bool { return o == nd })
		case len(list) > 0:
			cutoff := 45.0
			want := math.Inf(1)
			for _, o := range list {
				if o.bound >= cutoff {
					want = math.Min(want, o.bound)
				}
			}
			list = slices.DeleteFunc(list, func(o *node) bool { return o.bound >= cutoff })
			if got := q.prune(cutoff); got != want {
				t.Fatalf("step %d: pruned down to %g, want %g", step, got, want)
			}
		}
		if q.len() != len(list) {
			t.Fatalf("step %d: %d nodes queued, want %d", step, q.len(), len(list))
		}
		least := math.Inf(1)
		for _, o := range list {
			least = math.Min(least, o.bound)
			if !o.queued() {
				t.Fatalf("step %d: a node is missing", step)
			}
		}
		if q.bound() != least {
			t.Fatalf("step %d: bound %g, want %g", step, q.bound(), least)
		}
	}
}

func TestPoolRefusesDuplicates(t *testing.T) {
	p, err := newProblem(knapsacks(5, 1, 1), DefaultOptions().Tolerances)
	if err != nil {
		t.Fatal(err)
	}
	q := newPool(p)
	read := func(c Cut) *cut {
		k, err := q.read(&c)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	first, isNew, _ := q.add(read(Cut{Lower: 2, Upper: inf, Index: []int32{3, 1, 3}, Value: []float64{1, 2, 1}}))
	if !isNew || !slices.Equal(first.index, []int32{1, 3}) || !slices.Equal(first.value, []float64{2, 2}) {
		t.Fatalf("first cut %+v", first)
	}
	if _, isNew, changed := q.add(read(Cut{Lower: math.Inf(-1), Upper: -0.75, Index: []int32{1, 3},
		Value: []float64{-1, -1}})); isNew || changed {
		t.Errorf("a weaker parallel cut was taken")
	}
	kept, isNew, changed := q.add(read(Cut{Lower: math.Inf(-1), Upper: -1.5, Index: []int32{1, 3},
		Value: []float64{-1, -1}}))
	if isNew || !changed || kept != first || first.lower != 3 || first.upper != inf {
		t.Errorf("a stronger parallel cut did not tighten: %+v", first)
	}
	if _, isNew, _ := q.add(read(Cut{Lower: 2, Upper: inf, Index: []int32{1, 3}, Value: []float64{2, 2.0001}})); !isNew {
		t.Errorf("a different cut was refused")
	}
	if len(q.cuts) != 2 {
		t.Errorf("%d cuts", len(q.cuts))
	}
}

// TestActivities checks the running row activities against a recount, through tightenings and undoing.
func TestActivities(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 8))
		p, err := newProblem(randomTiny(rng).model(nil), DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		d := newDomain(p)
		var marks []int
		for range 60 {
			if j := int32(rng.IntN(p.n)); rng.IntN(3) > 0 {
				marks = append(marks, len(d.stack))
				d.tighten(change{j, rng.IntN(2) == 0, float64(rng.IntN(7) - 3)})
			} else if len(marks) > 0 {
				k := rng.IntN(len(marks))
				d.backtrack(marks[k])
				marks = marks[:k]
			}
			want := newActivities(p)
			want.recompute(d.lower, d.upper)
			for i := range want.min {
				if math.Abs(d.acts.min[i]-want.min[i]) > 1e-9 || math.Abs(d.acts.max[i]-want.max[i]) > 1e-9 ||
					d.acts.minInf[i] != want.minInf[i] || d.acts.maxInf[i] != want.maxInf[i] {
					t.Fatalf("seed %d: row %d has activity [%g, %g], want [%g, %g]", seed, i, d.acts.min[i], d.acts.max[i],
						want.min[i], want.max[i])
				}
			}
		}
		d.backtrack(0)
		if !slices.Equal(d.lower, p.lower) || !slices.Equal(d.upper, p.upper) {
			t.Fatalf("seed %d: undoing everything does not restore the bounds", seed)
		}
	}
}

// eachVertex visits the feasible points of a tiny model that are vertices for some integer part.
func (t *tiny) eachVertex(visit func(x []float64)) {
	free := *t
	x := make([]float64, len(t.cost))
	var conts []int
	for j := range x {
		if !t.integer[j] {
			conts = append(conts, j)
		}
	}
	var walk func(j int)
	walk = func(j int) {
		switch {
		case j == len(x):
			free.vertices(x, conts, func() { visit(x) })
		case !t.integer[j]:
			walk(j + 1)
		default:
			for v := -t.box; v <= t.box; v++ {
				x[j] = float64(v)
				walk(j + 1)
			}
		}
	}
	walk(0)
}

// TestPropagationKeepsPoints propagates random branchings and checks that no feasible point is lost.
func TestPropagationKeepsPoints(t *testing.T) {
	tightened := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 21))
		m := randomTiny(rng)
		p, err := newProblem(m.model(nil), DefaultOptions().Tolerances)
		if err != nil {
			t.Fatal(err)
		}
		d := newDomain(p)
		pr := newPropagator(p, newPool(p), 1e-6)
		j := p.ints[rng.IntN(len(p.ints))]
		branch := change{j, rng.IntN(2) == 0, float64(rng.IntN(5) - 2)}
		ok := d.tighten(branch) && pr.run(d, true)
		tightened += len(d.stack)
		m.eachVertex(func(x []float64) {
			if branch.upper && x[j] > branch.value || !branch.upper && x[j] < branch.value {
				return
			}
			if !ok {
				t.Fatalf("seed %d: propagation finds %v infeasible, but %v is in it", seed, branch, x)
			}
			for k, v := range x {
				if v < d.lower[k]-1e-7 || v > d.upper[k]+1e-7 {
					t.Fatalf("seed %d: column %d in [%g, %g] excludes the point %v", seed, k, d.lower[k], d.upper[k], x)
				}
			}
		})
	}
	if tightened < 400 {
		t.Errorf("only %d tightenings: the test has lost its point", tightened)
	}
}

// addVariableBound ties a continuous column, if there is one, to an integer one: a x + b y <= side.
func (t *tiny) addVariableBound(rng *rand.Rand) {
	x, y := slices.Index(t.integer, false), slices.Index(t.integer, true)
	if x < 0 {
		return
	}
	r := row{math.Inf(-1), float64(rng.IntN(3)), make([]float64, len(t.cost))}
	r.coef[x], r.coef[y] = float64(1+rng.IntN(2)), -float64(1+rng.IntN(4))
	if rng.IntN(3) == 0 {
		r.lower, r.upper = -r.upper, math.Inf(1)
	}
	t.rows = append(t.rows, r)
}

// TestRootCutsKeepPoints separates at the root of random models, with no incumbent, and checks every
// cut against all feasible points.
func TestRootCutsKeepPoints(t *testing.T) {
	cuts := 0
	for seed := range uint64(4000) {
		rng := rand.New(rand.NewPCG(seed, 22))
		m := randomTiny(rng)
		m.addVariableBound(rng)
		s, err := newSearch(job{model: m.model(nil), opt: exact(), start: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		rc := &s.gen
		for range 4 {
			out, err := s.solveDomain(context.Background(), inf, math.MaxInt)
			if err != nil {
				t.Fatal(err)
			}
			if out.status != lpOptimal {
				break
			}
			s.point.x = append(s.point.x[:0], s.lp.x...)
			s.point.listFractional(s.p.ints, s.opt.Tolerances.Integrality)
			if len(s.point.fractional) == 0 || rc.round(s, false) == 0 {
				break
			}
		}
		cuts += len(s.pool.cuts)
		m.eachVertex(func(x []float64) {
			for _, c := range s.pool.cuts {
				if over := c.activity(x) - c.upper; over > 1e-7 {
					t.Fatalf("seed %d: the cut %v x[%v] <= %g is violated by %g at the feasible point %v\n%+v", seed, c.value,
						c.index, c.upper, over, x, m)
				}
			}
		})
	}
	if cuts < 500 {
		t.Errorf("only %d cuts: the test has lost its point", cuts)
	}
}

// TestOwnCutsOff checks that the answer does not depend on the cuts of this package.
func TestOwnCutsOff(t *testing.T) {
	m := knapsacks(25, 4, 3)
	opt := exact()
	with, err := Solve(context.Background(), m, opt, Hooks{})
	if err != nil || with.Status != lp.Optimal {
		t.Fatalf("%v, %v", with.Status, err)
	}
	opt.Cuts = false
	without, err := Solve(context.Background(), m, opt, Hooks{})
	if err != nil || without.Status != lp.Optimal || without.Objective != with.Objective {
		t.Errorf("%v, %v: objective %g without cuts, %g with", without.Status, err, without.Objective, with.Objective)
	}
}
