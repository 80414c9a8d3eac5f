package mps

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Flags of parser.bounded: what the lines of BOUNDS have said of a column so far.
const (
	// lowerSet is set once a line has given the lower bound, which may be -Inf.
	lowerSet uint8 = 1 << iota
	// upperSet is set once a line has given the upper bound, which may be +Inf.
	upperSet
	// binarySet is set by a line of type BV. The bounds are intersected with [0, 1] at the end of the file.
	binarySet
)

// boundType says what a bound line needs and means.
type boundType struct {
	// valued: the line must have a value. Other types ignore one, but for SC and SI, where it may be missing.
	valued bool
	// lower and upper: the line sets this side, to its value or, where the type has none, to infinity.
	lower, upper bool
	// semi: the line makes the column semi-continuous.
	semi bool
	// integer: the line makes the column integer.
	integer bool
	// binary: the column is 0 or 1, whatever the other lines say.
	binary bool
}

// boundTypes are the types of bounds. LI, UI, BV, SC and SI came with CPLEX, the others with the original format.
var boundTypes = map[string]boundType{
	"LO": {valued: true, lower: true},
	"UP": {valued: true, upper: true},
	"FX": {valued: true, lower: true, upper: true},
	"LI": {valued: true, lower: true, integer: true},
	"UI": {valued: true, upper: true, integer: true},
	"FR": {lower: true, upper: true},
	"MI": {lower: true},
	"PL": {upper: true},
	"BV": {integer: true, binary: true},
	"SC": {semi: true, upper: true},
	"SI": {semi: true, upper: true, integer: true},
}

// alignBound puts the tokens of a free bound line into their fields: type, optional set, column and, where the type
// asks for one, a value. A type without a value may carry one, which is ignored.
func (p *parser) alignBound(tok [][]byte, f *fields) *Error {
	f.code = tok[0]
	t, err := p.boundType(f.code)
	if err != nil {
		return err
	}

	// Three fields of a type without a value are a set and a column, or a column and a value that is ignored. They are
	// the latter only where the second is a column and the third is none.
	rest := tok[1:]
	ambiguous := len(tok) == 3 && !t.valued
	setFirst := ambiguous && (p.isColumn(tok[2]) || !p.isColumn(tok[1]))
	if len(tok) == 4 || setFirst {
		f.name = rest[0]
		rest = rest[1:]
	}

	// A column is left, and a value where the type has one or the line gives one.
	missing := len(rest) < 1 || t.valued && len(rest) == 1
	if missing || len(rest) > 2 {
		return p.fail("", nil, "expected a bound type, a set (or none), a column and a value, found %d fields", len(tok))
	}
	f.key[0] = rest[0]
	if len(rest) == 2 {
		f.value[0] = rest[1]
	}
	return nil
}

// isColumn reports whether COLUMNS has a column of the name.
func (p *parser) isColumn(name []byte) bool {
	_, ok := p.cols.find(name)
	return ok
}

// boundType returns the type of a code. Codes are in upper case, as all writers have them.
func (p *parser) boundType(code []byte) (boundType, *Error) {
	t, ok := boundTypes[string(code)]
	if ok {
		return t, nil
	}
	return t, p.fail("bound type", code, "none of LO, UP, FX, FR, MI, PL, BV, LI, UI, SC and SI")
}

// bound handles a line of BOUNDS.
func (p *parser) bound(f *fields) *Error {
	t, err := p.boundType(f.code)
	if err != nil {
		return err
	}
	if len(f.key[1]) > 0 {
		return p.fail("field", f.key[1], "unexpected after the bound")
	}

	// Bounds of another set than the first do not count.
	if !p.inSet(f.name) {
		return nil
	}

	// The column must be one of COLUMNS.
	j, ok := p.cols.find(f.key[0])
	if !ok {
		if len(f.key[0]) == 0 {
			return p.fail("", nil, "a column name is missing")
		}
		return p.fail("column name", f.key[0], "no such column")
	}

	// A type with a value needs it, SC and SI may have one, and others ignore theirs.
	var v float64
	switch {
	case t.valued && len(f.value[0]) == 0:
		return p.fail("", nil, "the value of a %s bound is missing", f.code)
	case t.valued:
		v, err = p.boundValue(f.value[0])
	case t.semi:
		if err := p.refuseLogic("bound type", string(f.code), "semi-continuous columns"); err != nil {
			return err
		}
		v, err = p.semiBound(j, f.value[0])
	}
	if err != nil {
		return err
	}

	// The column becomes integer even if its bounds stay.
	if t.integer {
		p.model.Cols[j].Integer = true
	}
	return p.applyBound(t, int(j), v, f)
}

// boundValue reads a number that may be infinite.
func (p *parser) boundValue(text []byte) (float64, *Error) {
	v, ok := parseBound(text)
	if !ok {
		return 0, p.fail("bound", text, "not a number")
	}
	return v, nil
}

// semiBound reads the upper bound of a semi-continuous column, which may be missing.
func (p *parser) semiBound(j int32, text []byte) (float64, *Error) {
	p.logic.semi(j, p.scan.line)
	if len(text) == 0 {
		return lp.Inf, nil
	}

	// With an upper bound of 0 the column could be 0 alone.
	v, err := p.boundValue(text)
	if err == nil && v == 0 {
		err = p.fail("bound", text, "an upper bound of 0 of a semi-continuous column: some readers take it for none; "+
			"leave it out, or fix the column")
	}
	return v, err
}

// applyBound changes the bounds of column j as the type of the line says; v is 0 for types without a value.
func (p *parser) applyBound(t boundType, j int, v float64, f *fields) *Error {
	// Only FX has a value for both sides: FR has none, and v is 0 there.
	if t.lower && t.upper && math.IsInf(v, 0) {
		return p.fail("bound", f.value[0], "a column cannot be fixed at infinity")
	}

	// What a BV line says is applied at the end of the file, by boundIntegers.
	if t.binary {
		p.bounded[j] |= binarySet
	}

	// A negative upper bound contradicts the default lower bound of 0, which nobody stated. Only UP and UI lines free
	// the lower bound: SC and SI lines have 0 among the values of the column in any case.
	c := &p.model.Cols[j]
	negativeUpper := t.valued && !t.lower && v < 0
	if negativeUpper && p.bounded[j]&lowerSet == 0 && c.Lower == 0 {
		c.Lower = -lp.Inf
		p.warn.add("negative upper bound", p.scan.line,
			"column %q: upper bound %g with no lower bound: the lower bound becomes -infinity, as for CPLEX and Gurobi; "+
				"HiGHS, SCIP and GLPK keep 0", f.key[0], v)
	}

	// FR, MI and PL set a side to infinity.
	low, high := v, v
	if !t.valued && !t.semi {
		low, high = -lp.Inf, lp.Inf
	}

	// A side at the wrong infinity leaves the column no value.
	if t.lower {
		if math.IsInf(low, 1) {
			return p.fail("bound", f.value[0], "a lower bound of +infinity")
		}
		p.setBound(&c.Lower, low, &p.bounded[j], lowerSet, "lower", f.key[0])
	}
	if t.upper {
		if math.IsInf(high, -1) {
			return p.fail("bound", f.value[0], "an upper bound of -infinity")
		}
		p.setBound(&c.Upper, high, &p.bounded[j], upperSet, "upper", f.key[0])
	}
	return nil
}

// setBound sets one bound of a column, and warns where a line before set another one.
func (p *parser) setBound(bound *float64, v float64, bounded *uint8, flag uint8, which string, column []byte) {
	if *bounded&flag != 0 && *bound != v {
		p.warn.add("second "+which+" bound", p.scan.line, "column %q: a second %s bound; the last one counts", column, which)
	}

	// The last line counts, as in the readers of other solvers.
	*bound = v
	*bounded |= flag
}

// boundIntegers intersects the bounds of BV columns with [0, 1], in whatever order their bounds stand, and gives the
// integer columns without bounds those of a binary one, as most readers of MPS do.
func (p *parser) boundIntegers() {
	for j := range p.model.Cols {
		c := &p.model.Cols[j]
		if p.bounded[j]&binarySet != 0 {
			p.warn.restrictBinary(c, 0)
		}

		// No line of BOUNDS has named the column.
		if c.Integer && p.bounded[j] == 0 {
			c.Upper = 1
			p.warn.add("unbounded integer", 0, "integer column %q has no bounds: it is taken for binary", c.Name)
		}
	}
}
