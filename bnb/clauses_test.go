package bnb

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestClausesPropagate enters random nodes, from their parents and elsewhere in the tree, and compares propagation by
// watched bounds with passes over all conflicts.
func TestClausesPropagate(t *testing.T) {
	failed, moved := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 9))
		m := &lp.Model{}
		for range 8 {
			m.AddCol(lp.Col{Upper: float64(1 + 2*rng.IntN(2)), Integer: true})
		}
		s := searchOf(t, m, exact())
		q := &s.clauses
		ok := false
		for step := range 60 {
			for range rng.IntN(4) {
				q.learn(randomBounds(rng, s.p), 0, step)
			}

			// After a failure the search goes on elsewhere.
			nd := &node{changes: randomBounds(rng, s.p)[:1]}
			if !s.dom.enter(nd, ok && rng.IntN(3) > 0) {
				ok = false
				continue
			}
			lower, upper := slices.Clone(s.dom.lower), slices.Clone(s.dom.upper)
			want := passes(q.list, lower, upper)
			before := len(s.dom.stack)
			if ok = q.propagate(s.dom, step); ok != want {
				t.Fatalf("seed %d, step %d: %v, want %v", seed, step, ok, want)
			}
			if ok && !(slices.Equal(lower, s.dom.lower) && slices.Equal(upper, s.dom.upper)) {
				t.Fatalf("seed %d, step %d: [%v, %v], want [%v, %v]", seed, step, s.dom.lower, s.dom.upper, lower, upper)
			}
			if !ok {
				failed++
			}
			moved += len(s.dom.stack) - before
		}
	}
	if failed < 300 || moved < 300 {
		t.Errorf("%d failures, %d bounds tightened", failed, moved)
	}
}

// randomBounds draws bounds of three to five different columns, in the order of the columns.
func randomBounds(rng *rand.Rand, p *problem) []change {
	cols := rng.Perm(p.n)[:3+rng.IntN(3)]
	slices.Sort(cols)
	var list []change
	for _, j := range cols {
		upper := rng.IntN(2) == 0
		value := float64(rng.IntN(int(p.upper[j])))
		if !upper {
			value++
		}
		list = append(list, change{int32(j), upper, value})
	}
	return list
}

// passes excludes the last open bound of each conflict until nothing changes. It returns false if no point is left.
func passes(list []*clause, lower, upper []float64) bool {
	for again := true; again; {
		again = false
		for _, c := range list {
			open := slices.DeleteFunc(slices.Clone(c.bounds), func(b change) bool { return b.holds(lower, upper) })
			if len(open) == 0 {
				return false
			}
			o := open[0].opposite(true)
			bound := o.of(lower, upper)
			if len(open) > 1 || !o.tightens(*bound) {
				continue
			}
			*bound = o.value
			again = true
			if lower[o.col] > upper[o.col] {
				return false
			}
		}
	}
	return true
}

// TestClauseLine compares the row of a conflict with the conflict itself, at all points within the bounds of the whole
// tree, which were tightened after the conflict was learnt.
func TestClauseLine(t *testing.T) {
	made := 0
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 10))
		m := &lp.Model{}
		for range 5 {
			m.AddCol(lp.Col{Upper: float64(1 + rng.IntN(3)), Integer: true})
		}

		// The conflict has random bounds. Afterwards each column is restricted to two adjacent values in the whole tree.
		s := searchOf(t, m, exact())
		c := &clause{bounds: randomBounds(rng, s.p)}
		for _, j := range s.p.ints {
			least := float64(rng.IntN(int(s.p.upper[j])))
			s.dom.tightenGlobal(change{j, false, least})
			s.dom.tightenGlobal(change{j, true, least + 1})
		}

		// A conflict has no row where one of its bounds holds at both values or at neither of them.
		l, ok := c.line(s.p, s.dom)
		if !ok {
			continue
		}
		made++

		// The points are all those within the bounds of the whole tree.
		for point := range 1 << s.p.n {
			x := slices.Clone(s.dom.globalLower)
			for j := range x {
				x[j] += float64(point >> j & 1)
			}

			activity := 0.0
			for k, j := range l.index {
				activity += l.value[k] * x[j]
			}

			// The row excludes a point exactly where all bounds of the conflict hold.
			all := !slices.ContainsFunc(c.bounds, func(b change) bool { return !b.holds(x, x) })
			if excluded := activity > l.upper; excluded != all {
				t.Fatalf("seed %d: the row excludes %v: %t, the conflict %v: %t", seed, x, excluded, c.bounds, all)
			}
		}
	}

	if made < 50 {
		t.Errorf("only %d conflicts have a row", made)
	}
}
