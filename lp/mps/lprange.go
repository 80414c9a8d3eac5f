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
	// name is that of the range, without the ending of the side; "" for no row.
	name string
	// row is the lower side, and left its coefficients by column.
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

// keepLower stores the row that was added last, if its name and its sides are those of the lower side of a range.
func (p *lpParser) keepLower(i lp.Con) {
	p.lastLower = rangeSide{}
	r := &p.model.Rows[i]
	name, ends := strings.CutSuffix(r.Name, lowerSide)
	isLower := ends && math.IsInf(r.Upper, 1) && !math.IsInf(r.Lower, -1)
	if isLower && name != "" && !p.rowNames[name] {
		p.lastLower = rangeSide{name, i, p.leftSide()}
	}
}

// joinsRange joins a constraint that has been read with the row before it, if the two are the sides of a range, and
// reports whether they are.
func (p *lpParser) joinsRange(name string, v interval, constant float64) bool {
	// The names must belong together, and the constraint must be an upper side alone.
	s := p.lastLower
	named := s.name != "" && name == s.name+upperSide && !p.rowNames[name]
	if !named || !math.IsInf(v.lower, -1) {
		return false
	}
	// The two sides must have the same left side and leave a value between them.
	r := &p.model.Rows[s.row]
	upper := v.upper - constant
	if !(r.Lower <= upper) || math.IsInf(upper, 1) || !maps.Equal(p.leftSide(), s.left) {
		return false
	}

	// The name of the upper side remains taken, and that of the range goes back to its lower side if another row needs it.
	r.Name = s.name
	r.Upper = upper
	p.rowNames[name] = true
	if p.ranges == nil {
		p.ranges = map[string]lp.Con{}
	}
	p.ranges[s.name] = s.row
	p.lastLower = rangeSide{}
	return true
}
