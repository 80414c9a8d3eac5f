package mps

import (
	"maps"
	"math"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// Endings of the names of the two rows that a range becomes in an LP file.
const (
	lowerSide = "_lhs"
	upperSide = "_rhs"
)

// rangeSide is the row that was read last, if it may be the lower side of a range.
type rangeSide struct {
	name string // of the range, "" for none
	row  lp.Con
	left map[int32]float64
}

// leftSide returns the coefficients of the expression that was read last.
func (p *lpParser) leftSide() map[int32]float64 {
	left := make(map[int32]float64, len(p.index))
	for k, j := range p.index {
		if p.value[k] != 0 {
			left[j] = p.value[k]
		}
	}
	return left
}

// keepLower notes the row that was added last, if its name and its sides are those of the lower side of a range.
func (p *lpParser) keepLower(i lp.Con) {
	r := &p.model.Rows[i]
	name, is := strings.CutSuffix(r.Name, lowerSide)
	if !is || name == "" || p.rowNames[name] || !math.IsInf(r.Upper, 1) || math.IsInf(r.Lower, -1) {
		p.lastLower = rangeSide{}
		return
	}
	p.lastLower = rangeSide{name, i, p.leftSide()}
}

// joinsRange joins a constraint that has been read with the row before it, if the two are the sides of a range, and
// reports whether they are.
func (p *lpParser) joinsRange(name string, v interval, constant float64) bool {
	s := p.lastLower
	if s.name == "" || name != s.name+upperSide || p.rowNames[name] || !math.IsInf(v.lower, -1) {
		return false
	}
	upper := v.upper - constant
	if !maps.Equal(p.leftSide(), s.left) || !(p.model.Rows[s.row].Lower <= upper) || math.IsInf(upper, 1) {
		return false
	}

	r := &p.model.Rows[s.row]
	r.Name, r.Upper = s.name, upper
	p.rowNames[name] = true
	if p.ranges == nil {
		p.ranges = map[string]lp.Con{}
	}
	p.ranges[s.name] = s.row
	p.lastLower = rangeSide{}
	return true
}
