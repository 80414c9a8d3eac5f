package verify_test

import (
	"encoding/json"
	"math"
	"math/big"

	"github.com/proxybd/proxybd/record"
)

// program is what a record's instance means, worked out by brute force in rationals.
type program interface {
	// least returns the least value of weight'y + [recourse] the costs of an epigraph (record.AllEpigraphs for all of
	// them) over all feasible points with integer columns.
	least(weight []*big.Rat, recourse bool, epigraph int) (verdict, *big.Rat)
	// optimum is the optimum of the whole program.
	optimum() (verdict, *big.Rat)
	// price is the least cost of the points whose integer first-stage columns are those of y.
	price(y []float64) (verdict, *big.Rat)
}

func rat(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }

// finiteRat is nil for an infinite number.
func finiteRat(v float64) *big.Rat {
	if math.IsInf(v, 0) {
		return nil
	}
	return rat(v)
}

// meaning reads the program of a record; nil where it is too large to enumerate.
func meaning(r *record.Record) program {
	switch r.Header.Family {
	case "ufl", "cap":
		var f record.Facilities
		if json.Unmarshal(r.Instance.Data, &f) != nil || f.Facilities > 6 {
			return nil
		}
		return enumerate(f.Fixed, func(y int) []*big.Rat { return service(&f, y, r.Header.Family == "cap") })
	}
	var network record.Network
	if r.Header.Family == "mcndp" && r.Instance.Decode(&network) == nil {
		if len(network.Tail) > 7 {
			return nil
		}
		return enumerate(network.Fixed, func(y int) []*big.Rat { return routing(&network, y) })
	}
	var w record.ScenarioNetwork
	if r.Header.Family == "netdes" && r.Instance.Decode(&w) == nil {
		if len(w.Tail) > 7 {
			return nil
		}
		return enumerate(w.Fixed, func(y int) []*big.Rat { return scenarioRouting(&w, y, r.Header.Epigraphs) })
	}
	var m record.Model
	if json.Unmarshal(r.Instance.Data, &m) != nil {
		return nil
	}
	return &twoStage{m}
}

// table holds the recourse cost of every binary design, nil where it has none: of all clients, and then of each one
// where they are apart.
type table struct {
	fixed    []float64
	recourse [][]*big.Rat
}

func enumerate(fixed []float64, recourse func(y int) []*big.Rat) *table {
	t := &table{fixed: fixed}
	for y := range 1 << len(fixed) {
		t.recourse = append(t.recourse, recourse(y))
	}
	return t
}

func (t *table) least(weight []*big.Rat, recourse bool, epigraph int) (verdict, *big.Rat) {
	var best *big.Rat
	for y, costs := range t.recourse {
		if costs == nil {
			continue
		}
		v := new(big.Rat)
		for j, w := range weight {
			if y>>j&1 == 1 {
				v.Add(v, w)
			}
		}
		if recourse {
			v.Add(v, costs[epigraph+1])
		}
		if best == nil || v.Cmp(best) < 0 {
			best = v
		}
	}
	if best == nil {
		return infeasible, nil
	}
	return solved, best
}

func (t *table) optimum() (verdict, *big.Rat) {
	return t.least(rats(t.fixed), true, record.AllEpigraphs)
}

func rats(list []float64) []*big.Rat {
	out := make([]*big.Rat, len(list))
	for k, v := range list {
		out[k] = rat(v)
	}
	return out
}

func (t *table) price(y []float64) (verdict, *big.Rat) {
	v, at := new(big.Rat), 0
	for j, open := range y {
		if open == 1 {
			v.Add(v, rat(t.fixed[j]))
			at |= 1 << j
		}
	}
	if t.recourse[at] == nil {
		return infeasible, nil
	}
	return solved, v.Add(v, t.recourse[at][0])
}

// service prices a design of a location problem: in all, and for ufl client by client.
func service(f *record.Facilities, y int, capacitated bool) []*big.Rat {
	if y == 0 {
		return nil
	}
	if capacitated {
		return transport(f, y)
	}
	costs := []*big.Rat{new(big.Rat)}
	for i := range f.Clients {
		best := math.Inf(1)
		for j := range f.Facilities {
			if y>>j&1 == 1 {
				best = min(best, f.Cost[i*f.Facilities+j])
			}
		}
		costs = append(costs, rat(best))
		costs[0].Add(costs[0], rat(best))
	}
	return costs
}

// transport solves the transportation problem of a design; a single epigraph is the sum and number 0.
func transport(f *record.Facilities, y int) []*big.Rat {
	l := &linear{}
	supply := make([]side, f.Facilities)
	for j := range supply {
		supply[j] = side{map[int]*big.Rat{}, nil, rat(f.Capacity[j])}
	}
	one := big.NewRat(1, 1)
	for i := range f.Clients {
		serve := side{map[int]*big.Rat{}, one, one}
		for j := range f.Facilities {
			if y>>j&1 == 1 {
				k := l.add(rat(f.Cost[i*f.Facilities+j]))
				serve.coef[k], supply[j].coef[k] = one, rat(f.Demand[i])
			}
		}
		l.rows = append(l.rows, serve)
	}
	l.rows = append(l.rows, supply...)
	return l.both()
}

// add adds a nonnegative continuous column.
func (l *linear) add(cost *big.Rat) int {
	l.cost, l.lower, l.upper, l.integer = append(l.cost, cost), append(l.lower, new(big.Rat)), append(l.upper, nil), append(l.integer, false)
	return len(l.cost) - 1
}

// both is the optimal value as that of the sum and of the only epigraph.
func (l *linear) both() []*big.Rat {
	if status, value, _ := l.solve(); status == solved {
		return []*big.Rat{value, value}
	}
	return nil
}

// routing solves the flow problem of a design. Costs are nonnegative, so no flow needs more than its demand on an arc.
func routing(w *record.Network, y int) []*big.Rat {
	l := &linear{}
	room := make([]side, len(w.Tail))
	for e := range room {
		room[e] = side{map[int]*big.Rat{}, nil, rat(w.Capacity[e])}
	}
	one, minus := big.NewRat(1, 1), big.NewRat(-1, 1)
	for i, d := range w.Demand {
		balance := make(map[int32]*side)
		var order []*side
		at := func(v int32) *side {
			if balance[v] == nil {
				balance[v] = &side{map[int]*big.Rat{}, new(big.Rat), new(big.Rat)}
				order = append(order, balance[v])
			}
			return balance[v]
		}
		from, to := at(w.Origin[i]), at(w.Target[i])
		from.lower, from.upper = rat(d), rat(d)
		to.lower, to.upper = rat(-d), rat(-d)
		for e := range w.Tail {
			if y>>e&1 == 1 {
				k := l.add(rat(w.Cost[e]))
				at(w.Tail[e]).coef[k], at(w.Head[e]).coef[k], room[e].coef[k] = one, minus, one
			}
		}
		for _, s := range order {
			l.rows = append(l.rows, *s)
		}
	}
	l.rows = append(l.rows, room...)
	return l.both()
}

// scenarioRouting solves the flow problems of all scenarios: what they cost in all, and by epigraph.
func scenarioRouting(w *record.ScenarioNetwork, y, epigraphs int) []*big.Rat {
	costs := make([]*big.Rat, 1+epigraphs)
	for k := range costs {
		costs[k] = new(big.Rat)
	}
	one, minus := big.NewRat(1, 1), big.NewRat(-1, 1)
	for s, p := range w.Probability {
		l := &linear{}
		balance, room := make([]side, w.Nodes), make([]side, len(w.Tail))
		for v := range balance {
			b := rat(w.Demand[s*w.Nodes+v])
			balance[v] = side{map[int]*big.Rat{}, b, b}
		}
		for e := range w.Tail {
			room[e] = side{map[int]*big.Rat{}, nil, rat(w.Capacity[s*len(w.Tail)+e])}
			if y>>e&1 == 1 {
				k := l.add(rat(w.Cost[s*len(w.Tail)+e]))
				balance[w.Tail[e]].coef[k], balance[w.Head[e]].coef[k], room[e].coef[k] = one, minus, one
			}
		}
		l.rows = append(balance, room...)
		status, value, _ := l.solve()
		if status != solved {
			return nil
		}
		value.Mul(value, rat(p))
		costs[0].Add(costs[0], value)
		at := 1 + s*epigraphs/len(w.Probability)
		costs[at].Add(costs[at], value)
	}
	return costs
}

// twoStage is a general model.
type twoStage struct{ record.Model }

// relaxations is how many linear programs a truth may take.
const relaxations = 300

func (m *twoStage) linear() *linear {
	l := &linear{cost: rats(m.Cost), integer: m.Integer}
	for j := range m.Cost {
		l.lower, l.upper = append(l.lower, finiteRat(float64(m.Lower[j]))), append(l.upper, finiteRat(float64(m.Upper[j])))
	}
	for i := range m.RowLower {
		s := side{map[int]*big.Rat{}, finiteRat(float64(m.RowLower[i])), finiteRat(float64(m.RowUpper[i]))}
		for k := m.Start[i]; k < m.Start[i+1]; k++ {
			s.coef[int(m.Index[k])] = rat(m.Value[k])
		}
		l.rows = append(l.rows, s)
	}
	return l
}

func (m *twoStage) least(weight []*big.Rat, recourse bool, epigraph int) (verdict, *big.Rat) {
	l, y := m.linear(), 0
	for j := range l.cost {
		switch {
		case m.First[j]:
			l.cost[j] = weight[y]
			y++
		case !recourse || epigraph >= 0 && m.Block[j] != epigraph:
			l.cost[j] = new(big.Rat)
		}
	}
	return l.optimum(relaxations)
}

func (m *twoStage) optimum() (verdict, *big.Rat) {
	status, value := m.linear().optimum(relaxations)
	if status == solved {
		value = new(big.Rat).Add(value, rat(m.Offset))
	}
	return status, value
}

func (m *twoStage) price(y []float64) (verdict, *big.Rat) {
	l, at := m.linear(), 0
	for j := range l.cost {
		if m.First[j] {
			if m.Integer[j] {
				l.lower[j], l.upper[j] = rat(y[at]), rat(y[at])
			}
			at++
		}
	}
	status, value, _ := l.solve()
	if status == solved {
		value.Add(value, rat(m.Offset))
	}
	return status, value
}
