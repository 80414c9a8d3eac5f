package mps

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Flags of parser.bounded.
const (
	lowerSet uint8 = 1 << iota
	upperSet
	binarySet
)

// boundType says what a bound line needs and means.
type boundType struct {
	valued  bool // a value belongs to it
	semi    bool // it makes the column semi-continuous
	integer bool // it makes the column integer
}

var boundTypes = map[string]boundType{
	"LO": {valued: true}, "UP": {valued: true}, "FX": {valued: true},
	"LI": {valued: true, integer: true}, "UI": {valued: true, integer: true},
	"FR": {}, "MI": {}, "PL": {}, "BV": {integer: true}, "SC": {semi: true}, "SI": {semi: true, integer: true},
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
	setFirst := false
	if len(tok) == 3 && !t.valued {
		setFirst = p.isColumn(tok[2]) || !p.isColumn(tok[1])
	}
	switch n := len(tok); {
	case n == 4:
		f.name = tok[1]
		f.key[0] = tok[2]
		f.value[0] = tok[3]
	case setFirst:
		f.name = tok[1]
		f.key[0] = tok[2]
	case n == 3:
		f.key[0] = tok[1]
		f.value[0] = tok[2]
	case n == 2 && !t.valued:
		f.key[0] = tok[1]
	default:
		return p.fail("", nil, "expected a bound type, a set (or none), a column and a value, found %d fields", n)
	}
	return nil
}

func (p *parser) isColumn(name []byte) bool {
	_, ok := p.cols.find(name)
	return ok
}

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
	if !p.inSet(f.name) {
		return nil
	}

	// A type with a value needs it, SC and SI may have one, and others ignore theirs.
	j, ok := p.cols.find(f.key[0])
	if !ok {
		if len(f.key[0]) == 0 {
			return p.fail("", nil, "a column name is missing")
		}
		return p.fail("column name", f.key[0], "no such column")
	}

	var v float64
	switch {
	case t.valued && len(f.value[0]) == 0:
		return p.fail("", nil, "the value of a %s bound is missing", f.code)
	case t.valued:
		v, err = p.boundValue(f.value[0])
	case t.semi:
		v, err = p.semiBound(j, f.value[0])
	}
	if err != nil {
		return err
	}

	if t.integer {
		p.model.Cols[j].Integer = true
	}
	return p.applyBound(string(f.code), int(j), v, f)
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

	v, err := p.boundValue(text)
	if err == nil && v == 0 {
		err = p.fail("bound", text, "an upper bound of 0 of a semi-continuous column: some readers take it for none; "+
			"leave it out, or fix the column")
	}
	return v, err
}

// applyBound changes the bounds of column j as the type of the line says; v is 0 for types without a value.
func (p *parser) applyBound(code string, j int, v float64, f *fields) *Error {
	switch code {
	case "LO", "LI":
		return p.setLower(j, v, f)
	case "UP", "UI":
		// A negative upper bound contradicts the default lower bound of 0, which nobody stated.
		if v < 0 && p.bounded[j]&lowerSet == 0 && p.model.Cols[j].Lower == 0 {
			p.model.Cols[j].Lower = -lp.Inf
			p.warn.add("negative upper bound", p.scan.line,
				"column %q: upper bound %g with no lower bound: the lower bound becomes -infinity instead of 0", f.key[0], v)
		}
		return p.setUpper(j, v, f)

	case "FX":
		if math.IsInf(v, 0) {
			return p.fail("bound", f.value[0], "a column cannot be fixed at infinity")
		}
		p.setLower(j, v, f)
		return p.setUpper(j, v, f)

	case "FR":
		p.setLower(j, -lp.Inf, f)
		return p.setUpper(j, lp.Inf, f)
	case "MI":
		return p.setLower(j, -lp.Inf, f)
	case "SC", "SI":
		return p.setUpper(j, v, f)
	case "PL":
		return p.setUpper(j, lp.Inf, f)
	default: // BV, which boundIntegers applies
		p.bounded[j] |= binarySet
		return nil
	}
}

func (p *parser) setLower(j int, v float64, f *fields) *Error {
	if math.IsInf(v, 1) {
		return p.fail("bound", f.value[0], "a lower bound of +infinity")
	}
	p.setBound(&p.model.Cols[j].Lower, v, &p.bounded[j], lowerSet, "lower", f.key[0])
	return nil
}

func (p *parser) setUpper(j int, v float64, f *fields) *Error {
	if math.IsInf(v, -1) {
		return p.fail("bound", f.value[0], "an upper bound of -infinity")
	}
	p.setBound(&p.model.Cols[j].Upper, v, &p.bounded[j], upperSet, "upper", f.key[0])
	return nil
}

// setBound sets one bound of a column, and warns where a line before set another one.
func (p *parser) setBound(bound *float64, v float64, bounded *uint8, flag uint8, which string, column []byte) {
	if *bounded&flag != 0 && *bound != v {
		p.warn.add("second "+which+" bound", p.scan.line, "column %q: a second %s bound; the last one counts", column, which)
	}
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
		if c.Integer && p.bounded[j] == 0 {
			c.Upper = 1
			p.warn.add("unbounded integer", 0, "integer column %q has no bounds: it is taken for binary", c.Name)
		}
	}
}
