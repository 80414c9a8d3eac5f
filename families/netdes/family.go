package netdes

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/internal/sheet"
)

// Family is stochastic network design with one commodity. Its classes are nodes x scenarios of a low or high density.
var Family = families.Family{
	Name:    name,
	About:   "stochastic fixed-charge network design, one commodity (.dat, tables)",
	Classes: []string{"10x10-L", "10x30-H", "30x10-L"},
	Formats: []families.Format{{
		Name: "mpi-sppy's .dat: after a line that begins with +, the nodes, two numbers and matrices",
		Head: []string{"+ ...", "10", "0.3", "200", "0,1,0,...;0,0,1,...;", "..."},
	}, {
		Name: "tables (proxybd template netdes)",
		Head: []string{"problem,netdes", "arc,from,to,fixed_cost,cost,capacity", "1,Hamburg,Berlin,60,3,40", "..."},
	}},
	Tables: schema,
	Read: func(path string, o families.ReadOptions) (families.Instance, error) {
		in, ok, err := tables.Read(path, schema, o, func(s *sheet.Sheet) (families.Instance, error) {
			return fromTables(s, o.Warn)
		})
		if ok {
			return in, err
		}
		return families.As(read(path, o.Warn))
	},
	Generate: func(class string, seed uint64) (families.Instance, error) { return families.As(generate(class, seed)) },
}

// name is what the command line, files and errors call the family.
const name = "netdes"

// generate makes an instance in the manner of mpi-sppy's: fixed costs of about 200 times a unit cost, costs from 20 to
// 80, capacities from 20 to 40, and sources and sinks that a flow within three quarters of the capacities joins in
// every scenario.
func generate(class string, seed uint64) (*Instance, error) {
	// A class such as 10x30-L has 10 nodes, 30 scenarios and few arcs.
	var nodes, scenarios int
	var density string
	k, _ := fmt.Sscanf(class, "%dx%d-%s", &nodes, &scenarios, &density)
	nodesFit := nodes >= 3 && nodes <= 256
	inRange := nodesFit && scenarios >= 1 && scenarios <= 1<<16
	if k != 3 || !inRange || !slices.Contains([]string{"L", "H"}, density) {
		return nil, fmt.Errorf("netdes: %w: %q is no class such as 10x30-L: nodes x scenarios, density L or H",
			families.ErrOptions, class)
	}

	d := &Data{
		Name:    fmt.Sprintf("netdes%dx%d-%s-%d", nodes, scenarios, density, seed),
		Nodes:   nodes,
		Density: 0.3,
		Ratio:   200,
	}
	if density == "H" {
		d.Density = 0.6
	}

	// A cycle through all nodes is always there, so that every node is reached.
	rng := rand.New(rand.NewPCG(seed, 0x6e657464))
	for v := range nodes {
		for w := range nodes {
			if v != w && (w == (v+1)%nodes || rng.Float64() < d.Density) {
				d.Tail = append(d.Tail, int32(v))
				d.Head = append(d.Head, int32(w))
				d.Fixed = append(d.Fixed, 100*between(rng, 80, 130))
			}
		}
	}

	// All scenarios have the same probability.
	for range scenarios {
		d.Scenarios = append(d.Scenarios, d.draw(rng, 1/float64(scenarios)))
	}
	return newInstance(d)
}

// between draws an integer from low to high.
func between(rng *rand.Rand, low, high int) float64 { return float64(low + rng.IntN(high-low+1)) }

// draw makes a scenario: a few paths carry what their ends demand.
func (d *Data) draw(rng *rand.Rand, probability float64) Scenario {
	s := Scenario{Probability: probability, Demand: make([]float64, d.Nodes)}
	// out has the arcs that leave each node.
	out := make([][]int, d.Nodes)
	for e := range d.Tail {
		s.Cost = append(s.Cost, between(rng, 20, 80))
		s.Capacity = append(s.Capacity, between(rng, 20, 40))
		out[d.Tail[e]] = append(out[d.Tail[e]], e)
	}

	// Each walk begins at a random node, takes up to four arcs, and leaves 5 of the capacity of each, so that the
	// arcs together could carry more than they must.
	room := slices.Clone(s.Capacity)
	for range 1 + d.Nodes/5 {
		from := rng.IntN(d.Nodes)
		at := from
		flow := 30.0
		used := make(map[int]bool)
		steps := 1 + rng.IntN(4)
		for range steps {
			e := out[at][rng.IntN(len(out[at]))]
			at = int(d.Head[e])
			flow = min(flow, room[e]-5)
			used[e] = true
		}

		// A walk that ends where it began, has hardly any room or takes an arc twice carries nothing.
		if at == from || flow < 1 || len(used) < steps {
			continue
		}
		for e := range used {
			room[e] -= flow
		}
		s.Demand[from] += flow
		s.Demand[at] -= flow
	}
	return s
}

// Perturb implements families.Instance: fixed and unit costs times lognormal factors, the same in all scenarios.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	factor, err := instance.Factors(2*in.Data.arcs(), sigma, seed)
	if err != nil {
		return nil, 0, err
	}

	// The instance shares what does not change with its variant.
	d := *in.Data
	d.Name = name
	d.Fixed = scaled(d.Fixed, factor)
	d.Scenarios = slices.Clone(d.Scenarios)
	for k := range d.Scenarios {
		d.Scenarios[k].Cost = scaled(d.Scenarios[k].Cost, factor[d.arcs():])
	}
	out, err := newInstance(&d)
	return out, 1, err
}

// scaled returns the products of a list with factors.
func scaled(list, factor []float64) []float64 {
	out := make([]float64, len(list))

	// The list of the given instance must not change.
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
	can.Tabled = in
	can.Diagnosed = in
	return can
}
