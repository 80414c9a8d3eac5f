// Package sslp is stochastic server location: servers are placed before it is known which clients come (Ntaimo and Sen
// 2005),
//
//	min  sum_j c_j y_j + sum_s p_s Q_s(y),  sum_j y_j <= v,  y binary,
//	Q_s(y) = min { sum_j o_j z_j - sum_ij q_ij x_ij : sum_i d_ij x_ij - z_j <= u_j y_j, sum_j x_ij = h_is, x binary, z >= 0 },
//
// with x_ij the assignment of client i to server j, d_ij what it needs there, z_j what server j lacks, and equal
// probabilities. Client i comes in scenario s where h_is is 1. The recourse is integer: the instance is a program with
// scenarios (generic.Scenarios) that package benders/integer solves.
//
// In models and files servers j and clients i are counted from 0. The columns of the model are y0, y1, ..., then x_i_j,
// client by client, and z0, z1, ....
package sslp

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Data is the content of a file.
type Data struct {
	// Servers (m), Clients (n) and Scenarios (S) are at least 1.
	Servers   int `json:"n_servers"`
	Clients   int `json:"n_clients"`
	Scenarios int `json:"n_scenarios"`
	// Most is v, the most servers that may be placed; 0 for no limit.
	Most int `json:"max_servers"`
	// Capacity is u_j, Fixed c_j, and Overflow o_j, the cost of a unit that server j lacks.
	Capacity []float64 `json:"capacities"`
	Fixed    []float64 `json:"fixed_costs"`
	Overflow []float64 `json:"overflow_costs"`
	// Demand is d_ij and Revenue q_ij, as n lists of m numbers.
	Demand  [][]float64 `json:"demands"`
	Revenue [][]float64 `json:"revenues"`
	// Present is h_is as S lists of n numbers, 0 or 1.
	Present [][]float64 `json:"present"`
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
	bad := func(format string, args ...any) error {
		return fmt.Errorf("sslp: %w: %s", instance.ErrInstance, fmt.Sprintf(format, args...))
	}
	if d.Servers < 1 || d.Clients < 1 || d.Scenarios < 1 {
		return bad("%d servers, %d clients and %d scenarios", d.Servers, d.Clients, d.Scenarios)
	}
	if d.Most < 0 {
		return bad("max_servers: %d", d.Most)
	}

	// Every list has the length that the sizes give, and numbers in the range of valid ones.
	list := func(name string, values []float64) instance.Matrix {
		return instance.Matrix{Name: name, Rows: [][]float64{values}, Height: 1, Width: d.Servers, Limit: tooLarge}
	}
	err := instance.CheckMatrices(family,
		list("capacities", d.Capacity),
		list("fixed_costs", d.Fixed),
		list("overflow_costs", d.Overflow),
		instance.Matrix{Name: "demands", Rows: d.Demand, Height: d.Clients, Width: d.Servers, Limit: tooLarge},
		instance.Matrix{Name: "revenues", Rows: d.Revenue, Height: d.Clients, Width: d.Servers, Limit: tooLarge},
		instance.Matrix{Name: "present", Rows: d.Present, Height: d.Scenarios, Width: d.Clients, Limit: 2})
	if err != nil {
		return err
	}
	for s, row := range d.Present {
		for i, v := range row {
			if v != 0 && v != 1 {
				return bad("present: number %d of row %d is %g", i+1, s+1, v)
			}
		}
	}
	return nil
}

// newInstance makes the instance of valid data.
func newInstance(name string, d *Data) (*Instance, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	shared, err := generic.NewScenarios(family, d.program(name))
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s: stochastic server location, %d servers, %d clients, %d scenarios", name, d.Servers,
		d.Clients, d.Scenarios)
	shape := families.FormatShape(d.Servers, d.Clients, d.Scenarios)
	return &Instance{Data: d, Scenarios: shared.WithLabel(shape, title, ".json")}, nil
}

// program is the core model, with the clients of the first scenario, and the scenarios.
func (d *Data) program(name string) *stoch.Program {
	m := &lp.Model{Name: name, Objective: "cost"}
	servers := make([]lp.Var, d.Servers)
	for j, c := range d.Fixed {
		servers[j] = m.Binary(fmt.Sprintf("y%d", j), c)
	}
	if d.Most > 0 {
		sum := make([]lp.Expr, d.Servers)
		for j, y := range servers {
			sum[j] = y.Times(1)
		}
		m.Rows[m.AtMost(float64(d.Most), sum...)].Name = "servers"
	}

	// A client is assigned to one server, which lacks what its capacity does not suffice for.
	load := make([][]lp.Expr, d.Servers)
	assigned := make([][]lp.Expr, d.Clients)
	for i := range d.Clients {
		for j := range d.Servers {
			x := m.Binary(fmt.Sprintf("x_%d_%d", i, j), 0-d.Revenue[i][j])
			assigned[i] = append(assigned[i], x.Times(1))
			if v := d.Demand[i][j]; v != 0 {
				load[j] = append(load[j], x.Times(v))
			}
		}
	}
	for j, y := range servers {
		lacks := m.Nonnegative(fmt.Sprintf("z%d", j), d.Overflow[j])
		load[j] = append(load[j], lacks.Times(-1), y.Times(-d.Capacity[j]))
		m.Rows[m.AtMost(0, load[j]...)].Name = fmt.Sprintf("capacity_%d", j)
	}
	come := len(m.Rows)
	for i, sum := range assigned {
		m.Rows[m.Equal(d.Present[0][i], sum...)].Name = fmt.Sprintf("client_%d", i)
	}

	// Scenarios are equally likely, and differ in who comes.
	p := &stoch.Program{Name: name, Core: m, First: d.Servers}
	for _, present := range d.Present {
		var list []stoch.Change
		for i, v := range present {
			if v != d.Present[0][i] {
				list = append(list, stoch.SetRowLower(lp.Con(come+i), v), stoch.SetRowUpper(lp.Con(come+i), v))
			}
		}
		p.Add("", 1/float64(d.Scenarios), list...)
	}
	return p
}
