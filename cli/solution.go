package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// addSolution adds --solution.
func (f *solveFlags) addSolution(c *cobra.Command) {
	c.Flags().StringVar(&f.solution, "solution", "",
		"write the whole solution as tables to this `FILE`: .json or .csv, .gz after it to pack it; - is JSON on "+
			"standard output, -.csv CSV")
}

// addPicture adds --svg.
func (f *solveFlags) addPicture(c *cobra.Command) {
	c.Flags().StringVar(&f.svg, "svg", "",
		"draw the design to this SVG `FILE`: networks, facilities and what serves whom")
}

// solutionTarget is where --solution goes, and how.
type solutionTarget struct {
	path string // "" for standard output
	csv  bool   // in place of JSON
}

// solutionTarget reads --solution and fails early where it could not be written.
func (a *app) solutionTarget() (t solutionTarget, err error) {
	// The ending of the layout comes before .gz.
	name := strings.ToLower(strings.TrimSuffix(a.flags.solution, ".gz"))
	t.csv = strings.HasSuffix(name, ".csv")
	switch {
	case a.flags.solution == "-", name == "-.csv", name == "-.json":
		// On standard output the layout is JSON, unless the ending after the minus sign says CSV.
		return t, nil
	case !t.csv && !strings.HasSuffix(name, ".json"):
		return t, badInput(fmt.Errorf("--solution %s: the name ends in .json or .csv, and .gz if it is packed",
			a.flags.solution))
	}
	t.path = a.flags.solution
	return t, checkTarget(t.path)
}

// checkOutputs fails early where --write-sol, --solution or --svg could not be written.
func (a *app) checkOutputs() error {
	// All paths are checked, so that the message names every one that is wrong.
	err := checkTarget(a.flags.writeSol)
	if a.flags.solution != "" {
		_, bad := a.solutionTarget()
		err = errors.Join(err, bad)
	}
	svg := a.flags.svg
	named := svg != "" && svg != standard
	if named && err == nil && !strings.HasSuffix(unpack.Plain(svg), ".svg") {
		return badInput(fmt.Errorf("--svg %s: a picture is an SVG file, and its name ends in .svg", svg))
	}
	if html := a.flags.html; html != "" && html != standard && !strings.HasSuffix(unpack.Plain(html), ".html") {
		return badInput(fmt.Errorf("--html %s: the name of a page ends in .html", html))
	}
	return errors.Join(err, checkTarget(svg), checkTarget(a.flags.html))
}

// costReport is the object cost of a solution.
type costReport struct {
	First    number `json:"first_stage"` // with the constant of the model
	Recourse number `json:"recourse"`    // expected
	Total    number `json:"total"`
}

// solutionHead is what a solution begins with; its tables follow as fields of the same object, each a list of rows.
type solutionHead struct {
	report
	Family string `json:"family,omitempty"`
	Name   string `json:"name,omitempty"` // of the instance
	Hash   string `json:"hash,omitempty"`

	Cost *costReport `json:"cost,omitempty"`

	// The largest violation, as a part of the largest of 1, the side and the row's terms.
	Violation *number `json:"violation,omitempty"`

	// What facilities, arcs and so on are numbered from.
	From *int `json:"numbered_from,omitempty"`
}

// priceTolerance is by how much, relative, the cost of a solution may differ from the reported objective, and by how
// much it may leave a row.
const priceTolerance = 1e-6

// disagreement says what is wrong with a solution beside the objective of the run, "" for nothing. A policy may
// cost more than its design with the best recourse, which is not below the bound; elsewhere bound is the objective.
func disagreement(s *families.Solution, objective, bound float64) string {
	// The cost may lie anywhere between the two values, and off is how far it lies outside.
	off := max(min(objective, bound)-s.Total(), s.Total()-max(objective, bound))
	switch {
	case !(off <= priceTolerance*max(1, math.Abs(objective))):
		// The negations make a NaN a disagreement.
		return fmt.Sprintf("the design with its recourse costs %.12g, and the run said %.12g", s.Total(), objective)
	case !(s.Violation <= priceTolerance):
		return fmt.Sprintf("the solution violates a row or bound of the instance by %.3g", s.Violation)
	}
	return ""
}

// present writes what --write-sol, --solution and --svg ask for. master has the columns of the design; expected says
// that the objective is the expected cost, with which that of the solution must agree.
func (a *app) present(ctx context.Context, in families.Instance, r *benders.Result, master *lp.Model, design []float64,
	expected bool, out *solveReport) error {
	f := &a.flags
	// Solving the recourse anew takes time, and without a file its result is not needed.
	files := f.writeSol != "" || f.solution != "" || f.svg != ""
	if !files && !a.wantsPage() {
		return nil
	}

	// Without a design the files have the status alone.
	if design == nil {
		if f.svg != "" {
			a.warnIn(&out.report, "there is no design to draw")
		}

		// An infeasible instance has a status for its files, too.
		err := a.writeSolution(master, r.Status, r.Objective, nil)
		return errors.Join(err, a.writeTables(solutionHead{report: out.report}, nil))
	}

	// The recourse of the design is solved also after the time limit or an interrupt.
	s, err := pipeline.Explain(context.WithoutCancel(ctx), in, design)
	if err != nil {
		// The solution file can have the design without its recourse; the tables cannot.
		err = fmt.Errorf("the recourse of the design: %w", err)
		return errors.Join(err, a.writeSolution(master, r.Status, r.Objective, design))
	}

	// An objective that is the expected cost is checked against the solution.
	if expected {
		bound := r.Objective
		// The recourse of a policy is not the best one for all scenarios: the bound limits the cost from the other side.
		if in.Capabilities().MultiPeriod != nil {
			bound = r.Bound
		}

		// A disagreement is a warning, since the files still show what was found.
		if text := disagreement(s, r.Objective, bound); text != "" {
			a.warnIn(&out.report, text)
		}
	}

	violation := number(s.Violation)
	head := solutionHead{
		report:    out.report,
		Family:    out.Family,
		Name:      in.Label().Name,
		Hash:      out.Hash,
		From:      &s.From,
		Cost:      &costReport{number(s.First), number(s.Recourse), number(s.Total())},
		Violation: &violation,
	}

	// Each file is written although another one could not be.
	return errors.Join(a.writeValues(master, r, s), a.writeTables(head, s.Tables), a.writePicture(in, s, &head),
		a.page.takeSolution(s))
}

// writeValues writes the .sol file of --write-sol with the columns of both stages.
func (a *app) writeValues(master *lp.Model, r *benders.Result, s *families.Solution) error {
	if a.flags.writeSol == "" {
		return nil
	}

	// The file needs no more of a model than the names of its columns.
	all := &lp.Model{Name: master.Name}
	var x []float64
	for name, v := range s.Values {
		all.Cols = append(all.Cols, lp.Col{Name: name})
		x = append(x, v)
	}
	return a.writeSolution(all, r.Status, r.Objective, x)
}

// writeTables writes the file of --solution, if it is asked for.
func (a *app) writeTables(head solutionHead, tables []families.Table) error {
	if a.flags.solution == "" {
		return nil
	}
	t, err := a.solutionTarget()
	if err != nil {
		return err
	}

	// The tables are written row by row, and never held in memory as a whole.
	write := func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if t.csv {
			err = writeCSV(b, head, tables)
		} else {
			err = writeObject(b, head, tables)
		}
		return errors.Join(err, b.Flush())
	}

	// A file is there as a whole or not at all; what has gone to standard output stays there.
	if t.path == "" {
		return write(a.stdout)
	}
	return writeFile(t.path, write)
}

// writeObject writes one JSON object, a row of a table a line.
func writeObject(w *bufio.Writer, head solutionHead, tables []families.Table) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}

	// The fields of the head come first; its closing brace is left for the end.
	w.Write(text[:len(text)-1])
	// One buffer serves all lines.
	var line []byte
	for _, t := range tables {
		// The name of a table is a word of the program, which JSON quotes as Go does.
		fmt.Fprintf(w, ",\n%q: [", t.Name)
		separator := "\n"
		// The emit function gets the cells in the order of the columns.
		t.Rows(func(cells ...any) {
			line = append(line[:0], separator...)
			for k, c := range cells {
				// A space before the first cell makes the opening brace the second character of a line.
				line = append(line, " {"[min(k, 1)^1:][:1]...)
				line = strconv.AppendQuote(line, t.Columns[k])
				line = append(line, ':')
				line = appendCell(line, c)
				line = append(line, ',')
			}

			// The brace takes the place of the last comma.
			line[len(line)-1] = '}'
			w.Write(line)
			separator = ",\n"
		})
		w.WriteString("]")
	}
	_, err = w.WriteString("}\n")
	return err
}

// appendCell appends a cell as JSON.
func appendCell(line []byte, cell any) []byte {
	switch v := cell.(type) {
	case int:
		return strconv.AppendInt(line, int64(v), 10)
	case float64:
		// The sum turns a negative zero into zero. NaN and infinities become null.
		cell = number(v + 0)
	}

	// Truth values, texts and nil are encoded as they are.
	text, err := json.Marshal(cell)
	if err != nil {
		panic(fmt.Sprintf("a cell of type %T", cell))
	}
	return append(line, text...)
}

// writeCSV writes one table whose first column names the table that a line is of, and whose other columns are those of
// all tables; what a line's table has not is empty. The first lines, of the table solution, have the head.
func writeCSV(w io.Writer, head solutionHead, tables []families.Table) error {
	tables = append([]families.Table{summaryTable(head)}, tables...)
	// Tables share columns of the same name, such as scenario and cost.
	place := map[string]int{}
	titles := []string{"table"}
	// The columns are in the order in which the tables first have them.
	for _, t := range tables {
		for _, c := range t.Columns {
			if _, known := place[c]; !known {
				place[c] = len(titles)
				titles = append(titles, c)
			}
		}
	}

	out := csv.NewWriter(w)
	if err := out.Write(titles); err != nil {
		return err
	}

	// The writer keeps its first error, which is returned at the end.
	line := make([]string, len(titles))
	for _, t := range tables {
		// The cells of columns that this table does not have stay empty.
		clear(line)
		line[0] = t.Name
		t.Rows(func(cells ...any) {
			for k, c := range cells {
				// A text that begins like a formula is guarded against spreadsheets.
				line[place[t.Columns[k]]] = sheet.Guard(showCell(c))
			}
			out.Write(line)
		})
	}

	// The writer has a buffer of its own.
	out.Flush()
	return out.Error()
}

// showCell returns a cell of a CSV file.
func showCell(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		// A value that is not known is an empty cell.
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}

		// The sum turns a negative zero into zero.
		return strconv.FormatFloat(v+0, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}

// summaryTable is the head of a solution as a table.
func summaryTable(h solutionHead) families.Table {
	return families.Table{Name: "solution", Columns: []string{"quantity", "value"}, Rows: func(emit func(...any)) {
		// The rows are those fields of the head that a reader of tables needs.
		emit("model", h.Model)
		emit("status", h.Status)
		emit("objective", float64(h.Objective))
		emit("bound", float64(h.Bound))
		// Without a design there is no cost, and no violation.
		if h.Cost != nil {
			emit("first_stage", float64(h.Cost.First))
			emit("recourse", float64(h.Cost.Recourse))
			emit("violation", float64(*h.Violation))
		}
	}}
}

// writePicture writes the file of --svg, if it is asked for.
func (a *app) writePicture(in families.Instance, s *families.Solution, head *solutionHead) error {
	if a.flags.svg == "" {
		return nil
	}
	if s.Drawing == nil {
		return badInput(fmt.Errorf("--svg: there is nothing to draw of a model (family %s): networks and facilities have "+
			"pictures", in.Label().Family))
	}

	// The notes are those of this picture alone, so that the drawing is copied.
	d := *s.Drawing
	d.Notes = append(d.Notes, fmt.Sprintf("%s, objective %s: first stage %s, recourse %s", head.Status,
		showExact(float64(head.Objective)), showExact(s.First), showExact(s.Recourse)))
	return a.writeFile(a.flags.svg, d.SVG)
}
