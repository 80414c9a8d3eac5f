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
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
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
	csv  bool
}

// solutionTarget reads --solution and fails early where it could not be written.
func (a *app) solutionTarget() (t solutionTarget, err error) {
	name := strings.ToLower(strings.TrimSuffix(a.flags.solution, ".gz"))
	t.csv = strings.HasSuffix(name, ".csv")
	switch {
	case a.flags.solution == "-", name == "-.csv", name == "-.json":
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
	err := checkTarget(a.flags.writeSol)
	if a.flags.solution != "" {
		_, bad := a.solutionTarget()
		err = errors.Join(err, bad)
	}
	return errors.Join(err, checkTarget(a.flags.svg))
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
	Family string      `json:"family,omitempty"`
	Name   string      `json:"name,omitempty"` // of the instance
	Hash   string      `json:"hash,omitempty"`
	Cost   *costReport `json:"cost,omitempty"`
	// largest, as a part of the largest of 1, the side and the row's terms
	Violation *number `json:"violation,omitempty"`
	From      *int    `json:"numbered_from,omitempty"` // what facilities, arcs and so on are numbered from
}

// priceTolerance is by how much, relative, the cost of a solution may differ from the reported objective, and by how
// much it may leave a row.
const priceTolerance = 1e-6

// disagreement says what is wrong with a solution beside the objective of the run, "" for nothing. A policy may
// cost more than its design with the best recourse, which is not below the bound; elsewhere bound is the objective.
func disagreement(s *families.Solution, objective, bound float64) string {
	off := max(min(objective, bound)-s.Total(), s.Total()-max(objective, bound))
	switch {
	case !(off <= priceTolerance*max(1, math.Abs(objective))):
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
	if f.writeSol == "" && f.solution == "" && f.svg == "" {
		return nil
	}
	if design == nil {
		if f.svg != "" {
			out.Warnings = append(out.Warnings, "there is no design to draw")
			a.log.warn(out.Warnings[len(out.Warnings)-1:])
		}
		err := a.writeSolution(master, r.Status, r.Objective, nil)
		return errors.Join(err, a.writeTables(solutionHead{report: out.report}, nil))
	}
	s, err := pipeline.Explain(context.WithoutCancel(ctx), in, design)
	if err != nil {
		err = fmt.Errorf("the recourse of the design: %w", err)
		return errors.Join(err, a.writeSolution(master, r.Status, r.Objective, design))
	}
	if expected {
		bound := r.Objective
		if in.Capabilities().MultiPeriod != nil {
			bound = r.Bound
		}
		if text := disagreement(s, r.Objective, bound); text != "" {
			out.Warnings = append(out.Warnings, text)
			a.log.warn([]string{text})
		}
	}
	head := solutionHead{report: out.report, Family: out.Family, Name: in.Label().Name, Hash: out.Hash, From: &s.From,
		Cost: &costReport{number(s.First), number(s.Recourse), number(s.Total())}}
	violation := number(s.Violation)
	head.Violation = &violation
	return errors.Join(a.writeValues(master, r, s), a.writeTables(head, s.Tables), a.writePicture(in, s, &head))
}

// writeValues writes the .sol file of --write-sol with the columns of both stages.
func (a *app) writeValues(master *lp.Model, r *benders.Result, s *families.Solution) error {
	if a.flags.writeSol == "" {
		return nil
	}
	all := &lp.Model{Name: master.Name}
	var x []float64
	for name, v := range s.Values {
		all.Cols, x = append(all.Cols, lp.Col{Name: name}), append(x, v)
	}
	return a.writeFile(a.flags.writeSol, func(w io.Writer) error {
		return mps.WriteSolStyle(w, all, r.Status, r.Objective,
			x, a.flags.solStyle)
	})
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
	write := func(w io.Writer) error {
		b := bufio.NewWriterSize(w, 1<<16)
		if t.csv {
			err = writeCSV(b, head, tables)
		} else {
			err = writeObject(b, head, tables)
		}
		return errors.Join(err, b.Flush())
	}
	if t.path == "" {
		return write(a.stdout)
	}
	if err := instance.WriteFile(t.path, write); err != nil {
		return plainError(t.path, err)
	}
	return nil
}

// writeObject writes one JSON object, a row of a table a line.
func writeObject(w *bufio.Writer, head solutionHead, tables []families.Table) error {
	text, err := json.Marshal(head)
	if err != nil {
		return err
	}
	w.Write(text[:len(text)-1])
	var line []byte
	for _, t := range tables {
		fmt.Fprintf(w, ",\n%q: [", t.Name)
		separator := "\n"
		t.Rows(func(cells ...any) {
			line = append(line[:0], separator...)
			for k, c := range cells {
				line = append(line, " {"[min(k, 1)^1:][:1]...)
				line = strconv.AppendQuote(line, t.Columns[k])
				line = append(line, ':')
				line = appendCell(line, c)
				line = append(line, ',')
			}
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
	case nil:
		return append(line, "null"...)
	case int:
		return strconv.AppendInt(line, int64(v), 10)
	case bool:
		return strconv.AppendBool(line, v)
	case float64:
		if text, err := json.Marshal(number(v + 0)); err == nil {
			return append(line, text...)
		}
	case string:
		if text, err := json.Marshal(v); err == nil {
			return append(line, text...)
		}
	}
	panic(fmt.Sprintf("a cell of type %T", cell))
}

// writeCSV writes one table whose first column names the table that a line is of, and whose other columns are those of
// all tables; what a line's table has not is empty. The first lines, of the table solution, have the head.
func writeCSV(w io.Writer, head solutionHead, tables []families.Table) error {
	tables = append([]families.Table{summaryTable(head)}, tables...)
	place := map[string]int{}
	titles := []string{"table"}
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
	line := make([]string, len(titles))
	for _, t := range tables {
		clear(line)
		line[0] = t.Name
		t.Rows(func(cells ...any) {
			for k, c := range cells {
				line[place[t.Columns[k]]] = sheet.Guard(showCell(c))
			}
			out.Write(line) // keeps its first error
		})
	}
	out.Flush()
	return out.Error()
}

// showCell returns a cell of a CSV file.
func showCell(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return ""
		}
		return strconv.FormatFloat(v+0, 'g', -1, 64)
	}
	return fmt.Sprint(cell)
}

// summaryTable is the head of a solution as a table.
func summaryTable(h solutionHead) families.Table {
	return families.Table{Name: "solution", Columns: []string{"quantity", "value"}, Rows: func(emit func(...any)) {
		emit("model", h.Model)
		emit("status", h.Status)
		emit("objective", float64(h.Objective))
		emit("bound", float64(h.Bound))
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
			"pictures",
			in.Label().Family))
	}
	d := *s.Drawing
	d.Notes = append(d.Notes, fmt.Sprintf("%s, objective %s: first stage %s, recourse %s", head.Status,
		showExact(float64(head.Objective)),
		showExact(s.First), showExact(s.Recourse)))
	if err := a.writeFile(a.flags.svg, d.SVG); err != nil {
		return err
	}
	return nil
}
