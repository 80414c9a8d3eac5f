package mps

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// pairs handles a line of RHS or RANGES: an optional set name and one or two (row, value) pairs.
func (p *parser) pairs(f *fields, what string, set func(i int32, row, text []byte) *Error) *Error {
	if !p.inSet(f.name) {
		return nil
	}

	for k := range f.pairs() {
		// The objective is a row of the file too: its right-hand side is the negative of the offset.
		i, ok := p.rows.find(f.key[k])
		if !ok {
			return p.unknownRow(f.key[k])
		}
		if len(f.value[k]) == 0 {
			return p.fail("", nil, "%s missing", what)
		}
		if err := set(i, f.key[k], f.value[k]); err != nil {
			return err
		}
	}
	return nil
}

// inSet reports whether a line belongs to the set that counts: the first one named in its section, or none.
func (p *parser) inSet(name []byte) bool {
	if len(name) == 0 {
		return true
	}

	// The first set that a section names is the one that counts.
	s := p.section
	if !p.setsKnown[s] {
		p.sets[s] = name
		p.setsKnown[s] = true
	}
	if string(p.sets[s]) == string(name) {
		return true
	}

	// The kind has the name, so that every set that is ignored has one warning.
	p.warn.add("set "+string(name), p.scan.line, "set %q is ignored: only the first one, %q, counts", name, p.sets[s])
	return false
}

// setRHS takes the right-hand side of a row.
func (p *parser) setRHS(i int32, row, text []byte) *Error {
	v, ok := parseBound(text)
	if !ok {
		return p.fail("right-hand side", text, "not a number")
	}

	// Some files repeat a right-hand side; only the same value may come again.
	if p.hasRHS[i] {
		return p.repeated(v == p.rhs[i], row, "right-hand side")
	}

	// A free row has no side.
	if p.kind[i] == 'N' && i != p.objRow {
		p.warn.add("rhs of free row", p.scan.line, "row %q: the right-hand side of a free row is ignored", row)
		return nil
	}

	// An infinite side is no restriction on the open side of L and G rows; elsewhere nothing satisfies it.
	if math.IsInf(v, 0) && v != openSide[p.kind[i]] {
		return p.fail("right-hand side", text, "infinite")
	}
	p.rhs[i] = v
	p.hasRHS[i] = true
	return nil
}

// openSide is the infinity on the side where the rows of a type have no bound. E and N rows have no such side.
var openSide = map[byte]float64{'L': lp.Inf, 'G': -lp.Inf}

// repeated warns of a value that is given twice, and fails where the two differ.
func (p *parser) repeated(same bool, row []byte, what string) *Error {
	if !same {
		return p.fail("row name", row, "a second %s of this row, and another one", what)
	}
	p.warn.add("second "+what, p.scan.line, "row %q: the same %s a second time", row, what)
	return nil
}

// setRange takes the range of a row.
func (p *parser) setRange(i int32, row, text []byte) *Error {
	v, ok := parseBound(text)
	if !ok {
		return p.fail("range", text, "not a number")
	}

	// As with right-hand sides the same range may come again.
	if !math.IsNaN(p.rng[i]) {
		return p.repeated(v == p.rng[i], row, "range")
	}
	if p.kind[i] == 'N' {
		p.warn.add("range of free row", p.scan.line, "row %q: the range of an N row is ignored", row)
		return nil
	}

	// What the range means depends on the type of the row and the sign: see rowBounds.
	p.rng[i] = v
	return nil
}

// finish turns row types, right-hand sides and ranges into row bounds and the offset, and makes rows of the rest.
func (p *parser) finish() *Error {
	for i, k := range p.modelRow {
		if k == objective {
			p.model.Offset = 0 - p.rhs[i] // not -0
			continue
		}

		// The three numbers of a row make its two sides.
		r := &p.model.Rows[k]
		r.Lower, r.Upper = rowBounds(p.kind[i], p.rhs[i], p.rng[i])
	}

	// What is left to the end of the file, since sections come in any order.
	p.boundIntegers()
	if err := p.endSet(); err != nil {
		return err
	}
	if err := p.model.Validate(); err != nil {
		return invalid(err)
	}

	// All fields have their place; what is wrong now is not the layout.
	p.final = true
	return p.logic.impose(p.model)
}

// rowBounds applies the range rules of the package comment; rng is NaN for a row without a range. With the right-hand
// side 10 a range of -3 gives [7, 10] in an E row and in an L row, and [10, 13] in a G row.
func rowBounds(kind byte, rhs, rng float64) (lower, upper float64) {
	ranged := !math.IsNaN(rng)
	closed := ranged && !math.IsInf(rhs, 0) // on both sides, in L and G rows
	lower, upper = -lp.Inf, lp.Inf

	// An N row that is not the objective is free: the sides stay infinite.
	switch kind {
	case 'L':
		upper = rhs
		if closed {
			lower = rhs - math.Abs(rng)
		}
	case 'G':
		lower = rhs
		if closed {
			upper = rhs + math.Abs(rng)
		}
	case 'E':
		lower, upper = rhs, rhs
		if rng < 0 {
			lower += rng
		} else if ranged {
			upper += rng
		}
	}
	return lower, upper
}
