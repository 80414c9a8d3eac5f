package verify

import (
	"errors"
	"math"
	"slices"
)

// carriers proves a'y >= b for every binary y with sum_j s_j y_j >= demand, where a >= 0 and b is finite. It knows two
// reasons. Capacity: a_j demand >= b min(s_j, demand) for all j, and the sum of min(s_j, demand) y_j is at least the
// demand. Counting: all positive coefficients are at least c, and the carriers without one, all open, and as many of
// the largest others as have c times their number below b do not carry the demand.
func carriers(a, s []float64, demand *num, b float64) error {
	least, capacity := math.Inf(1), true
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
		share := of(s[j])
		if share.cmp(demand) > 0 {
			share = demand
		}
		capacity = capacity && times(of(v), demand).cmp(times(of(b), share)) >= 0
	}
	if b <= 0 || capacity && demand.sign() > 0 {
		return nil
	}
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
