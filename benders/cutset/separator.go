package cutset

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
)

// Network is a directed graph whose arcs are the first columns of a master, 0-1 columns in their order.
type Network struct {
	Nodes      int
	Tail, Head []int32
	Capacity   [][]float64 // of each case and arc
	// Leaving returns what has to leave a set of nodes in a case; not more than 0 where nothing has to.
	Leaving func(inside []bool, k int) float64
	// Balance is what leaves each node less what enters it, of each case, where there is one commodity; nil where there
	// are more. Sets are then looked for by flows, too.
	Balance [][]float64
}

// Kind says which inequalities are separated.
type Kind int

const (
	Whole  Kind = iota // of the capacity of whole sets, at designs alone
	Proven             // and with arcs set aside, of their number too, everywhere: what a record proves
	All                // and those of all cases at once
)

// Separator separates inequalities on cut sets in all cases. It is for one goroutine.
type Separator struct {
	n      Network
	orders []*order // of the capacities of each case
	kind   Kind
	finder finder
	flows  flows
	known  []set // that are looked at at every point
	listed bool  // known are all sets
	arcs   []int32
	locals locals
}

// set is a set of nodes with the cases that ask most of it.
type set struct {
	inside []bool
	cases  []need
}

// need is a case with the arcs that leave the set, by descending capacity, and what they have to carry.
type need struct {
	k      int
	demand float64
	arcs   []int32
	least  int
}

const (
	maxListed = 10 // nodes up to which all sets are looked at
	maxCases  = 4  // of a set that are kept: those that need most arcs
	violated  = 1e-4
	ample     = 1.2 // times what has to leave, from which on one of all sets is not looked at in all cases at once
	enough    = 10  // inequalities that are found for one that is wanted, before the search ends
)

// New returns the separation for a network.
func New(n Network, kind Kind) *Separator {
	s := &Separator{n: n, kind: kind, flows: flows{n: n}, listed: n.Nodes <= maxListed}
	known := map[*float64]*order{} // cases often share their capacities
	for _, capacity := range n.Capacity {
		var first *float64
		if len(capacity) > 0 {
			first = &capacity[0]
		}
		if known[first] == nil {
			known[first] = newOrder(capacity)
		}
		s.orders = append(s.orders, known[first])
	}
	keep := func(inside []bool) {
		if c := s.needs(inside, nil); c != nil {
			s.known = append(s.known, set{inside, c})
		}
	}
	if s.listed {
		for mask := 1; mask < 1<<n.Nodes-1; mask++ {
			inside := make([]bool, n.Nodes)
			for v := range inside {
				inside[v] = mask>>v&1 == 1
			}
			keep(inside)
		}
		return s
	}
	for v := range n.Nodes {
		one, others := make([]bool, n.Nodes), make([]bool, n.Nodes)
		for w := range others {
			one[w], others[w] = w == v, w != v
		}
		keep(one)
		keep(others)
	}
	return s
}

// Carries reports whether a design has the capacity for every set that is looked at at every point, in the cases that
// ask most of it.
func (s *Separator) Carries(y []float64) bool {
	for k := range s.known {
		for _, c := range s.known[k].cases {
			if shortfall(c.arcs, s.n.Capacity[c.k], y, c.demand) > Tolerance {
				return false
			}
		}
	}
	return true
}

// leaving lists the arcs that leave a set.
func (s *Separator) leaving(inside []bool) []int32 {
	s.arcs = s.arcs[:0]
	for j, v := range s.n.Tail {
		if inside[v] && !inside[s.n.Head[j]] {
			s.arcs = append(s.arcs, int32(j))
		}
	}
	return s.arcs
}

// needs returns the cases that ask most of a set: those that need most arcs, and of these with the least capacity for
// their demand. With a point only those that have less than twice what they need there.
func (s *Separator) needs(inside []bool, y []float64) []need {
	arcs := s.leaving(inside)
	var list []need
	room := map[int]float64{}
	for k, capacity := range s.n.Capacity {
		d := s.n.Leaving(inside, k)
		if !(d > 0) {
			continue
		}
		if y != nil && shortfall(arcs, capacity, y, d) < -1 {
			continue
		}
		c := need{k: k, demand: d, arcs: slices.Clone(arcs)}
		s.orders[k].sort(c.arcs)
		c.least = Least(c.arcs, capacity, d)
		for _, j := range c.arcs {
			room[k] += min(1, capacity[j]/d)
		}
		list = append(list, c)
	}
	slices.SortStableFunc(list, func(a, b need) int {
		if d := cmp.Compare(b.least, a.least); d != 0 {
			return d
		}
		return cmp.Compare(room[a.k], room[b.k])
	})
	return list[:min(len(list), maxCases)]
}

// hit is an inequality that was found on a set, for the capacities of case k.
type hit struct {
	inequality
	k      int
	inside []bool
}

// Cuts returns the inequalities that y violates most, at most limit. Where the context ends there are fewer.
func (s *Separator) Cuts(ctx context.Context, y []float64, limit int) []benders.Cut {
	var list []hit
	try := func(inside []bool, k int, arcs []int32, demand float64) {
		capacity := s.n.Capacity[k]
		if s.kind != Whole {
			for _, f := range s.finder.Find(arcs, capacity, y, demand) {
				if f.Violation > violated {
					list = append(list, hit{f, k, inside})
				}
			}
		}
		if v := shortfall(arcs, capacity, y, demand); v > violated {
			list = append(list, hit{inequality{Violation: v, Arcs: arcs, Left: demand}, k, inside})
		}
	}
	looked := make(map[string]bool)
	visit := func(inside []bool, cases []need) {
		before := len(list)
		for _, c := range cases {
			try(inside, c.k, c.arcs, c.demand)
		}
		if s.kind != All {
			return
		}
		if key := setKey(inside); len(cases) > 0 && !looked[key] {
			looked[key] = true
			if h := s.local(ctx, y, inside); h.Violation > max(violated, (1+violated)*strongest(list[before:])) {
				list = append(list, h)
			}
		}
	}
	for k := range s.known {
		visit(s.known[k].inside, s.known[k].cases)
	}
	if !s.listed {
		s.grow(y, func(inside []bool) { visit(inside, s.needs(inside, y)) })
	}
	s.flows.search(y, func(inside []bool, k int, demand float64) bool {
		arcs := slices.Clone(s.leaving(inside))
		s.orders[k].sort(arcs)
		try(inside, k, arcs, demand) // the set has to be left by that much at least
		if !s.listed {
			visit(inside, s.needs(inside, y))
		}
		return len(list) < enough*limit
	})
	slices.SortStableFunc(list, func(a, b hit) int { return cmp.Compare(b.Violation, a.Violation) })
	var cuts []benders.Cut
	seen := make(map[string]bool)
	for _, h := range list {
		if len(cuts) >= limit {
			break
		}
		arcs, values, side := h.Row(s.n.Capacity[h.k])
		var key []byte
		for i, j := range arcs {
			key = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(key, uint32(j)), math.Float64bits(values[i]))
			values[i] = -values[i]
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			cuts = append(cuts, benders.Cut{Kind: benders.Feasibility, Theta: benders.AllEpigraphs, Alpha: side, Index: arcs,
				Beta:        values,
				Certificate: h.certificate()})
		}
	}
	return cuts
}

// certificate says what the inequality follows from.
func (h *hit) certificate() Nodes {
	if h.weights != nil {
		return Nodes{Inside: h.inside, Case: AllCases}
	}
	return Nodes{Inside: h.inside, Case: h.k}
}

// setKey tells sets apart.
func setKey(inside []bool) string {
	key := make([]byte, (len(inside)+7)/8)
	for v, in := range inside {
		if in {
			key[v/8] |= 1 << (v % 8)
		}
	}
	return string(key)
}

// strongest returns the greatest violation, with sides of one.
func strongest(list []hit) (greatest float64) {
	for _, h := range list {
		greatest = max(greatest, h.Violation/max(1, float64(h.Least)))
	}
	return greatest
}

// local looks for the inequality of all cases at once.
func (s *Separator) local(ctx context.Context, y []float64, inside []bool) hit {
	var cases []int
	var demand []float64
	for k := range s.n.Capacity {
		if d := s.n.Leaving(inside, k); d > 0 {
			cases, demand = append(cases, k), append(demand, d)
		}
	}
	arcs := slices.Clone(s.leaving(inside))
	if len(arcs) == 0 || len(arcs) > maxCut || s.listed && !s.scarce(y, arcs, cases, demand) ||
		s.carried(y, arcs, cases, demand) {
		return hit{}
	}
	s.locals.set(arcs, s.n.Capacity, cases, demand)
	v, side := s.locals.find(ctx, y)
	found := inequality{Violation: v, Arcs: arcs, weights: slices.Clone(s.locals.pi), side: side}
	return hit{inequality: found, inside: inside}
}

// scarce reports whether in some case y opens less than ample times what has to leave.
func (s *Separator) scarce(y []float64, arcs []int32, cases []int, demand []float64) bool {
	for i, k := range cases {
		if shortfall(arcs, s.n.Capacity[k], y, demand[i]) > 1-ample {
			return true
		}
	}
	return false
}

// carried reports whether the arcs that y opens for certain suffice in all cases.
func (s *Separator) carried(y []float64, arcs []int32, cases []int, demand []float64) bool {
	for i, k := range cases {
		left := demand[i]
		for _, j := range arcs {
			if y[j] >= 1-1e-7 {
				left -= s.n.Capacity[k][j]
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// grow joins nodes along the arcs that y opens most, and hands over every set that comes about, and the nodes beside
// it.
func (s *Separator) grow(y []float64, visit func(inside []bool)) {
	order := make([]int32, len(s.n.Tail))
	for j := range order {
		order[j] = int32(j)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(y[b], y[a]) })
	parts := make([][]int32, s.n.Nodes)
	at := make([]int, s.n.Nodes)
	for v := range parts {
		parts[v], at[v] = []int32{int32(v)}, v
	}
	for _, j := range order {
		a, b := at[s.n.Tail[j]], at[s.n.Head[j]]
		if a == b {
			continue
		}
		for _, v := range parts[b] {
			at[v] = a
		}
		parts[a], parts[b] = append(parts[a], parts[b]...), nil
		if len(parts[a]) == s.n.Nodes {
			return
		}
		inside, outside := make([]bool, s.n.Nodes), make([]bool, s.n.Nodes)
		for v := range inside {
			inside[v] = at[v] == a
			outside[v] = !inside[v]
		}
		visit(inside)
		visit(outside)
	}
}

// Nodes is the certificate of an inequality: the set of nodes that it is about, and in which case it has to be left by
// enough, AllCases where it takes all of them.
type Nodes struct {
	Inside []bool
	Case   int
}

// AllCases as Nodes.Case is all cases at once.
const AllCases = -1

// Kind returns benders.Feasibility.
func (n Nodes) Kind() benders.Kind { return benders.Feasibility }

// Vector returns the set as zeros and ones.
func (n Nodes) Vector() []float64 {
	v := make([]float64, len(n.Inside))
	for k, in := range n.Inside {
		if in {
			v[k] = 1
		}
	}
	return v
}

// List returns the nodes of the set.
func (n Nodes) List() (list []int32) {
	for v, in := range n.Inside {
		if in {
			list = append(list, int32(v))
		}
	}
	return list
}

// Before asks for inequalities on cut sets before another separator: at a design that violates one nothing else is
// needed, at a fractional point they come with the cuts of the separator itself.
func (s *Separator) Before(inner benders.Separator) benders.Separator {
	return benders.Chain(inner, s.step)
}

// step implements benders.Step.
func (s *Separator) step(ctx context.Context, p benders.Point) (out benders.Separation, final bool, err error) {
	const maxCuts = 20
	if !p.Integer && s.kind == Whole {
		return out, false, nil
	}
	out.Source = benders.FromCutSets
	out.Cuts = s.Cuts(ctx, p.Y, maxCuts)
	out.Infeasible = p.Integer && len(out.Cuts) > 0
	return out, out.Infeasible, nil
}
