package generic

import (
	"context"
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
)

// Explain implements Explainer: tables of the columns and rows of the model as it was given.
func (in *Plain) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
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
		return nil, fmt.Errorf("%s: %w: it has no feasible recourse", in.model.Name, families.ErrDesign)
	}

	// The compact model has the first stage in front: the point is put back into the order of the given model.
	compact := make([]float64, len(p.Columns))
	exact.Point(y, compact)
	m := in.model
	x := make([]float64, len(m.Cols))
	stage := slices.Repeat([]int{2}, len(m.Cols))
	s := &families.Solution{First: m.Offset, From: 1}
	for k, j := range p.Columns {
		x[j] = compact[k]

		// The costs are those of the given model, in its sense.
		cost := m.Cols[j].Cost * compact[k]
		if k < p.First {
			stage[j] = 1
			s.First += cost
		} else {
			s.Recourse += cost
		}
	}

	activity, worst, err := tables.Activities(m, x)
	if err != nil {
		return nil, err
	}
	s.Violation = worst

	// Hidden columns and rows stand for parts of the format that the file does not call columns and rows.
	columns := families.Table{
		Name:    "columns",
		Columns: []string{"column", "stage", "value", "lower", "upper", "cost"},
		Rows: func(emit func(...any)) {
			for j, c := range m.Cols {
				if !c.Hidden {
					emit(m.ColName(lp.Var(j)), stage[j], x[j], c.Lower, c.Upper, c.Cost)
				}
			}
		},
	}
	s.Tables = []families.Table{columns, tables.RowTable("rows", m, activity)}
	s.Values = func(yield func(string, float64) bool) {
		for j, v := range x {
			if !m.Cols[j].Hidden && !yield(m.ColName(lp.Var(j)), v) {
				return
			}
		}
	}
	return s, nil
}

// columnTable lists the columns of a model with their values, those that are not hidden.
func columnTable(name string, m *lp.Model, x []float64) families.Table {
	return families.Table{
		Name:    name,
		Columns: []string{"column", "value", "lower", "upper", "cost"},
		Rows: func(emit func(...any)) {
			for j, v := range x {
				// A hidden column stands for something that the file does not call a column.
				if c := &m.Cols[j]; !c.Hidden {
					emit(m.ColName(lp.Var(j)), v, c.Lower, c.Upper, c.Cost)
				}
			}
		},
	}
}
