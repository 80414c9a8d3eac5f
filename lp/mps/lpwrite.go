package mps

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/proxybd/proxybd/lp"
)

// WriteLP writes the model in the LP format; see ReadLP. Numbers are the shortest decimals that give the same
// float64. Columns come in the order of their first appearance when such a file is read, which may differ from the
// model's. A range is written as two rows, as HiGHS and SCIP write it, with the names that SCIP gives them: a range
// in one constraint is misread by HiGHS 1.15 and CBC 2.10 without a word, and refused by SCIP and GLPK. Names that
// the format cannot carry (blanks, operators, a digit or a point in front, keywords) are changed. Sets,
// semi-continuous columns and indicators are written as Write does.
func WriteLP(w io.Writer, m *lp.Model) error {
	if err := m.Validate(); err != nil {
		return prefixed(err)
	}

	// A model that is valid has a matrix.
	m, logic := fileForm(m)
	a, _ := m.Matrix()
	o := &lpWriter{
		w:     bufio.NewWriterSize(w, 1<<16),
		m:     m,
		logic: logic,
		when:  indicatorsOf(m, &logic),
		a:     a,
		rows:  a.Transpose(),
		names: lpNamesFor(m),
	}

	// The sections in the order of the format.
	o.objective()
	if err := o.constraints(); err != nil {
		return err
	}
	o.bounds()
	o.integers("Generals", func(c *lp.Col) bool { return c.Integer && !isBinary(c) })
	o.integers("Binaries", isBinary)
	o.special()
	o.text("End\n")
	return flush(o.w)
}

// isBinary reports whether a column is one of a section Binaries, which needs no bounds.
func isBinary(c *lp.Col) bool { return c.Integer && c.Lower == 0 && c.Upper == 1 }

// lpWriter writes one file.
type lpWriter struct {
	// w keeps its first error until Flush, so that nothing in between has to look for one.
	w *bufio.Writer
	m *lp.Model
	// logic goes into sections of its own, but for the indicators, which stand in front of their rows: when has these.
	logic lp.Logic
	when  map[int]lp.Indicator
	// a has the coefficients by columns, rows the same by rows.
	a, rows *lp.Matrix
	names   names
	// width is the number of characters of the line that is being written.
	width int
	// buf is the memory in which numbers become text.
	buf []byte
}

// longestLine is where expressions are broken; old readers take 255 characters.
const longestLine = 200

// text writes text as it is, and counts the width of the line.
func (o *lpWriter) text(s string) {
	o.width += len(s)

	// A line end begins a new line.
	if len(s) > 0 && s[len(s)-1] == '\n' {
		o.width = 0
	}
	o.w.WriteString(s)
}

// term writes " + 3 x", or " + 3" for an empty name.
func (o *lpWriter) term(v float64, name string) {
	if o.width > longestLine {
		o.text("\n ")
	}

	// The sign is a token of its own.
	if math.Signbit(v) {
		o.text(" - ")
		v = -v
	} else {
		o.text(" + ")
	}

	// A coefficient of 1 is left out before a name.
	if v != 1 || name == "" {
		o.number(v)
		o.text(" ")
	}
	o.text(name)
}

// number writes a number: the shortest decimal that gives the same float64.
func (o *lpWriter) number(v float64) {
	switch {
	case math.IsInf(v, 1):
		o.text("+inf")
	case math.IsInf(v, -1):
		o.text("-inf")
	default:
		o.buf = strconv.AppendFloat(o.buf[:0], v, 'g', -1, 64)
		o.text(string(o.buf))
	}
}

// objective writes the sense and the objective. Columns without coefficients stand there with a cost of 0, so that they
// are in the file.
func (o *lpWriter) objective() {
	sense := map[bool]string{false: "Minimize", true: "Maximize"}[o.m.Maximize]
	o.text(sense + "\n " + o.names.objective + ":")
	for j := range o.m.Cols {
		if c := o.m.Cols[j].Cost; c != 0 || o.a.Start[j] == o.a.Start[j+1] {
			o.term(c, o.names.cols[j])
		}
	}

	// A constant is a term without a name.
	if o.m.Offset != 0 {
		o.term(o.m.Offset, "")
	}
	o.text("\n")
}

// constraints writes the rows, a range as two.
func (o *lpWriter) constraints() error {
	o.text("Subject To\n")
	for i := range o.m.Rows {
		lower, upper := clip(o.m.Rows[i].Lower), clip(o.m.Rows[i].Upper)

		// A row whose sides nothing satisfies has no form in the file.
		if lower > upper || math.IsInf(lower, 1) || math.IsInf(upper, -1) {
			return emptyRow(o.m, i)
		}
		if len(o.m.Cols) == 0 {
			return fmt.Errorf("mps: %w: row %s of a model without columns", ErrWrite, o.m.RowName(lp.Con(i)))
		}

		// Free rows stand as those that are at least minus infinity.
		name := o.names.rows[i]
		switch {
		case lower == upper:
			o.row(i, name, " = ", lower)
		case math.IsInf(upper, 1):
			o.row(i, name, " >= ", lower)
		case math.IsInf(lower, -1):
			o.row(i, name, " <= ", upper)
		default:
			o.row(i, name+lowerSide, " >= ", lower)
			o.row(i, name+upperSide, " <= ", upper)
		}
	}
	return nil
}

// row writes one side of a row. The format has no empty left side.
func (o *lpWriter) row(i int, name, relation string, side float64) {
	o.text(" " + name + ":")
	if c, has := o.when[i]; has {
		o.text(fmt.Sprintf(" %s = %d ->", o.names.cols[c.If], c.Is))
	}
	index, value := o.rows.Vec(i)
	for k, j := range index {
		o.term(value[k], o.names.cols[j])
	}

	// A term of 0 stands for it.
	if len(index) == 0 {
		o.term(0, o.names.cols[0])
	}
	o.text(relation)
	o.number(side)
	o.text("\n")
}

// bounds writes the bounds that are not the default, 0 and infinity, and not those of Binaries.
func (o *lpWriter) bounds() {
	o.text("Bounds\n")
	for j := range o.m.Cols {
		c := &o.m.Cols[j]
		lower, upper := clip(c.Lower), clip(c.Upper)
		if isBinary(c) || lower == 0 && math.IsInf(upper, 1) {
			continue
		}

		// An upper bound stands alone only behind a lower one, since readers differ about negative ones.
		o.text(" ")
		switch {
		case unbounded(lower, upper):
			o.text(o.names.cols[j] + " free")
		case lower == upper:
			o.text(o.names.cols[j] + " = ")
			o.number(lower)
		default:
			o.number(lower)
			o.text(" <= " + o.names.cols[j])
			if !math.IsInf(upper, 1) {
				o.text(" <= ")
				o.number(upper)
			}
		}
		o.text("\n")
	}
}

// integers writes a section of the columns that belong to it, if there are any.
func (o *lpWriter) integers(title string, belongs func(*lp.Col) bool) {
	header := false
	for j := range o.m.Cols {
		if !belongs(&o.m.Cols[j]) {
			continue
		}

		// A section without columns is left out.
		if !header {
			o.text(title + "\n")
			header = true
		}
		o.text(" " + o.names.cols[j] + "\n")
	}
}

// lpNamesFor returns names that the LP format can carry. Those of ranges have underscores behind them until no row has
// the name of one of their sides.
func lpNamesFor(m *lp.Model) names {
	n := namesWith(m, lpWritable)
	taken := map[string]bool{n.objective: true}
	for _, s := range n.rows {
		taken[s] = true
	}

	for i := range m.Rows {
		lower, upper := clip(m.Rows[i].Lower), clip(m.Rows[i].Upper)
		if !(lower < upper) || math.IsInf(lower, 0) || math.IsInf(upper, 0) {
			continue
		}

		// The row gives up its own name, which is thus free for it.
		name := n.rows[i]
		taken[name] = false
		for taken[name] || taken[name+lowerSide] || taken[name+upperSide] {
			name += "_"
		}
		taken[n.rows[i]] = true
		n.rows[i] = name
		for _, s := range []string{name, name + lowerSide, name + upperSide} {
			taken[s] = true
		}
	}
	return n
}

// lpWritable returns a name with underscores for what the LP format does not allow, and one in front where a name
// cannot begin so or would be a keyword.
func lpWritable(s string) string {
	name := replace(s, func(c byte) bool { return !nameByte(c) })
	if name == "" || name[0] == '.' || isDigit([]byte(name), 0) {
		return "_" + name
	}

	// These words are keywords together with another one, or in some places.
	word := lower([]byte(name))
	_, infinity := parseInfinity([]byte(name))
	if lpKeywords[word] != noLPSection || infinity || slices.Contains(lpPartWords, word) {
		return "_" + name
	}
	return name
}

// lpPartWords are words that are part of a keyword, or one only in some places.
var lpPartWords = []string{"free", "subject", "such", "user", "lazy", "general"}
