package mcndp

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
)

// check proves in exact arithmetic that a cut follows from its certificate and the instance, and so holds for every y
// in [0,1]^n: the certificate is finite and nonnegative, and alpha is at most sum_i (u_{i,o_i} - u_{i,t_i}) less the
// amounts by which slopes, a missing one counted as 0, exceed minus the value of a dual feasible completion of their
// arcs: a price rho of the capacity, and for each commodity what the price leaves of its profit. It uses nothing of
// what made the cut.
func check(in *Instance, cut *benders.Cut) error {
	if set, ok := cut.Certificate.(cutset.Nodes); ok {
		return checkCover(in, cut, set.Inside)
	}
	u, err := checkShape(in, cut)
	if err != nil {
		return err
	}
	m := in.commodities()
	total := new(big.Rat)
	for i := range m {
		total.Add(total, exactly(u[int(in.Origin[i])*m+i]))
		total.Sub(total, exactly(u[int(in.Destination[i])*m+i]))
	}
	slope := make([]float64, in.arcs())
	for k, j := range cut.Index {
		slope[j] = cut.Beta[k]
	}
	for j, beta := range slope {
		if excess := completion(in, cut.Kind, u, j); excess.Add(excess, exactly(beta)).Sign() > 0 {
			total.Sub(total, excess)
		}
	}
	if exactly(cut.Alpha).Cmp(total) > 0 {
		least, _ := total.Float64()
		return fmt.Errorf("mcndp: %w: alpha is %.17g, and with these slopes at most %.17g is proven", errCertificate, cut.Alpha, least)
	}
	return nil
}

func exactly(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// checkShape checks kind, epigraph, lengths and indices, and that all numbers are finite and no multiplier is negative;
// it returns the multipliers.
func checkShape(in *Instance, cut *benders.Cut) ([]float64, error) {
	bad := func(format string, args ...any) ([]float64, error) {
		return nil, fmt.Errorf("mcndp: %w: %s", errCertificate, fmt.Sprintf(format, args...))
	}
	proof, ok := cut.Certificate.(*benders.Multipliers)
	switch {
	case !ok || proof.Of != cut.Kind:
		return bad("not a cut of this family with its certificate")
	case cut.Kind == benders.Optimality && cut.Theta != 0 && cut.Theta != benders.AllEpigraphs:
		return bad("epigraph %d", cut.Theta)
	case len(proof.Values) != in.size() || len(cut.Index) != len(cut.Beta):
		return bad("lengths that do not fit")
	case math.IsNaN(cut.Alpha) || math.IsInf(cut.Alpha, 0):
		return bad("alpha is %g", cut.Alpha)
	}
	for k, v := range proof.Values {
		if !(v >= 0) || math.IsInf(v, 1) {
			return bad("multiplier %d is %g", k, v)
		}
	}
	known := make(map[int32]bool, len(cut.Index))
	for k, j := range cut.Index {
		if beta := cut.Beta[k]; j < 0 || int(j) >= in.arcs() || known[j] || math.IsNaN(beta) || math.IsInf(beta, 0) {
			return bad("slope %g of arc %d", beta, j)
		}
		known[j] = true
	}
	return proof.Values, nil
}

// completion returns s_j rho + sum_i (p_ij - d_i rho)+ for a price rho >= 0 that makes it least. Any rho is a proof, so
// it is 0 or the density p_ij / d_i at which the capacity is used up, the densities in the order of their floats.
func completion(in *Instance, kind benders.Kind, u []float64, j int) *big.Rat {
	m := in.commodities()
	var profits, demands, densities []*big.Rat
	for i := range m {
		p := exactly(u[int(in.Tail[j])*m+i])
		p.Sub(p, exactly(u[int(in.Head[j])*m+i]))
		d := exactly(in.Demand[i])
		if kind == benders.Optimality {
			p.Sub(p, new(big.Rat).Mul(d, exactly(in.Cost[j])))
		}
		if p.Sign() > 0 {
			profits, demands = append(profits, p), append(demands, d)
			densities = append(densities, new(big.Rat).Quo(p, d))
		}
	}
	order := make([]int, len(densities))
	near := make([]float64, len(densities))
	for k := range order {
		order[k] = k
		near[k], _ = densities[k].Float64()
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case near[a] > near[b]:
			return -1
		case near[a] < near[b]:
			return 1
		}
		return 0
	})
	capacity := exactly(in.Capacity[j])
	price, load := new(big.Rat), new(big.Rat)
	for _, k := range order {
		if load.Add(load, demands[k]); load.Cmp(capacity) > 0 {
			price = densities[k]
			break
		}
	}
	worth := new(big.Rat).Mul(capacity, price)
	for k, p := range profits {
		if left := new(big.Rat).Mul(demands[k], price); left.Cmp(p) < 0 {
			worth.Add(worth, p).Sub(worth, left)
		}
	}
	return worth
}

// checkCover proves a cut of a cover in exact arithmetic: with the demand that is left, either alpha counts no more
// arcs than that needs, or one arc is needed and every slope is at least the share of it that the arc can carry.
func checkCover(in *Instance, cut *benders.Cut, inside []bool) error {
	bad := func(what string) error { return fmt.Errorf("mcndp: %w: %s", errCertificate, what) }
	if cut.Kind != benders.Feasibility || len(inside) != in.Nodes || len(cut.Beta) != len(cut.Index) {
		return bad("not a cut of a cover")
	}
	left := new(big.Rat)
	for i, d := range in.Demand {
		if inside[in.Origin[i]] && !inside[in.Destination[i]] {
			left.Add(left, exactly(d))
		}
	}
	crosses := func(j int) bool { return inside[in.Tail[j]] && !inside[in.Head[j]] }
	counted := make(map[int]bool)
	for k, j := range cut.Index {
		if j < 0 || int(j) >= in.arcs() || counted[int(j)] || math.IsNaN(cut.Beta[k]) || cut.Beta[k] > 0 {
			return bad("slopes that belong to no arcs")
		}
		counted[int(j)] = true
	}
	for j := range in.arcs() {
		if !counted[j] && crosses(j) {
			left.Sub(left, exactly(in.Capacity[j]))
		}
	}
	if left.Sign() <= 0 {
		return bad("nothing is left to carry")
	}
	if cut.Alpha <= 1 {
		for k, j := range cut.Index {
			if slope := new(big.Rat).Mul(exactly(-cut.Beta[k]), left); crosses(int(j)) && cut.Beta[k] > -1 && slope.Cmp(exactly(in.Capacity[j])) < 0 {
				return bad("a slope below the share that the arc can carry")
			}
		}
		return nil
	}
	return checkCount(in, cut, left)
}

// checkCount proves that it takes alpha of the arcs, the largest first, to carry what is left.
func checkCount(in *Instance, cut *benders.Cut, left *big.Rat) error {
	var capacities []float64
	for k, j := range cut.Index {
		if cut.Beta[k] > -1 {
			return fmt.Errorf("mcndp: %w: an arc that counts less than one", errCertificate)
		}
		capacities = append(capacities, in.Capacity[j])
	}
	slices.SortFunc(capacities, func(a, b float64) int { return cmp.Compare(b, a) })
	needed := 0.0
	for _, s := range capacities {
		if left.Sign() <= 0 {
			break
		}
		needed++
		left.Sub(left, exactly(s))
	}
	if left.Sign() <= 0 && cut.Alpha > needed {
		return fmt.Errorf("mcndp: %w: it counts more arcs than the demand needs", errCertificate)
	}
	return nil
}

// perturb is Instance.Perturb in the type of the family.
func perturb(in *Instance, sigma float64, seed uint64) (*Instance, float64, error) {
	v, raised, err := in.Perturb("variant", sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	return v.(*Instance), raised, nil
}
