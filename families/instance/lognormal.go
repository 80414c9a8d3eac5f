package instance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/families"
)

// Factors draws lognormal factors with the median 1.
func Factors(count int, sigma float64, seed uint64) ([]float64, error) {
	out := slices.Repeat([]float64{1}, count)
	return out, Lognormal(sigma, seed, 0x6e4e7a2, out)
}

// Lognormal multiplies every number by a factor of its own, exp(sigma Z) with Z standard normal and independent, drawn
// from a stream of a seed. What is zero stays zero.
func Lognormal(sigma float64, seed, stream uint64, parts ...[]float64) error {
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return fmt.Errorf("families: %w: a lognormal factor with sigma %g", families.ErrOptions, sigma)
	}

	// Every list draws from the same stream, so that their order counts.
	rng := rand.New(rand.NewPCG(seed, stream))
	for _, part := range parts {
		for k := range part {
			part[k] *= math.Exp(sigma * rng.NormFloat64())
		}
	}
	return nil
}
