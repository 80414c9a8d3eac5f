package mps

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// WriteSol writes a solution file: comment lines with the model's name, the status and the objective, then a
// line "name value" for every column, with the names that Write gives them. x may be nil, where there is no point.
func WriteSol(w io.Writer, m *lp.Model, status lp.Status, objective float64, x []float64) error {
	if x != nil && len(x) != len(m.Cols) {
		return fmt.Errorf("mps: a solution of %d values for a model with %d columns", len(x), len(m.Cols))
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Model %s\n# Status %s\n", writable(m.Name), status)
	if !math.IsNaN(objective) {
		fmt.Fprintf(out, "# Objective value = %s\n", strconv.FormatFloat(objective, 'g', -1, 64))
	}
	names := namesFor(m)
	var buf []byte
	for j, v := range x {
		if v == 0 {
			v = 0 // not -0
		}
		buf = append(buf[:0], names.cols[j]...)
		buf = append(buf, ' ')
		buf = strconv.AppendFloat(buf, v, 'g', -1, 64)
		out.Write(append(buf, '\n'))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("mps: %w", err)
	}
	return nil
}

// ReadSol reads a solution file for the model: lines "name value", where more fields in parentheses may follow.
// Lines that start with # or =, and the two header lines of SCIP, are passed over. Columns that the file leaves
// out are zero. The name stands for the file in errors.
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
	for j, s := range namesFor(m).cols {
		p.column[s] = j
		p.x[j] = missing
	}
	return p
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
