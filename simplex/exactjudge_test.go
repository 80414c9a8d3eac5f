package simplex

import (
	"context"
	"errors"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex/exact"
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

// TestAnswersInRationals holds answers against a simplex method in rationals that shares nothing with the solver or with
// package exact. An optimal answer is within the tolerance that it names; a model called infeasible has no feasible
// point; one called unbounded has no optimum. PROXYBD_BULK is the number of models and PROXYBD_SEED the first. Values
// that differ from the optimum are logged: where rows are nearly parallel, a violation within the tolerance may change
// the objective by more.
func TestAnswersInRationals(t *testing.T) {
	count, first := uint64(1500), uint64(0)
	for name, to := range map[string]*uint64{"PROXYBD_BULK": &count, "PROXYBD_SEED": &first} {
		if v, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			*to = v
		}
	}

	// The number of times that each outcome occurs is logged at the end.
	counts := map[string]int{}
	for seed := first; seed < first+count; seed++ {
		m := anyConditioned(rand.New(rand.NewPCG(seed, 0xe8ac7)))
		status, value := exactOptimum(m)
		counts["models "+status.String()]++

		for _, presolve := range []bool{true, false} {
			opt := DefaultOptions()
			opt.Presolve = presolve
			opt.Limits.Iterations = 300_000 // a model of at most 6 columns that takes more does not end
			sol, err := Solve(context.Background(), m, opt)
			switch {
			case errors.Is(err, ErrNumerical):
				counts["numerical failure, is "+status.String()]++
				continue
			case err != nil:
				t.Fatalf("seed %d: %v", seed, err)
			}

			// An answer without an optimum must be true of the model, and the limit on iterations must not be reached.
			if sol.Status != lp.Optimal {
				counts[sol.Status.String()+", is "+status.String()]++
				noEnd := sol.Status == lp.IterationLimit
				noProof := sol.Status == lp.Infeasible && status != lp.Infeasible
				noRay := sol.Status == lp.Unbounded && status != lp.Unbounded
				if noEnd || noProof || noRay {
					t.Errorf("seed %d, presolve %v: %v, is %v", seed, presolve, sol.Status, status)
				}
				continue
			}

			// The point and the duals of an optimal answer are checked in rationals, against the tolerance of the
			// answer.
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

			// The value is compared in the sense of the model: a positive difference is worse than the optimum.
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

// TestLimitOfAttempts stops solves of models whose first answer violates the tolerances, so that others are tried: all
// of them together obey the limit.
func TestLimitOfAttempts(t *testing.T) {
	reached := 0
	for seed := range uint64(150) {
		m := anyConditioned(rand.New(rand.NewPCG(seed, 91)))
		opt := DefaultOptions()
		for k := range 15 {
			opt.Limits.Iterations = k
			sol, err := Solve(context.Background(), m, opt)
			if err != nil {
				continue
			}
			if sol.Iterations > k {
				t.Errorf("seed %d: %d iterations, the limit is %d", seed, sol.Iterations, k)
			}
			if sol.Status == lp.IterationLimit {
				reached++
			}
		}
	}
	if reached < 100 {
		t.Errorf("the limit was reached %d times", reached)
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

// TestExactAnswers compares package exact, from the basis of the rows and from random ones, with the simplex method in
// rationals of these tests, and checks its certificates.
func TestExactAnswers(t *testing.T) {
	counts := map[lp.Status]int{}
	for seed := range uint64(1500) {
		rng := rand.New(rand.NewPCG(seed, 0xe8ac8))
		m := anyConditioned(rng)
		status, value := exactOptimum(m)

		for _, randomStart := range []bool{false, true} {
			// The zero value is the basis of the rows. A random choice need not be a basis; what is dependent in it is
			// left out.
			var start exact.Start
			for range len(m.Cols) + len(m.Rows) {
				if randomStart {
					start.Basic = append(start.Basic, rng.IntN(2) == 0)
					start.AtUpper = append(start.AtUpper, rng.IntN(2) == 0)
				}
			}

			got := exact.Solve(m, start, math.Inf(1))
			if got == nil || got.Status != status {
				t.Fatalf("seed %d: %+v, is %v", seed, got, status)
			}
			counts[status]++

			// The objective is the rational optimum, rounded. Other answers have a certificate, which must hold
			// exactly.
			switch status {
			case lp.Optimal:
				if want, _ := value.Float64(); got.Objective != want {
					t.Errorf("seed %d: objective %g, is %g", seed, got.Objective, want)
				}
				r := exactlyCheck(m, &Solution{X: got.X, RowDual: got.RowDual})
				if max(r.primalShare, r.dualShare) > 1e-14 {
					t.Errorf("seed %d: %+v", seed, r)
				}
			case lp.Infeasible:
				if gap := exactGap(m, got.Ray); gap == nil || gap.Sign() <= 0 {
					t.Errorf("seed %d: gap of the certificate %v", seed, gap)
				}
			case lp.Unbounded:
				if !improvesWithoutEnd(m, got.Ray) {
					t.Errorf("seed %d: not a ray", seed)
				}
			}
		}
	}

	// The models are of all three kinds.
	for _, status := range []lp.Status{lp.Optimal, lp.Infeasible, lp.Unbounded} {
		if counts[status] == 0 {
			t.Errorf("no model is %v", status)
		}
	}

	if exact.Solve(anyConditioned(rand.New(rand.NewPCG(1, 1))), exact.Start{}, 1) != nil {
		t.Error("a limit of one unit of work gives an answer")
	}
}

// exactGap returns by how much the weighted sides of the rows exceed what the weighted rows can reach within the bounds
// of the columns, nil where an infinite side or bound is needed.
func exactGap(m *lp.Model, ray []*big.Rat) *big.Rat {
	gap := new(big.Rat)

	// A coefficient of zero needs no bound, so an infinite one does no harm.
	add := func(coefficient *big.Rat, bound float64) bool {
		if coefficient.Sign() == 0 {
			return true
		}
		b := exactBound(bound)
		if b == nil {
			return false
		}
		gap.Add(gap, b.Mul(b, coefficient))
		return true
	}

	// A positive weight takes the lower side of its row, and a negative weight the upper one.
	a, _ := m.Matrix()
	for i, r := range ray {
		if !add(r, pickBound(r.Sign() > 0, m.Rows[i].Lower, m.Rows[i].Upper)) {
			return nil
		}
	}

	// The weighted rows have the coefficient -z in a column, and are largest at its upper bound where z is negative.
	for j := range m.Cols {
		z := new(big.Rat)
		index, value := a.Vec(j)
		for k, i := range index {
			z.Sub(z, product(new(big.Rat).SetFloat64(value[k]), ray[i]))
		}
		if !add(z, pickBound(z.Sign() < 0, m.Cols[j].Upper, m.Cols[j].Lower)) {
			return nil
		}
	}
	return gap
}

// improvesWithoutEnd reports whether a direction leaves no finite bound of a column or row, and improves the objective.
func improvesWithoutEnd(m *lp.Model, ray []*big.Rat) bool {
	a, _ := m.Matrix()
	activity := make([]*big.Rat, len(m.Rows))
	for i := range activity {
		activity[i] = new(big.Rat)
	}

	// A direction may increase a value only without an upper bound, and decrease it only without a lower one.
	improve := new(big.Rat)
	ok := true
	stays := func(v *big.Rat, lower, upper float64) {
		ok = ok && (v.Sign() >= 0 || math.IsInf(lower, -1)) && (v.Sign() <= 0 || math.IsInf(upper, 1))
	}

	// The columns move along the direction, and the activities of the rows follow.
	for j := range m.Cols {
		c := &m.Cols[j]
		stays(ray[j], c.Lower, c.Upper)
		improve.Add(improve, product(new(big.Rat).SetFloat64(c.Cost), ray[j]))
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i].Add(activity[i], product(new(big.Rat).SetFloat64(value[k]), ray[j]))
		}
	}

	for i := range m.Rows {
		stays(activity[i], m.Rows[i].Lower, m.Rows[i].Upper)
	}

	if m.Maximize {
		improve.Neg(improve)
	}
	return ok && improve.Sign() < 0
}
