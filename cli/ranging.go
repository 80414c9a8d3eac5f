package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// rangeReport is how far a number may change while the optimal basis stays optimal.
type rangeReport struct {
	Name    string `json:"name"`
	What    string `json:"what"` // cost, lower, upper or rhs
	Value   number `json:"value"`
	Low     number `json:"low"`
	High    number `json:"high"`
	AtLow   number `json:"objective_at_low"`
	AtHigh  number `json:"objective_at_high"`
	Current string `json:"status"` // basic, at_lower, at_upper or at_zero
}

// ranging returns the ranges of a solution and the lines that show them; nil where it is not optimal, and where the
// time limit has ended them, of which out then has a warning.
func (a *app) ranging(ctx context.Context, m *lp.Model, sol *simplex.Solution,
	out *report) ([]rangeReport, []string, error) {
	if sol.Status != lp.Optimal {
		return nil, []string{"", "no ranges: there is no optimal solution"}, nil
	}

	// The ranges have the time that the solve left, or at least a second: each basic variable takes a row of the tableau.
	limited, cancel := context.WithTimeout(ctx, max(a.remaining(), time.Second))
	defer cancel()
	ranges, err := simplex.Ranging(limited, m, sol)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		a.warnIn(out, "no ranges: the time limit was reached")
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}

	// Columns first, then rows; what is infinite has no range, and an equation one side.
	list := []rangeReport{}
	add := func(name, what string, v float64, r simplex.Range, at simplex.VarStatus) {
		if !math.IsInf(v, 0) {
			list = append(list, rangeReport{name, what, number(v), number(r.Low), number(r.High), number(r.AtLow),
				number(r.AtHigh), at.String()})
		}
	}
	for j, c := range m.Cols {
		name := m.ColName(lp.Var(j))
		at := sol.Basis.Cols[j]
		add(name, "cost", c.Cost, ranges.Cost[j], at)
		if c.Lower == c.Upper {
			add(name, "fixed", c.Lower, ranges.Lower[j], at)
			continue
		}
		add(name, "lower", c.Lower, ranges.Lower[j], at)
		add(name, "upper", c.Upper, ranges.Upper[j], at)
	}
	for i, row := range m.Rows {
		name := m.RowName(lp.Con(i))
		at := sol.Basis.Rows[i]
		if row.Lower == row.Upper {
			add(name, "rhs", row.Lower, ranges.RowLower[i], at)
			continue
		}
		add(name, "rhs lower", row.Lower, ranges.RowLower[i], at)
		add(name, "rhs upper", row.Upper, ranges.RowUpper[i], at)
	}
	return list, rangeLines(list), nil
}

// rangeLines shows ranges as a table.
func rangeLines(list []rangeReport) []string {
	const layout = "%-16s %-9s %12s %12s %12s %13s %13s"
	lines := []string{"", fmt.Sprintf(layout, "range of", "its", "value", "from", "to", "obj. at from", "obj. at to")}
	for _, r := range list {
		show := func(v number) string {
			switch x := float64(v); {
			case math.IsInf(x, -1):
				return "-inf"
			case math.IsInf(x, 1):
				return "+inf"
			default:
				return fmt.Sprintf("%.7g", x)
			}
		}
		lines = append(lines, fmt.Sprintf(layout, r.Name, r.What, show(r.Value), show(r.Low), show(r.High), show(r.AtLow),
			show(r.AtHigh)))
	}
	return lines
}
