package verify

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// item is an item of a continuous knapsack; only items of positive profit are collected.
type item struct {
	profit *num
	weight float64
}

// excess returns by how much a continuous knapsack is worth more than -slope, nil if it is not: the least value over
// the prices mu >= 0 of
//
//	capacity * mu + sum (profit - weight mu)+ + slope
//
// Any price gives an upper bound. The least one is that of the first item that does not fit when the items are put in
// by descending density (Dantzig 1957). Everything is multiplied by the weight of that item, which saves most
// divisions.
func excess(items []item, capacity float64, slope *num) *big.Rat {
	broken := breaking(items, capacity)
	worth := of(0)
	if broken < 0 { // everything fits: mu = 0
		for _, t := range items {
			worth.add(t.profit)
		}
		if worth.add(slope).sign() <= 0 {
			return nil
		}
		return worth.rat()
	}

	// The price of capacity is the density of that item, profit divided by weight.
	price := items[broken].profit
	unit := of(items[broken].weight)
	// In multiples of the unit, the worth is capacity times profit plus what the other items gain.
	worth.add(times(of(capacity), price))
	for _, t := range items {
		if left := times(t.profit, unit).sub(times(of(t.weight), price)); left.sign() > 0 {
			worth.add(left)
		}
	}

	// The slope is multiplied by the unit, too.
	if worth.add(times(slope, unit)).sign() <= 0 {
		return nil
	}

	// The unit is divided out once at the end.
	return worth.rat().Quo(worth.rat(), unit.rat())
}

// breaking returns the first item that does not fit, -1 if all do.
func breaking(items []item, capacity float64) int {
	// Densities in floats only choose the item: any item gives a valid price.
	density := make([]float64, len(items))
	order := make([]int, len(items))
	for k, t := range items {
		density[k] = t.profit.float() / t.weight
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })

	// The load is exact, so that the first item that does not fit is found in every case.
	load := of(0)
	limit := of(capacity)
	for _, k := range order {
		if load.add(of(items[k].weight)); load.cmp(limit) > 0 {
			return k
		}
	}
	return -1
}

// implied reports alpha <= best less all that the slopes exceed: then the cut holds wherever 0 <= y <= 1.
func implied(alpha float64, best *num, over []*big.Rat) error {
	limit := best.rat()
	// A slope that is larger by v raises the right-hand side by at most v, since y is at most 1.
	for _, v := range over {
		if v != nil {
			limit.Sub(limit, v)
		}
	}
	if new(big.Rat).SetFloat64(alpha).Cmp(limit) > 0 {
		return fmt.Errorf("alpha is %.17g, but with these slopes the certificate gives %.17g", alpha, nearest(limit))
	}
	return nil
}

// dense spreads the slopes of a cut.
// Columns without an entry have the slope 0.
func dense(n int, index []int32, value []float64) []float64 {
	out := make([]float64, n)
	for k, j := range index {
		out[j] = value[k]
	}
	return out
}
