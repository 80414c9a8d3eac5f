package nested

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// slopes bound the slopes of a future: by how much its expected cost rises, at most, where a column of its state rises
// or falls by one; +Inf where no bound is known.
type slopes struct {
	rise, fall []float64 // for each column of the state
}

// single is a column whose only coefficient is in a row: it can make up for a change of the row's activity.
type single struct {
	col   int32
	value float64
}

// slopeBounds returns the slopes of all futures. A column of the state changes rows of the next period, or of later
// ones: that costs nothing on a side where the row has no limit, and else the cost of columns of the row's period that
// are in no other row, have no bound in that direction, and make up for the change.
func (l *layout) slopeBounds() []slopes {
	random := map[int32]bool{} // columns with a coefficient that a node changes
	for n := range l.p.Nodes {
		for _, c := range l.p.Nodes[n].Changes {
			if c.Kind == stoch.Entry {
				random[int32(c.Col)] = true
			}
		}
	}

	// The single columns of each row. One of an earlier period than the row is fixed by the state.
	singles := make([][]single, len(l.p.Core.Rows))
	for j, t := range l.p.ColPeriod {
		index, value := l.matrix.Vec(j)
		if random[int32(j)] || len(index) != 1 {
			continue
		}
		if i := index[0]; l.p.RowPeriod[i] == t && value[0] != 0 {
			singles[i] = append(singles[i], single{int32(j), value[0]})
		}
	}

	// Backward in time, since a future has the slopes of the ones after it.
	out := make([]slopes, len(l.futures))
	for t := len(l.periods) - 2; t >= 0; t-- {
		for f := range l.futures {
			if int(l.futures[f].period) == t {
				out[f] = l.slopesOf(&l.futures[f], singles, out)
			}
		}
	}
	return out
}

// slopesOf returns the slopes of a future, the mean of those of its nodes, from the slopes of later ones.
func (l *layout) slopesOf(f *future, singles [][]single, later []slopes) slopes {
	state := l.periods[f.period+1].state
	s := slopes{
		rise: make([]float64, len(state)),
		fall: make([]float64, len(state)),
	}
	for _, arc := range f.arcs {
		d := l.dataOf(arc.To)
		for k, j := range state {
			// The rows of the node's own period: a rise of the column changes their activity by its coefficient.
			rise, fall := 0.0, 0.0
			for _, e := range d.coefficients(j) {
				if e.value != 0 {
					rise += d.offset(e.row, e.value, singles[e.row])
					fall += d.offset(e.row, -e.value, singles[e.row])
				}
			}

			// The rows of later periods, if the column is in the next state, too.
			if g := l.of[arc.To]; g >= 0 {
				if m := slices.Index(l.periods[f.period+2].state, j); m >= 0 {
					rise += later[g].rise[m]
					fall += later[g].fall[m]
				}
			}

			// A probability above zero keeps a slope infinite that one node does not bound.
			s.rise[k] += arc.Probability * rise
			s.fall[k] += arc.Probability * fall
		}
	}
	return s
}

// data are the numbers of a node.
type data struct {
	l       *layout
	node    *stoch.Node
	columns map[int32][]stoch.Change // coefficients that the node changes
	numbers map[stoch.Change]float64 // others, by the change without its value
}

// dataOf returns the numbers of node n.
func (l *layout) dataOf(n int32) *data {
	d := &data{
		l:       l,
		node:    &l.p.Nodes[n],
		columns: map[int32][]stoch.Change{},
		numbers: map[stoch.Change]float64{},
	}
	for _, c := range d.node.Changes {
		if c.Kind == stoch.Entry {
			d.columns[int32(c.Col)] = append(d.columns[int32(c.Col)], c)
			continue
		}

		// A change without its value identifies the number.
		at := c
		at.Value = 0
		d.numbers[at] = c.Value
	}
	return d
}

// entry is a coefficient of a column.
type entry struct {
	row   int32
	value float64
}

// coefficients returns the coefficients of a column in the rows of the node's period.
func (d *data) coefficients(j int32) (list []entry) {
	index, value := d.l.matrix.Vec(int(j))
	for k, i := range index {
		if d.l.p.RowPeriod[i] == d.node.Period {
			list = append(list, entry{i, value[k]})
		}
	}

	// The coefficients that the node changes take the place of those of the core, or are added to them.
	for _, c := range d.columns[j] {
		k := slices.IndexFunc(list, func(e entry) bool { return e.row == int32(c.Row) })
		if k < 0 {
			k = len(list)
			list = append(list, entry{row: int32(c.Row)})
		}
		list[k].value = c.Value
	}
	return list
}

// number returns a number of the node, which is that of the core where the node does not change it.
func (d *data) number(c stoch.Change, core float64) float64 {
	if v, ok := d.numbers[c]; ok {
		return v
	}
	return core
}

// offset returns an upper bound on the cost of changing the activity of a row by an amount: the cost of the cheapest
// single column of the row, in list, that makes up for the change and has no bound in that direction.
func (d *data) offset(i int32, by float64, list []single) float64 {
	// A side without a limit leaves room for any change.
	row := &d.l.p.Core.Rows[i]
	at := stoch.Change{Kind: stoch.RowLower, Row: lp.Con(i)}
	side := row.Lower
	if by > 0 {
		at.Kind = stoch.RowUpper
		side = row.Upper
	}
	if math.IsInf(d.number(at, side), 0) {
		return 0
	}

	// Each single column can make up for the change on its own, if it has no bound in that direction. A step that lowers
	// the cost counts as free.
	best := math.Inf(1)
	for _, s := range list {
		col := &d.l.p.Core.Cols[s.col]
		step := -by / s.value // of the column
		at := stoch.Change{Kind: stoch.ColUpper, Col: lp.Var(s.col)}
		bound := col.Upper
		if step < 0 {
			at.Kind = stoch.ColLower
			bound = col.Lower
		}
		bound = d.number(at, bound)
		if math.IsInf(bound, 0) {
			at.Kind = stoch.Cost
			best = min(best, max(0, d.l.sign*d.number(at, col.Cost)*step))
		}
	}
	return best
}
