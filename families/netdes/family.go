package netdes

import (
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// Family is stochastic network design with one commodity. Its classes are nodes x scenarios of a low or high density.
var Family = families.Family{
	Name:    name,
	About:   "stochastic fixed-charge network design, one commodity (.dat)",
	Classes: []string{"10x10-L", "10x30-H", "30x10-L"},
	Formats: []families.Format{{Name: "mpi-sppy's .dat: after a line that begins with +, the nodes, two numbers and " +
		"matrices",
		Head: []string{"+ ...", "10", "0.3", "200", "0,1,0,...;0,0,1,...;", "..."}}},
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		return families.As(Read(path, o.Warn))
	},
	Generate: func(class string, seed uint64) (families.Instance, error) { return families.As(Generate(class, seed)) },
}

const name = "netdes"

// Generate makes an instance in the manner of mpi-sppy's: fixed costs of about 200 times a unit cost, costs from 20 to
// 80, capacities from 20 to 40, and sources and sinks that a flow within three quarters of the capacities joins in
// every scenario.
func Generate(class string, seed uint64) (*Instance, error) {
	var nodes, scenarios int
	var density string
	if k, _ := fmt.Sscanf(class, "%dx%d-%s", &nodes, &scenarios, &density); k != 3 || nodes < 3 || nodes > 256 ||
		scenarios < 1 ||
		scenarios > 1<<16 || density != "L" && density != "H" {
		return nil, fmt.Errorf("netdes: %w: %q is no class such as 10x30-L: nodes x scenarios, density L or H",
			families.ErrOptions, class)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6e657464))
	d := &Data{Name: fmt.Sprintf("netdes%dx%d-%s-%d", nodes, scenarios, density, seed), Nodes: nodes, Density: 0.3,
		Ratio: 200}
	if density == "H" {
		d.Density = 0.6
	}
	between := func(low, high int) float64 { return float64(low + rng.IntN(high-low+1)) }
	for v := range nodes {
		for w := range nodes {
			if v != w && (w == (v+1)%nodes || rng.Float64() < d.Density) {
				d.Tail, d.Head = append(d.Tail, int32(v)), append(d.Head, int32(w))
				d.Fixed = append(d.Fixed, 100*between(80, 130))
			}
		}
	}
	for range scenarios {
		d.Scenarios = append(d.Scenarios, d.draw(rng, 1/float64(scenarios)))
	}
	return New(d)
}

// draw makes a scenario: a few paths carry what their ends demand.
func (d *Data) draw(rng *rand.Rand, probability float64) Scenario {
	between := func(low, high int) float64 { return float64(low + rng.IntN(high-low+1)) }
	s := Scenario{Probability: probability, Demand: make([]float64, d.Nodes)}
	out := make([][]int, d.Nodes)
	for e := range d.Tail {
		s.Cost, s.Capacity = append(s.Cost, between(20, 80)), append(s.Capacity, between(20, 40))
		out[d.Tail[e]] = append(out[d.Tail[e]], e)
	}
	room := append([]float64(nil), s.Capacity...)
	for range 1 + d.Nodes/5 {
		from := rng.IntN(d.Nodes)
		at, flow := from, 30.0
		var path []int
		for range 1 + rng.IntN(4) {
			e := out[at][rng.IntN(len(out[at]))]
			at, flow, path = int(d.Head[e]), min(flow, room[e]-5), append(path, e)
		}
		if at == from || flow < 1 || len(path) > len(unique(path)) {
			continue
		}
		for _, e := range path {
			room[e] -= flow
		}
		s.Demand[from] += flow
		s.Demand[at] -= flow
	}
	return s
}

func unique(list []int) map[int]bool {
	out := make(map[int]bool, len(list))
	for _, v := range list {
		out[v] = true
	}
	return out
}

// Perturb implements families.Instance: fixed and unit costs times lognormal factors, the same in all scenarios.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	factor, err := instance.Factors(2*in.Data.Arcs(), sigma, seed)
	if err != nil {
		return nil, 0, err
	}
	d := *in.Data
	d.Name, d.Fixed, d.Scenarios = name, scaled(d.Fixed, factor), append([]Scenario(nil), d.Scenarios...)
	for k := range d.Scenarios {
		d.Scenarios[k].Cost = scaled(d.Scenarios[k].Cost, factor[d.Arcs():])
	}
	out, err := New(&d)
	return out, 1, err
}

// scaled returns the products of a list with factors.
func scaled(list, factor []float64) []float64 {
	out := make([]float64, len(list))
	for k, v := range list {
		out[k] = v * factor[k]
	}
	return out
}

// Capabilities implements families.Instance: those of any program with scenarios, shown as a network.
func (in *Instance) Capabilities() families.Capabilities {
	can := in.Scenarios.Capabilities()
	can.Explainer = in
	can.Numbered = in
	return can
}
