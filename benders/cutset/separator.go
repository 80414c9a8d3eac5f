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

// Kind is a choice of the inequalities that are separated.
type Kind int

const (
	Whole  Kind = iota // of the capacity of cut sets without an arc set aside, at designs alone
	Proven             // cover inequalities and those with arcs set aside, too, at every point: what a record can prove
	All                // and inequalities for all cases at once
)

// Separator separates inequalities on cut sets in all cases. It is for one goroutine.
type Separator struct {
	n      Network
	orders []*order // of the capacities of each case
	kind   Kind
	finder finder
	flows  flows
	locals locals
	known  []set   // cut sets that are checked at every point
	listed bool    // known has all cut sets
	arcs   []int32 // scratch: those that leave a set
}

// set is a set of nodes with its most demanding cases.
type set struct {
	inside []bool
	cases  []need
}

// need is a case with the arcs that leave the set, by descending capacity, and the demand that they have to carry.
type need struct {
	k      int // the case
	demand float64
	arcs   []int32
	least  int     // number of arcs that are needed
	room   float64 // capacity of the arcs in units of the demand, none above one
}

const (
	maxListed    = 10   // nodes of the largest network whose cut sets are all listed
	maxCases     = 4    // cases of a set, those that need most arcs
	minViolation = 1e-4 // of an inequality with a side of about 1
	ample        = 1.2  // capacity over demand from which on a listed set is not separated in all cases at once
	enough       = 10   // inequalities for each one that is wanted, after which the search ends
)

// New returns the separation for a network.
func New(n Network, kind Kind) *Separator {
	s := &Separator{
		n:      n,
		kind:   kind,
		flows:  newFlows(n),
		listed: n.Nodes <= maxListed,
	}

	// Cases often share their capacities, and then the order of their arcs: the same list has the same first number.
	known := map[*float64]*order{}
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

	// In a small network all sets are listed, in a large one every node alone, and all other nodes. A set that no demand
	// has to leave, in any case, is left out.
	list := func(member func(v int) bool) {
		inside := make([]bool, n.Nodes)
		for v := range inside {
			inside[v] = member(v)
		}
		if c := s.needs(inside, nil); c != nil {
			s.known = append(s.known, set{inside, c})
		}
	}
	if s.listed {
		// All masks but those of no node and of all nodes.
		for mask := 1; mask < 1<<n.Nodes-1; mask++ {
			list(func(v int) bool { return mask>>v&1 == 1 })
		}
		return s
	}
	for v := range n.Nodes {
		list(func(w int) bool { return w == v })
		list(func(w int) bool { return w != v })
	}
	return s
}

// MayBeFeasible reports whether a design has the capacity for every known cut set, in its most demanding cases.
func (s *Separator) MayBeFeasible(y []float64) bool {
	// Known sets are those of a small network, or single nodes: quick to check, and the first that bad designs violate.
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
	// The list is valid until the next call; the arcs are in ascending order.
	s.arcs = s.arcs[:0]
	for j, v := range s.n.Tail {
		if inside[v] && !inside[s.n.Head[j]] {
			s.arcs = append(s.arcs, int32(j))
		}
	}
	return s.arcs
}

// needs returns the most demanding cases of a set: those that need most arcs, and of these with the least capacity for
// their demand. With a point y only the cases in which the set has less than twice the capacity that it needs at y.
func (s *Separator) needs(inside []bool, y []float64) []need {
	arcs := s.leaving(inside)
	var list []need
	for k, capacity := range s.n.Capacity {
		// A negated comparison, so that a demand of NaN is none.
		d := s.n.Leaving(inside, k)
		if !(d > 0) || y != nil && shortfall(arcs, capacity, y, d) < -1 {
			continue
		}
		c := need{k: k, demand: d, arcs: slices.Clone(arcs)}
		s.orders[k].sort(c.arcs)
		c.least = Least(c.arcs, capacity, d)
		for _, j := range c.arcs {
			c.room += min(1, capacity[j]/d)
		}
		list = append(list, c)
	}

	// The sort is stable, so that cases alike stay in their order.
	slices.SortStableFunc(list, func(a, b need) int {
		return cmp.Or(cmp.Compare(b.least, a.least), cmp.Compare(a.room, b.room))
	})
	return list[:min(len(list), maxCases)]
}

// found is an inequality that was separated on a set, for the capacities of case k.
type found struct {
	inequality
	k      int
	inside []bool // the set of nodes
}

// search collects the inequalities that a point violates.
type search struct {
	*Separator
	ctx     context.Context
	y       []float64
	list    []found         // inequalities, in the order in which they are found
	visited map[string]bool // sets that were separated in all cases at once
}

// separate adds the inequalities on a set for one case.
func (s *search) separate(inside []bool, k int, arcs []int32, demand float64) {
	// Cover inequalities and those with arcs set aside.
	capacity := s.n.Capacity[k]
	if s.kind != Whole {
		for _, f := range s.finder.Find(arcs, capacity, s.y, demand) {
			if f.Violation > minViolation {
				s.list = append(s.list, found{f, k, inside})
			}
		}
	}

	// The inequality of the capacities of all arcs.
	if v := shortfall(arcs, capacity, s.y, demand); v > minViolation {
		f := inequality{Violation: v, Arcs: arcs, Left: demand, whole: s.kind == Whole}
		s.list = append(s.list, found{f, k, inside})
	}
}

// visit adds the inequalities on a set for some cases, and the one for all cases at once if it is more violated.
func (s *search) visit(inside []bool, cases []need) {
	before := len(s.list)
	for _, c := range cases {
		s.separate(inside, c.k, c.arcs, c.demand)
	}
	if s.kind != All {
		return
	}

	// The growing of sets and the flows may come to a set again: all cases at once do not depend on the way to it.
	if key := setKey(inside); len(cases) > 0 && !s.visited[key] {
		s.visited[key] = true
		f := s.local(s.ctx, s.y, inside)
		if f.Violation > max(minViolation, (1+minViolation)*strongest(s.list[before:])) {
			s.list = append(s.list, f)
		}
	}
}

// Cuts returns the inequalities that y violates most, at most limit. Where the context ends there are fewer.
func (s *Separator) Cuts(ctx context.Context, y []float64, limit int) []benders.Cut {
	// The known sets; then sets along the arcs that y opens, unless all sets are known; then minimum cuts.
	at := &search{Separator: s, ctx: ctx, y: y, visited: make(map[string]bool)}
	for k := range s.known {
		at.visit(s.known[k].inside, s.known[k].cases)
	}
	if !s.listed {
		s.grow(y, func(inside []bool) { at.visit(inside, s.needs(inside, y)) })
	}

	// The set of a minimum cut is separated for the node of the flow, and then in the cases that need most arcs.
	s.flows.search(y, func(inside []bool, k int, demand float64) bool {
		arcs := slices.Clone(s.leaving(inside))
		s.orders[k].sort(arcs)
		at.separate(inside, k, arcs, demand) // The demand of the flow is a lower bound on that of the set.
		if !s.listed {
			at.visit(inside, s.needs(inside, y))
		}
		return len(at.list) < enough*limit
	})

	// The most violated ones, each once: different sets may have the same arcs. The sort is stable, so that the order of
	// the search decides between equal violations.
	slices.SortStableFunc(at.list, func(a, b found) int { return cmp.Compare(b.Violation, a.Violation) })
	var cuts []benders.Cut
	seen := make(map[string]bool)
	for _, h := range at.list {
		if len(cuts) >= limit {
			break
		}

		// A cut 0 >= side - values'y has the coefficients of the row with the other sign.
		arcs, values, side := h.Row(s.n.Capacity[h.k])
		var key []byte
		for i, j := range arcs {
			key = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(key, uint32(j)), math.Float64bits(values[i]))
			values[i] = -values[i]
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			cuts = append(cuts, benders.Cut{
				Kind:        benders.Feasibility,
				Theta:       benders.AllEpigraphs,
				Alpha:       side,
				Index:       arcs,
				Beta:        values,
				Certificate: h.certificate(),
			})
		}
	}
	return cuts
}

// certificate returns the set and the case that imply the inequality.
func (h *found) certificate() Nodes {
	if h.weights != nil {
		return Nodes{Inside: h.inside, Case: allCases}
	}
	return Nodes{Inside: h.inside, Case: h.k}
}

// setKey identifies a set: a bit for each node.
func setKey(inside []bool) string {
	// The length is that of all nodes, so that no two sets have the same key.
	key := make([]byte, (len(inside)+7)/8)
	for v, in := range inside {
		if in {
			key[v/8] |= 1 << (v % 8)
		}
	}
	return string(key)
}

// strongest returns the greatest violation, in units of the side of each inequality.
func strongest(list []found) (greatest float64) {
	for _, h := range list {
		greatest = max(greatest, h.Violation/max(1, float64(h.Least)))
	}
	return greatest
}

// local separates the inequality on a set for all cases at once, where the capacity of its arcs is scarce.
func (s *Separator) local(ctx context.Context, y []float64, inside []bool) found {
	// The cases in which a demand has to leave the set.
	var cases []int
	var demand []float64
	for k := range s.n.Capacity {
		if d := s.n.Leaving(inside, k); d > 0 {
			cases = append(cases, k)
			demand = append(demand, d)
		}
	}

	// Nothing is found on a set that is too large, or whose arcs at y are ample.
	arcs := slices.Clone(s.leaving(inside))
	if len(arcs) == 0 || len(arcs) > maxCut {
		return found{}
	}
	isAmple := s.listed && !s.scarce(y, arcs, cases, demand)
	if isAmple || s.carried(y, arcs, cases, demand) {
		return found{}
	}

	s.locals.set(arcs, s.n.Capacity, cases, demand)
	v, side := s.locals.find(ctx, y)
	best := inequality{
		Violation: v,
		Arcs:      arcs,
		weights:   slices.Clone(s.locals.pi), // which the next set overwrites
		side:      side,
	}
	return found{inequality: best, inside: inside}
}

// scarce reports whether in some case the capacity at y is less than ample times the demand.
func (s *Separator) scarce(y []float64, arcs []int32, cases []int, demand []float64) bool {
	// A shortfall of 1 - ample is a capacity of ample times the demand.
	for i, k := range cases {
		if shortfall(arcs, s.n.Capacity[k], y, demand[i]) > 1-ample {
			return true
		}
	}
	return false
}

// carried reports whether the arcs that y opens entirely suffice in all cases.
func (s *Separator) carried(y []float64, arcs []int32, cases []int, demand []float64) bool {
	const open = 1 - 1e-7 // of an arc that is opened entirely, within the tolerance of a master's linear program
	for i, k := range cases {
		left := demand[i]
		for _, j := range arcs {
			if y[j] >= open {
				left -= s.n.Capacity[k][j]
			}
		}
		if left > 0 {
			return false
		}
	}
	return true
}

// grow joins nodes along the arcs that y opens most (Kruskal), and visits every set that comes about, and the set of
// the other nodes.
func (s *Separator) grow(y []float64, visit func(inside []bool)) {
	order := ascending(len(s.n.Tail))
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(y[b], y[a]) })

	// parts are the sets so far, by number, and at is the number of the set of each node.
	parts := make([][]int32, s.n.Nodes)
	at := make([]int, s.n.Nodes)
	for v := range parts {
		parts[v] = []int32{int32(v)}
		at[v] = v
	}
	for _, j := range order {
		a, b := at[s.n.Tail[j]], at[s.n.Head[j]]
		if a == b {
			continue
		}

		// The set of the head joins that of the tail. The set of all nodes has no arcs that leave it.
		for _, v := range parts[b] {
			at[v] = a
		}
		parts[a] = append(parts[a], parts[b]...)
		if len(parts[a]) == s.n.Nodes {
			return
		}

		// Both sides of the cut are sets: supply has to leave one, and demand has to enter it.
		inside := make([]bool, s.n.Nodes)
		outside := make([]bool, s.n.Nodes)
		for v := range inside {
			inside[v] = at[v] == a
			outside[v] = !inside[v]
		}
		visit(inside)
		visit(outside)
	}
}

// Nodes is the certificate of an inequality: the set of nodes of the cut set, and the case whose demand implies the
// inequality, -1 for one that follows from all cases at once.
type Nodes struct {
	Inside []bool
	Case   int
}

// allCases as Nodes.Case is all cases at once.
const allCases = -1

// Kind returns benders.Feasibility.
func (n Nodes) Kind() benders.Kind { return benders.Feasibility }

// Vector returns the set as zeros and ones.
func (n Nodes) Vector() []float64 {
	v := make([]float64, len(n.Inside))
	for _, k := range n.List() {
		v[k] = 1
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
	const maxCuts = 20 // of one point; more slow the master down
	if !p.Integer && s.kind == Whole {
		return out, false, nil
	}

	// A design that violates an inequality is infeasible, and nothing else needs to be separated there.
	out.Source = benders.FromCutSets
	out.Cuts = s.Cuts(ctx, p.Y, maxCuts)
	out.Infeasible = p.Integer && len(out.Cuts) > 0
	return out, out.Infeasible, nil
}
