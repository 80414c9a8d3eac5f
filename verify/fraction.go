package verify

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/proxybd/proxybd/record"
)

// longest is the most digits of a fraction, and maxDigits of all that a leaf rests on: no proof needs more,
// and the common denominator of more takes long. maxDenominator is the most bits of that of the multipliers of a cut.
const (
	longest        = 1 << 16
	maxDigits      = 1 << 18
	maxDenominator = 1 << 18
)

// fraction reads a number as a record writes it where it is no float64: an integer, or two with a slash.
func fraction(text string) (*big.Rat, bool) {
	if len(text) > longest || strings.ContainsAny(text, "eEpP") {
		// Exponents would let a short text stand for a huge number.
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// exactNumbers returns the numbers of the fractions, and those of value where a fraction is empty. There may be no
// fractions at all.
func exactNumbers(value []float64, fractions []string) ([]*num, error) {
	if len(fractions) != 0 && len(fractions) != len(value) {
		return nil, fmt.Errorf("%d fractions for %d numbers", len(fractions), len(value))
	}

	out := make([]*num, len(value))
	for k, v := range value {
		// An empty fraction says that the float64 is exact.
		if len(fractions) == 0 || fractions[k] == "" {
			if !finite(v) {
				return nil, fmt.Errorf("the number %g", v)
			}
			out[k] = of(v)
			continue
		}

		// Fractions stay fractions, since their denominators are not powers of two.
		r, ok := fraction(fractions[k])
		if !ok {
			return nil, fmt.Errorf("the fraction %.20q", fractions[k])
		}

		// The number keeps the numerator and the denominator of the fraction.
		out[k] = new(num)
		out[k].m.Set(r.Num())
		if !r.IsInt() {
			out[k].d = r.Denom()
		}
	}
	return out, nil
}

// digits counts those of all fractions that a leaf rests on.
func (c *checker) digits(nd *record.Node) (n int) {
	// The digits of a leaf are those of its weights and of the slopes of its cuts.
	for _, text := range nd.Exact {
		n += len(text)
	}
	for _, row := range nd.Rows {
		// Numbers of cuts that are not there are reported where the leaf is proven.
		if row >= 0 && int(row) < len(c.r.Cuts) {
			for _, text := range c.r.Cuts[row].Slopes {
				n += len(text)
			}
		}
	}
	return n
}
