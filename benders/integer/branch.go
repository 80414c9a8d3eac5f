package integer

import (
	"math"
)

// branch splits the box. An integer column that is fractional comes first, the most fractional one; then the column
// in which the copies of the scenarios differ most from the point.
func (t *tree) branch(n *node, y []float64, planes []plane) []*node {
	// The most fractional integer column is the farthest one from an integer.
	column := -1
	most := 0.0
	for j, c := range t.p.master.Cols {
		if f := math.Abs(y[j] - math.Round(y[j])); c.Integer && f > most {
			column = j
			most = f
		}
	}
	if column >= 0 && most > 1e-6 {
		return t.halves(n, column, math.Floor(y[column]), math.Floor(y[column])+1)
	}

	// The width of a column is measured by that of the root; without bounds there, by the point.
	spread := make([]float64, len(y))
	for s, pl := range planes {
		for j, v := range pl.z {
			spread[j] += t.p.weight[s] * math.Abs(v-y[j])
		}
	}

	// The copies of the chosen column differ most, relative to its width. Where all are equal the widest column is split.
	column = -1
	most = 0
	for j, c := range t.p.master.Cols {
		whole := t.root.upper[j] - t.root.lower[j]
		if math.IsInf(whole, 0) {
			whole = max(1, math.Abs(y[j]))
		}
		width := n.upper[j] - n.lower[j]
		if width <= 0 || !c.Integer && width <= narrowest*whole {
			continue
		}
		if v := (spread[j] + 1e-6*min(width, whole)) / whole; v > most {
			column = j
			most = v
		}
	}

	// Without a column to split the node is not searched further, so that its bound limits that of the run.
	if column < 0 {
		t.left = min(t.left, n.bound)
		return nil
	}

	// An integer column is split beside the point, a continuous one at it or, near an end, farther inside.
	lower := n.lower[column]
	upper := n.upper[column]
	at := y[column]
	if t.p.master.Cols[column].Integer {
		at = math.Round(at)
		if at > lower {
			return t.halves(n, column, at-1, at)
		}
		return t.halves(n, column, at, at+1)
	}
	at = splitPoint(lower, upper, at, spread[column])
	return t.halves(n, column, at, at)
}

// splitPoint returns where a continuous column with these bounds is split: at the value that it has, or farther inside
// where this is near a finite bound. spread is the mean distance of the copies of the scenarios from the value.
func splitPoint(lower, upper, value, spread float64) float64 {
	width := upper - lower
	if !math.IsInf(width, 0) {
		room := slackPosition * width
		if value < lower+room || value > upper-room {
			return lower + width/2
		}
		return value
	}

	// One child of an unbounded box is unbounded too. A split at the finite bound would make this child the same box
	// again, so that its value is kept away from the bound.
	if step := max(1, math.Abs(lower), spread); !math.IsInf(lower, 0) && value < lower+slackPosition*step {
		return lower + step
	}
	if step := max(1, math.Abs(upper), spread); !math.IsInf(upper, 0) && value > upper-slackPosition*step {
		return upper - step
	}
	return value
}

// halves returns the two parts of a box that a column is split into, up to one value and from another on.
func (t *tree) halves(n *node, column int, to, from float64) []*node {
	below := &node{box: n.clone(), bound: n.bound, depth: n.depth + 1, cuts: n.cuts}
	above := &node{box: n.clone(), bound: n.bound, depth: n.depth + 1, cuts: n.cuts}
	below.upper[column] = to
	above.lower[column] = from
	return []*node{below, above}
}
