package twostage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
)

// Structure is the fingerprint of a problem without its costs and sides: sizes, coefficients, kinds of bounds and the
// first stage.
func (p *Problem) Structure() string {
	// Sizes, the kinds of all bounds and sides, and the matrix, in this order: proxies store the fingerprint.
	h := sha256.New()
	c := p.Compact
	fmt.Fprintf(h, "%d %d %d;", p.First, len(c.Cols), len(c.Rows))
	for _, col := range c.Cols {
		fmt.Fprintf(h, "%s %v;", kinds(col.Lower, col.Upper), col.Integer)
	}
	for _, row := range c.Rows {
		fmt.Fprintf(h, "%s;", kinds(row.Lower, row.Upper))
	}
	if a, err := c.Matrix(); err == nil {
		fmt.Fprint(h, a.Start, a.Index, a.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Structure is the fingerprint of the recourse of a program without its costs, sides and scenarios: sizes, kinds of
// bounds and the coefficients, but for the values of those of the first stage, or of the recourse, where some are
// random.
func (s *Scenarios) Structure() string {
	// The positions of coefficients always count, their values only where they are the same in all scenarios.
	h := sha256.New()
	p, c := s.base, &s.base.parts[0]
	fmt.Fprintf(h, "%d %d %d;", p.First, len(c.cols), len(c.rows))
	for _, j := range c.cols {
		col := &p.Compact.Cols[j]
		fmt.Fprintf(h, "%s;", kinds(col.Lower, col.Upper))
	}
	for k, i := range c.rows {
		row := &p.Compact.Rows[i]
		fmt.Fprintf(h, "%s %v %v;", kinds(row.Lower, row.Upper), c.at[k].index, c.recourse[k].index)
		if !s.span.random.Links {
			fmt.Fprint(h, c.at[k].value)
		}
		if !s.span.random.Matrix {
			fmt.Fprint(h, c.recourse[k].value)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// kinds returns as text which of two bounds are infinite, and whether they are equal.
func kinds(l, u float64) string {
	return fmt.Sprint(math.IsInf(l, -1), math.IsInf(u, 1), l == u)
}
