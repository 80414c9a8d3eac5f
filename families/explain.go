package families

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
)

// Explain implements Explainer: tables of the columns and rows of the model as it was given.
func (in *Plain) Explain(ctx context.Context, y []float64) (*Solution, error) {
	p := in.Problem
	exact, err := twostage.NewExact(p, twostage.DefaultExactOptions())
	if err != nil {
		return nil, err
	}
	feasible, err := exact.Recourse(ctx, y, make([]float64, p.Epigraphs()))
	if err != nil {
		return nil, err
	}
	if !feasible {
		return nil, fmt.Errorf("%s: %w: it has no feasible recourse", in.model.Name, ErrDesign)
	}
	compact := make([]float64, len(p.Columns))
	exact.Point(y, compact)
	m := in.model
	x, first := make([]float64, len(m.Cols)), make([]bool, len(m.Cols))
	s := &Solution{First: m.Offset, From: 1}
	for k, j := range p.Columns {
		x[j], first[j] = compact[k], k < p.First
		if cost := m.Cols[j].Cost * compact[k]; first[j] {
			s.First += cost
		} else {
			s.Recourse += cost
		}
	}
	activity, worst, err := Activities(m, x)
	if err != nil {
		return nil, err
	}
	s.Violation = worst
	columns := Table{Name: "columns", Columns: []string{"column", "stage", "value", "lower", "upper", "cost"}}
	columns.Rows = func(emit func(...any)) {
		for j, c := range m.Cols {
			if !c.Hidden {
				emit(m.ColName(lp.Var(j)), stage(first[j]), x[j], c.Lower, c.Upper, c.Cost)
			}
		}
	}
	s.Tables = []Table{columns, RowTable("rows", m, activity)}
	s.Values = func(yield func(string, float64) bool) {
		for j, v := range x {
			if !m.Cols[j].Hidden && !yield(m.ColName(lp.Var(j)), v) {
				return
			}
		}
	}
	return s, nil
}

// Numbered is an instance whose files name what a design opens, or number it from 1.
type Numbered interface {
	// OpenID is the name or number, in the file, of what column j of a design opens, as tables of solutions have it.
	OpenID(j int) any
}

func stage(first bool) int {
	if first {
		return 1
	}
	return 2
}

// columnTable lists the columns of a model with their values, those that are not hidden.
func columnTable(name string, m *lp.Model, x []float64) Table {
	return Table{Name: name, Columns: []string{"column", "value", "lower", "upper", "cost"},
		Rows: func(emit func(...any)) {
			for j, v := range x {
				if c := &m.Cols[j]; !c.Hidden {
					emit(m.ColName(lp.Var(j)), v, c.Lower, c.Upper, c.Cost)
				}
			}
		}}
}

// RowTable lists the rows of a model with their activities and how far these are from the nearer side.
func RowTable(name string, m *lp.Model, activity []float64) Table {
	return Table{Name: name, Columns: []string{"row", "activity", "lower", "upper", "slack"},
		Rows: func(emit func(...any)) {
			for i, a := range activity {
				if r := &m.Rows[i]; !r.Hidden {
					emit(m.RowName(lp.Con(i)), a, r.Lower, r.Upper, Slack(a, r.Lower, r.Upper))
				}
			}
		}}
}

// Slack returns how far a value is from the nearer side, nil where there is none.
func Slack(value, lower, upper float64) any {
	if math.IsInf(lower, -1) && math.IsInf(upper, 1) {
		return nil
	}
	return min(value-lower, upper-value)
}

// Activities returns those of the rows at a point, and the largest violation of a row, a bound or an integrality, as
// Excess measures it.
func Activities(m *lp.Model, x []float64) (activity []float64, worst float64, err error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, 0, err
	}
	activity, size := make([]float64, len(m.Rows)), make([]float64, len(m.Rows))
	for j, v := range x {
		c := &m.Cols[j]
		worst = max(worst, Excess(v, c.Lower, c.Upper, 0))
		if c.Integer {
			worst = max(worst, math.Abs(v-math.Round(v)))
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
			size[i] = max(size[i], math.Abs(value[k]*v))
		}
	}
	for i, r := range m.Rows {
		worst = max(worst, Excess(activity[i], r.Lower, r.Upper, size[i]))
	}
	return activity, worst, nil
}
