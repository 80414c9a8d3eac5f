package mps

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proxybd/proxybd/lp"
)

// WriteSol writes a solution file: comment lines with the model's name, the status and the objective, then a
// line "name value" for every column. A name stands as the model has it, blanks in it too: the value is what follows
// the last blank. Names that no line can carry (two that are equal, or with a line end in them) are changed as ReadSol
// changes them. Hidden columns are left out. x may be nil, where there is no point.
func WriteSol(w io.Writer, m *lp.Model, status lp.Status, objective float64, x []float64) error {
	if err := checkPoint(m, x); err != nil {
		return err
	}

	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Model %s\n# Status %s\n", writable(m.Name), status)
	if !math.IsNaN(objective) {
		fmt.Fprintf(out, "# Objective value = %s\n", strconv.FormatFloat(objective, 'g', -1, 64))
	}

	// The value is what follows the last blank, so names may hold blanks.
	names := pointNames(m)
	var buf []byte
	for j, v := range x {
		if m.Cols[j].Hidden {
			continue
		}
		buf = append(buf[:0], names[j]...)
		buf = append(buf, ' ')
		buf = strconv.AppendFloat(buf, v+0, 'g', -1, 64) // no negative zero
		out.Write(append(buf, '\n'))
	}
	return flush(out)
}

// checkPoint reports a point that is not one of the model. No point is none to check.
func checkPoint(m *lp.Model, x []float64) error {
	if x != nil && len(x) != len(m.Cols) {
		return fmt.Errorf("mps: a solution of %d values for a model with %d columns", len(x), len(m.Cols))
	}
	return nil
}

// SolStyle is a layout in which solutions are written.
type SolStyle uint8

const (
	// SolPlain has lines "name value", which Gurobi and SCIP read too.
	SolPlain SolStyle = iota
	// SolHiGHS is the raw layout of HiGHS, for its option --read_solution_file.
	SolHiGHS
	// SolCBC is the layout of CBC, for its command mipstart.
	SolCBC
)

// solStyles are the names of the layouts.
var solStyles = []string{SolPlain: "plain", SolHiGHS: "highs", SolCBC: "cbc"}

// String returns plain, highs or cbc.
func (s SolStyle) String() string { return solStyles[s] }

// Set is the inverse of String.
func (s *SolStyle) Set(name string) error { return setStyle(s, solStyles, name) }

// Type is what a flag of this kind calls its values.
func (s *SolStyle) Type() string { return strings.Join(solStyles, "|") }

// WriteSolStyle writes a solution in a layout; WriteSol is that of SolPlain. The names are those that Write gives to a
// model file, which the other programs read.
func WriteSolStyle(w io.Writer, m *lp.Model, status lp.Status, objective float64, x []float64, style SolStyle) error {
	if style == SolPlain {
		return WriteSol(w, m, status, objective, x)
	}
	if err := checkPoint(m, x); err != nil {
		return err
	}

	// Above the columns stand the status, as in "Time limit", and the objective.
	out := bufio.NewWriter(w)
	word := strings.ToUpper(status.String()[:1]) + strings.ReplaceAll(status.String()[1:], "_", " ")
	switch {
	case style == SolCBC:
		fmt.Fprintf(out, "%s - objective value %s\n", word, formatNumber(objective))
	case x == nil:
		fmt.Fprintf(out, "Model status\n%s\n\n# Primal solution values\nNone\n", word)
	default:
		fmt.Fprintf(out, "Model status\n%s\n\n# Primal solution values\nFeasible\nObjective %s\n# Columns %d\n", word,
			formatNumber(objective), m.Own().Cols)
	}

	// The number of a column in a file of CBC counts hidden columns too.
	names := columnNames(m, writable)
	for j, v := range x {
		switch {
		case m.Cols[j].Hidden:
		case style == SolCBC:
			fmt.Fprintf(out, "%d %s %s 0\n", j, names[j], formatNumber(v))
		default:
			fmt.Fprintf(out, "%s %s\n", names[j], formatNumber(v))
		}
	}
	return flush(out)
}

// ReadSol reads a solution file for the model, packed or plain, in the layout of any of these programs, which its first
// line shows: lines "name value" (proxybd, Gurobi, SCIP), CBC and CLP, HiGHS in all its styles, GLPK as --write and
// --output write it, and the XML of CPLEX, where the first solution counts. Columns that the file leaves out are
// zero; hidden ones follow from the others (lp.Model.Derive), unless the file has them. The name stands for the file in
// errors.
//
// A file in lines "name value" or in the layout of CBC that gives no column a value, nor the objective, has no point,
// which is an error; with the value of the objective it is the point of zeros.
//
// In lines "name value" more fields in parentheses may follow. Where a name may end in several places the longest that
// is a column's counts. Names as Write gives them to a model file count too, where they are no other column's. Lines
// that start with # or =, and the two header lines of SCIP, are skipped, unless they give a column its value.
func ReadSol(r io.Reader, name string, m *lp.Model) ([]float64, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	points, err := readPoints(data, name, m, 0)
	if err != nil {
		return nil, err
	}
	return points[0], nil
}

// readPoints reads the points of a file in any layout; missing is the value of columns that it leaves out.
func readPoints(data []byte, name string, m *lp.Model, missing float64) ([][]float64, error) {
	points, err := givenPoints(data, name, m, missing)

	// Hidden columns follow from the others, whatever the layout.
	for _, x := range points {
		m.Derive(x)
	}
	return points, err
}

// givenPoints are those of a file, with hidden columns NaN where it leaves them out.
func givenPoints(data []byte, name string, m *lp.Model, missing float64) ([][]float64, error) {
	style := styleOf(data)
	if style == xmlStyle {
		return readXML(bytes.NewReader(data), name, m, missing)
	}

	p := newPoint(data, name, m, missing)
	read := map[solStyle]func() error{
		plainStyle:  p.lines,
		cbcStyle:    p.cbc,
		highsStyle:  p.highs,
		prettyStyle: p.pretty,
		glpkStyle:   p.glpk,
		reportStyle: p.report,
	}[style]
	if err := read(); err != nil {
		return nil, err
	}

	// Some programs leave out zeros, and some write a file where they have found no point. Without a value of the
	// objective a file of no columns is one of the latter. A start may be partial, down to no column.
	lists := style == plainStyle || style == cbcStyle
	whole := !math.IsNaN(missing)
	if lists && whole && !p.objective && !slices.Contains(p.set, true) {
		return nil, &Error{File: name, Msg: "the file has no point: no line gives a column its value, or the objective"}
	}
	return [][]float64{p.x}, nil
}

// point collects the values of the columns from a file.
type point struct {
	// file is the name of the file in errors.
	file string
	// scan walks over the lines of the file; of an XML file it has only the number of the line.
	scan scanner
	// column gives the index of a name: one of names, or one of written that is no other column's.
	column map[string]int
	// x is the point, and set marks the columns that a line has given.
	x   []float64
	set []bool
	// objective says that a line has the value of the objective.
	objective bool
	// hidden marks the hidden columns, which files may leave out, and own counts the others.
	hidden []bool
	own    int

	// names are those of the columns in files of points, written those that Write gives to columns in files of models.
	names, written []string
}

// newPoint returns a point for a file with the given text. Its columns have the value missing, hidden ones NaN.
func newPoint(data []byte, file string, m *lp.Model, missing float64) *point {
	n := len(m.Cols)
	p := &point{
		file:    file,
		scan:    scanner{data: data},
		column:  make(map[string]int, n),
		x:       make([]float64, n),
		set:     make([]bool, n),
		hidden:  make([]bool, n),
		names:   pointNames(m),
		written: columnNames(m, writable),
	}

	for j, s := range p.names {
		p.column[s] = j
		p.hidden[j] = m.Cols[j].Hidden

		// Derive sets what the file leaves out.
		if p.hidden[j] {
			p.x[j] = math.NaN()
			continue
		}
		p.x[j] = missing
		p.own++
	}

	// A name of a model file counts only where it is not the proper name of another column.
	for j, s := range p.written {
		if _, taken := p.column[s]; !taken {
			p.column[s] = j
		}
	}
	return p
}

// pointNames are the names of the columns in files of points.
func pointNames(m *lp.Model) []string { return columnNames(m, onLine) }

// onLine returns the name, or, where a line "name value" cannot carry it, the name with an underscore for every blank.
func onLine(s string) string {
	// A name with blanks fits, unless a reader would take its line for a comment.
	whole := s != "" && s == strings.TrimSpace(s) && !strings.Contains(s, "\n")
	comment := solComment(s) && strings.ContainsFunc(s, unicode.IsSpace)
	if whole && !comment {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return '_'
		}
		return r
	}, s)
}

// cut divides a line into the name of a column and its value. It reports false where no column is named.
func (p *point) cut(line string) (name, value string, ok bool) {
	rest := strings.TrimSpace(line)
	after := "" // the field behind rest
	for {
		// The value is the last field, or one before fields in parentheses.
		k := strings.LastIndexFunc(rest, unicode.IsSpace)
		if k < 0 {
			return "", "", false
		}
		_, size := utf8.DecodeRuneInString(rest[k:])
		name = strings.TrimSpace(rest[:k])
		value = rest[k+size:]

		// A name that is a column, a number behind it, and only parentheses behind that.
		_, known := p.column[name]
		_, number := parseNumber([]byte(value))
		last := after == "" || after[0] == '('
		if known && number && last {
			return name, value, true
		}
		rest = name
		after = value
	}
}

// fail makes an error at the current line of the file; see failure.
func (p *point) fail(what, text, msg string) error {
	e := failure(p.scan.line, what, []byte(text), msg)
	e.File = p.file
	return e
}

// assign gives a column its value, once.
func (p *point) assign(name, value string) error {
	j, ok := p.column[name]
	if !ok {
		return p.fail("column name", name, "no such column")
	}
	return p.give(j, value)
}

// give gives the column of an index its value, once.
func (p *point) give(j int, value string) error {
	if p.set[j] {
		return p.fail("column name", p.names[j], "the second value of this column")
	}

	// A point has finite values.
	v, ok := parseNumber([]byte(value))
	if !ok || math.IsInf(v, 0) {
		return p.fail("value", value, "not a finite number")
	}
	p.x[j] = v
	p.set[j] = true
	return nil
}

// lines reads the style "name value".
func (p *point) lines() error {
	for text := range p.rest {
		if name, value, ok := p.cut(text); ok {
			if err := p.assign(name, value); err != nil {
				return err
			}
			continue
		}

		// No column is named: the line is a comment or wrong.
		tok := strings.Fields(text)
		if len(tok) == 0 || solComment(text) {
			p.objective = p.objective || begins(text, solObjectives)
			continue
		}
		if len(tok) < 2 || len(tok) > 2 && tok[2][0] != '(' {
			return p.fail("line", text, "expected a column name and a value")
		}
		if err := p.assign(tok[0], tok[1]); err != nil {
			return err
		}
	}
	return nil
}

// solComment reports whether a line, if it gives no column a value, says something else about the solution.
func solComment(line string) bool { return begins(line, solComments) }

// begins reports whether a line begins with one of the texts.
func begins(line string, starts []string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(line, start) })
}

// solComments are what such lines begin with: # in most programs, the others in SCIP.
var solComments = []string{"#", "=obj=", "=infeas=", "solution status:", "objective value:"}

// solObjectives are what those of these lines begin with that have the value of the objective.
var solObjectives = []string{"# Objective value", "=obj=", "objective value:"}
