package bnb

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// optionSet draws one of all combinations of the options that change the course of a search.
func optionSet(rng *rand.Rand) Options {
	opt := exact()
	opt.Cuts = rng.IntN(2) == 0
	opt.Seed = 1 + rng.Uint64N(3)
	opt.PoolSize = 3 * rng.IntN(2)
	opt.RootRounds = []int{0, 1, 200}[rng.IntN(3)]
	opt.NodeRounds = []int{0, 20}[rng.IntN(2)]
	opt.Branching = BranchingRule(rng.IntN(int(branchingRules)))
	opt.tuning.restartAfter = rng.IntN(4)
	opt.tuning.conflictsOff = rng.IntN(4) == 0
	return opt
}

// bulk is the number of random models that the environment variable PROXYBD_BULK gives, else few.
func bulk(t *testing.T, few int) int {
	v := os.Getenv("PROXYBD_BULK")
	if v == "" {
		return few
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		t.Fatalf("PROXYBD_BULK: %v", err)
	}
	return n
}

// TestTinyBulk solves random models under random option sets, plain and with a lazy hook that hides about half of the
// rows, and compares with enumeration; each incumbent is verified against all rows when it is announced. The
// environment variable PROXYBD_BULK gives the number of models (100000 for the full run), else a few are solved.
func TestTinyBulk(t *testing.T) {
	count := bulk(t, 400)
	announced := 0
	forTinies(t, count, func(rng *rand.Rand, m *tiny, want float64) error {
		opt := optionSet(rng)

		// With several threads the trees are shared out from the first nodes on, in rounds of a node to many.
		if opt.Threads = 1 + rng.IntN(3); opt.Threads > 1 {
			opt.tuning.minRoundWork = 1 + 1e4*rng.Float64()
		}
		var hookErr error
		check := Hooks{Incumbent: func(c Candidate) {
			announced++
			if hookErr == nil && !m.feasible(c.X, 1e-6) {
				hookErr = fmt.Errorf("the incumbent %v is not feasible", c.X)
			}
		}}
		for _, presolve := range []bool{true, false} {
			opt.Presolve = presolve
			res, err := Solve(context.Background(), m.model(nil), opt, check)
			if err == nil {
				err = hookErr
			}
			if err == nil {
				err = m.verify(res, want)
			}
			if err == nil {
				res, err = hiding(m, hideHalf(rng, m), opt, Hooks{})
			}
			if err == nil {
				err = m.verify(res, want)
			}
			if err != nil {
				return fmt.Errorf("presolve %v: %w", presolve, err)
			}
		}
		return nil
	})
	if announced < count/2 {
		t.Errorf("only %d incumbents were announced", announced)
	}
}
