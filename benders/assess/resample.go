package assess

import (
	"fmt"
	"math/rand/v2"
	"sort"

	"github.com/proxybd/proxybd/lp/stoch"
)

// resample draws equally likely scenarios from those of a program by their probabilities, with replacement.
func resample(p *stoch.Program, n int, seed uint64) (*stoch.Program, error) {
	if n < 1 || len(p.Scenarios) == 0 {
		return nil, fmt.Errorf("assess: %w: %d scenarios of %d", stoch.ErrProgram, n, len(p.Scenarios))
	}

	// The probabilities summed up: scenario s has the numbers from sums[s-1] to sums[s]. Their total need not be exactly
	// one.
	sums := make([]float64, len(p.Scenarios))
	total := 0.0
	for s := range p.Scenarios {
		total += p.Scenarios[s].Probability
		sums[s] = total
	}

	// The first sum above the number drawn; rounding gives the last scenario the rest.
	const stream = 0x736161 // of the random numbers, so that other packages draw others from the same seed
	rng := rand.New(rand.NewPCG(seed, stream))
	out := &stoch.Program{Name: p.Name, Core: p.Core, First: p.First}
	for range n {
		// A name would make the scenarios of a sample look like those of the program.
		u := rng.Float64() * total
		s := sort.Search(len(sums)-1, func(k int) bool { return sums[k] > u })
		out.Add("", 1/float64(n), p.Scenarios[s].Changes...)
	}
	return out, nil
}
