package instance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
)

// Draws says how scenarios of demands are drawn: how many, from which law, with which standard deviation as a part of
// the mean, and with which correlation between any two demands.
type Draws struct {
	// Count is the number of scenarios.
	Count int
	// Lognormal is the law, else the normal one, cut off at a thousandth of the mean.
	Lognormal bool
	// Deviation is the standard deviation as a part of the mean, from 0 to 10.
	Deviation float64
	// Correlation is that of any two demands, from 0 to 1.
	Correlation float64
}

// maxDraws bounds how many scenarios a class may ask for.
const maxDraws = 1 << 20

// ParseDraws reads COUNT[:normal|lognormal[:DEVIATION[:CORRELATION]]], as it follows a shape in the name of a class.
// The defaults are normal, 0.25 and 0. The error wraps ErrOptions.
func ParseDraws(text string) (Draws, error) {
	d := Draws{Deviation: 0.25}
	fields := strings.Split(text, ":")
	count, err := strconv.Atoi(fields[0])
	countFits := count >= 1 && count <= maxDraws
	ok := err == nil && countFits && len(fields) <= 4
	d.Count = count

	// The law is a word, which the numbers follow.
	if ok && len(fields) > 1 {
		d.Lognormal = fields[1] == "lognormal"
		ok = d.Lognormal || fields[1] == "normal"
	}

	// What is left out has its default.
	for k, to := range []*float64{&d.Deviation, &d.Correlation} {
		if ok && len(fields) > k+2 {
			*to, err = strconv.ParseFloat(fields[k+2], 64)
			ok = err == nil && *to >= 0 && *to <= [2]float64{10, 1}[k]
		}
	}
	if !ok {
		return d, fmt.Errorf("families: %w: %q is no number of scenarios with a law, deviation and correlation, such as "+
			"100 or 100:lognormal:0.5:0.2", families.ErrOptions, text)
	}
	return d, nil
}

// Demands draws the scenarios of demands with the given means from a seed. Any two demands have the correlation through
// one normal factor that all share (of the logarithms, where the law is lognormal).
func (d Draws) Demands(mean []float64, seed uint64) [][]float64 {
	rng := rand.New(rand.NewPCG(seed, 0x5ce2a210))
	sigma := math.Sqrt(math.Log1p(d.Deviation * d.Deviation))
	common := math.Sqrt(d.Correlation)
	own := math.Sqrt(1 - d.Correlation)

	// Each z is standard normal, and two of a scenario share the part common. The conversions to float64 keep the
	// compiler from fusing a product with a sum, which would give other bits on other machines.
	out := make([][]float64, d.Count)
	for s := range out {
		out[s] = make([]float64, len(mean))
		factor := float64(common * rng.NormFloat64())
		for i, m := range mean {
			z := factor + float64(own*rng.NormFloat64())
			if d.Lognormal {
				out[s][i] = m * math.Exp(float64(sigma*z)-sigma*sigma/2)
			} else {
				out[s][i] = m * max(1e-3, 1+float64(d.Deviation*z))
			}
		}
	}
	return out
}
