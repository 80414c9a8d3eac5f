package lp

import (
	"fmt"
	"math"
	"slices"
)

// indicator takes the sides from a row and gives them to rows that hold where the indicator says so.
func (r *reformer) indicator(k int, c Indicator) error {
	row := &r.rows[c.Row]
	name := r.m.RowName(c.Row)
	lower, upper := row.Lower, row.Upper
	row.Lower = -Inf
	row.Upper = Inf
	made := conditional{c, lower, upper, -1}

	// Each finite side becomes a row of its own. Both are looked at before a row is added.
	index, value := r.byRow.Vec(int(c.Row))
	negated := negative(value)
	e := &LogicError{Part: IndicatorPart, Index: k, Name: name}
	var rows []conditionalRow
	var err error
	if !math.IsInf(upper, 1) {
		rows, err = r.conditionally(rows, c, name+"@up", index, value, negated, upper, 1, e)
	}
	if !math.IsInf(lower, -1) && err == nil {
		rows, err = r.conditionally(rows, c, name+"@lo", index, negated, value, -lower, -1, e)
	}

	if r.byBranching(err, r.onlyDecides(c.If)) {
		made.activity = r.indicatorBranched(c, name, lower, upper)
		err = nil
	} else if err == nil {
		for _, a := range rows {
			r.row(a.name, a.lower, a.upper, index, a.value, a.term)
		}
	}
	r.logic.indicators = append(r.logic.indicators, made)
	return err
}

// conditionalRow is a row that holds where an indicator says so.
type conditionalRow struct {
	name         string
	lower, upper float64
	value        []float64
	// term is the indicator with its coefficient.
	term Term
}

// conditionally appends value'x <= side where the indicator holds. The negated values give the most that value'x can
// be. With a sign of -1 the row is written with both sides negated.
func (r *reformer) conditionally(rows []conditionalRow, c Indicator, name string, index []int32,
	value, negated []float64, side, sign float64, e *LogicError) ([]conditionalRow, error) {
	own := 0.0 // coefficient of the indicator itself
	for k, j := range index {
		if Var(j) == c.If {
			own = value[k]
		}
	}

	// The most that the other columns can add.
	least := r.bounds.least(index, negated, int32(c.If))
	if least.unbounded > 0 {
		j := Var(least.column)
		e.Col = r.m.ColName(j)
		e.Msg = missing("upper", Inf)
		if k := slices.Index(index, int32(j)); value[k] < 0 {
			e.Msg = missing("lower", -Inf)
		}
		return rows, e
	}
	largest := 0 - least.sum

	// M is rounded up. Where it is not positive the row always holds.
	rest := side - own*float64(c.Is) // for the other columns, where the row holds
	m := -addDown(rest, -largest)
	switch {
	case m <= 0:
		return rows, nil
	case !(m <= largestM && math.Abs(largest) <= largestM):
		e.Msg = fmt.Sprintf("its activity may be %g, too far beyond its side for an exact reformulation: columns need "+
			"tighter bounds", largest*sign)
		return rows, e
	}

	// The row reads a'x + M z <= rest + M for z = 1, and a'x - M z <= rest for z = 0.
	coef := -m
	side = rest
	if c.Is == 1 {
		coef = m
		side = rest + m
	}
	row := conditionalRow{name, -Inf, side, value, Term{coef, c.If}}
	if sign < 0 {
		row = conditionalRow{name, -side + 0, Inf, negated, Term{-coef, c.If}}
	}
	return append(rows, row), nil
}
