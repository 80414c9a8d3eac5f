package bnb

import (
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
