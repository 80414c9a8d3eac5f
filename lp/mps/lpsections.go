package mps

import (
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// interval is the set of values that the relations of a line allow; a side that no relation gives is infinite, or in
// Bounds the bound that the column has so far.
type interval struct{ lower, upper float64 }

// restrict applies "value rel side" to the interval; it reports false for a side that nothing can satisfy.
func (v *interval) restrict(rel byte, side float64) bool {
	if rel != '<' {
		v.lower = side
	}
	if rel != '>' {
		v.upper = side
	}
	return !math.IsInf(v.lower, 1) && !math.IsInf(v.upper, -1)
}

// mirror is the relation of "value rel side" for the one of "side rel value"; 0 for none.
var mirror = map[byte]byte{'<': '>', '>': '<', '=': '='}

// leftSideOf reads the [side rel] in front of an expression or column, and returns the relation as seen from that; 0 if
// there is none.
func (p *lpParser) leftSideOf() (rel byte, side float64, err *Error) {
	if !p.sideFirst() {
		return 0, 0, nil
	}
	if side, err = p.side(); err != nil {
		return 0, 0, err
	}
	rel, err = p.relation()
	return mirror[rel], side, err
}

// constraint reads [name:] [column = value ->] [side rel] expression rel side, or expression rel expression.
func (p *lpParser) constraint() *Error {
	start := p.cur
	name := p.label()
	when, conditional, err := p.condition()
	if err != nil {
		return err
	}

	// The expression has a side on its left, on its right, or on both.
	v := interval{math.Inf(-1), math.Inf(1)}
	left, side, err := p.leftSideOf()
	if err != nil {
		return err
	}
	if left != 0 && !v.restrict(left, side) {
		return p.fail("", "an infinite side")
	}
	constant, err := p.expression()
	if err != nil {
		return err
	}
	switch {
	case left == 0:
		shift, err := p.rightExpression(&v)
		if err != nil {
			return err
		}
		constant -= shift
	case p.cur.kind == relation:
		if err := p.rightSide(&v, left); err != nil {
			return err
		}
	}

	// The upper side of a range joins the row of its lower side instead of being a row.
	if !conditional && p.joinsRange(name, v, constant) {
		return nil
	}
	if err := p.addRow(start, name, v, constant); err != nil || !conditional {
		return err
	}
	p.lastLower = rangeSide{} // a range has no condition
	when.Row = lp.Con(len(p.model.Rows) - 1)
	p.logic.indicator(when, start.line)
	return nil
}

// rightSide reads the relation and number that end a constraint or bound; left is the relation on the other side, 0 for
// none.
func (p *lpParser) rightSide(v *interval, left byte) *Error {
	rel, err := p.relation()
	if err != nil {
		return err
	}
	if left != 0 && (left == '=' || rel != mirror[left]) {
		return p.fail("", "the two relations do not make a range")
	}

	side, err := p.side()
	if err != nil {
		return err
	}
	if !v.restrict(rel, side) {
		return p.fail("", "an infinite side")
	}
	return nil
}

// cut reads a line of User Cuts. Such a row is implied by the others at integer points, so as a row of the model it
// only tightens the relaxation; one that is not implied would change the optimum, which the warning says.
func (p *lpParser) cut() *Error {
	p.warn.add("user cut", p.cur.line, userCutText)
	return p.constraint()
}

// userCutText says what becomes of user cuts.
const userCutText = "user cuts are taken as rows: each must hold at every feasible integer point"

// rightExpression reads the relation of a constraint and what stands behind it. Its columns go to the left with their
// signs changed; the constant, by which both sides are shifted, is returned and is 0 for a side without columns, which
// is in v.
func (p *lpParser) rightExpression(v *interval) (shift float64, err *Error) {
	rel, err := p.relation()
	if err != nil {
		return 0, err
	}

	// Most sides are a number, or the word for infinity.
	if p.sideEnds() {
		side, err := p.side()
		if err == nil && !v.restrict(rel, side) {
			err = p.fail("", "an infinite side")
		}
		return 0, err
	}

	if p.cur.kind == endToken || p.cur.kind == relation || p.opensSection() {
		return 0, p.fail("word", "expected a number or columns")
	}

	// The expression on the left is kept while the one on the right is read in its place.
	index := slices.Clone(p.index)
	value := slices.Clone(p.value)
	shift, err = p.expression()
	if err != nil {
		return 0, err
	}
	if p.cur.kind == relation {
		return 0, p.fail("relation", "a second one, after columns on the right")
	}

	// The sum of both is the left side of the row, and the row compares it with zero.
	for k := range p.value {
		p.value[k] = -p.value[k]
	}
	for k, j := range index {
		p.addTerm(j, value[k])
	}
	v.restrict(rel, 0)
	return shift, nil
}

// sideEnds reports whether a signed number or infinity comes next and ends the constraint: no term follows it. A sign
// at the beginning of a line belongs to the next constraint if that has a relation of its own.
func (p *lpParser) sideEnds() bool {
	ahead := *p
	if _, err := ahead.side(); err != nil {
		return false
	}
	switch {
	case ahead.cur.kind == endToken || ahead.opensSection():
		return true
	case !ahead.cur.first:
		return false
	case !ahead.cur.symbol('+') && !ahead.cur.symbol('-'):
		return true
	}

	// What decides is whether a relation comes before the next label or section.
	for ahead.cur.kind != endToken && !ahead.opensSection() {
		labelled := ahead.cur.kind == nameToken && ahead.peek.symbol(':')
		if ahead.cur.kind == relation || labelled {
			return ahead.cur.kind == relation
		}
		ahead.advance()
	}
	return false
}

// addRow adds the expression that was read last as a row. Its constant goes to the sides.
func (p *lpParser) addRow(start token, name string, v interval, constant float64) *Error {
	if name != "" {
		if p.rowNames == nil {
			p.rowNames = map[string]bool{}
		}
		if p.rowNames[name] {
			return failure(start.line, "row name", start.text, "the second row of this name")
		}
		p.rowNames[name] = true
	}
	if of, joined := p.ranges[name]; joined { // a row of its own takes the name
		p.model.Rows[of].Name = name + lowerSide
	}

	// Terms of the same column may have added up to 0.
	i := p.model.AddRow(lp.Row{Name: name, Lower: v.lower - constant, Upper: v.upper - constant}, nil, nil)
	for k, j := range p.index {
		if p.value[k] != 0 {
			p.model.AddEntry(i, lp.Var(j), p.value[k])
		}
	}
	p.keepLower(i)
	return nil
}

// bound reads a line of Bounds: [side rel] column [rel side], or column free.
func (p *lpParser) bound() *Error {
	left, side, err := p.leftSideOf()
	if err != nil {
		return err
	}
	if p.cur.kind != nameToken {
		return p.fail("word", "expected a column")
	}
	j := p.known()
	c := &p.model.Cols[j]
	v := interval{c.Lower, c.Upper}
	if left != 0 && !v.restrict(left, side) {
		return p.fail("", "an infinite bound")
	}

	// A line with a left side may end at the column.
	switch {
	case left == 0 && p.cur.kind == nameToken && lower(p.cur.text) == "free":
		v = interval{math.Inf(-1), math.Inf(1)}
		p.advance()
	case left == 0 || p.cur.kind == relation:
		if err := p.rightSide(&v, left); err != nil {
			return err
		}
	}

	// A negative upper bound over the default lower bound of 0 makes the model infeasible. MPS frees the lower bound
	// there, the LP format does not.
	if v.upper < 0 && v.lower == 0 {
		p.warn.add("negative upper bound", p.cur.line, "column %q: upper bound %g below the lower bound 0, which this "+
			"format keeps; write \"-inf <= %s <= %g\" for a column without a lower bound", c.Name, v.upper, c.Name, v.upper)
	}
	c.Lower, c.Upper = v.lower, v.upper
	p.upperSet[j] = true
	return nil
}

// known returns the column of the current token, which should have appeared before.
func (p *lpParser) known() int32 {
	if _, ok := p.cols[string(p.cur.text)]; !ok {
		p.warn.add("new column", p.cur.line, "column %q is in no constraint and has no cost", p.cur.text)
	}
	return p.column()
}

// integer reads a name of Generals or Binaries.
func (p *lpParser) integer(binary bool) *Error {
	if p.cur.kind != nameToken {
		return p.fail("word", "expected a column")
	}
	line := p.cur.line
	j := p.known()

	p.model.Cols[j].Integer = true
	if binary {
		p.binary[j] = line
	}
	return nil
}

// restrictBinaries intersects the bounds of the columns of Binaries with [0, 1], in whatever order the file has its
// sections. An empty intersection makes the model infeasible, which is no error of the file.
func (p *lpParser) restrictBinaries() {
	for j := range p.model.Cols {
		if p.binary[j] > 0 {
			p.warn.restrictBinary(&p.model.Cols[j], p.binary[j])
		}
	}
}
