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
	// The least positive coefficient, the capacities of the carriers that have one, and the mass of all others.
	least := math.Inf(1)
	var counted []float64
	free := of(0)
	// Coefficients of zero cost nothing, and so their carriers may be taken to be open.
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
	// If nothing is left, the capacity proves nothing, whatever the coefficients are.
	capacity := left.sign() > 0
	for j, v := range a {
		if v > 0 && capacity {
			// A carrier carries no more of the rest than all of it.
			share := of(s[j])
			if share.cmp(left) > 0 {
				share = left
			}

			// The inequality a_j left >= b min(s_j, left) is compared without a division.
			capacity = times(of(v), left).cmp(times(of(b), share)) >= 0
		}
	}

	// A side that is not positive holds, since no coefficient is negative.
	if b <= 0 || capacity {
		return nil
	}

	// The proof by counting: the largest carriers as long as c times their number is below b.
	slices.Sort(counted)
	mass := of(0)
	for k := len(counted) - 1; k >= 0; k-- {
		// The mass is c times the number of carriers so far; the largest ones are taken.
		if mass.add(of(least)); mass.cmp(of(b)) >= 0 {
			break
		}
		free.add(of(counted[k]))
	}

	// These carriers cost less than b and would carry the demand.
	if free.cmp(demand) >= 0 {
		return errors.New("neither the capacities nor their number prove it")
	}
	return nil
}
