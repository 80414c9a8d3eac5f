package simplex

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// anyConditioned is illConditioned with free columns, ranges, both senses, and models that are infeasible or unbounded.
func anyConditioned(rng *rand.Rand) *lp.Model {
	m := illConditioned(rng)
	m.Maximize = rng.IntN(2) == 0
	for j := range m.Cols {
		switch c := &m.Cols[j]; rng.IntN(8) {
		case 0:
			c.Lower, c.Upper = math.Inf(-1), lp.Inf
		case 1:
			c.Upper = lp.Inf
		case 2:
			c.Lower = math.Inf(-1)
		}
	}
	for i := range m.Rows {
		r := &m.Rows[i]
		width := math.Pow(10, float64(rng.IntN(10)-5))
		switch {
		case rng.IntN(4) == 0 && math.IsInf(r.Upper, 1):
			r.Upper = r.Lower + width
		case rng.IntN(12) == 0:
			r.Lower, r.Upper = r.Lower+width, r.Upper+width
		}
	}
	return m
}

// TestAnswersInRationals holds answers against rationals. An optimal answer is within the tolerance that it names; a
// model called infeasible has no feasible point; one called unbounded has no optimum. PROXYBD_BULK is the number of
// models, none without it, since about one answer in a thousand is still wrong: rays and proofs that hold to tolerances
// alone. PROXYBD_SEED is the first model. Values that differ from the optimum are logged: where rows are nearly parallel, a
// violation within the tolerance may change the objective by more.
func TestAnswersInRationals(t *testing.T) {
	count, first := uint64(0), uint64(0)
	for name, to := range map[string]*uint64{"PROXYBD_BULK": &count, "PROXYBD_SEED": &first} {
		if v, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			*to = v
		}
	}
	counts := map[string]int{}
	for seed := first; seed < first+count; seed++ {
		m := anyConditioned(rand.New(rand.NewPCG(seed, 0xe8ac7)))
		status, value := exactOptimum(m)
		counts["models "+status.String()]++
		for _, presolve := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve = presolve
			opt.Limits.Iterations = 20000 // a model of at most 6 columns that takes more does not end
			sol, err := Solve(context.Background(), m, opt)
			switch {
			case errors.Is(err, ErrNumerical):
				counts["numerical failure, is "+status.String()]++
				continue
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			}
			if sol.Status != lp.Optimal {
				counts[sol.Status.String()+", is "+status.String()]++
				noEnd := sol.Status == lp.IterationLimit
				noProof := sol.Status == lp.Infeasible && status != lp.Infeasible
				if noEnd || noProof || status == lp.Optimal {
					t.Errorf("seed %d, presolve %v: %v, is %v", seed, presolve, sol.Status, status)
				}
				continue
			}
			kind := "optimal"
			if sol.Tolerance > residualTol {
				kind = "optimal to a wider tolerance"
			}
			r := exactlyCheck(m, sol)
			if !(max(r.primalShare, r.dualShare) <= sol.Tolerance*(1+1e-6)) {
				t.Errorf("seed %d, presolve %v: %+v, tolerance %g", seed, presolve, r, sol.Tolerance)
			}
			if r.beyond > sol.Tolerance {
				counts[kind+", a violation beyond it and beyond rounding, in the units of the model"]++
			}
			if status == lp.Optimal {
				want, _ := value.Float64()
				diff := sol.Objective - want
				if m.Maximize {
					diff = -diff
				}
				switch {
				case diff > 1e-6*(1+math.Abs(want)):
					kind += ", worse"
				case diff < -1e-6*(1+math.Abs(want)):
					kind += ", better"
				}
				if kind == "optimal, worse" || kind == "optimal, better" {
					t.Logf("seed %d, presolve %v: %.12g, optimum %.12g; %+v", seed, presolve, sol.Objective, want, r)
				}
			}
			counts[kind+", is "+status.String()]++
		}
	}
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%8d %s", counts[k], k)
	}
}

// TestExactSimplex compares the simplex method in rationals with the best of all vertices.
func TestExactSimplex(t *testing.T) {
	feasible := 0
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 7))
		data := make([]byte, 60)
		for k := range data {
			data[k] = byte(rng.IntN(256))
		}
		m := tinyModel(data)
		want, ok := bruteForce(m)
		status, value := exactOptimum(m)
		if ok != (status == lp.Optimal) {
			t.Fatalf("seed %d: %v, feasible %v", seed, status, ok)
		}
		if !ok {
			continue
		}
		feasible++
		if got, _ := value.Float64(); math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("seed %d: %g, best vertex %g", seed, got, want)
		}
	}
	if feasible == 0 || feasible == 1500 {
		t.Errorf("%d of 1500 models are feasible", feasible)
	}
}
