package nested

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// slopes says how steep a future may be, where that is known: by how much its expected cost rises, at most, where a
// column of its state rises or falls by one; +Inf for any amount.
type slopes struct{ rise, fall []float64 }

// single is a column whose only coefficient is in a row: it makes up for what others do to the row.
type single struct {
	col   int32
	value float64
}

// steepness returns the slopes of all futures. A column of the state changes rows of the next period, or of later
// ones: that costs nothing on a side where the row has no limit, and else what columns of the row's period that are
// in no other row, and have no bound on the side that it takes, cost to make up for it.
func (l *layout) steepness() []slopes {
	random := map[int32]bool{} // columns with a coefficient that a node changes
	for n := range l.p.Nodes {
		for _, c := range l.p.Nodes[n].Changes {
			if c.Kind == stoch.Entry {
				random[int32(c.Col)] = true
			}
		}
	}
	singles := make([][]single, len(l.p.Core.Rows))
	for j, t := range l.p.ColPeriod {
		index, value := l.matrix.Vec(j)
		if len(index) == 1 && !random[int32(j)] && l.p.RowPeriod[index[0]] == t && value[0] != 0 {
			singles[index[0]] = append(singles[index[0]], single{int32(j), value[0]})
		}
	}
	out := make([]slopes, len(l.futures))
	for t := len(l.periods) - 2; t >= 0; t-- {
		for f := range l.futures {
			if int(l.futures[f].period) == t {
				out[f] = l.ofFuture(&l.futures[f], singles, out)
			}
		}
	}
	return out
}

func (l *layout) ofFuture(f *future, singles [][]single, later []slopes) slopes {
	state := l.periods[f.period+1].state
	s := slopes{make([]float64, len(state)), make([]float64, len(state))}
	for _, arc := range f.arcs {
		d := l.dataOf(arc.To)
		for k, j := range state {
			rise, fall := 0.0, 0.0
			for _, e := range d.coefficients(j) {
				if e.value != 0 {
					rise += d.offset(e.row, e.value, singles[e.row])
					fall += d.offset(e.row, -e.value, singles[e.row])
				}
			}
			if g := l.of[arc.To]; g >= 0 {
				for m, of := range l.periods[f.period+2].state {
					if of == j {
						rise, fall = rise+later[g].rise[m], fall+later[g].fall[m]
					}
				}
			}
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

func (l *layout) dataOf(n int32) *data {
	d := &data{l: l, node: &l.p.Nodes[n], columns: map[int32][]stoch.Change{}, numbers: map[stoch.Change]float64{}}
	for _, c := range d.node.Changes {
		v := c.Value
		if c.Kind == stoch.Entry {
			d.columns[int32(c.Col)] = append(d.columns[int32(c.Col)], c)
		}
		c.Value = 0
		d.numbers[c] = v
	}
	return d
}

// entry is a coefficient of a column.
type entry struct {
	row   int32
	value float64
}

// coefficients returns those of a column in the rows of the node's period.
func (d *data) coefficients(j int32) (list []entry) {
	index, value := d.l.matrix.Vec(int(j))
	for k, i := range index {
		if d.l.p.RowPeriod[i] == d.node.Period {
			list = append(list, entry{i, value[k]})
		}
	}
	for _, c := range d.columns[j] {
		k := slices.IndexFunc(list, func(e entry) bool { return e.row == int32(c.Row) })
		if k < 0 {
			k, list = len(list), append(list, entry{row: int32(c.Row)})
		}
		list[k].value = c.Value
	}
	return list
}

// number returns one of the node, that of the core where the node does not change it.
func (d *data) number(c stoch.Change, core float64) float64 {
	if v, ok := d.numbers[c]; ok {
		return v
	}
	return core
}

// offset returns what it costs, at most, that the activity of a row changes by an amount.
func (d *data) offset(i int32, by float64, list []single) float64 {
	row := &d.l.p.Core.Rows[i]
	at := stoch.Change{Row: lp.Con(i)}
	if by > 0 {
		at.Kind = stoch.RowUpper
		if math.IsInf(d.number(at, row.Upper), 1) {
			return 0
		}
	} else {
		at.Kind = stoch.RowLower
		if math.IsInf(d.number(at, row.Lower), -1) {
			return 0
		}
	}
	best := math.Inf(1)
	for _, s := range list {
		col := &d.l.p.Core.Cols[s.col]
		step := -by / s.value // of the column
		at := stoch.Change{Kind: stoch.ColUpper, Col: lp.Var(s.col)}
		bound := d.number(at, col.Upper)
		if step < 0 {
			at.Kind = stoch.ColLower
			bound = d.number(at, col.Lower)
		}
		if !math.IsInf(bound, 0) {
			continue
		}
		at.Kind = stoch.Cost
		best = min(best, max(0, d.l.sign*d.number(at, col.Cost)*step))
	}
	return best
}
