package mpsmodel

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/lp"
)

// classes are the shapes of generated models: 4 sites with 5 clients in 4 scenarios, 8 with 10 in 10, 15 with 20 in 20.
var classes = []string{"4x100x36", "8x900x180", "15x6400x700"}

// generate makes a two-stage stochastic location model, whose scenarios are independent: sites of limited capacity are
// opened before the demands of the clients are known, and unmet demand costs a penalty. With n sites, m clients and s
// scenarios its shape is n x s m (n+1) x s (m+n).
func generate(class string, seed uint64) (*generic.Plain, error) {
	sizes, err := families.ParseShape(class, 3)
	if err != nil {
		return nil, err
	}

	// The numbers of columns and rows give s m and then s.
	n := sizes[0]
	perSite := sizes[1] / (n + 1)
	s := (sizes[2] - perSite) / n
	fits := sizes[1] == perSite*(n+1) && sizes[2] == perSite+s*n
	if s < 1 || perSite%s != 0 || !fits {
		return nil, fmt.Errorf("mps: %w: %s is no shape n x s m (n+1) x s (m+n) of a stochastic location model, such as %s",
			families.ErrOptions, class, strings.Join(classes, ", "))
	}
	return generic.NewPlain(name, stochasticLocation(n, perSite/s, s, seed), nil)
}

// stochasticLocation makes the extensive form: the second stages of all scenarios follow each other.
func stochasticLocation(n, m, scenarios int, seed uint64) *lp.Model {
	rng := rand.New(rand.NewPCG(seed, 0x10ca7e))
	model := &lp.Model{Name: fmt.Sprintf("location-%dx%dx%d-%d", n, m, scenarios, seed), Objective: "cost"}
	capacity := make([]float64, n)
	for j := range n {
		// Demands are from 1 to 20, so all sites together have room for them.
		capacity[j] = float64(20*m/n + rng.IntN(20*m/n+1))
		model.AddCol(lp.Col{Name: fmt.Sprintf("open_%d", j), Cost: float64(10*m + rng.IntN(20*m)), Upper: 1, Integer: true})
	}

	// Transport costs the same in every scenario.
	cost := make([]float64, m*n)
	for k := range cost {
		cost[k] = float64(1 + rng.IntN(12))
	}

	// A unit that is not delivered costs more than the transport of any unit, 1 to 12. Costs are weighted by the
	// probability of a scenario.
	const penalty = 20
	for t := range scenarios {
		start := len(model.Cols)
		for i := range m {
			for j := range n {
				model.AddCol(lp.Col{
					Name:  fmt.Sprintf("ship_%d_%d_%d", t, i, j),
					Cost:  cost[i*n+j] / float64(scenarios),
					Upper: lp.Inf,
				})
			}
		}
		for i := range m {
			model.AddCol(lp.Col{
				Name:  fmt.Sprintf("miss_%d_%d", t, i),
				Cost:  penalty / float64(scenarios),
				Upper: lp.Inf,
			})
		}

		// Every demand is shipped or missed, and shipments need open capacity.
		for i := range m {
			r := model.AddRow(lp.Row{Name: fmt.Sprintf("demand_%d_%d", t, i), Lower: float64(1 + rng.IntN(20)), Upper: lp.Inf},
				nil, nil)
			for j := range n {
				model.AddEntry(r, lp.Var(start+i*n+j), 1)
			}
			model.AddEntry(r, lp.Var(start+m*n+i), 1)
		}
		for j := range n {
			r := model.AddRow(lp.Row{Name: fmt.Sprintf("capacity_%d_%d", t, j), Lower: 0, Upper: lp.Inf}, []int32{int32(j)},
				[]float64{capacity[j]})
			for i := range m {
				model.AddEntry(r, lp.Var(start+i*n+j), -1)
			}
		}
	}
	return model
}
