package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// modelClass draws models of a class as LP files.
type modelClass struct {
	name string
	size int
	draw func(rng *rand.Rand, n int) string
}

// classes are all classes with their usual sizes.
var classes = []modelClass{
	{"piecewise", 40, piecewise},
	{"sos1", 40, func(rng *rand.Rand, n int) string { return assignment(rng, n, true) }},
	{"sos1free", 20, func(rng *rand.Rand, n int) string { return assignment(rng, n, false) }},
	{"schedule", 9, func(rng *rand.Rand, n int) string { return schedule(rng, n, true) }},
	{"schedulefree", 9, func(rng *rand.Rand, n int) string { return schedule(rng, n, false) }},
	{"portfolio", 80, func(rng *rand.Rand, n int) string { return portfolio(rng, n, true) }},
	{"portfoliofree", 80, func(rng *rand.Rand, n int) string { return portfolio(rng, n, false) }},
	{"lots", 4, lots},
	{"sparse", 16, sparse},
	{"units", 20, units},
}

// file collects the sections of an LP file.
type file struct{ objective, rows, bounds, binaries, semi, sets strings.Builder }

// text is the file.
func (f *file) text() string {
	var b strings.Builder
	section := func(title string, s *strings.Builder) {
		if s.Len() > 0 {
			b.WriteString(title + "\n" + s.String())
		}
	}
	b.WriteString("Minimize\n obj:" + f.objective.String() + "\n")
	section("Subject To", &f.rows)
	section("Bounds", &f.bounds)
	section("Binaries", &f.binaries)
	section("Semi-continuous", &f.semi)
	section("SOS", &f.sets)
	b.WriteString("End\n")
	return b.String()
}

// piecewise is a transport of n suppliers to n customers, where each supplier has a concave cost of its output, then a
// jump to a steeper one, given by ten points with weights in an SOS2.
func piecewise(rng *rand.Rand, n int) string {
	const points = 10
	var f file
	for i := range n {
		fmt.Fprintf(&f.rows, " one%d:", i)
		for k := range points {
			fmt.Fprintf(&f.rows, " + w%d_%d", i, k)
		}
		fmt.Fprintf(&f.rows, " = 1\n out%d:", i)
		fmt.Fprintf(&f.sets, " s%d: S2::", i)
		cost := 0.0
		slope := 20 + 20*rng.Float64()
		for k := range points {
			fmt.Fprintf(&f.objective, " + %.3f w%d_%d", cost, i, k)
			fmt.Fprintf(&f.rows, " + %d w%d_%d", 12*k, i, k)
			fmt.Fprintf(&f.sets, " w%d_%d:%d", i, k, k+1)
			cost += 12 * slope
			slope *= 0.6 + 0.6*rng.Float64()
		}
		f.sets.WriteString("\n")
		for j := range n {
			fmt.Fprintf(&f.rows, " - x%d_%d", i, j)
			fmt.Fprintf(&f.objective, " + %.3f x%d_%d", 2+10*rng.Float64(), i, j)
		}
		f.rows.WriteString(" = 0\n")
	}
	for j := range n {
		fmt.Fprintf(&f.rows, " need%d:", j)
		for i := range n {
			fmt.Fprintf(&f.rows, " + x%d_%d", i, j)
		}
		fmt.Fprintf(&f.rows, " >= %d\n", 20+rng.IntN(40))
	}
	return f.text()
}

// assignment lets each of n customers be served by one of eight plants, an SOS1 of flows, with or without bounds on
// the flows.
func assignment(rng *rand.Rand, n int, bounded bool) string {
	const plants = 8
	var f file
	load := 0
	for j := range n {
		need := 5 + rng.IntN(20)
		load += need
		fmt.Fprintf(&f.rows, " need%d:", j)
		fmt.Fprintf(&f.sets, " s%d: S1::", j)
		for i := range plants {
			fmt.Fprintf(&f.objective, " + %d x%d_%d", 5+rng.IntN(40), i, j)
			fmt.Fprintf(&f.rows, " + x%d_%d", i, j)
			fmt.Fprintf(&f.sets, " x%d_%d:%d", i, j, i+1)
			if bounded {
				fmt.Fprintf(&f.bounds, " x%d_%d <= %d\n", i, j, need)
			}
		}

		// Without bounds too little costs a penalty, so that the row gives no bound.
		fmt.Fprintf(&f.objective, " + 70 short%d", j)
		if bounded {
			fmt.Fprintf(&f.rows, " + short%d = %d\n", j, need)
		} else {
			fmt.Fprintf(&f.rows, " + short%d >= %d\n", j, need)
		}
		f.sets.WriteString("\n")
	}
	for i := range plants {
		fmt.Fprintf(&f.rows, " cap%d:", i)
		for j := range n {
			fmt.Fprintf(&f.rows, " + x%d_%d", i, j)
		}

		// Capacity may be bought.
		fmt.Fprintf(&f.rows, " - more%d <= %d\n", i, load/plants)
		fmt.Fprintf(&f.objective, " + %d more%d", 8+rng.IntN(20), i)
	}
	return f.text()
}

// schedule puts n jobs on a machine with weighted completion times: of every two jobs one comes first, which two
// indicators say. With a horizon the starts have bounds.
func schedule(rng *rand.Rand, n int, bounded bool) string {
	var f file
	length := make([]int, n)
	all := 0
	for j := range n {
		length[j] = 2 + rng.IntN(12)
		all += length[j]
		fmt.Fprintf(&f.objective, " + %d t%d", 1+rng.IntN(10), j)
	}
	for j := range n {
		release := rng.IntN(all / 2)
		if bounded {
			fmt.Fprintf(&f.bounds, " %d <= t%d <= %d\n", release, j, 2*all)
		} else {
			fmt.Fprintf(&f.bounds, " t%d >= %d\n", j, release)
		}
		for i := range j {
			fmt.Fprintf(&f.rows, " a%d_%d: b%d_%d = 1 -> t%d - t%d >= %d\n", i, j, i, j, j, i, length[i])
			fmt.Fprintf(&f.rows, " c%d_%d: b%d_%d = 0 -> t%d - t%d >= %d\n", i, j, i, j, i, j, length[j])
			fmt.Fprintf(&f.binaries, " b%d_%d\n", i, j)
		}
	}
	return f.text()
}

// portfolio mixes n assets with least shares and least costs of holding them: semi-continuous shares, with or without
// largest ones. Returns of scenarios bound the losses.
func portfolio(rng *rand.Rand, n int, bounded bool) string {
	var f file
	for j := range n {
		fmt.Fprintf(&f.objective, " + %.4f x%d", -0.05-0.1*rng.Float64(), j)
		fmt.Fprintf(&f.rows, "%s", map[bool]string{true: " all:", false: ""}[j == 0])
		fmt.Fprintf(&f.rows, " + x%d", j)
		least := 4 + 8*rng.Float64()
		if bounded {
			fmt.Fprintf(&f.bounds, " %.3f <= x%d <= %.3f\n", least, j, least+15)
		} else {
			fmt.Fprintf(&f.bounds, " x%d >= %.3f\n", j, least)
		}
		fmt.Fprintf(&f.semi, " x%d\n", j)
	}
	f.rows.WriteString(" - debt = 100\n")
	f.objective.WriteString(" + 0.16 debt")
	for s := range n / 2 {
		fmt.Fprintf(&f.rows, " loss%d:", s)
		for j := range n {
			fmt.Fprintf(&f.rows, " + %.3f x%d", 0.3*rng.NormFloat64()+0.05, j)
		}
		fmt.Fprintf(&f.rows, " + under%d >= 4\n", s)
		fmt.Fprintf(&f.objective, " + %.3f under%d", 0.3/float64(n)*8, s)
	}
	return f.text()
}

// lots are lot sizes over twelve periods for n items on one machine: an amount is zero or at least a lot.
func lots(rng *rand.Rand, n int) string {
	const periods = 12
	var f file
	for t := range periods {
		fmt.Fprintf(&f.rows, " cap%d:", t)
		for i := range n {
			fmt.Fprintf(&f.rows, " + x%d_%d", i, t)
		}
		fmt.Fprintf(&f.rows, " <= %d\n", 13*n)
	}
	for i := range n {
		lot := 25 + rng.IntN(20)
		hold := 1 + rng.IntN(5)
		for t := range periods {
			fmt.Fprintf(&f.rows, " flow%d_%d:", i, t)
			if t > 0 {
				fmt.Fprintf(&f.rows, " s%d_%d", i, t-1)
			}
			fmt.Fprintf(&f.rows, " + x%d_%d - s%d_%d + late%d_%d", i, t, i, t, i, t)
			if t > 0 {
				fmt.Fprintf(&f.rows, " - late%d_%d", i, t-1)
			}
			fmt.Fprintf(&f.rows, " = %d\n", rng.IntN(20))
			fmt.Fprintf(&f.objective, " + %d s%d_%d + %d late%d_%d", hold, i, t, 4+hold, i, t)
			fmt.Fprintf(&f.bounds, " %d <= x%d_%d <= %d\n", lot, i, t, 3*lot)
			fmt.Fprintf(&f.semi, " x%d_%d\n", i, t)
		}
	}
	return f.text()
}

// units are the outputs of n power stations over eight hours: zero or within bounds, with limits on the change from one
// hour to the next.
func units(rng *rand.Rand, n int) string {
	const hours = 8
	var f file
	for t := range hours {
		fmt.Fprintf(&f.rows, " need%d:", t)
		for i := range n {
			fmt.Fprintf(&f.rows, " + p%d_%d", i, t)
		}
		fmt.Fprintf(&f.rows, " + short%d - over%d = %d\n", t, t, 25*n+rng.IntN(20*n))
		fmt.Fprintf(&f.objective, " + 90 short%d + 5 over%d", t, t)
	}
	for i := range n {
		least := 30 + rng.IntN(30)
		cost := 10 + rng.IntN(40)
		for t := range hours {
			fmt.Fprintf(&f.objective, " + %d p%d_%d", cost, i, t)
			fmt.Fprintf(&f.bounds, " %d <= p%d_%d <= %d\n", least, i, t, 2*least)
			fmt.Fprintf(&f.semi, " p%d_%d\n", i, t)
			if t > 0 {
				fmt.Fprintf(&f.rows, " up%d_%d: p%d_%d - p%d_%d <= %d\n", i, t, i, t, i, t-1, least+5)
				fmt.Fprintf(&f.rows, " dn%d_%d: p%d_%d - p%d_%d >= -%d\n", i, t, i, t, i, t-1, least+5)
			}
		}
	}
	return f.text()
}

// sparse asks for a vector with as few entries other than zero as can be that meets n equations within a tolerance:
// each of its 2 n free entries is in an SOS1 with a 0-1 column.
func sparse(rng *rand.Rand, n int) string {
	var f file
	want := make([]float64, 2*n)
	for range n / 4 {
		want[rng.IntN(2*n)] = rng.NormFloat64()
	}
	for i := range n {
		side := want[i]
		fmt.Fprintf(&f.rows, " r%d: x%d", i, i)
		for j := range n {
			// The second half of the matrix is that of Hadamard, as far as n is a power of two.
			sign := 1 - 2*(bits(i&j)&1)
			fmt.Fprintf(&f.rows, " %+.2f x%d", 0.25*float64(sign), n+j)
			side += 0.25 * float64(sign) * want[n+j]
		}
		side += 0.05 * rng.NormFloat64()
		fmt.Fprintf(&f.rows, " >= %.6f\n", side-0.06)
		row := f.rows.String()
		row = row[strings.LastIndex(row, "r"):]
		fmt.Fprintf(&f.rows, " u%s <= %.6f\n", row[:strings.Index(row, ">=")], side+0.06)
	}
	for j := range 2 * n {
		fmt.Fprintf(&f.objective, " - z%d", j)
		fmt.Fprintf(&f.bounds, " x%d free\n", j)
		fmt.Fprintf(&f.binaries, " z%d\n", j)
		fmt.Fprintf(&f.sets, " s%d: S1:: x%d:1 z%d:2\n", j, j, j)
	}
	return f.text()
}

// bits counts the bits of v.
func bits(v int) (n int) {
	for ; v > 0; v &= v - 1 {
		n++
	}
	return n
}
