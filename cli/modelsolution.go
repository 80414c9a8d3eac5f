package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// lpTables are those of a linear program: columns with reduced costs, rows with duals, and where the basis has them.
func lpTables(m *lp.Model, sol *simplex.Solution) []families.Table {
	columns := families.Table{
		Name:    "columns",
		Columns: []string{"column", "status", "value", "reduced_cost", "lower", "upper", "cost"},
	}
	columns.Rows = func(emit func(...any)) {
		for j, c := range m.Cols {
			// Columns that stand for special ordered sets and the like are not in the file.
			if !c.Hidden {
				emit(m.ColName(lp.Var(j)),
					sol.Basis.Cols[j].String(),
					sol.X[j],
					known(sol.ReducedCost, j),
					c.Lower,
					c.Upper,
					c.Cost)
			}
		}
	}

	// Rows have activities and duals where columns have values and reduced costs.
	rows := families.Table{Name: "rows", Columns: []string{"row", "status", "activity", "dual", "lower", "upper", "slack"}}
	rows.Rows = func(emit func(...any)) {
		for i, r := range m.Rows {
			// The slack is the distance to the nearer side.
			if !r.Hidden {
				activity := sol.RowActivity[i]
				emit(m.RowName(lp.Con(i)),
					sol.Basis.Rows[i].String(),
					activity,
					known(sol.RowDual, i),
					r.Lower,
					r.Upper,
					tables.Slack(activity, r.Lower, r.Upper))
			}
		}
	}
	return []families.Table{columns, rows}
}

// known returns an entry of a vector of a solution, NaN where the solution has no such vector: that of an unbounded
// model has a point and no duals.
func known(values []float64, k int) float64 {
	if values == nil {
		return math.NaN()
	}
	return values[k]
}

// presentLP writes what --write-sol and --solution ask for. A point that is not feasible is not written.
func (a *app) presentLP(m *lp.Model, sol *simplex.Solution, r *report) error {
	if feasiblePoint(sol) == nil {
		// The files say the status, so that a script can see that there is no point.
		return errors.Join(a.writeSolution(m, sol.Status, sol.Objective, nil),
			a.writeTables(solutionHead{report: *r, Name: m.Name}, nil))
	}
	tables := lpTables(m, sol)
	err := a.writeTables(solutionHead{report: *r, Name: m.Name}, tables)

	// The tables are also comments of the solution file.
	return errors.Join(err, a.writeFile(a.flags.writeSol, func(w io.Writer) error {
		// The layouts of other programs have no room for comments.
		if err := mps.WriteSolStyle(w, m, sol.Status, sol.Objective, sol.X, a.flags.solStyle); err != nil ||
			a.flags.solStyle != mps.SolPlain {
			return err
		}
		return writeRemarks(w, tables)
	}))
}

// writeRemarks writes tables as comment lines, for people: readers of a solution file pass over them. Of each table
// these are the first four columns; the others repeat numbers of the model.
func writeRemarks(w io.Writer, tables []families.Table) error {
	// Nine digits are enough for people; the values above have all digits.
	show := func(v any) string { return strconv.FormatFloat(v.(float64), 'g', 9, 64) }
	b := bufio.NewWriter(w)
	for _, t := range tables {
		// The names and statuses are flush left, the numbers flush right.
		lines := [][]string{t.Columns[:4]}
		t.Rows(func(cells ...any) {
			lines = append(lines, []string{showCell(cells[0]), showCell(cells[1]), show(cells[2]), show(cells[3])})
		})
		b.WriteString("#\n")
		for _, line := range alignColumns(lines, 2) {
			fmt.Fprintln(b, "#", line)
		}
	}
	return b.Flush()
}

// presentMIP writes what --write-sol and --solution ask for. x is nil where there is no point.
func (a *app) presentMIP(m *lp.Model, status lp.Status, objective float64, x []float64, r *report) error {
	err := a.writeSolution(m, status, objective, x)
	// The rest is about the tables of --solution.
	if a.flags.solution == "" && !a.wantsPage() {
		return err
	}

	// The head is the report, with the name of the model.
	head := solutionHead{report: *r, Name: m.Name}
	// Without a point the tables are left out.
	if x == nil {
		return errors.Join(err, a.writeTables(head, nil))
	}

	// Activities are computed anew from the point, and the largest violation with them.
	activity, worst, bad := tables.Activities(m, x)
	violation := number(worst)
	head.Violation = &violation
	columns := families.Table{Name: "columns", Columns: []string{"column", "integer", "value", "lower", "upper", "cost"}}
	columns.Rows = func(emit func(...any)) {
		for j, c := range m.Cols {
			// Columns that the reader has added for logic are left out.
			if !c.Hidden {
				emit(m.ColName(lp.Var(j)), c.Integer, x[j], c.Lower, c.Upper, c.Cost)
			}
		}
	}
	list := []families.Table{columns, tables.RowTable("rows", m, activity)}
	a.page.takeTables(list)
	return errors.Join(err, bad, a.writeTables(head, list))
}
