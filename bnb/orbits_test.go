package bnb

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/bnb/symmetry"
)

// blocks is a model of equal blocks, and columns that belong to no block behind them.
type blocks struct {
	*tiny
	count, width int
	boxes        int       // rows that keep free columns in the box
	point        []float64 // near which the sides of rows are drawn
}

// randomBlocks draws a model whose blocks may be exchanged: rows of one block, rows over all, and rows over pairs of
// blocks, all of them or those of neighbours on a circle. Some models have a parity row, whose sum over the blocks is
// twice a free column plus a constant, and in some a single number differs, which leaves less symmetry or none.
func randomBlocks(rng *rand.Rand) *tiny {
	b := &blocks{tiny: &tiny{maximize: rng.IntN(2) == 0, box: 2}, count: 2 + rng.IntN(5), width: 1 + rng.IntN(3)}
	general := rng.IntN(2) == 0
	most := 9
	if general {
		most = 5
	}
	for b.count*b.width > most {
		if b.width--; b.width == 0 {
			b.width, b.count = 1, most
		}
	}
	for w := range b.width {
		b.addColumns(rng, general, w == 0)
	}
	b.extra(rng)
	b.boxFree()
	for range 1 + rng.IntN(2) {
		b.overAll(rng)
	}
	for range rng.IntN(3) {
		b.inBlocks(rng)
	}
	if rng.IntN(2) == 0 {
		b.overPairs(rng)
	}
	if rng.IntN(5) == 0 {
		b.disturb(rng)
	}
	return b.tiny
}

// randomPacking draws a bin packing, a colouring or a schedule on equal machines: each item has one place, and places
// have a capacity, at most one of two items in conflict, or a load that counts.
func randomPacking(rng *rand.Rand) *tiny {
	items, places := 3+rng.IntN(2), 2+rng.IntN(2)
	if items*places > 9 {
		places = 2
	}
	kind := rng.IntN(3)
	t := &tiny{box: 2}
	n := (items + 1) * places
	for k := range n {
		t.cost = append(t.cost, 0)
		t.lower = append(t.lower, 0)
		t.upper = append(t.upper, 1)
		t.integer = append(t.integer, true)
		if k >= items*places {
			t.cost[k] = 1
		}
	}
	for i := range items {
		r := row{1, 1, make([]float64, n)}
		for b := range places {
			r.coef[i*places+b] = 1
		}
		t.rows = append(t.rows, r)
	}
	sizes := make([]float64, items)
	for i := range sizes {
		sizes[i] = float64(1 + rng.IntN(4))
	}
	capacity := float64(3 + rng.IntN(5))
	conflicts := rng.IntN(1 << (items * (items - 1) / 2))
	for b := range places {
		if kind != 1 {
			r := row{math.Inf(-1), 0, make([]float64, n)}
			for i, size := range sizes {
				r.coef[i*places+b] = size
			}
			r.coef[items*places+b] = -capacity
			t.rows = append(t.rows, r)
			continue
		}
		pair := 0
		for i := range items {
			for k := range i {
				if conflicts>>pair&1 == 1 {
					r := row{math.Inf(-1), 0, make([]float64, n)}
					r.coef[i*places+b] = 1
					r.coef[k*places+b] = 1
					r.coef[items*places+b] = -1
					t.rows = append(t.rows, r)
				}
				pair++
			}
		}
	}

	// On equal machines items have costs, the same on all of them.
	if kind == 2 {
		for i := range items {
			cost := float64(rng.IntN(3) - 1)
			for b := range places {
				t.cost[i*places+b] = cost
			}
		}
	}
	return t
}

// addColumns adds one column to each block.
func (b *blocks) addColumns(rng *rand.Rand, general, mayBeFree bool) {
	lo, up := 0.0, 1.0
	if general {
		lo = float64(-rng.IntN(3))
		up = math.Min(2, lo+float64(1+rng.IntN(3)))
		if mayBeFree && rng.IntN(3) == 0 {
			lo, up = math.Inf(-1), math.Inf(1)
		}
	}
	cost := float64(rng.IntN(7) - 3)
	for range b.count {
		b.add(rng, cost, lo, up, true)
	}
}

// add adds a column.
func (b *blocks) add(rng *rand.Rand, cost, lo, up float64, integer bool) {
	b.cost = append(b.cost, cost)
	b.lower = append(b.lower, lo)
	b.upper = append(b.upper, up)
	b.integer = append(b.integer, integer)
	from := math.Max(lo, -2)
	b.point = append(b.point, from+float64(rng.IntN(int(math.Min(up, 2)-from)+1)))
}

// col is column w of block k.
func (b *blocks) col(k, w int) int { return w*b.count + k }

// extra adds a column that belongs to no block: a free one for parity, or a continuous one.
func (b *blocks) extra(rng *rand.Rand) {
	switch cost := float64(rng.IntN(3) - 1); rng.IntN(3) {
	case 0:
		b.add(rng, cost, math.Inf(-1), math.Inf(1), true)
	case 1:
		b.add(rng, cost, 0, 2.5, false)
	}
}

// boxFree keeps free columns in the box by rows.
func (b *blocks) boxFree() {
	for j := range b.cost {
		if math.IsInf(b.lower[j], -1) {
			r := row{-float64(b.box), float64(b.box), make([]float64, len(b.cost))}
			r.coef[j] = 1
			b.rows = append(b.rows, r)
			b.boxes++
		}
	}
}

// sides draws the sides of a row with that activity at the point.
func sides(rng *rand.Rand, r *row, act float64) {
	slack := float64(rng.IntN(3))
	switch rng.IntN(4) {
	case 0:
		r.lower, r.upper = act, act
	case 1:
		r.lower, r.upper = act-slack, math.Inf(1)
	default:
		r.lower, r.upper = math.Inf(-1), act+slack
	}
	if rng.IntN(8) == 0 {
		r.lower++
		r.upper++
	}
}

// overAll adds a row with equal coefficients in all blocks.
func (b *blocks) overAll(rng *rand.Rand) {
	r := row{coef: make([]float64, len(b.cost))}
	act := 0.0
	for w := range b.width {
		v := float64(rng.IntN(8) - 1)
		for k := range b.count {
			r.coef[b.col(k, w)] = v
			act += v * b.point[b.col(k, w)]
		}
	}
	if last := len(b.cost) - 1; last >= b.count*b.width {
		r.coef[last] = float64(-1 - rng.IntN(3))
		act += r.coef[last] * b.point[last]
	}
	sides(rng, &r, act)
	b.rows = append(b.rows, r)
}

// inBlocks adds a row for each block.
func (b *blocks) inBlocks(rng *rand.Rand) {
	coef := make([]float64, b.width)
	act := 0.0
	for w := range coef {
		coef[w] = float64(rng.IntN(9) - 2)
		act += coef[w] * b.point[b.col(0, w)]
	}
	var model row
	sides(rng, &model, act)
	for k := range b.count {
		r := row{lower: model.lower, upper: model.upper, coef: make([]float64, len(b.cost))}
		for w, v := range coef {
			r.coef[b.col(k, w)] = v
		}
		b.rows = append(b.rows, r)
	}
}

// overPairs adds a row for each pair of blocks, or each pair of neighbours on a circle, in one direction.
func (b *blocks) overPairs(rng *rand.Rand) {
	w := rng.IntN(b.width)
	first, second := float64(1+rng.IntN(2)), float64(1+rng.IntN(2))
	var model row
	sides(rng, &model, first*b.point[b.col(0, w)]+second*b.point[b.col(1, w)])
	all := rng.IntN(2) == 0
	for k := range b.count {
		for l := range b.count {
			if l == k || !all && l != (k+1)%b.count {
				continue
			}
			r := row{lower: model.lower, upper: model.upper, coef: make([]float64, len(b.cost))}
			r.coef[b.col(k, w)] += first
			r.coef[b.col(l, w)] += second
			b.rows = append(b.rows, r)
		}
	}
}

// disturb changes one number.
func (b *blocks) disturb(rng *rand.Rand) {
	if len(b.rows) == b.boxes || rng.IntN(2) == 0 {
		b.cost[rng.IntN(len(b.cost))]++
		return
	}
	r := &b.rows[b.boxes+rng.IntN(len(b.rows)-b.boxes)]
	r.coef[rng.IntN(len(r.coef))]++
}

// symmetryOptions draws options under which trees are deep: few cuts and heuristics, restarts, threads.
func symmetryOptions(rng *rand.Rand) Options {
	opt := optionSet(rng)
	opt.Cuts = rng.IntN(4) == 0
	opt.RootRounds = 200
	opt.Presolve = rng.IntN(4) == 0
	if rng.IntN(3) > 0 {
		opt.tuning.heuristicsOff = 1<<len(heuristics) - 1
	}
	if rng.IntN(4) == 0 {
		opt.Threads = 2 + rng.IntN(2)
		opt.tuning.minRoundWork = 1
	}
	return opt
}

// TestSymmetricBulk solves models with symmetries under random options, and compares with enumeration. The environment
// variable PROXYBD_BULK gives the number of models, else a few are solved.
func TestSymmetricBulk(t *testing.T) {
	count := 3000
	if v := os.Getenv("PROXYBD_BULK"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("PROXYBD_BULK: %v", err)
		}
		count = n
	}
	from := uint64(0)
	if v := os.Getenv("PROXYBD_BULK_FROM"); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil {
			t.Fatalf("PROXYBD_BULK_FROM: %v", err)
		}
		from = uint64(n)
	}
	used, nodes, infeasible := 0, 0, 0
	for seed := from; seed < from+uint64(count); seed++ {
		rng := rand.New(rand.NewPCG(seed, 41))
		m := randomBlocks(rng)
		if rng.IntN(4) == 0 {
			m = randomPacking(rng)
		}
		want := m.solve()
		if math.IsNaN(want) {
			infeasible++
		}
		found := false
		hooks := Hooks{Symmetries: func(Symmetries) { found = true }}
		opt := symmetryOptions(rng)
		res, err := Solve(context.Background(), m.model(nil), opt, hooks)
		if err == nil {
			err = m.verify(res, want)
		}
		if err != nil {
			t.Errorf("seed %d: %v\n%+v\n%+v", seed, err, m, opt)
		}
		if found {
			used++
			nodes += res.Nodes
		}
	}
	t.Logf("%d of %d models have symmetries at a branching, %d nodes there, %d are infeasible", used, count, nodes, infeasible)
	if used < count/20 || nodes < 2*used {
		t.Errorf("the generator has lost its balance")
	}
}

// image is the row whose coefficients are those of r at the columns that e maps to them.
func (r *row) image(e symmetry.Permutation) row {
	out := row{r.lower, r.upper, slices.Clone(r.coef)}
	for k, j := range e.From {
		out.coef[e.To[k]] = r.coef[j]
	}
	return out
}

// invariant reports whether the symmetries of the model of the other rows map the hidden rows to hidden rows.
func (t *tiny) invariant(hidden []bool) bool {
	p, err := newProblem(t.model(func(i int) bool { return !hidden[i] }), exact().Tolerances)
	if err != nil {
		return false
	}
	var q orbits
	if found, _ := q.find(context.Background(), p); found.Generators == 0 {
		return false
	}
	for _, e := range q.group.Elements {
		for i := range t.rows {
			moved := t.rows[i].image(e)
			same := func(k int) bool {
				o := &t.rows[k]
				return hidden[k] && o.lower == moved.lower && o.upper == moved.upper && slices.Equal(o.coef, moved.coef)
			}
			if hidden[i] && !anyRow(len(t.rows), same) {
				return false
			}
		}
	}
	return true
}

// anyRow reports whether a row satisfies a condition.
func anyRow(n int, is func(int) bool) bool {
	for i := range n {
		if is(i) {
			return true
		}
	}
	return false
}

// TestSymmetricHooks hides rows behind a lazy hook that is symmetric, and compares with enumeration.
func TestSymmetricHooks(t *testing.T) {
	tried := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 43))
		m := randomBlocks(rng)
		hidden := hideHalf(rng, m)
		if !slices.Contains(hidden, true) || !m.invariant(hidden) {
			continue
		}
		tried++
		opt := symmetryOptions(rng)
		opt.Presolve = false
		res, err := hiding(m, hidden, opt, Hooks{Symmetric: true})
		if err == nil {
			err = m.verify(res, m.solve())
		}
		if err != nil {
			t.Errorf("seed %d: %v\n%+v\nhidden %v", seed, err, m, hidden)
		}
	}
	if tried < 150 {
		t.Errorf("only %d models have hidden rows that are symmetric", tried)
	}
}

// TestSymmetryOffUnderHooks checks that hooks which may treat columns differently end the use of symmetries, unless the
// caller says that they do not.
func TestSymmetryOffUnderHooks(t *testing.T) {
	m := &tiny{cost: []float64{1, 1, 1, 1, 1}, integer: []bool{true, true, true, true, true}}
	m.lower = make([]float64, 5)
	m.upper = []float64{1, 1, 1, 1, 1}
	m.rows = []row{{2.5, 2.5, []float64{1, 1, 1, 1, 1}}}
	for k, want := range []bool{true, false, true} {
		found := false
		hooks := Hooks{Symmetries: func(Symmetries) { found = true }, Symmetric: k == 2}
		if k > 0 {
			hooks.Lazy = func(context.Context, Candidate) (Separation, error) { return Separation{}, nil }
		}
		opt := exact()
		opt.Presolve = false
		res, err := Solve(context.Background(), m.model(nil), opt, hooks)
		if err == nil {
			err = m.verify(res, math.NaN())
		}
		if err != nil || found != want {
			t.Error(fmt.Errorf("case %d: found %v, %v", k, found, err))
		}
	}
}
