package twostage

import (
	"math"

	"github.com/proxybd/proxybd/lp"
)

// Normalisation bounds the multipliers of a feasibility certificate: any positive multiple of it is one too. It
// concerns the rows whose multipliers are predicted, and for an exact certificate those with first-stage columns. The
// zero value is Slice.
type Normalisation uint8

const (
	// Slice lets the absolute values of the multipliers sum to at most one (paper, section 3.1). A best certificate
	// then lies on an extreme ray of the cone of certificates, as an exact classical one does.
	Slice Normalisation = iota

	// Box lets every absolute value be at most one (paper, Appendix A, with w = 1). A best certificate may then be a
	// mixture of extreme rays, whose cut is valid and weaker.
	Box
)

// measure adds to a model of the recourse the columns that move the sides of its rows outwards, and returns the
// function that gives a row such a column: Slice has one for all rows, Box one for each. By duality their cost of 1
// bounds the sum of the absolute multipliers of the rows that share a column.
func (n Normalisation) measure(m *lp.Model) func(row lp.Con, sign float64) {
	// A column of sign 1 lowers the lower side of its row by its value, one of sign -1 raises the upper side.
	slack := func() lp.Var { return m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf}) }
	if n == Box {
		return func(row lp.Con, sign float64) { m.AddEntry(row, slack(), sign) }
	}
	all := slack()
	return func(row lp.Con, sign float64) { m.AddEntry(row, all, sign) }
}

// bound adds to a program over multipliers the normalisation of those whose positive and negative parts are the given
// columns, -1 for a part that there is not.
func (n Normalisation) bound(m *lp.Model, parts []lp.Var) {
	sum := lp.Con(-1)
	if n == Slice {
		sum = m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: 1}, nil, nil)
	}

	// The sum of the two parts of a multiplier is at least its absolute value, and equal to it where one part is zero.
	for _, j := range parts {
		switch {
		case j < 0:
		case n == Slice:
			m.AddEntry(sum, j, 1)
		default:
			m.Cols[j].Upper = 1
		}
	}
}
