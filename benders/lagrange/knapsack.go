package lagrange

import "math"

// Knapsack solves continuous knapsacks
//
//	kappa = max { sum_i r_i a_i : 0 <= a_i <= 1, sum_i w_i a_i <= s }
//
// which complete a predicted dual wherever a second-stage resource of capacity s, open to the share y, is shared by
// items that may each use it up to y (paper, Appendix B, CAP and MCNDP). Their linear programming dual is
//
//	kappa = min { s mu + sum_i (r_i - w_i mu)+ : mu >= 0 }
//
// and is solved by the density r_b / w_b of the item that no longer fits, or by 0 if all items of positive
// profit fit. Every mu >= 0 gives an upper bound, so the rounding of the threshold costs strength and never
// validity. A Knapsack keeps its scratch memory and the last solution; it is for one goroutine.
type Knapsack struct {
	item    []int32   // items of positive profit, reordered by the selection
	density []float64 // r_i / w_i of each, +Inf where the weight is 0

	// The last knapsack and its solution.
	profit, weight []float64
	capacity       float64
	sum            float64 // of the positive profits
	threshold      float64 // mu
	value          float64 // kappa, rounded to nearest
}

// Solve solves the knapsack and returns the threshold mu and the value, rounded to nearest. Weights and
// capacity must not be negative, and all numbers finite. It keeps the slices, for Up and AddSolution.
func (k *Knapsack) Solve(profit, weight []float64, capacity float64) (threshold, value float64) {
	k.profit, k.weight, k.capacity = profit, weight, capacity
	k.item, k.density = k.item[:0], k.density[:0]
	total := 0.0
	k.sum = 0
	for i, r := range profit {
		if r > 0 {
			k.item = append(k.item, int32(i))
			k.sum += r
			total += weight[i]
		}
	}

	// Where all of them fit the threshold is 0.
	k.threshold, k.value = 0, k.sum
	if total > capacity {
		k.selectThreshold()
	}
	return k.threshold, k.value
}

// selectThreshold finds the breaking density by weighted selection, in expected linear time, and the value there.
func (k *Knapsack) selectThreshold() {
	for _, i := range k.item {
		k.density = append(k.density, k.profit[i]/k.weight[i])
	}

	// Items before lo fit and use so much of the capacity; those from hi on are too much.
	lo, hi, used := 0, len(k.item), 0.0
	for lo < hi {
		pivot := median(k.density[lo], k.density[lo+(hi-lo)/2], k.density[hi-1])
		above, equal, from, to := k.partition(lo, hi, pivot)

		// The breaking density is above the pivot, at it, or below it.
		if used+above > k.capacity {
			hi = from
			continue
		}
		if used+above+equal > k.capacity {
			k.threshold = pivot
			break
		}
		used += above + equal
		lo = to
	}

	// A weight may be so small that the density overflows. Every threshold is valid, and 0 has a finite value.
	if math.IsInf(k.threshold, 1) {
		k.threshold = 0
		return
	}

	// The value of the dual at the threshold.
	k.value = k.capacity * k.threshold
	for _, i := range k.item {
		k.value += max(0, k.profit[i]-k.weight[i]*k.threshold)
	}
}

// partition orders the items in [lo, hi) so that densities above the pivot come first, those equal to it are in
// [from, to), and those below it last. It returns the weights of the first two groups.
func (k *Knapsack) partition(lo, hi int, pivot float64) (above, equal float64, from, to int) {
	from, to = lo, hi
	for t := lo; t < to; {
		q, i := k.density[t], k.item[t]
		switch {
		case q > pivot:
			above += k.weight[i]
			k.swap(t, from)
			from++
			t++
		case q < pivot:
			to--
			k.swap(t, to)
		default:
			equal += k.weight[i]
			t++
		}
	}
	return above, equal, from, to
}

// swap exchanges two items.
func (k *Knapsack) swap(a, b int) {
	k.item[a], k.item[b] = k.item[b], k.item[a]
	k.density[a], k.density[b] = k.density[b], k.density[a]
}

func median(a, b, c float64) float64 { return max(min(a, b), min(max(a, b), c)) }

// Profit returns the sum of the positive profits of the last knapsack.
func (k *Knapsack) Profit() float64 { return k.sum }

// Up returns a float64 that is at least the exact kappa of the exact profits, where the profits that Solve was
// given are off by at most profitError in all (sum_i |error_i| over the items whose exact profit is positive;
// kappa is 1-Lipschitz in each of them).
//
// The value is a sum of one product and at most p positive parts, for p items of positive profit. Each part
// is off by at most 3u times its profit, whether it was found positive or not, with u = 2^-53, and the sum by
// p u relative; twice that covers the rounding of the bound itself, and a subnormal for each product covers
// underflow.
func (k *Knapsack) Up(profitError float64) float64 {
	const u = 0x1p-53
	if k.sum == 0 {
		return profitError
	}
	p := float64(len(k.item))
	slack := 2 * (p + 8) * u * (k.capacity*k.threshold + 2*k.sum)
	slack += (p + 2) * math.SmallestNonzeroFloat64
	return math.Nextafter(k.value+math.Nextafter(slack+profitError, math.Inf(1)), math.Inf(1))
}

// AddSolution adds scale * a to dst, a the solution of the last knapsack. Items of the breaking density are
// filled in the order of their indices.
func (k *Knapsack) AddSolution(dst []float64, scale float64) {
	// The room for items of the breaking density is what the items above it leave.
	room := k.capacity
	if k.threshold > 0 {
		for _, i := range k.item {
			if k.profit[i]/k.weight[i] > k.threshold {
				room -= k.weight[i]
			}
		}
	}
	for i, r := range k.profit {
		if !(r > 0) {
			continue
		}
		switch q := r / k.weight[i]; {
		case q > k.threshold:
			dst[i] += scale
		case q == k.threshold && room > 0:
			a := min(1, room/k.weight[i])
			dst[i] += scale * a
			room -= a * k.weight[i]
		}
	}
}
