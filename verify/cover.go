package verify

import (
	"errors"
	"math"
	"slices"
)

// carriers proves a'y >= b for every binary y with sum_j s_j y_j >= demand, where a >= 0 and b is finite. Carriers
// without a coefficient may all be open: the others have to carry the rest, left. There are two proofs. Capacity:
// a_j left >= b min(s_j, left) for all of them, and the sum of min(s_j, left) y_j is at least left. Counting: all
// coefficients are at least c, and any number n of carriers with c n < b, the largest ones too, carry less than left.
func carriers(a, s []float64, demand *num, b float64) error {
	least := math.Inf(1)
	var counted []float64
	free := of(0)
	for j, v := range a {
		switch {
		case v < 0:
			return errors.New("a negative coefficient")
		case v > 0:
			least = min(least, v)
			counted = append(counted, s[j])
		default:
			free.add(of(s[j]))
		}
	}

	// The proof by capacity. If nothing is left, a choice of cost 0 suffices.
	left := of(0).add(demand).sub(free)
	capacity := left.sign() > 0
	for j, v := range a {
		if v > 0 && capacity {
			share := of(s[j])
			if share.cmp(left) > 0 {
				share = left
			}
			capacity = times(of(v), left).cmp(times(of(b), share)) >= 0
		}
	}
	if b <= 0 || capacity {
		return nil
	}

	// The proof by counting: the largest carriers as long as c times their number is below b.
	slices.Sort(counted)
	mass := of(0)
	for k := len(counted) - 1; k >= 0; k-- {
		if mass.add(of(least)); mass.cmp(of(b)) >= 0 {
			break
		}
		free.add(of(counted[k]))
	}
	if free.cmp(demand) >= 0 {
		return errors.New("neither the capacities nor their number prove it")
	}
	return nil
}
