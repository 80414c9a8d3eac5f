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
	sums := make([]float64, len(p.Scenarios))
	total := 0.0
	for s := range p.Scenarios {
		total += p.Scenarios[s].Probability
		sums[s] = total
	}

	rng := rand.New(rand.NewPCG(seed, 0x736161))
	out := &stoch.Program{Name: p.Name, Core: p.Core, First: p.First}
	for range n {
		u := rng.Float64() * total
		s := sort.Search(len(sums)-1, func(k int) bool { return sums[k] > u })
		out.Add("", 1/float64(n), p.Scenarios[s].Changes...)
	}
	return out, nil
}
