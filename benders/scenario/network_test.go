package scenario_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/nn"
)

// depots are three sites that are built or not and serve five customers of random demand; what nobody serves is paid
// for dearly, or where strict has to be served. Every other scenario with costs has its own. With reward it is a
// maximisation.
func depots(seed uint64, count int, strict, costs, reward bool) *scenario.Problem {
	const sites, customers = 3, 5
	rng := rand.New(rand.NewPCG(seed, 3))
	shape := rand.New(rand.NewPCG(1, 1))
	m := &lp.Model{Name: fmt.Sprintf("depots-%d", seed), Maximize: reward}
	sign := 1.0
	if reward {
		sign = -1
	}
	var build [sites]lp.Var
	for j := range sites {
		build[j] = m.Binary(fmt.Sprintf("build_%d", j), sign*(20+10*shape.Float64()))
	}
	var need []lp.Con
	var ship []lp.Var
	var used [sites]lp.Sum
	for i := range customers {
		var served lp.Sum
		if !strict {
			served = lp.Total(m.Nonnegative(fmt.Sprintf("missed_%d", i), sign*15))
		}
		for j := range sites {
			v := m.Nonnegative(fmt.Sprintf("ship_%d_%d", j, i), sign*(1+4*shape.Float64()))
			ship = append(ship, v)
			served, used[j] = append(served, v.Times(1)), append(used[j], v.Times(1))
		}
		need = append(need, m.AtLeast(5, served))
	}
	for j := range sites {
		m.AtMost(0, used[j], build[j].Times(-20))
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for s := range count {
		var list []stoch.Change
		for _, i := range need {
			list = append(list, stoch.Change{Kind: stoch.RowLower, Row: i, Value: math.Round(80*rng.Float64()) / 10})
		}
		if costs && s%2 == 1 {
			list = append(list, stoch.Change{Kind: stoch.Cost, Col: ship[s%len(ship)], Value: sign * 9})
		}
		p.Add("", 1, list...)
	}
	p.Normalise()
	q, err := scenario.New(p)
	if err != nil {
		panic(err)
	}
	return q
}

// designs are all of them.
func designs() (states []benders.State) {
	for k := range 8 {
		states = append(states, benders.State{Y: []float64{float64(k & 1), float64(k >> 1 & 1), float64(k >> 2)}, Integer: true})
	}
	return states
}

// untrained returns a small network with random weights.
func untrained(t *testing.T, p *scenario.Problem) *proxy.Model {
	t.Helper()
	a, err := scenario.NewArchitecture("mps", p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := proxy.New(a, []int{16}, 1)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// markets are three sites that are opened or not and serve four customers at random costs, by links that only open
// sites have.
func markets(seed uint64, count int) *scenario.Problem {
	const sites, customers = 3, 4
	rng := rand.New(rand.NewPCG(seed, 4))
	m := &lp.Model{Name: fmt.Sprintf("markets-%d", seed)}
	var open [sites]lp.Var
	for j := range sites {
		open[j] = m.Binary("", 10)
	}
	var ship []lp.Var
	var used [sites]lp.Sum
	for range customers {
		served := lp.Total(m.Between("", 15, 0, 5))
		for j := range sites {
			v := m.Nonnegative("", 5)
			m.AtMost(0, v, open[j].Times(-4))
			ship, used[j], served = append(ship, v), append(used[j], v.Times(1)), append(served, v.Times(1))
		}
		m.AtLeast(5, served)
	}
	for j := range sites {
		m.AtMost(8, used[j])
	}
	p := &stoch.Program{Name: m.Name, Core: m, First: sites}
	for range count {
		var list []stoch.Change
		for _, v := range ship {
			list = append(list, stoch.SetCost(v, 1+9*rng.Float64()))
		}
		p.Add("", 1, list...)
	}
	p.Normalise()
	q, err := scenario.New(p)
	if err != nil {
		panic(err)
	}
	return q
}

// TestNetworkOfScenarios trains on 200 scenarios of random costs and judges by 100 others: the network certifies more
// than the mean scenario's multipliers and than those of the nearest of 16 that are solved, its file says the same, and
// runs with it are right.
func TestNetworkOfScenarios(t *testing.T) {
	learnt, fresh := markets(1, 200), markets(2, 100)
	m := untrained(t, learnt)
	all := designs()[1:]
	o := proxy.DefaultTrainOptions()
	o.NN.Steps, o.NN.ValidateEvery, o.Batch = 1000, 100, 8
	learn := []proxy.Sample{{Instance: learnt, States: all}}
	if _, err := m.Train(t.Context(), learn, learn, o); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if err := m.Save(path); err != nil {
		t.Fatal(err)
	}
	tensors, err := nn.ReadTensors(path)
	if err != nil || !scenario.Predicts(tensors.Meta) {
		t.Fatal(err)
	}
	back, err := scenario.LoadModel(tensors, "mps")
	if err != nil {
		t.Fatal(err)
	}
	s, err := back.Score(t.Context(), []proxy.Sample{{Instance: fresh, States: all}}, 1)
	if err != nil || !s.Designs || s.Bases != 7 || len(s.Reused) != 3 || s.Trained.Run > 1+1e-9 ||
		s.Zero.Run != s.Reused[0].Run || s.Trained.Run < s.Zero.Run+0.03 || s.Trained.Run < s.Reused[1].Run+0.01 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, method := range []decompose.Method{decompose.Proxy, decompose.Hybrid} {
		for _, heuristic := range []bool{true, false} {
			right(t, fresh, back, method, heuristic)
		}
	}
	if err := back.Fits(depots(3, 4, true, false, false)); !errors.Is(err, proxy.ErrModel) {
		t.Errorf("another program: %v", err)
	}
	if err := back.Fits(3); !errors.Is(err, proxy.ErrModel) {
		t.Errorf("no program: %v", err)
	}
}

// right compares a run with the exact one: a hybrid is optimal, and the bound of any holds.
func right(t *testing.T, p *scenario.Problem, m *proxy.Model, method decompose.Method, heuristic bool) {
	t.Helper()
	o := decompose.DefaultOptions()
	o.Benders.Heuristic = heuristic
	want, err := decompose.Solve(t.Context(), p.Program(), o)
	if err != nil {
		t.Fatal(err)
	}
	o.Method, o.Model = method, m
	r, err := decompose.Solve(t.Context(), p.Program(), o)
	if err != nil {
		t.Fatal(err)
	}
	sign := 1.0
	if p.Stochastic().Core.Maximize {
		sign = -1
	}
	tol := 1e-4 * max(1, math.Abs(want.Objective))
	if sign*r.Bound > sign*want.Objective+tol || r.Design == nil || sign*r.Objective < sign*want.Objective-tol ||
		method == decompose.Hybrid && (r.Status != lp.Optimal || math.Abs(r.Objective-want.Objective) > tol) {
		t.Errorf("%s, heuristic %t: %v, objective %g, bound %g, optimum %g", method, heuristic, r.Status, r.Objective,
			r.Bound, want.Objective)
	}
}

// TestPredictedCutsHold compares the cuts of random networks, in programs of all kinds, with the recourse cost
// everywhere, and runs with them with the optimum; where a scenario has no recourse at a design they say so.
func TestPredictedCutsHold(t *testing.T) {
	infeasible := 0
	for k := range 8 {
		p := depots(uint64(k), 12, k&1 > 0, k&2 > 0, k&4 > 0)
		m := untrained(t, p)
		for i := range m.Net.Params() {
			for j := range m.Net.Params()[i].Value {
				m.Net.Params()[i].Value[j] *= 30 // far from what is dual feasible
			}
		}
		sep, err := m.Separator(p, false)
		if err != nil {
			t.Fatal(err)
		}
		exact, err := p.Program().Recourse.Exact(false)
		if err != nil {
			t.Fatal(err)
		}
		costs := make([][]float64, 8)
		for d, state := range designs() {
			s, err := exact.Separate(t.Context(), benders.Point{Y: state.Y, Integer: true})
			if err != nil {
				t.Fatal(err)
			}
			if !s.Infeasible {
				costs[d] = make([]float64, 12)
				for _, cut := range s.Cuts {
					costs[d][cut.Theta] = cut.Value(state.Y)
				}
			}
		}
		for d, state := range designs() {
			s, err := sep.Separate(t.Context(), benders.Point{Y: state.Y, Integer: true})
			if err != nil || s.Infeasible != (costs[d] == nil) || !s.Infeasible && len(s.Cuts) != 12 {
				t.Fatalf("kind %d, design %d: %+v, %v", k, d, s, err)
			}
			if s.Infeasible {
				infeasible++
				continue
			}
			for _, cut := range s.Cuts {
				for other, at := range designs() {
					if c := costs[other]; c != nil && cut.Value(at.Y) > c[cut.Theta]+1e-6*max(1, math.Abs(c[cut.Theta])) {
						t.Errorf("kind %d: a cut of %g at design %d, where scenario %d costs %g", k, cut.Value(at.Y), other,
							cut.Theta, c[cut.Theta])
					}
				}
			}
		}
		right(t, p, m, decompose.Proxy, false)
		right(t, p, m, decompose.Hybrid, true)
	}
	if infeasible == 0 {
		t.Error("no design without a recourse was seen")
	}
}

// TestHybridsWithoutProxyPhase: where scenarios share their certificates those of the relaxation certify more than an
// untrained network, and a hybrid is exact alone; where costs are random there is no pool, and it has both phases.
func TestHybridsWithoutProxyPhase(t *testing.T) {
	without, phases := 0, 0
	for seed := range uint64(12) {
		for _, p := range []*scenario.Problem{depots(seed, 40, false, false, false), markets(seed, 20)} {
			o := decompose.DefaultOptions()
			o.Method, o.Model = decompose.Hybrid, untrained(t, p)
			told := false
			o.Log = func(line string) { told = told || strings.HasPrefix(line, "no proxy phase") }
			r, err := decompose.Solve(t.Context(), p.Program(), o)
			if err != nil {
				t.Fatal(err)
			}
			alone := strings.HasPrefix(p.Stochastic().Name, "depots") && len(r.Phases) == 0
			if r.Status != lp.Optimal || told && !alone {
				t.Fatalf("%s: %+v", p.Stochastic().Name, r)
			}
			if told {
				without++
			}
			phases += len(r.Phases)
		}
	}
	if without < 3 || phases < 3 {
		t.Errorf("%d hybrids without a proxy phase, %d phases of others", without, phases)
	}
}

// TestReusedMultipliers: the nearest scenario is the scenario itself where there are few, and a pool has the
// certificates of a design that it had before; both certify all of its recourse then. Where costs are random the pool
// is that of the scenarios that are solved at the point.
func TestReusedMultipliers(t *testing.T) {
	state := designs()[1]
	for _, costs := range []bool{false, true} {
		for _, reward := range []bool{false, true} {
			p := depots(5, 12, false, costs, reward)
			m := untrained(t, p)
			exact, err := p.Program().Recourse.Exact(true)
			if err != nil {
				t.Fatal(err)
			}
			want, err := exact.Separate(t.Context(), benders.Point{Y: state.Y})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range proxy.ReusingControls {
				control, err := m.Control(c, 1)
				if err != nil || control.Meta["control"] != string(c) {
					t.Fatal(err)
				}
				sep, err := control.Separator(p, true)
				if err != nil {
					t.Fatal(err)
				}
				var got [2]float64
				for k := range got {
					s, err := sep.Separate(t.Context(), benders.Point{Y: state.Y})
					if err != nil || s.Value > want.Value+1e-6*math.Abs(want.Value) {
						t.Fatalf("%s: %g of %g, %v", c, s.Value, want.Value, err)
					}
					got[k] = s.Value
				}
				least := map[proxy.Control]float64{proxy.Mean: 0.4, proxy.Nearest: 1 - 1e-9, proxy.Pool: 1 - 1e-9}[c]
				if v := got[1]; v < least*want.Value || c == proxy.Pool && !costs && !(got[0] < v) {
					t.Errorf("costs %t, reward %t: %s certifies %g and then %g of %g", costs, reward, c, got[0], v, want.Value)
				}
			}
		}
	}
}
