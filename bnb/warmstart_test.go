package bnb

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

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

// TestPackedWeights packs weights over the whole range: what comes back is wrong by a thousandth at most, and packed again
// it is the same.
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
