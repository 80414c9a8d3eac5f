package bnb

import (
	"cmp"
	"math"
	"slices"
)

// pseudoCosts are the average gains of the LP bound per unit of distance, by column and direction. The ordered sets
// follow the columns: each counts as a binary column that is 1 where its second part holds the 1.
type pseudoCosts struct {
	sum   [2][]float64 // [0] down, [1] up
	count [2][]int32
	all   [2]float64 // sums and counts over all columns
	seen  [2]int

	ranked []candidateColumn // scratch

	exporting bool // observations are kept for export
	pending   []observation
}

// observation is a gain of the LP bound per unit of distance.
type observation struct {
	col   int32
	k     int // direction
	value float64
}

// candidateColumn is a fractional column, or an ordered set after the columns, with its pseudo-cost score.
type candidateColumn struct {
	col         int32
	frac, score float64
	integral    bool // the value is integral, and the point violates an implication of the column
}

func newPseudoCosts(n int) *pseudoCosts {
	var c pseudoCosts
	for k := range c.sum {
		c.sum[k], c.count[k] = make([]float64, n), make([]int32, n)
	}
	return &c
}

// direction is the index of a direction: 0 down, 1 up.
func direction(up bool) int {
	if up {
		return 1
	}
	return 0
}

// observe records the gain of the LP bound by a branching.
func (c *pseudoCosts) observe(b *branching, gain float64) {
	// A branching that does not move the column, or ends without a finite bound, shows no rate.
	if b.distance < 1e-9 || math.IsInf(gain, 0) || math.IsNaN(gain) {
		return
	}

	// A rounding error may make the gain negative.
	o := observation{b.col, direction(b.up), math.Max(0, gain) / b.distance}
	if c.exporting {
		c.pending = append(c.pending, o)
	}
	c.add(o)
}

// add adds an observation to the averages.
func (c *pseudoCosts) add(o observation) {
	c.sum[o.k][o.col] += o.value
	c.count[o.k][o.col]++
	c.all[o.k] += o.value
	c.seen[o.k]++
}

// export returns the observations since the last call.
func (c *pseudoCosts) export() []observation {
	list := c.pending
	c.pending = nil
	return list
}

// fork returns a copy that keeps its observations for export.
func (c *pseudoCosts) fork() *pseudoCosts {
	f := &pseudoCosts{all: c.all, seen: c.seen, exporting: true}
	for k := range c.sum {
		f.sum[k], f.count[k] = slices.Clone(c.sum[k]), slices.Clone(c.count[k])
	}
	return f
}

// gain predicts the rise of the bound when column j moves by distance.
func (c *pseudoCosts) gain(j int32, up bool, distance float64) float64 {
	k := direction(up)

	// Without observations of the column the average of all columns takes their place, and 1 before there is any.
	switch {
	case c.count[k][j] > 0:
		return c.sum[k][j] / float64(c.count[k][j]) * distance
	case c.seen[k] > 0:
		return c.all[k] / float64(c.seen[k]) * distance
	}
	return distance
}

// reliable reports whether both directions of column j have at least that number of observations.
func (c *pseudoCosts) reliable(j int32, least int) bool {
	return int(min(c.count[0][j], c.count[1][j])) >= least
}

// others predicts the rise of the bound from the fractional columns of a point other than col.
func (c *pseudoCosts) others(pt *nodePoint, col int32) float64 {
	sum := 0.0

	// Each other column has to be branched on some time: the smaller gain of its two directions is counted.
	for _, j := range pt.fractional {
		if j == col {
			continue
		}
		f := pt.x[j] - math.Floor(pt.x[j])
		sum += math.Min(c.gain(j, false, f), c.gain(j, true, 1-f))
	}
	return sum
}

// rank lists the candidates of a node, the best score first, until the next call: the sets that are split, else the
// fractional columns and those of violated implications.
func (c *pseudoCosts) rank(s *search) []candidateColumn {
	list := s.splitSets(c.ranked[:0])

	// Without a set to split the fractional columns are the candidates.
	if len(list) == 0 || s.p.declared > 0 {
		for _, j := range s.point.fractional {
			if len(list) == 0 || !s.p.isPlace(j) {
				list = append(list, candidateColumn{col: j, frac: s.point.x[j] - math.Floor(s.point.x[j])})
			}
		}
		list = s.violatedLiterals(list)
	}
	for k := range list {
		e := &list[k]
		e.score = product(c.gain(e.col, false, e.frac), c.gain(e.col, true, 1-e.frac))
	}
	c.ranked = list
	slices.SortStableFunc(list, func(a, b candidateColumn) int { return cmp.Compare(b.score, a.score) })
	return list
}

// predict is a branching where a column, or the weight of a set, has the value, judged by the averages alone.
func (c *pseudoCosts) predict(e candidateColumn, value float64) choice {
	return choice{
		col:        e.col,
		value:      value,
		fractional: true,
		down:       math.Inf(-1),
		up:         math.Inf(-1),
		gainDown:   c.gain(e.col, false, e.frac),
		gainUp:     c.gain(e.col, true, 1-e.frac),
	}
}

// product is the branching score of two predicted gains.
func product(down, up float64) float64 {
	return math.Max(down, scoreEps) * math.Max(up, scoreEps)
}
