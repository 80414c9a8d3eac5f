package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// lpTables are those of a linear program: columns with reduced costs, rows with duals, and where the basis has them.
func lpTables(m *lp.Model, sol *simplex.Solution) []families.Table {
	columns := families.Table{Name: "columns", Columns: []string{"column", "status", "value", "reduced_cost", "lower",
		"upper", "cost"}}
	columns.Rows = func(emit func(...any)) {
		for j, c := range m.Cols {
			if c.Hidden {
				continue
			}
			emit(m.ColName(lp.Var(j)), sol.Basis.Cols[j].String(), sol.X[j], sol.ReducedCost[j], c.Lower, c.Upper, c.Cost)
		}
	}
	rows := families.Table{Name: "rows", Columns: []string{"row", "status", "activity", "dual", "lower", "upper", "slack"}}
	rows.Rows = func(emit func(...any)) {
		for i, r := range m.Rows {
			if r.Hidden {
				continue
			}
			a := sol.RowActivity[i]
			emit(m.RowName(lp.Con(i)), sol.Basis.Rows[i].String(), a, sol.RowDual[i], r.Lower, r.Upper,
				tables.Slack(a, r.Lower, r.Upper))
		}
	}
	return []families.Table{columns, rows}
}

// presentLP writes what --write-sol and --solution ask for. A point that is not feasible is not written.
func (a *app) presentLP(m *lp.Model, sol *simplex.Solution, r *report) error {
	if feasiblePoint(sol) == nil {
		return errors.Join(a.writeSolution(m, sol.Status, sol.Objective, nil),
			a.writeTables(solutionHead{report: *r, Name: m.Name}, nil))
	}
	tables := lpTables(m, sol)
	err := a.writeTables(solutionHead{report: *r, Name: m.Name}, tables)
	if a.flags.writeSol == "" {
		return err
	}
	return errors.Join(err, a.writeFile(a.flags.writeSol, func(w io.Writer) error {
		if err := mps.WriteSolStyle(w, m, sol.Status, sol.Objective, sol.X, a.flags.solStyle); err != nil ||
			a.flags.solStyle != mps.SolPlain {
			return err
		}
		return writeRemarks(w, tables)
	}))
}

// writeRemarks writes tables as comment lines, for people: readers of a solution file pass over them.
func writeRemarks(w io.Writer, tables []families.Table) error {
	b := bufio.NewWriter(w)
	for _, t := range tables {
		shown := t.Columns[:4] // not the model's own numbers
		var lines [][]string
		width := make([]int, len(shown))
		add := func(cells []string) {
			for k, c := range cells {
				width[k] = max(width[k], len(c))
			}
			lines = append(lines, cells)
		}
		add(shown)
		t.Rows(func(cells ...any) {
			line := make([]string, len(shown))
			for k := range line {
				if line[k] = showCell(cells[k]); k >= 2 {
					line[k] = strconv.FormatFloat(cells[k].(float64), 'g', 9, 64)
				}
			}
			add(line)
		})
		b.WriteString("#\n")
		for _, line := range lines {
			fmt.Fprintf(b, "# %-*s  %-*s  %*s  %*s\n", width[0], line[0], width[1], line[1], width[2], line[2], width[3],
				line[3])
		}
	}
	return b.Flush()
}

// presentMIP writes what --write-sol and --solution ask for. x is nil where there is no point.
func (a *app) presentMIP(m *lp.Model, status lp.Status, objective float64, x []float64, r *report) error {
	err := a.writeSolution(m, status, objective, x)
	if a.flags.solution == "" {
		return err
	}
	head := solutionHead{report: *r, Name: m.Name}
	if x == nil {
		return errors.Join(err, a.writeTables(head, nil))
	}
	activity, worst, bad := tables.Activities(m, x)
	violation := number(worst)
	head.Violation = &violation
	columns := families.Table{Name: "columns", Columns: []string{"column", "integer", "value", "lower", "upper", "cost"}}
	columns.Rows = func(emit func(...any)) {
		for j, c := range m.Cols {
			if !c.Hidden {
				emit(m.ColName(lp.Var(j)), c.Integer, x[j], c.Lower, c.Upper, c.Cost)
			}
		}
	}
	return errors.Join(err, bad, a.writeTables(head, []families.Table{columns, tables.RowTable("rows", m, activity)}))
}
