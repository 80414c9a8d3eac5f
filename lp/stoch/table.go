package stoch

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// ErrTable is wrapped by the errors about a table of scenarios, which name the file, the line and the field.
var ErrTable = errors.New("invalid table of scenarios")

// tableColumns are the columns of a table; a scenario and a value are all that a line needs.
var tableColumns = []string{"scenario", "probability", "row", "column", "value", "kind"}

// kinds are the words of the column kind.
var kinds = []string{"rhs", "lower", "upper", "cost", "coefficient"}

// ReadTable adds the scenarios of a table to a builder. The table is a CSV file whose first line names its columns
//
//	scenario,probability,row,column,value,kind
//
// in any order, parted by commas, semicolons or tabs; lines that begin with # are comments. Every other line is a
// number of a scenario that differs from the model:
//
//	row alone             its right-hand side: the side of an inequality, both of an equation
//	column alone          its cost
//	row and column        the coefficient of the column in the row; in the objective's row the cost of the column
//
// The column kind may say otherwise, or what is meant of a range: rhs, lower or upper of a row; lower, upper or cost
// of a column; coefficient. A line with neither row, column nor value is a scenario that differs in nothing, or has
// its probability alone. A probability may stand in any line of its scenario, the same in all; where none does, all
// scenarios are as likely. name is that of the file, for errors.
func (b *Builder) ReadTable(r io.Reader, name string) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("stoch: %s: %w", name, err)
	}
	t := &table{b: b, name: name, index: make(map[string]int), rows: make(map[string]lp.Con),
		cols: make(map[string]lp.Var)}
	for i := range b.Rows {
		t.rows[b.RowName(lp.Con(i))] = lp.Con(i)
	}
	for j := range b.Cols {
		t.cols[b.ColName(lp.Var(j))] = lp.Var(j)
	}
	if err := t.read(text); err != nil {
		return err
	}
	return t.finish()
}

// table is a table that is being read.
type table struct {
	b    *Builder
	name string

	// The fields of the line, how many the first line has, and where each column is among them, -1 for one that is not
	// there.
	line  int
	cells []string
	width int
	at    []int

	rows map[string]lp.Con
	cols map[string]lp.Var

	// The scenarios in the order of their first lines, and their numbers by name.
	list  []listed
	index map[string]int
}

// listed is a scenario with its probability, NaN before one is given, and the lines of its changes.
type listed struct {
	Scenario
	lines map[Change]int // of a place, as a change without a value
}

// fail is an error of the line, at one of its columns if there is one.
func (t *table) fail(column, format string, args ...any) error {
	place := ""
	if column != "" {
		place = ": " + column
	}
	return fmt.Errorf("%s:%d%s: %w: %s", t.name, t.line, place, ErrTable, fmt.Sprintf(format, args...))
}

// cell returns the field of a column, "" where there is none.
func (t *table) cell(column string) string {
	k := t.at[slices.Index(tableColumns, column)]
	if k < 0 || k >= len(t.cells) {
		return ""
	}
	return strings.TrimSpace(t.cells[k])
}

// read reads all lines.
func (t *table) read(text []byte) error {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // a mark that spreadsheets write
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = separator(text)
	r.Comment = '#'
	r.FieldsPerRecord = -1

	// A tabulator may end an empty field, and is no blank then.
	r.TrimLeadingSpace = r.Comma != '\t'

	for {
		cells, err := r.Read()
		if err == io.EOF {
			return nil
		}

		// A line that is no CSV ends the reading.
		var wrong *csv.ParseError
		if errors.As(err, &wrong) {
			t.line = wrong.Line
			return t.fail("", "%v", wrong.Err)
		}
		if err != nil {
			return fmt.Errorf("stoch: %s: %w", t.name, err)
		}

		// Spreadsheets write lines of empty fields where theirs are empty.
		if blank(cells) {
			continue
		}

		// The first line is that of the names.
		t.line, _ = r.FieldPos(0)
		t.cells = cells
		if t.at == nil {
			err = t.header()
		} else {
			err = t.record()
		}
		if err != nil {
			return err
		}
	}
}

// separator is the most frequent of the marks that part fields in the first line that is no comment.
func separator(text []byte) rune {
	for line := range bytes.Lines(text) {
		if trimmed := bytes.TrimSpace(line); len(trimmed) == 0 || trimmed[0] == '#' {
			continue
		}
		best := ','
		for _, mark := range []rune{';', '\t'} {
			if bytes.Count(line, []byte(string(mark))) > bytes.Count(line, []byte(string(best))) {
				best = mark
			}
		}
		return best
	}
	return ','
}

// blank reports whether all fields are empty.
func blank(cells []string) bool {
	return !slices.ContainsFunc(cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// header reads the names of the columns.
func (t *table) header() error {
	t.width = len(t.cells)
	t.at = slices.Repeat([]int{-1}, len(tableColumns))
	for k, cell := range t.cells {
		name := strings.ToLower(strings.TrimSpace(cell))
		at := slices.Index(tableColumns, name)
		switch {
		case at < 0:
			return t.fail("", "the column %q; there are %s", cell, strings.Join(tableColumns, ", "))
		case t.at[at] >= 0:
			return t.fail("", "the column %s twice", name)
		}
		t.at[at] = k
	}
	if t.at[0] < 0 || t.at[slices.Index(tableColumns, "value")] < 0 {
		return t.fail("", "the first line has no column scenario or value; it is such as %s",
			strings.Join(tableColumns[:5], ","))
	}
	return nil
}

// record reads a line.
func (t *table) record() error {
	// A number with a decimal comma is two fields, the second of which must not get lost.
	if k := min(t.width, len(t.cells)); !blank(t.cells[k:]) {
		return t.fail("", "%d fields, and the first line has %d", len(t.cells), t.width)
	}
	name := t.cell("scenario")
	if name == "" {
		return t.fail("scenario", "there is no name")
	}

	// The first line of a scenario gives it its place.
	k, known := t.index[name]
	if !known {
		k = len(t.list)
		t.index[name] = k
		t.list = append(t.list, listed{
			Scenario: Scenario{Name: name, Probability: math.NaN()},
			lines:    make(map[Change]int),
		})
	}
	s := &t.list[k]
	if err := t.probability(s); err != nil {
		return err
	}

	// A line without a row and a column has a probability alone, or says that the scenario exists.
	row, col := t.cell("row"), t.cell("column")
	kind := strings.ToLower(t.cell("kind"))
	if row == "" && col == "" {
		if t.cell("value") != "" || kind != "" {
			return t.fail("row", "a value of neither a row nor a column")
		}
		return nil
	}
	changes, err := t.changes(row, col, kind)
	if err != nil {
		return err
	}

	// A number is given once.
	for _, c := range changes {
		place := c
		place.Value = 0
		if line, twice := s.lines[place]; twice {
			return t.fail("", "the %v is in line %d already", c.Kind, line)
		}
		s.lines[place] = t.line
		s.Changes = append(s.Changes, c)
	}
	return nil
}

// probability reads the probability of the line's scenario.
func (t *table) probability(s *listed) error {
	text := t.cell("probability")
	if text == "" {
		return nil
	}
	p, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || !(p >= 0 && p <= 1):
		return t.fail("probability", "%q is no number from 0 to 1", text)
	case !math.IsNaN(s.Probability) && s.Probability != p:
		return t.fail("probability", "%s, and %v in a line before", text, s.Probability)
	}
	s.Probability = p
	return nil
}

// changes returns what a line changes: two numbers for the side of an equation.
func (t *table) changes(row, col, kind string) ([]Change, error) {
	if kind != "" && !slices.Contains(kinds, kind) {
		return nil, t.fail("kind", "%q; there are %s", kind, strings.Join(kinds, ", "))
	}
	v, err := t.value(kind)
	if err != nil {
		return nil, err
	}

	// The objective's row has costs.
	if row != "" && col != "" && row == t.b.Objective {
		row = ""
		if kind == "coefficient" {
			kind = "cost"
		}
	}
	i, hasRow := t.rows[row]
	if row != "" && !hasRow {
		return nil, t.fail("row", "the model has no row %s", row)
	}
	j, hasCol := t.cols[col]
	if col != "" && !hasCol {
		return nil, t.fail("column", "the model has no column %s", col)
	}

	switch {
	case hasRow && hasCol:
		if kind != "" && kind != "coefficient" {
			return nil, t.fail("kind", "%s of a row and a column", kind)
		}
		return []Change{SetEntry(i, j, v)}, nil
	case hasRow:
		return t.side(i, kind, v)
	}

	// Costs and bounds of the first stage are the same in all scenarios.
	if t.b.first[j] {
		return nil, t.fail("column", "%s belongs to the first stage, whose costs and bounds are the same in all scenarios",
			col)
	}
	switch kind {
	case "", "cost":
		return []Change{SetCost(j, v)}, nil
	case "lower":
		return []Change{SetColLower(j, v)}, nil
	case "upper":
		return []Change{SetColUpper(j, v)}, nil
	}
	return nil, t.fail("kind", "%s of a column", kind)
}

// value reads the number of the line. Only sides and bounds may be infinite.
func (t *table) value(kind string) (float64, error) {
	text := t.cell("value")
	v, err := strconv.ParseFloat(text, 64)
	possible := !math.IsNaN(v) && !math.IsInf(v, 0)
	switch kind {
	case "lower":
		possible = possible || math.IsInf(v, -1)
	case "upper":
		possible = possible || math.IsInf(v, 1)
	}
	if err != nil || !possible {
		return 0, t.fail("value", "%q is no number that is possible here", text)
	}
	return v, nil
}

// side returns the change of the side of a row.
func (t *table) side(i lp.Con, kind string, v float64) ([]Change, error) {
	r := t.b.Rows[i]
	noLower, noUpper := math.IsInf(r.Lower, -1), math.IsInf(r.Upper, 1)
	switch {
	case kind == "lower":
		return []Change{SetRowLower(i, v)}, nil
	case kind == "upper":
		return []Change{SetRowUpper(i, v)}, nil
	case kind != "" && kind != "rhs":
		return nil, t.fail("kind", "%s of a row", kind)
	case noLower && !noUpper:
		return []Change{SetRowUpper(i, v)}, nil
	case noUpper && !noLower:
		return []Change{SetRowLower(i, v)}, nil
	case r.Lower == r.Upper:
		return []Change{SetRowLower(i, v), SetRowUpper(i, v)}, nil
	}
	return nil, t.fail("row", "%s is a range or free: the kind says which side is meant, lower or upper", t.b.RowName(i))
}

// finish adds the scenarios to the builder.
func (t *table) finish() error {
	if len(t.list) == 0 {
		return fmt.Errorf("stoch: %s: %w: there is no scenario", t.name, ErrTable)
	}

	// Either all scenarios have a probability, or none.
	given := 0
	total := 0.0
	missing := ""
	for k := range t.list {
		if p := t.list[k].Probability; math.IsNaN(p) {
			missing = t.list[k].Name
		} else {
			given++
			total += p
		}
	}
	switch {
	case given > 0 && missing != "":
		return fmt.Errorf("stoch: %s: %w: scenario %s has no probability, and others have", t.name, ErrTable, missing)
	case given > 0 && math.Abs(total-1) > probabilityTolerance:
		return fmt.Errorf("stoch: %s: %w: the probabilities sum to %.9g", t.name, ErrTable, total)
	}

	// Without probabilities all scenarios are as likely.
	for k := range t.list {
		s := &t.list[k]
		if given == 0 {
			s.Probability = 1 / float64(len(t.list))
		}
		b := s.Scenario
		t.b.Scenario(b.Name, b.Probability, b.Changes...)
	}
	return nil
}
