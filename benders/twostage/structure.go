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
	h := sha256.New()
	c := p.Compact
	fmt.Fprintf(h, "%d %d %d;", p.First, len(c.Cols), len(c.Rows))
	kind := func(l, u float64) string { return fmt.Sprint(math.IsInf(l, -1), math.IsInf(u, 1), l == u) }
	for _, col := range c.Cols {
		fmt.Fprintf(h, "%s %v;", kind(col.Lower, col.Upper), col.Integer)
	}
	for _, row := range c.Rows {
		fmt.Fprintf(h, "%s;", kind(row.Lower, row.Upper))
	}
	if a, err := c.Matrix(); err == nil {
		fmt.Fprint(h, a.Start, a.Index, a.Value)
	}
	return hex.EncodeToString(h.Sum(nil))
}
