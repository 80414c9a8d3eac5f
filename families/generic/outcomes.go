package generic

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// outcome is the optimal recourse of a design in a scenario.
type outcome struct {
	Name        string
	Probability float64
	// Cost is that of the recourse in the scenario, not weighted by the probability.
	Cost float64

	// column are the recourse columns of the skeleton whose value is not 0, ascending, and value their values.
	column []int32
	value  []float64
}

// Each calls yield for the recourse columns whose value is not 0, by their place in the skeleton.
func (o *outcome) Each(yield func(column int, value float64) bool) {
	for k, j := range o.column {
		// The columns ascend.
		if !yield(int(j), o.value[k]) {
			return
		}
	}
}

// Outcomes are those of all scenarios.
type Outcomes struct {
	// First is the cost of the design, with the constant of the model.
	First float64
	// Violation is the largest over all scenarios; see families.Solution.
	Violation float64
	// List has one for every scenario, in the order of the program.
	List []outcome

	program *stoch.Program
	// y is the design.
	y []float64
}

// Outcomes solves the recourse of a design in every scenario. The error of a design that has none in one wraps
// ErrDesign.
func (in *Scenarios) Outcomes(ctx context.Context, y []float64) (*Outcomes, error) {
	p := in.Stochastic()
	out := &Outcomes{First: p.Core.Offset, program: p, y: y}
	for j, v := range y {
		out.First += p.Core.Cols[j].Cost * v
	}
	none := func(s int) error {
		return fmt.Errorf("%s: %w: scenario %s has no feasible recourse", p.Name, families.ErrDesign, p.ScenarioName(s))
	}
	if in.integer != nil {
		return out, integer.Outcomes(ctx, p, y, func(s int, _ float64, x []float64) error {
			if x == nil {
				return none(s)
			}
			return out.add(s, x)
		})
	}

	all, err := twostage.NewScenarios(p)
	if err != nil {
		return nil, err
	}
	view, err := all.View()
	if err != nil {
		return nil, err
	}

	// One view is set to each scenario in turn.
	x := make([]float64, len(p.Core.Cols))
	for s := range p.Scenarios {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := view.Set(s); err != nil {
			return nil, err
		}
		_, feasible, err := view.Value(ctx, y)
		if err != nil {
			return nil, fmt.Errorf("families: scenario %s: %w", p.ScenarioName(s), err)
		}
		if !feasible {
			return nil, none(s)
		}
		view.Point(y, x)
		if err := out.add(s, x); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// add keeps the point of a scenario, with its cost by the scenario's own numbers.
func (o *Outcomes) add(s int, x []float64) error {
	p := o.program
	m, err := p.Model(s)
	if err != nil {
		return err
	}
	_, worst, err := tables.Activities(m, x)
	o.Violation = max(o.Violation, worst)

	// Only what is not zero is kept: most columns of most scenarios are zero.
	one := outcome{Name: p.ScenarioName(s), Probability: p.Scenarios[s].Probability}
	for j := p.First; j < len(x); j++ {
		if v := x[j]; v != 0 {
			one.column = append(one.column, int32(j))
			one.value = append(one.value, v)
			one.Cost += m.Cols[j].Cost * v
		}
	}
	o.List = append(o.List, one)
	return err
}

// scenario returns the model of a scenario, its point, and the activities there. What add could make can be made again.
func (o *Outcomes) scenario(s int) (m *lp.Model, x, activity []float64) {
	x = o.point(s)

	// Models are not kept: a program may have thousands of scenarios.
	if m, _ = o.program.Model(s); m != nil {
		activity, _, _ = tables.Activities(m, x)
	}
	return m, x, activity
}

// point returns the design and the recourse of a scenario.
func (o *Outcomes) point(s int) []float64 {
	x := make([]float64, len(o.program.Core.Cols))
	copy(x, o.y)

	// Only the columns that are not zero are kept.
	for j, v := range o.List[s].Each {
		x[j] = v
	}
	return x
}

// Solution returns the costs, the values by their names in the extensive form, and the table of the scenarios.
func (o *Outcomes) Solution() *families.Solution {
	s := &families.Solution{First: o.First, Violation: o.Violation, From: 1}
	for k := range o.List {
		s.Recourse += o.List[k].Probability * o.List[k].Cost
	}

	// The extensive form has a copy of the recourse columns for every scenario, with its number behind the name.
	core := o.program.Core
	s.Values = func(yield func(string, float64) bool) {
		for j, v := range o.y {
			if !yield(core.ColName(lp.Var(j)), v) {
				return
			}
		}
		for k := range o.List {
			// The columns of the first stage are the same in all scenarios and come once, above.
			x := o.point(k)
			for j := o.program.First; j < len(x); j++ {
				if !yield(fmt.Sprintf("%s_%d", core.ColName(lp.Var(j)), k+1), x[j]) {
					return
				}
			}
		}
	}

	s.Tables = []families.Table{{Name: "scenarios",
		Columns: []string{"scenario", "probability", "cost", "recourse_cost"},
		Rows: func(emit func(...any)) {
			for _, one := range o.List {
				emit(one.Name, one.Probability, o.First+one.Cost, one.Cost)
			}
		}}}
	return s
}

// Explain implements Explainer: tables of the scenarios, of the first stage's columns and rows, and of those of the
// recourse by scenario.
func (in *Scenarios) Explain(ctx context.Context, y []float64) (*families.Solution, error) {
	o, err := in.Outcomes(ctx, y)
	if err != nil {
		return nil, err
	}
	core := o.program.Core
	own, err := o.program.FirstRows()
	if err != nil {
		return nil, err
	}

	// The rows of the first stage are the same in every scenario, so that one of them lists them, without its name.
	rows := func(name string, scenarios []outcome, first bool) families.Table {
		t := families.Table{Name: name, Columns: []string{"scenario", "row", "activity", "lower", "upper", "slack"}}
		if first {
			t.Columns = t.Columns[1:]
		}
		t.Rows = func(emit func(...any)) {
			for k := range scenarios {
				m, _, activity := o.scenario(k)
				for i, r := range m.Rows {
					if own[i] != first {
						continue
					}
					cells := []any{o.List[k].Name, core.RowName(lp.Con(i)), activity[i], r.Lower, r.Upper,
						tables.Slack(activity[i], r.Lower, r.Upper)}
					if first {
						cells = cells[1:]
					}
					emit(cells...)
				}
			}
		}
		return t
	}

	recourse := families.Table{
		Name:    "recourse_columns",
		Columns: []string{"scenario", "column", "value", "lower", "upper", "cost"},
		Rows: func(emit func(...any)) {
			for k := range o.List {
				m, x, _ := o.scenario(k)
				for j := o.program.First; j < len(x); j++ {
					emit(o.List[k].Name, core.ColName(lp.Var(j)), x[j], m.Cols[j].Lower, m.Cols[j].Upper, m.Cols[j].Cost)
				}
			}
		},
	}

	// The rows of the first stage are those of the first scenario's model.
	s := o.Solution()
	s.Tables = append(s.Tables, columnTable("columns", core, o.y), rows("rows", o.List[:1], true), recourse,
		rows("recourse_rows", o.List, false))
	return s, nil
}
