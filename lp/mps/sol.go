package mps

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/proxybd/proxybd/lp"
)

// WriteSol writes a solution file: comment lines with the model's name, the status and the objective, then a
// line "name value" for every column. A name stands as the model has it, blanks in it too: the value is what follows
// the last blank. Names that no line can carry (two that are equal, or with a line end in them) are changed as ReadSol
// changes them. x may be nil, where there is no point.
func WriteSol(w io.Writer, m *lp.Model, status lp.Status, objective float64, x []float64) error {
	if x != nil && len(x) != len(m.Cols) {
		return fmt.Errorf("mps: a solution of %d values for a model with %d columns", len(x), len(m.Cols))
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Model %s\n# Status %s\n", writable(m.Name), status)
	if !math.IsNaN(objective) {
		fmt.Fprintf(out, "# Objective value = %s\n", strconv.FormatFloat(objective, 'g', -1, 64))
	}
	names := pointNames(m)
	var buf []byte
	for j, v := range x {
		if v == 0 {
			v = 0 // not -0
		}
		buf = append(buf[:0], names[j]...)
		buf = append(buf, ' ')
		buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		out.Write(append(buf, '\n'))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	return nil
}

// ReadSol reads a solution file for the model: lines "name value", where more fields in parentheses may follow. Where a
// name may end in several places the longest that is a column's counts. Names as Write gives them to a model file count
// too, where they are no other column's. Lines that start with # or =, and the two header lines of SCIP, are passed
// over, unless they give a column its value. Columns that the file leaves out are zero. The name stands for the file in
// errors.
func ReadSol(r io.Reader, name string, m *lp.Model) ([]float64, error) {
	p := newPoint(name, m, 0)
	if err := p.lines(r); err != nil {
		return nil, err
	}
	return p.x, nil
}

// point collects the values of the columns from a file.
type point struct {
	file   string
	line   int
	column map[string]int
	x      []float64
	set    []bool
}

// newPoint returns a point whose columns have the value missing.
func newPoint(file string, m *lp.Model, missing float64) *point {
	p := &point{file: file, column: make(map[string]int, len(m.Cols)), x: make([]float64, len(m.Cols)), set: make([]bool, len(m.Cols))}
	for j, s := range pointNames(m) {
		p.column[s] = j
		p.x[j] = missing
	}
	for j, s := range namesFor(m).cols {
		if _, taken := p.column[s]; !taken {
			p.column[s] = j
		}
	}
	return p
}

// pointNames are the names of the columns in files of points.
func pointNames(m *lp.Model) []string {
	names := make([]string, len(m.Cols))
	for j := range names {
		names[j] = m.ColName(lp.Var(j))
	}
	distinct(names, onLine)
	return names
}

// onLine returns the name, or, where a line "name value" cannot carry it, the name with an underscore for every blank.
func onLine(s string) string {
	blanks := strings.ContainsFunc(s, unicode.IsSpace)
	if s != "" && s == strings.TrimSpace(s) && !strings.Contains(s, "\n") && !(blanks && solComment(s)) {
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
		k := strings.LastIndexFunc(rest, unicode.IsSpace)
		if k < 0 {
			return "", "", false
		}
		_, size := utf8.DecodeRuneInString(rest[k:])
		name, value = strings.TrimSpace(rest[:k]), rest[k+size:]
		_, known := p.column[name]
		if _, number := parseNumber([]byte(value)); known && number && (after == "" || after[0] == '(') {
			return name, value, true
		}
		rest, after = name, value
	}
}

func (p *point) fail(what, text, msg string) error {
	return &Error{File: p.file, Line: p.line, Field: field(what, []byte(text)), Msg: msg}
}

// assign gives a column its value, once.
func (p *point) assign(name, value string) error {
	j, ok := p.column[name]
	if !ok {
		return p.fail("column name", name, "no such column")
	}
	if p.set[j] {
		return p.fail("column name", name, "the second value of this column")
	}
	v, ok := parseNumber([]byte(value))
	if !ok || math.IsInf(v, 0) {
		return p.fail("value", value, "not a finite number")
	}
	p.x[j], p.set[j] = v, true
	return nil
}

// lines reads the style "name value".
func (p *point) lines(r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 1<<20)
	for p.line = 1; in.Scan(); p.line++ {
		text := in.Text()
		if name, value, ok := p.cut(text); ok {
			if err := p.assign(name, value); err != nil {
				return err
			}
			continue
		}
		tok := strings.Fields(text)
		if len(tok) == 0 || solComment(text) {
			continue
		}
		if len(tok) < 2 || len(tok) > 2 && tok[2][0] != '(' {
			return p.fail("line", text, "expected a column name and a value")
		}
		if err := p.assign(tok[0], tok[1]); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fileError(p.file, err)
	}
	return nil
}

func solComment(line string) bool {
	for _, start := range []string{"#", "=obj=", "=infeas=", "solution status:", "objective value:"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
