package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/simplex"
)

// TestStatusesStayAsWritten writes lists of every length behind one another and reads them again.
func TestStatusesStayAsWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var lists [][]simplex.VarStatus
	total := 0
	for n := range 40 {
		list := make([]simplex.VarStatus, n)
		for k := range list {
			list[k] = simplex.VarStatus(rng.IntN(int(simplex.Basic) + 1))
		}
		lists = append(lists, list)
		total += n
	}
	p := newStatuses(total)
	at := 0
	for _, list := range lists {
		p.write(at, list)
		at += len(list)
	}
	at = 0
	for _, list := range lists {
		if got := p.read(nil, at, len(list)); !slices.Equal(got, list) {
			t.Errorf("%d statuses at %d: %v, written %v", len(list), at, got, list)
		}
		at += len(list)
	}
}

// TestPackedWeights packs weights over the whole range: what comes back is wrong by a thousandth at most, and packed
// again it is the same.
func TestPackedWeights(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 10000 {
		w := math.Exp2(-14 + 128*rng.Float64())
		got := packWeight(w).weight()
		if math.Abs(got-w) > w/1000 {
			t.Fatalf("weight %g comes back as %g", w, got)
		}
		if again := packWeight(got).weight(); again != got {
			t.Fatalf("weight %g packed twice is %g, then %g", w, got, again)
		}
	}

	// Weights beyond the range become its ends.
	low, high := packWeight(1e-300).weight(), packWeight(1e300).weight()
	if low != packWeight(math.Exp2(-14)).weight() || high != packWeight(math.Nextafter(math.Exp2(114), 0)).weight() {
		t.Errorf("weights beyond the range come back as %g and %g", low, high)
	}
}

// TestWeightsComeBack saves a basis with tight and slack cuts, moves on, and restores it: columns and model rows have
// the weights that were saved, and a slack cut the one that it has had last, or 1 where it was tight.
func TestWeightsComeBack(t *testing.T) {
	s, err := newSearch(job{model: knapsacks(30, 5, 2), opt: DefaultOptions(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	r := s.lp
	solve := func() {
		t.Helper()
		out, err := r.solve(context.Background(), inf, math.MaxInt)
		if err != nil || out.status != lpOptimal {
			t.Fatalf("%v, %v", out.status, err)
		}
	}
	addCut := func(first, n int, upper float64) {
		c := &cut{lower: math.Inf(-1), upper: upper, row: -1}
		for j := first; j < first+n; j++ {
			c.index = append(c.index, int32(j))
			c.value = append(c.value, 1)
		}
		r.add(c)
	}

	// Few columns may be 1 in each of the first cuts, and nearly all of them in the others.
	addCut(0, 10, 2)
	addCut(5, 10, 3)
	addCut(10, 12, 11)
	addCut(0, 20, 19)
	solve()
	saved := r.save()
	var want simplex.Basis
	r.s.GetBasis(&want)

	// Other columns are fixed, and one more cut is slack.
	for j := range int32(8) {
		value := 0.0
		if j%5 == 1 {
			value = 1
		}
		r.setBounds(j, value, value)
	}
	addCut(0, 15, 14)
	solve()
	var now, got simplex.Basis
	r.s.GetBasis(&now)
	for j := range int32(8) {
		r.setBounds(j, 0, 1)
	}
	if err := r.restore(saved); err != nil {
		t.Fatal(err)
	}
	r.s.GetBasis(&got)

	if !slices.Equal(got.Cols, want.Cols) || !slices.Equal(got.Rows, append(want.Rows, simplex.Basic)) {
		t.Fatal("another basis came back")
	}
	if slices.Equal(now.Cols, want.Cols) {
		t.Fatal("nothing has changed in between")
	}

	// The weights by variable, model rows and cuts behind the columns.
	weights := func(b *simplex.Basis) map[int]float64 {
		list := map[int]float64{}
		for v, st := range slices.Concat(b.Cols, b.Rows) {
			if st == simplex.Basic {
				list[v] = b.Weights[len(list)]
			}
		}
		return list
	}

	// Weights of cuts are not saved.
	before, last := weights(&want), weights(&now)
	firstCut := s.p.n + s.p.rows
	for v, weight := range weights(&got) {
		expected := before[v]
		if v >= firstCut {
			at, slack := last[v]
			expected = at
			if !slack {
				expected = 1
			}
		}
		if math.Abs(weight-expected) > expected/1000 {
			t.Errorf("variable %d, first cut %d: weight %g, want %g", v, firstCut, weight, expected)
		}
	}
}
