package presolve

import "github.com/proxybd/proxybd/internal/activity"

// representable reports whether an equation over integer columns may hold: its side less its value at the lower
// bounds is a sum of multiples of the coefficients, which are positive once columns with a negative one are measured
// from their upper bounds. The opposite bounds are left out, so that false is a proof. Both ends of the columns are
// tried. No relaxation decides such an equation, and branching enumerates.
func (p *problem) representable(c *congruence) bool {
	// Both sets of bounds are tried, since either may be infinite or prove nothing.
	for _, fromUpper := range [2]bool{false, true} {
		if rest, ok := p.restOf(c, fromUpper); ok && !p.isSum(c, rest) {
			return false
		}
	}
	return true
}

// restOf returns the side of an equation in units of steps of its columns from the bounds where its terms are least,
// or from the others, where the sides change their roles. ok is false where such a bound is infinite or too large.
func (p *problem) restOf(c *congruence, fromUpper bool) (rest int64, ok bool) {
	// Each column is measured from its bound, which takes its term out of the side.
	rest = c.side
	for _, t := range c.terms {
		at := activity.End(t.val < 0 != fromUpper, p.Lo[t.col], p.Up[t.col])
		if !(at >= -hugeInteger && at <= hugeInteger) {
			return 0, false
		}
		rest -= t.val * int64(at)
	}
	if fromUpper {
		rest = -rest
	}
	return rest, true
}

// isSum reports whether rest is a sum of nonnegative multiples of the absolute coefficients. With m the least of them,
// a number is such a sum exactly if it is at least the least sum with its residue modulo m, and these m least sums are
// found without a search (S. Boecker, Z. Liptak, A fast and simple algorithm for the money changing problem,
// Algorithmica 48, 2007). Where the coefficients have no common divisor, all numbers from the product of the least and
// the largest of them on are sums. It reports true where the table would be too large.
func (p *problem) isSum(c *congruence, rest int64) bool {
	if rest < 0 {
		return false
	}

	// The least coefficient is the modulus of the table.
	least := absolute(c.terms[0].val)
	largest := int64(0)
	for _, t := range c.terms {
		least = min(least, absolute(t.val))
		largest = max(largest, absolute(t.val))
	}
	work := least * int64(len(c.terms))

	// Every number from the product on is a sum, and a large table is not worth its work.
	if rest >= least*largest || work > representMax {
		return true
	}
	p.Work += int(work)

	// sums[r] is the least sum of the coefficients so far with the residue r, none where it is beyond rest.
	none := rest + 1
	sums := make([]int64, least)
	for r := range sums {
		sums[r] = none
	}
	sums[0] = 0

	// The columns are added one after the other, in any order.
	for _, t := range c.terms {
		addMultiples(sums, absolute(t.val), none)
	}
	return sums[rest%least] <= rest
}

// addMultiples updates the least sums for multiples of one more coefficient. Residues that differ by multiples of it
// form cycles: one pass around a cycle, from its least sum, lowers every sum as far as the multiples can.
func addMultiples(sums []int64, v, none int64) {
	m := int64(len(sums))
	for first := range greatestCommonDivisor(m, v) {
		start := first
		// The pass begins at the least sum of the cycle, which no other one lowers.
		for r := (first + v) % m; r != first; r = (r + v) % m {
			if sums[r] < sums[start] {
				start = r
			}
		}
		sum := sums[start]
		for r := (start + v) % m; r != start; r = (r + v) % m {
			sum = min(sum+v, sums[r], none)
			sums[r] = sum
		}
	}
}

// greatestCommonDivisor is Euclid's, for nonnegative numbers.
func greatestCommonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// absolute is |v|.
func absolute(v int64) int64 { return max(v, -v) }
