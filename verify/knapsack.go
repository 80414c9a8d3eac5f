package verify

import (
	"cmp"
	"slices"
)

// item is an item of a continuous knapsack; only items of positive profit are collected.
type item struct {
	profit *num
	weight float64
}

// atMost proves that a continuous knapsack is worth at most -slope: that
//
//	capacity * mu + sum (profit - weight mu)+ <= -slope
//
// for some price mu >= 0. Any price is a proof; the one taken is that of the item that breaks the knapsack when the
// items are put in by descending density, which is the least. Everything is multiplied by that item's weight, so that
// nothing has to be divided.
func atMost(items []item, capacity float64, slope *num) bool {
	density := make([]float64, len(items))
	order := make([]int, len(items))
	for k, t := range items {
		density[k], order[k] = t.profit.float()/t.weight, k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(density[b], density[a]) })
	load, limit := of(0), of(capacity)
	broken := -1
	for _, k := range order {
		if load.add(of(items[k].weight)); load.cmp(limit) > 0 {
			broken = k
			break
		}
	}
	worth := of(0)
	if broken < 0 { // everything fits: mu = 0
		for _, t := range items {
			worth.add(t.profit)
		}
		return worth.add(slope).sign() <= 0
	}
	price, unit := items[broken].profit, of(items[broken].weight)
	worth.add(times(limit, price))
	for _, t := range items {
		if left := times(t.profit, unit).sub(times(of(t.weight), price)); left.sign() > 0 {
			worth.add(left)
		}
	}
	return worth.add(times(slope, unit)).sign() <= 0
}

// dense spreads the slopes of a cut.
func dense(n int, index []int32, value []float64) []float64 {
	out := make([]float64, n)
	for k, j := range index {
		out[j] = value[k]
	}
	return out
}
