package scenario

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// sales are two sites that sell to two customers at random prices, as much as the customers buy and, unless they are
// open, the sites have.
func sales(rng *rand.Rand) *stoch.Program {
	m := &lp.Model{Name: "sales"}
	first := []lp.Var{m.Binary("", 5), m.Binary("", 6)}
	var sold []lp.Var
	var bought [2]lp.Sum
	for _, y := range first {
		var all lp.Sum
		for i := range bought {
			v := m.Nonnegative("", -10)
			sold, all, bought[i] = append(sold, v), append(all, v.Times(1)), append(bought[i], v.Times(1))
		}
		m.AtMost(0, all, y.Times(-8))
	}
	for _, sum := range bought {
		m.AtMost(6, sum)
	}
	return sixScenarios(m, 2, rng, func(list []stoch.Change) []stoch.Change {
		for _, v := range sold {
			list = append(list, stoch.SetCost(v, -1-19*rng.Float64()))
		}
		return list
	})
}

// trade has activities without an upper bound whose costs are random: at prices that differ from scenario to scenario,
// what they take of four stocks is worth at least what they earn. The first ones have no lower bound either and earn
// just that, so that the dual has no interior. No row implies a bound of an activity. upper is the largest addition to
// the stocks, the first stage, which may be infinite.
func trade(rng *rand.Rand, upper float64) *stoch.Program {
	const stocks, activities, free = 4, 7, 2
	m := &lp.Model{Name: "trade"}
	added := m.Between("", 1000, 0, upper)
	var taken [stocks]lp.Sum
	var use [activities][stocks]float64
	var level [activities]lp.Var
	for k := range level {
		lower := 0.0
		if k < free {
			lower = math.Inf(-1)
		}
		level[k] = m.Between("", 0, lower, lp.Inf)
		for i := range taken {
			use[k][i] = float64(rng.IntN(7) - 3)
			taken[i] = append(taken[i], level[k].Times(use[k][i]))
		}
	}
	for i := range taken {
		m.AtMost(3, taken[i], added.Times(-1))
	}

	return sixScenarios(m, 1, rng, func(list []stoch.Change) []stoch.Change {
		var price [stocks]float64
		for i := range price {
			price[i] = 1 + 19*rng.Float64()
		}
		for k, v := range level {
			cost := 0.0
			if k >= free {
				cost = rng.Float64()
			}
			for i, p := range price {
				cost -= p * use[k][i]
			}
			list = append(list, stoch.SetCost(v, cost))
		}
		return list
	})
}

// sixScenarios makes a program of a model and six scenarios of changes.
func sixScenarios(m *lp.Model, first int, rng *rand.Rand, changes func([]stoch.Change) []stoch.Change) *stoch.Program {
	p := &stoch.Program{Name: m.Name, Core: m, First: first}
	for range 6 {
		p.Add("", 0.1+rng.Float64(), changes(nil)...)
	}
	p.Normalise()
	return p
}

// TestValueOfIncompleteMultipliers values multipliers that no step makes dual feasible, in programs whose recourse
// earns. The value is never above the recourse cost, as 0 would be, and it is finite and has no slope.
func TestValueOfIncompleteMultipliers(t *testing.T) {
	for name, program := range map[string]func(*rand.Rand) *stoch.Program{
		"own cut":        sales,
		"lower bound":    func(rng *rand.Rand) *stoch.Program { return trade(rng, 9) },
		"no lower bound": func(rng *rand.Rand) *stoch.Program { return trade(rng, lp.Inf) },
	} {
		incomplete := 0
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 43))
			p, err := New(program(rng))
			if err != nil {
				t.Fatal(err)
			}

			// The set has one state: all sites are open, or one unit is added to the stocks.
			y := []float64{1, 1}[:len(p.master.Cols)]
			set, err := (&network{p: p}).TrainingSet(t.Context(), []benders.State{{Y: y, Integer: true}})
			if err != nil || set.States() != 1 {
				t.Fatal(set, err)
			}
			l := set.(*trainingSet)
			out := append([]float64(nil), l.lambda...)

			// Every scenario has random outputs of the network.
			for s := range p.weight {
				for k := range out {
					out[k] = rng.Float64() - 0.5
				}
				v, err := l.row(s, 0, out)
				if err != nil {
					t.Fatal(err)
				}

				// The recourse earns money, so that its cost is at most 0 and the value 0 may be above it.
				cost, feasible, err := l.view.Value(t.Context(), y)
				if err != nil || !feasible || cost > 0 {
					t.Fatalf("%s, seed %d: recourse cost %g, %t, %v", name, seed, cost, feasible, err)
				}

				// Of interest are multipliers that the step alone leaves without a value.
				if !math.IsNaN(l.view.Supergradient(nil, l.lambda, l.states[0].inset, y)) {
					continue
				}

				// The value of these multipliers is a finite lower bound, and their slope is zero.
				incomplete++
				if v > cost+1e-6*math.Abs(cost) || math.IsInf(v, 0) || math.IsNaN(v) {
					t.Errorf("%s, seed %d, scenario %d: value %g, recourse cost %g", name, seed, s, v, cost)
				}
				for _, g := range l.slope {
					if g != 0 {
						t.Errorf("%s, seed %d, scenario %d: slope %v", name, seed, s, l.slope)
					}
				}
			}

			// All scenarios of one state have a value too.
			many := append([]float64(nil), out...)
			for len(many) < len(p.weight)*len(out) {
				many = append(many, out...)
			}
			if v, err := l.Value(many, nil, 0); err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
				t.Errorf("%s, seed %d: the value of the state is %g, %v", name, seed, v, err)
			}
		}

		if t.Logf("%s: %d", name, incomplete); incomplete < 20 {
			t.Errorf("%s: %d multipliers were not completed", name, incomplete)
		}
	}
}
