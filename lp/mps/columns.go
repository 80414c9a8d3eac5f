package mps

import (
	"bytes"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// column handles a line of COLUMNS: a marker, or one or two coefficients of a column.
func (p *parser) column(f *fields) *Error {
	if bytes.Equal(f.key[0], markerWord) {
		return p.marker(f.value[0])
	}
	if len(f.name) == 0 {
		return p.fail("", nil, "a coefficient without a column name")
	}

	// All lines of a column stand together, so another name begins the next column.
	if p.current == nil || !bytes.Equal(f.name, p.current) {
		if err := p.newColumn(f.name); err != nil {
			return err
		}
	}
	for k := range f.pairs() {
		if err := p.coefficient(f.key[k], f.value[k]); err != nil {
			return err
		}
	}
	return nil
}

// markerWord is the second field of a marker.
var markerWord = []byte("'MARKER'")

// markerLine handles a marker in fixed MPS, where files do not agree on its columns.
func (p *parser) markerLine(line []byte) *Error {
	var tok [maxTokens][]byte

	// The third field is the kind, wherever it stands.
	split(line, &tok)
	return p.marker(tok[2])
}

// marker opens or closes a group of integer columns.
func (p *parser) marker(word []byte) *Error {
	switch string(word) {
	case "'INTORG'":
		p.integer = true
	case "'INTEND'":
		p.integer = false
	default:
		return p.fail("marker", word, "neither 'INTORG' nor 'INTEND'")
	}

	// A marker ends the column before it, so that its name may not go on behind.
	p.current = nil
	return nil
}

// newColumn adds a column with the bounds of the default, 0 and infinity.
func (p *parser) newColumn(name []byte) *Error {
	// The table keeps the only copy of the name, which the model shares.
	kept, added := p.cols.add(name)
	if !added {
		return p.fail("column name", name, "the column appears a second time, apart from its first lines")
	}

	// The room for columns grows with the estimate, not by doubling.
	if n := len(p.model.Cols); n == cap(p.model.Cols) {
		p.model.Cols = slices.Grow(p.model.Cols, p.moreColumns(n))
	}

	// Lines of BOUNDS come later and change the bounds.
	p.model.AddCol(lp.Col{Name: kept, Upper: lp.Inf, Integer: p.integer})
	p.bounded = append(p.bounded, 0)
	p.current = name
	return nil
}

// moreColumns estimates how many columns follow the first n, from the share of the file that these take: at least n and
// 64, at most 3 n where that is more.
func (p *parser) moreColumns(n int) int {
	left := len(p.scan.data)
	guess := float64(n) * float64(left) / float64(max(1, p.colsFrom-left))
	return max(64, n, int(min(1.1*guess, 3*float64(n))))
}

// coefficient adds a coefficient of the current column.
func (p *parser) coefficient(row, value []byte) *Error {
	i, ok := p.rows.find(row)
	if !ok {
		return p.unknownRow(row)
	}
	v, err := p.number("coefficient", value)
	if err != nil {
		return err
	}

	// A row that had a coefficient of this column has its number plus one.
	j := len(p.model.Cols) - 1
	if p.lastCol[i] == int32(j+1) {
		return p.fail("row name", row, "the second coefficient of column %q in this row", p.current)
	}
	p.lastCol[i] = int32(j + 1)

	// Zeros are counted and not stored; the coefficients of the objective row are costs.
	switch {
	case v == 0:
		p.zeros++
	case p.modelRow[i] == objective:
		p.model.Cols[j].Cost = v
	default:
		p.model.AddEntry(lp.Con(p.modelRow[i]), lp.Var(j), v)
	}
	return nil
}

// unknownRow is the error of a row that ROWS does not have.
func (p *parser) unknownRow(row []byte) *Error {
	if len(row) == 0 {
		return p.fail("", nil, "a row name is missing")
	}
	return p.fail("row name", row, "no such row")
}

// number reads a finite value.
func (p *parser) number(what string, text []byte) (float64, *Error) {
	if len(text) == 0 {
		return 0, p.fail("", nil, "%s missing", what)
	}

	// Only bounds and sides may be infinite.
	v, ok := parseNumber(text)
	if !ok {
		return 0, p.fail(what, text, "not a number")
	}
	if math.IsInf(v, 0) {
		return 0, p.fail(what, text, "too large for a double")
	}
	return v, nil
}
