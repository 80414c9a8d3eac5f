package main

import (
	"fmt"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// class generates programs of one kind; large ones are somewhat larger than the others.
type class struct {
	name string
	make func(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error)
}

// classes are the kinds of programs that are compared. The linking rows of the last two cannot be disaggregated.
var classes = []class{
	{"server location", servers},
	{"capacity acquisition", capacities},
	{"fixed-charge supply", supply},
	{"budget rows", budgets},
	{"unit commitment", commitment},
}

// size is the smaller number, or half as much again.
func size(n int, large bool) int {
	if large {
		return n + n/2
	}
	return n
}

// servers is stochastic server location: 0-1 servers, clients that come or not, each assigned to one server.
func servers(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error) {
	var b stoch.Builder
	sites, clients := size(5, large), size(15, large)
	demand := make([]float64, clients)
	total := 0.0
	for k := range demand {
		demand[k] = float64(1 + rng.IntN(20))
		total += demand[k]
	}

	open := make([]lp.Var, sites)
	load := make([][]lp.Expr, sites)
	served := make([][]lp.Expr, clients)
	for j := range open {
		open[j] = b.First(b.Binary(fmt.Sprintf("y%d", j), float64(40+rng.IntN(41))))
	}
	for k := range clients {
		for j := range open {
			x := b.Binary(fmt.Sprintf("x%d_%d", k, j), -demand[k]*float64(1+rng.IntN(5))/2)
			served[k] = append(served[k], x.Times(1))
			load[j] = append(load[j], x.Times(demand[k]))
		}
	}
	for j := range open {
		over := b.Nonnegative(fmt.Sprintf("z%d", j), 100)
		capacity := 1.5 * total / float64(sites)
		b.AtMost(0, append(load[j], over.Times(-1), open[j].Times(-capacity))...)
	}
	rows := make([]lp.Con, clients)
	for k := range rows {
		rows[k] = b.Equal(1, served[k]...)
	}

	// A client that is not there is assigned to nobody.
	for range scenarios {
		var changes []stoch.Change
		for _, row := range rows {
			if rng.IntN(2) == 0 {
				changes = append(changes, stoch.SetRowLower(row, 0), stoch.SetRowUpper(row, 0))
			}
		}
		b.Scenario("", 1/float64(scenarios), changes...)
	}
	return b.Program()
}

// capacities is dynamic capacity acquisition: continuous capacities that are bought with a fixed cost, and tasks that
// are assigned to one resource or given away.
func capacities(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error) {
	var b stoch.Builder
	resources, tasks, periods := size(2, large)+1, size(5, large), 2
	var task [][]lp.Con
	room := make([][][]lp.Expr, periods)
	for t := range periods {
		room[t] = make([][]lp.Expr, resources)
	}
	for i := range resources {
		for t := range periods {
			size := b.First(b.Between(fmt.Sprintf("x%d_%d", i, t), float64(5+rng.IntN(6)), 0, 10))
			buy := b.First(b.Binary(fmt.Sprintf("u%d_%d", i, t), float64(10+rng.IntN(21))))
			b.AtMost(0, size.Times(1), buy.Times(-10))
			for later := t; later < periods; later++ {
				room[later][i] = append(room[later][i], size.Times(-1))
			}
		}
	}
	for t := range periods {
		for k := range tasks {
			sum := []lp.Expr{b.Binary(fmt.Sprintf("miss%d_%d", k, t), float64(60+rng.IntN(60))).Times(1)}
			for i := range resources {
				x := b.Binary(fmt.Sprintf("a%d_%d_%d", i, k, t), float64(5+rng.IntN(6)))
				room[t][i] = append(room[t][i], x.Times(float64(2+rng.IntN(5))))
				sum = append(sum, x.Times(1))
			}
			b.Equal(1, sum...)
		}
		var list []lp.Con
		for i := range resources {
			list = append(list, b.AtMost(0, room[t][i]...))
		}
		task = append(task, list)
	}

	// What is left of each resource differs.
	for range scenarios {
		var changes []stoch.Change
		for _, list := range task {
			for _, row := range list {
				changes = append(changes, stoch.SetRowUpper(row, float64(rng.IntN(7))-3))
			}
		}
		b.Scenario("", 1/float64(scenarios), changes...)
	}
	return b.Program()
}

// supply is a network of depots with general integer sizes and vehicles of whole loads.
func supply(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error) {
	var b stoch.Builder
	depots, shops := size(3, large), size(5, large)
	out := make([][]lp.Expr, depots)
	for j := range depots {
		units := b.First(b.Integer(fmt.Sprintf("units%d", j), float64(30+rng.IntN(31)), 0, 3))
		out[j] = []lp.Expr{units.Times(-float64(20 + rng.IntN(11)))}
	}

	// A shop gets its need by whole vehicles, or misses some of it at a cost.
	var needs []lp.Con
	for k := range shops {
		sum := []lp.Expr{b.Nonnegative(fmt.Sprintf("miss%d", k), 25).Times(1)}
		for j := range depots {
			flow := b.Nonnegative(fmt.Sprintf("f%d_%d", j, k), float64(1+rng.IntN(3)))
			trucks := b.Integer(fmt.Sprintf("t%d_%d", j, k), float64(8+rng.IntN(20)), 0, 4)
			b.AtMost(0, flow.Times(1), trucks.Times(-7))
			out[j] = append(out[j], flow.Times(1))
			sum = append(sum, flow.Times(1))
		}
		needs = append(needs, b.AtLeast(10, sum...))
	}

	// A depot sends out no more than its units hold. The needs are random.
	for j := range depots {
		b.AtMost(0, out[j]...)
	}
	for range scenarios {
		var changes []stoch.Change
		for _, row := range needs {
			changes = append(changes, stoch.SetRowLower(row, float64(rng.IntN(18))))
		}
		b.Scenario("", 1/float64(scenarios), changes...)
	}
	return b.Program()
}

// budgets is a multi-dimensional knapsack in both stages: dense rows with columns of both, none of which is a capacity
// that a first-stage column opens.
func budgets(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error) {
	var b stoch.Builder
	now, later, rows := size(8, large), size(10, large), size(3, large)
	var y, x []lp.Var
	for j := range now {
		y = append(y, b.First(b.Binary(fmt.Sprintf("y%d", j), float64(5+rng.IntN(20)))))
	}
	for j := range later {
		x = append(x, b.Binary(fmt.Sprintf("x%d", j), float64(8+rng.IntN(30))))
	}

	// Each row covers a requirement, which is random, by items of both stages.
	var sides []lp.Con
	for range rows {
		var sum []lp.Expr
		for _, v := range append(append([]lp.Var(nil), y...), x...) {
			sum = append(sum, v.Times(float64(1+rng.IntN(20))))
		}
		sides = append(sides, b.AtLeast(40, sum...))
	}
	for range scenarios {
		var changes []stoch.Change
		for _, row := range sides {
			changes = append(changes, stoch.SetRowLower(row, float64(5*now+rng.IntN(4*now))))
		}
		b.Scenario("", 1/float64(scenarios), changes...)
	}
	return b.Program()
}

// commitment is unit commitment: slow units are committed before the load is known; output changes from hour to hour by
// a ramp that a start or a stop widens, and fast units are committed afterwards.
func commitment(rng *rand.Rand, scenarios int, large bool) (*stoch.Program, error) {
	var b stoch.Builder
	slow, fast, hours := size(2, large), 2, size(5, large)
	balance := make([][]lp.Expr, hours)
	for g := range slow {
		least, most := float64(10+rng.IntN(10)), float64(40+rng.IntN(30))
		ramp := float64(8 + rng.IntN(10))
		fixed, start, cost := float64(50+rng.IntN(100)), float64(80+rng.IntN(200)), float64(5+rng.IntN(10))
		var before, p0 lp.Var
		for t := range hours {
			on := b.First(b.Binary(fmt.Sprintf("on%d_%d", g, t), fixed))
			p := b.Nonnegative(fmt.Sprintf("p%d_%d", g, t), cost)
			b.AtMost(0, p.Times(1), on.Times(-most))
			b.AtMost(0, p.Times(-1), on.Times(least))
			balance[t] = append(balance[t], p.Times(1))

			// From the hour before the output changes by the ramp, or by a start or a stop.
			if t > 0 {
				up := b.First(b.Binary(fmt.Sprintf("up%d_%d", g, t), start))
				b.AtMost(0, on.Times(1), before.Times(-1), up.Times(-1))
				b.AtMost(0, p.Times(1), p0.Times(-1), before.Times(-ramp), up.Times(-least-ramp))
				b.AtMost(least, p0.Times(1), p.Times(-1), on.Times(-ramp+least))
			}
			before, p0 = on, p
		}
	}

	// Fast units are on or off in each hour on its own.
	for g := range fast {
		for t := range hours {
			q := b.Nonnegative(fmt.Sprintf("q%d_%d", g, t), float64(25+rng.IntN(20)))
			on := b.Binary(fmt.Sprintf("f%d_%d", g, t), float64(100+rng.IntN(150)))
			b.AtMost(0, q.Times(1), on.Times(-25))
			b.AtMost(0, q.Times(-1), on.Times(8))
			balance[t] = append(balance[t], q.Times(1))
		}
	}

	// The output of an hour is its load, but for what is missed and spilt. Loads are a random walk.
	var loads []lp.Con
	for t := range hours {
		miss := b.Nonnegative(fmt.Sprintf("miss%d", t), 300)
		spill := b.Nonnegative(fmt.Sprintf("spill%d", t), 20)
		loads = append(loads, b.Equal(50, append(balance[t], miss.Times(1), spill.Times(-1))...))
	}
	for range scenarios {
		var changes []stoch.Change
		level := float64(30 + rng.IntN(60))
		for _, row := range loads {
			level = max(15, level+float64(rng.IntN(41)-20))
			changes = append(changes, stoch.SetRowLower(row, level), stoch.SetRowUpper(row, level))
		}
		b.Scenario("", 1/float64(scenarios), changes...)
	}
	return b.Program()
}
