package scflp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
)

// Family is stochastic capacitated facility location. Its classes are customers x facilities and how scenarios are
// drawn.
var Family = families.Family{
	Name:    family,
	About:   "stochastic capacitated facility location (.json, tables)",
	Classes: []string{"10x10:25", "50x25:128", "50x25:128:lognormal:0.5:0.2"},
	Formats: []families.Format{{
		Name: "BendersX's JSON: one object with these keys and no other",
		Head: []string{`{"n_facilities": 2, "n_customers": 3, "n_scenarios": 2, "capacities": [9, 8],`,
			` "demands": [[1, 2, 3], [2, 2, 4]], "fixed_costs": [50, 40], "costs": [[1, 4, 2], [3, 1, 5]]}`},
	}, {
		Name: "tables (proxybd template scflp)",
		Head: []string{"problem,scflp", "facility,capacity,fixed_cost", "Hamburg,60,120", "..."},
	}},
	Options: []families.Option{single},
	Tables:  schema,
	Read:    read,
	Generate: func(class string, seed uint64) (families.Instance, error) {
		return families.As(generate(class, seed))
	},
}

// family is what the command line, files and errors call the family.
const family = "scflp"

// generate makes an instance of customers x facilities, such as 50x25:128 with 128 scenarios (instance.ParseDraws):
// points in a square, costs that grow with the distance, mean demands from 5 to 35, and capacities from 10 to 160 that
// are raised where they do not suffice three times over (in the manner of Cornuejols, Sridharan and Thizy 1991).
func generate(class string, seed uint64) (*Instance, error) {
	// A class without draws has a text that ParseDraws refuses.
	shape, text, _ := strings.Cut(class, ":")
	sizes, err := families.ParseShape(shape, 2)
	if err != nil {
		return nil, err
	}
	draws, err := instance.ParseDraws(text)
	if err != nil {
		return nil, fmt.Errorf("scflp: class %q: %w", class, err)
	}

	const maxSize = 1 << 14 // customers or facilities: the model has a column and a row for every pair
	if sizes[0] > maxSize || sizes[1] > maxSize {
		return nil, fmt.Errorf("scflp: %w: %s is too large", families.ErrOptions, shape)
	}

	// The points are in the unit square, customers first.
	d := &Data{Customers: sizes[0], Facilities: sizes[1], Scenarios: draws.Count}
	rng := rand.New(rand.NewPCG(seed, 0x7363666c))
	points := make([][2]float64, d.Customers+d.Facilities)
	// Each point is drawn by its two coordinates.
	for k := range points {
		points[k] = [2]float64{rng.Float64(), rng.Float64()}
	}

	// Mean demands, and those of the scenarios; the worst scenario decides about capacities.
	between := func(low, high int) float64 { return float64(low + rng.IntN(high-low+1)) }
	mean := make([]float64, d.Customers)
	for j := range mean {
		mean[j] = between(5, 35)
	}
	d.Demand = draws.Demands(mean, seed)
	worst := 0.0
	for _, demand := range d.Demand {
		total := 0.0
		for _, v := range demand {
			total += v
		}
		worst = max(worst, total)
	}

	// Capacities are raised to three times the worst demand. Fixed costs grow with the root of a capacity, unit costs
	// with the distance.
	capacity := 0.0
	for i := range d.Facilities {
		d.Capacity = append(d.Capacity, between(10, 160))
		capacity += d.Capacity[i]
	}
	for i, at := range points[d.Customers:] {
		// The factor is the same for all facilities, so that their proportions stay.
		d.Capacity[i] = math.Ceil(d.Capacity[i] * max(1, 3*worst/capacity))
		d.Fixed = append(d.Fixed, math.Round(between(0, 90)+between(100, 110)*math.Sqrt(d.Capacity[i])))
		costs := make([]float64, d.Customers)
		for j := range costs {
			costs[j] = 100 * math.Hypot(at[0]-points[j][0], at[1]-points[j][1])
		}
		d.Cost = append(d.Cost, costs)
	}
	return newInstance(fmt.Sprintf("scflp%s-%d", strings.ReplaceAll(class, ":", "-"), seed), d)
}

// Perturb implements families.Instance: fixed and unit costs times lognormal factors.
func (in *Instance) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	d := *in.Data

	// A factor for each fixed cost and each unit cost.
	factor, err := instance.Factors(d.Facilities*(1+d.Customers), sigma, seed)
	if err != nil {
		return nil, 0, err
	}

	// The factors are those of the fixed costs, and then of the unit costs facility by facility. Demands and capacities
	// stay, so that what is feasible stays so.
	d.Fixed = nil
	d.Cost = nil
	for i, f := range in.Data.Fixed {
		costs := make([]float64, d.Customers)
		for j, c := range in.Data.Cost[i] {
			costs[j] = c * factor[d.Facilities+i*d.Customers+j]
		}
		d.Fixed = append(d.Fixed, f*factor[i])
		d.Cost = append(d.Cost, costs)
	}
	out, err := newInstance(name, &d)
	return out, 1, err
}

// Capabilities implements families.Instance: those of any program with scenarios, shown as facilities and customers.
func (in *Instance) Capabilities() families.Capabilities {
	can := in.Scenarios.Capabilities()
	can.Explainer = in
	can.Tabled = in
	can.Diagnosed = in

	// The lists of the family's own files count from 0, as designs do.
	if in.Data.Labels != nil {
		can.Numbered = in
	}
	return can
}
