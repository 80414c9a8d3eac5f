package cap

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Check proves in exact arithmetic that a cut follows from its certificate and the instance, and so holds for every
// y in [0,1]^n: the certificate is finite and nonnegative, alpha is at most sum_i lambda_i, and every slope, a
// missing one counted as 0, is at most minus the value of a dual feasible completion of its facility. The
// completion is the checker's own: the price at the item that breaks the knapsack, in rationals. It uses nothing of
// what made the cut.
func Check(in *Instance, cut *benders.Cut) error {
	lambda, err := checkShape(in, cut)
	if err != nil {
		return err
	}
	total := new(big.Rat)
	for _, v := range lambda {
		total.Add(total, rational(v))
	}
	if rational(cut.Alpha).Cmp(total) > 0 {
		return fmt.Errorf("cap: %w: alpha %g is above the sum of the multipliers", errCertificate, cut.Alpha)
	}
	beta := make([]float64, in.Facilities)
	for k, j := range cut.Index {
		beta[j] = cut.Beta[k]
	}
	for j := range in.Facilities {
		worth := completion(in, cut.Kind, lambda, j)
		if rational(beta[j]).Cmp(worth.Neg(worth)) > 0 {
			return fmt.Errorf("cap: %w: the slope %g of facility %d is above the completion's", errCertificate, beta[j], j)
		}
	}
	return nil
}

func rational(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// checkShape checks kind, epigraph, lengths and indices, that all numbers are finite and that no multiplier is
// negative; it returns the multipliers.
func checkShape(in *Instance, cut *benders.Cut) ([]float64, error) {
	cert, ok := cut.Certificate.(*benders.Multipliers)
	if !ok || cut.Kind != cert.Of || cut.Kind == benders.Optimality && cut.Theta != 0 && cut.Theta != benders.AllEpigraphs {
		return nil, fmt.Errorf("cap: %w: not a cut of this family with its certificate", errCertificate)
	}
	if len(cert.Values) != in.Clients || len(cut.Index) != len(cut.Beta) {
		return nil, fmt.Errorf("cap: %w: lengths that do not fit", errCertificate)
	}
	for _, v := range cert.Values {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("cap: %w: multiplier %g", errCertificate, v)
		}
	}
	seen := make([]bool, in.Facilities)
	for k, j := range cut.Index {
		if j < 0 || int(j) >= in.Facilities || seen[j] || math.IsNaN(cut.Beta[k]) || math.IsInf(cut.Beta[k], 0) {
			return nil, fmt.Errorf("cap: %w: slope %g at index %d", errCertificate, cut.Beta[k], j)
		}
		seen[j] = true
	}
	if math.IsNaN(cut.Alpha) || math.IsInf(cut.Alpha, 0) {
		return nil, fmt.Errorf("cap: %w: alpha %g", errCertificate, cut.Alpha)
	}
	return cert.Values, nil
}

// completion returns s_j mu + sum_i (lambda_i - c_ij - d_i mu)+ for the price mu >= 0 that makes it least. Any mu is a
// proof, so the items are put in order by their densities in floats.
func completion(in *Instance, kind benders.Kind, lambda []float64, j int) *big.Rat {
	type item struct {
		profit  *big.Rat
		demand  float64
		density float64
	}
	var items []item
	for i, v := range lambda {
		if !in.Allowed(i, j) {
			continue
		}
		profit := rational(v)
		if kind == benders.Optimality {
			profit.Sub(profit, rational(in.Cost[i*in.Facilities+j]))
		}
		if profit.Sign() > 0 {
			f, _ := profit.Float64()
			items = append(items, item{profit, in.Demand[i], f / in.Demand[i]})
		}
	}
	slices.SortStableFunc(items, func(a, b item) int {
		switch {
		case a.density > b.density:
			return -1
		case a.density < b.density:
			return 1
		}
		return 0
	})
	mu, load, capacity := new(big.Rat), new(big.Rat), rational(in.Capacity[j])
	for _, t := range items {
		if load.Add(load, rational(t.demand)); load.Cmp(capacity) > 0 {
			mu.Quo(t.profit, rational(t.demand))
			break
		}
	}
	worth := new(big.Rat).Mul(capacity, mu)
	for _, t := range items {
		if left := new(big.Rat).Mul(rational(t.demand), mu); left.Cmp(t.profit) < 0 {
			worth.Add(worth, left.Sub(t.profit, left))
		}
	}
	return worth
}

// perturb is Instance.Perturb in the type of the family.
func perturb(in *Instance, sigma float64, seed uint64) (*Instance, float64, error) {
	v, raised, err := in.Perturb("variant", sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	return v.(*Instance), raised, nil
}
