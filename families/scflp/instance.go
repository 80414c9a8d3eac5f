// Package scflp is stochastic capacitated facility location: facilities are opened before demands are known,
//
//	min  sum_i f_i y_i + sum_s p_s Q_s(y),  sum_i s_i y_i >= max_s sum_j d_js,  y binary,
//	Q_s(y) = min { sum_ij c_ij x_ij : sum_i x_ij = d_js, x_ij <= min(d_js, s_i) y_i, sum_j x_ij <= s_i y_i, x >= 0 },
//
// with x_ij the units that facility i sends to customer j. Costs and the matrix of x are fixed, so that all scenarios
// share their dual-feasible set. The files are the JSON of BendersX, where all scenarios are equally likely, to which
// probabilities may be added, or tables.
//
// With single sourcing a customer is served by one facility in each scenario: the recourse is integer,
//
//	Q_s(y) = min { sum_ij c_ij d_js w_ij : sum_i w_ij = 1, w_ij <= y_i, sum_j d_js w_ij <= s_i y_i, w binary },
//
// and package benders/integer solves the program (sourcing.go).
//
// The instance is a program with scenarios (generic.Scenarios) and has its methods, records and proxies from there; the
// family itself has the model (instance.go), the files (read.go, tables.go), random instances in the manner of the
// literature (family.go), and tables and a picture of facilities and customers (explain.go).
//
// In models and files facilities i and customers j are counted from 0. The columns of the model are y_0, ..., y_n-1,
// then x_0_0, x_0_1, ..., facility by facility.
package scflp

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/tables"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Data is the content of a file.
type Data struct {
	// Facilities (n), Customers (m) and Scenarios (S) are at least 1.
	Facilities int `json:"n_facilities"`
	Customers  int `json:"n_customers"`
	Scenarios  int `json:"n_scenarios"`
	// Capacity is s_i, the units that facility i can send.
	Capacity []float64 `json:"capacities"`
	// Demand is d_js as S lists of m numbers.
	Demand [][]float64 `json:"demands"`
	// Fixed is f_i, the cost of opening facility i.
	Fixed []float64 `json:"fixed_costs"`
	// Cost is c_ij as n lists of m numbers: the cost of a unit from facility i to customer j.
	Cost [][]float64 `json:"costs"`
	// Single says that a customer is served by one facility in each scenario.
	Single bool `json:"single_sourcing,omitempty"`
	// Probability is p_s, one number a scenario, with the sum 1; nil where all scenarios are equally likely.
	Probability []float64 `json:"probabilities,omitempty"`
	// Names are those of the scenarios, and Labels those of facilities and customers, in a table file; nil where they are
	// numbered from 0.
	Names  []string       `json:"-"`
	Labels *tables.Labels `json:"-"`
}

// Instance is a problem with its program. It is read-only.
type Instance struct {
	*generic.Scenarios
	// Data is the content of the file, which Encode writes.
	Data *Data
}

// tooLarge bounds the numbers of Data, so that sums of their products are finite.
const tooLarge = 1e100

// Validate returns an error for the first defect that makes the data unusable.
func (d *Data) Validate() error {
	if d.Facilities < 1 || d.Customers < 1 || d.Scenarios < 1 {
		return fmt.Errorf("scflp: %w: %d facilities, %d customers and %d scenarios", instance.ErrInstance, d.Facilities,
			d.Customers, d.Scenarios)
	}

	// Every list has the length that the sizes give, and numbers in the range of valid ones.
	err := instance.CheckMatrices(family,
		instance.Matrix{Name: "capacities", Rows: [][]float64{d.Capacity}, Height: 1, Width: d.Facilities, Limit: tooLarge},
		instance.Matrix{Name: "fixed_costs", Rows: [][]float64{d.Fixed}, Height: 1, Width: d.Facilities, Limit: tooLarge},
		instance.Matrix{Name: "demands", Rows: d.Demand, Height: d.Scenarios, Width: d.Customers, Limit: tooLarge},
		instance.Matrix{Name: "costs", Rows: d.Cost, Height: d.Facilities, Width: d.Customers, Limit: tooLarge})
	if err != nil || d.Probability == nil {
		return err
	}
	return instance.CheckMatrices(family, instance.Matrix{Name: "probabilities", Rows: [][]float64{d.Probability},
		Height: 1, Width: d.Scenarios, Limit: tooLarge})
}

// probability returns p_s.
func (d *Data) probability(s int) float64 {
	if d.Probability == nil {
		return 1 / float64(d.Scenarios)
	}
	return d.Probability[s]
}

// labels returns what facilities and customers are called, empty lists where they are numbered.
func (d *Data) labels() *tables.Labels {
	if d.Labels == nil {
		return &tables.Labels{}
	}
	return d.Labels
}

// newInstance makes the instance of valid data without scenarios of probability 0 (weigh).
func newInstance(name string, d *Data) (*Instance, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	shared, err := generic.NewScenarios(family, d.program(name))
	if err != nil {
		return nil, err
	}

	// Shapes and titles name the customers first, as the classes do.
	title := fmt.Sprintf("%s: stochastic facility location, %d customers, %d facilities, %d scenarios",
		name, d.Customers, d.Facilities, d.Scenarios)
	if d.Single {
		title += ", single sourcing"
	}
	shape := families.FormatShape(d.Customers, d.Facilities, d.Scenarios)
	return &Instance{Data: d, Scenarios: shared.WithLabel(shape, title, ".json")}, nil
}

// program is the core model, with the demands of the first scenario, and the scenarios.
func (d *Data) program(name string) *stoch.Program {
	// The only row of the first stage is that of the capacity for the scenario with the greatest demand.
	p := &stoch.Program{Name: name, Core: d.firstStage(name), First: d.Facilities, FirstImplied: true}
	changes := d.addAmounts
	if d.Single {
		changes = d.addAssignments
	}

	// Scenarios are differences from the first one.
	differences := changes(p.Core)
	for s, demand := range d.Demand {
		scenario := ""
		if d.Names != nil {
			scenario = d.Names[s]
		}
		p.Add(scenario, d.probability(s), differences(demand)...)
	}
	return p
}

// firstStage is the model of the facilities alone.
func (d *Data) firstStage(name string) *lp.Model {
	// The capacity row needs the total of the scenario with the largest demand.
	largest := 0.0
	for _, demand := range d.Demand {
		total := 0.0
		for _, v := range demand {
			total += v
		}
		largest = max(largest, total)
	}

	// Totals are rounded sums, so the capacity row gets a tolerance.
	m := &lp.Model{Name: name, Objective: "cost"}
	all := make([]int32, d.Facilities)
	for i, f := range d.Fixed {
		m.AddCol(lp.Col{Name: fmt.Sprintf("y%d", i), Cost: f, Upper: 1, Integer: true})
		all[i] = int32(i)
	}
	m.AddRow(lp.Row{Name: "capacity", Lower: largest * (1 - 1e-9), Upper: lp.Inf}, all, d.Capacity)
	return m
}

// column is the recourse column of facility i and customer j.
func (d *Data) column(i, j int) lp.Var { return lp.Var(d.Facilities + i*d.Customers + j) }

// addAmounts adds the recourse of the first scenario to the model of the first stage, and returns what lists the
// differences of another one.
func (d *Data) addAmounts(m *lp.Model) func(demand []float64) []stoch.Change {
	first := d.Demand[0]
	longest := slices.Clone(first)
	for _, demand := range d.Demand {
		for j, v := range demand {
			longest[j] = max(longest[j], v)
		}
	}
	for i, costs := range d.Cost {
		for j, c := range costs {
			m.AddCol(lp.Col{Name: fmt.Sprintf("x_%d_%d", i, j), Cost: c, Upper: min(longest[j], d.Capacity[i])})
		}
	}

	// serve and link are the first rows of their kind: the demands, and the links of amounts to designs.
	serve := len(m.Rows)
	for j, v := range first {
		row := m.AddRow(lp.Row{Name: fmt.Sprintf("serve_%d", j), Lower: v, Upper: v}, nil, nil)
		for i := range d.Facilities {
			m.AddEntry(row, d.column(i, j), 1)
		}
	}

	// A link allows what the demand asks for and the facility can send.
	link := len(m.Rows)
	for i, s := range d.Capacity {
		for j, v := range first {
			m.AddRow(lp.Row{Name: fmt.Sprintf("link_%d_%d", i, j), Lower: 0, Upper: lp.Inf},
				[]int32{int32(i), int32(d.column(i, j))}, []float64{min(v, s), -1})
		}
	}
	for i, s := range d.Capacity {
		// An open facility sends no more than its capacity, a closed one nothing.
		row := m.AddRow(lp.Row{Name: fmt.Sprintf("supply_%d", i), Lower: 0, Upper: lp.Inf}, []int32{int32(i)}, []float64{s})
		for j := range d.Customers {
			m.AddEntry(row, d.column(i, j), -1)
		}
	}

	return func(demand []float64) []stoch.Change { return d.changes(demand, serve, link) }
}

// changes lists the differences of a scenario from the first one.
func (d *Data) changes(demand []float64, serve, link int) []stoch.Change {
	var list []stoch.Change
	for j, v := range demand {
		was := d.Demand[0][j]
		if v == was {
			continue
		}
		// The demand is both sides of its row, and it limits what each facility can send.
		list = append(list, stoch.SetRowLower(lp.Con(serve+j), v), stoch.SetRowUpper(lp.Con(serve+j), v))
		for i, s := range d.Capacity {
			if w := min(v, s); w != min(was, s) {
				list = append(list, stoch.SetEntry(lp.Con(link+i*d.Customers+j), lp.Var(i), w))
			}
		}
	}
	return list
}
