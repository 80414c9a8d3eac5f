package benders_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// TestAgeLimit solves by outer loops that drop slack cuts at once, late and never: all end at the optimum, as the cuts
// that a point of the master violates come back from the pool.
func TestAgeLimit(t *testing.T) {
	rounds := map[int]int{}
	for seed := range uint64(30) {
		s := randomSite(rand.New(rand.NewPCG(seed, 6)), 6+int(seed)%8, 6, seed%2 == 1)
		want := s.brute()
		if math.IsInf(want, 1) {
			continue
		}
		for _, age := range []int{1, 5, 0} {
			o := benders.DefaultOptions()
			o.Gap, o.AgeLimit = 0, age
			o.InOut.Weight = 1
			sep := &separator{site: s, choose: identity, exact: true, aggregated: seed%3 == 0}
			r, err := benders.OuterLoop(context.Background(), s.problem(sep.aggregated), sep, o)
			if err != nil || r.Status != lp.Optimal || !near(r.Objective, want) {
				t.Fatalf("seed %d, age limit %d: %+v, %v; want %v", seed, age, r, err, want)
			}
			rounds[age] += r.Iterations
		}
	}
	t.Logf("rounds by age limit: %v", rounds)
	if rounds[1] < rounds[0] {
		t.Errorf("rounds by age limit: %v", rounds)
	}
	o := benders.DefaultOptions()
	o.AgeLimit = -1
	if err := o.Validate(); err == nil {
		t.Error("a negative age limit passes")
	}
}
