// Package classes draws random integer programs of classes for which separators and heuristics are made, and permutes
// given ones: what measurements of a solver are over.
package classes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// structured are the classes by their names.
var structured = map[string]func(rng *rand.Rand) *lp.Model{
	"@stableset":  stableSetModel,
	"@auction":    auctionModel,
	"@knapsacks":  knapsacksModel,
	"@assignment": assignmentModel,
	"@lotsizing":  lotSizingModel,
	"@integers":   integersModel,
	"@integers2":  coveringModel,
}

// Names lists the classes.
func Names() (list []string) {
	for name := range structured {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// Draw returns the member of a class that belongs to a seed; nil where there is no such class.
func Draw(name string, seed uint64) *lp.Model {
	draw := structured[name]
	if draw == nil {
		return nil
	}
	m := draw(rand.New(rand.NewPCG(seed, 0)))
	m.Name = name
	return m
}

// Permuted is the model with rows and columns in a random order.
func Permuted(m *lp.Model, rng *rand.Rand) (*lp.Model, error) {
	out := &lp.Model{Name: m.Name, Maximize: m.Maximize, Offset: m.Offset, Rows: make([]lp.Row, len(m.Rows))}
	place := rng.Perm(len(m.Rows))
	for i, k := range place {
		out.Rows[k] = m.Rows[i]
	}
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	for _, j := range rng.Perm(len(m.Cols)) {
		col := out.AddCol(m.Cols[j])
		index, value := a.Vec(j)
		for k, i := range index {
			out.AddEntry(lp.Con(place[i]), col, value[k])
		}
	}
	return out, nil
}

// term is a coefficient of a row.
type term struct {
	col   lp.Var
	value float64
}

func addTerms(m *lp.Model, lower, upper float64, terms ...term) {
	i := m.AddRow(lp.Row{Lower: lower, Upper: upper}, nil, nil)
	for _, t := range terms {
		m.AddEntry(i, t.col, t.value)
	}
}

func addBinary(m *lp.Model, cost float64) lp.Var {
	return m.AddCol(lp.Col{Cost: cost, Upper: 1, Integer: true})
}

// addBalance adds a row: what is made and was in stock before, if there was a period before, serves the demand and the
// stock of the next period.
func addBalance(m *lp.Model, demand float64, made term, before, after lp.Var) {
	row := []term{made, {after, -1}}
	if before >= 0 {
		row = append(row, term{before, 1})
	}
	addTerms(m, demand, demand, row...)
}

// stableSetModel is a heaviest stable set of a random graph, one row an edge.
func stableSetModel(rng *rand.Rand) *lp.Model {
	const n, density = 70, 0.3
	m := &lp.Model{Maximize: true}
	for range n {
		addBinary(m, float64(50+rng.IntN(51)))
	}
	for a := range n {
		for b := range a {
			if rng.Float64() < density {
				addTerms(m, math.Inf(-1), 1, term{lp.Var(a), 1}, term{lp.Var(b), 1})
			}
		}
	}
	return m
}

// auctionModel awards bids on bundles of goods, each good to one bid at most.
func auctionModel(rng *rand.Rand) *lp.Model {
	const bids, goods = 200, 60
	m := &lp.Model{Maximize: true}
	holders := make([][]term, goods)
	for range bids {
		size := 3 + rng.IntN(4)
		j := addBinary(m, math.Round(10*float64(size)*(0.75+0.5*rng.Float64())))
		for _, g := range rng.Perm(goods)[:size] {
			holders[g] = append(holders[g], term{j, 1})
		}
	}
	for _, row := range holders {
		addTerms(m, math.Inf(-1), 1, row...)
	}
	return m
}

// knapsacksModel is a 0-1 program over several knapsack rows, the profits near the weights (Chu and Beasley, A genetic
// algorithm for the multidimensional knapsack problem, 1998).
func knapsacksModel(rng *rand.Rand) *lp.Model {
	const n, rows = 40, 5
	m := &lp.Model{Maximize: true}
	weights := make([][]term, rows)
	for j := range n {
		sum := 0.0
		for i := range weights {
			w := float64(1 + rng.IntN(1000))
			weights[i] = append(weights[i], term{lp.Var(j), w})
			sum += w
		}
		addBinary(m, math.Round(sum/rows+500*rng.Float64()))
	}
	for _, row := range weights {
		sum := 0.0
		for _, t := range row {
			sum += t.value
		}
		addTerms(m, math.Inf(-1), math.Floor(sum/2), row...)
	}
	return m
}

// assignmentModel gives each job to one agent, whose capacity it takes up (type D of the generalised assignment
// problem).
func assignmentModel(rng *rand.Rand) *lp.Model {
	const agents, jobs = 5, 20
	m := &lp.Model{}
	load := make([][]term, agents)
	for range jobs {
		var row []term
		for i := range load {
			w := float64(1 + rng.IntN(100))
			j := addBinary(m, 111-w+float64(rng.IntN(21)-10))
			load[i] = append(load[i], term{j, w})
			row = append(row, term{j, 1})
		}
		addTerms(m, 1, 1, row...)
	}
	for _, row := range load {
		sum := 0.0
		for _, t := range row {
			sum += t.value
		}
		addTerms(m, math.Inf(-1), math.Floor(0.8*sum/agents), row...)
	}
	return m
}

// lotSizingModel plans the production of some items over time under a common capacity with setups.
func lotSizingModel(rng *rand.Rand) *lp.Model {
	const items, periods = 4, 12
	m := &lp.Model{}
	usage := make([][]term, periods)
	total := 0.0

	// Each item has its own demands and setup cost; its production without a setup is zero.
	for range items {
		setup := float64(100 + rng.IntN(300))
		stock := lp.Var(-1)
		for p := range periods {
			demand := float64(rng.IntN(60))
			total += demand
			x := m.AddCol(lp.Col{Cost: float64(rng.IntN(3)), Upper: math.Inf(1)})
			next := m.AddCol(lp.Col{Cost: float64(1 + rng.IntN(3)), Upper: math.Inf(1)})
			y := addBinary(m, setup)
			addBalance(m, demand, term{x, 1}, stock, next)
			addTerms(m, math.Inf(-1), 0, term{x, 1}, term{y, -200})
			usage[p] = append(usage[p], term{x, 1}, term{y, 10})
			stock = next
		}
	}

	// The capacity of a period is a little more than the mean demand needs, with the times of setups.
	for _, row := range usage {
		addTerms(m, math.Inf(-1), math.Ceil(1.4*total/periods)+60, row...)
	}
	return m
}
