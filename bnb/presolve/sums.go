package presolve

import "math"

// attainable moves the sides first and last of row i, in units of a common divisor of its coefficients, to values that
// its activity can take: the subset sums of its integer columns, kept as the bits of a table that counts from the least
// activity up to last, or from the largest down to first. It returns first > last where there is none between them, and
// the sides as they are where the table or the work on it would be large.
func (p *problem) attainable(i int32, unit, first, last float64) (float64, float64) {
	var lowest, highest float64

	// The least and the largest activity, in units.
	for e := range p.A.Row(i) {
		c := math.Round(e.Val / unit)
		atLo := c * p.Lo[e.Col]
		atUp := c * p.Up[e.Col]
		lowest += math.Min(atLo, atUp)
		highest += math.Max(atLo, atUp)
	}
	p.Work += int(p.A.RowLen[i])

	// Sides that the activity never reaches are not moved.
	if first <= lowest && last >= highest {
		return first, last
	}

	// The table begins at the end of the activity from which it is smaller.
	origin := lowest
	sign := 1.0
	from := first - lowest
	size := last - lowest
	if highest-first < size {
		origin = highest
		sign = -1
		from = highest - last
		size = highest - first
	}
	if !(size >= 0 && size < sumsMax) {
		return first, last
	}

	// The table has a bit for each unit, and is shifted once for each step.
	steps := p.sumSteps(i, unit, int(size))
	words := int(size)/64 + 1
	if len(steps)*words > sumsWork {
		return first, last
	}
	p.Work += len(steps) * words

	// The first bit is the end itself, where no column has moved.
	table := make([]uint64, words)
	table[0] = 1
	for _, s := range steps {
		orShifted(table, s)
	}

	// Only sums between the sides are of interest.
	near, far := bitsWithin(table, int(math.Max(0, from)), int(size))
	if near < 0 {
		return 1, 0
	}

	// Counted down from the largest activity the nearer sum is the upper side.
	low := math.Min(origin+sign*float64(near), origin+sign*float64(far))
	high := math.Max(origin+sign*float64(near), origin+sign*float64(far))
	if !math.IsInf(first, -1) {
		first = low
	}
	if !math.IsInf(last, 1) {
		last = high
	}
	return first, last
}

// sumSteps returns the steps that the activity of row i can take from its least value up, in units and at most size: a
// column of width w and coefficient c gives c, 2c, 4c and so on and a rest, which add up to every multiple of c to w c.
func (p *problem) sumSteps(i int32, unit float64, size int) []int {
	var steps []int
	for e := range p.A.Row(i) {
		c := math.Abs(math.Round(e.Val / unit))
		// More than the table is long no step can use.
		width := math.Min(p.Up[e.Col]-p.Lo[e.Col], math.Floor(float64(size)/c))
		// Powers of two and a rest add up to every number of steps.
		for step := 1.0; width > 0; step *= 2 {
			step = math.Min(step, width)
			steps = append(steps, int(step*c))
			width -= step
		}
	}
	return steps
}

// orShifted sets the bits of the table that are the given number above a set one.
func orShifted(table []uint64, by int) {
	words := by / 64
	rest := uint(by % 64)

	// From the top down a word is read before it is changed.
	for k := len(table) - 1; k >= words; k-- {
		v := table[k-words] << rest
		if rest > 0 && k > words {
			v |= table[k-words-1] >> (64 - rest)
		}
		table[k] |= v
	}
}

// bitsWithin returns the first and the last set bit of the table in [from, to], -1 where there is none.
func bitsWithin(table []uint64, from, to int) (first, last int) {
	set := func(b int) bool { return table[b/64]>>(b%64)&1 != 0 }

	// The search goes bit by bit: the ends are near where sums are dense.
	for first = from; first <= to && !set(first); first++ {
	}
	if first > to {
		return -1, -1
	}
	for last = to; !set(last); last-- {
	}
	return first, last
}
