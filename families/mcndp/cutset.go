package mcndp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/internal/outward"
)

// cutSet is a set S of nodes that demand has to leave: the open ones of the arcs that do must carry it.
type cutSet struct {
	inside []bool  // S, one entry a node
	arcs   []int32 // from S to the other nodes, by descending capacity
	demand float64 // of the commodities that leave S, rounded to nearest
	least  int     // how many open arcs it takes to carry the demand; more than there are where all do not
}

// maxEnumerated is the number of nodes up to which all sets are listed: 2^12 of them.
const maxEnumerated = 12

// cutSets returns sets of nodes that demand leaves: all of them in small networks, else those of one node or all but
// one.
func (in *Instance) cutSets() []cutSet {
	if c := in.cuts.Load(); c != nil {
		return *c
	}
	var list []cutSet
	keep := func(inside []bool) {
		if s := in.cutSetOf(inside); s.demand > 0 {
			list = append(list, s)
		}
	}
	if in.Nodes <= maxEnumerated {
		for mask := 1; mask < 1<<in.Nodes-1; mask++ {
			inside := make([]bool, in.Nodes)
			for v := range inside {
				inside[v] = mask>>v&1 == 1
			}
			keep(inside)
		}
	} else {
		for v := range in.Nodes {
			one, others := make([]bool, in.Nodes), make([]bool, in.Nodes)
			for w := range others {
				one[w], others[w] = w == v, w != v
			}
			keep(one)
			keep(others)
		}
	}
	in.cuts.Store(&list)
	return list
}

// cutSetOf gathers what leaves a set of nodes.
func (in *Instance) cutSetOf(inside []bool) cutSet {
	return in.cutSetFor(inside, in.leaving(inside, in.Demand))
}

// leaving returns how much of some demands has to leave a set of nodes.
func (in *Instance) leaving(inside []bool, demand []float64) float64 {
	var total outward.Sum
	for i, d := range demand {
		if inside[in.Origin[i]] && !inside[in.Destination[i]] {
			total.Add(d)
		}
	}
	return total.Value()
}

// cutSetFor gathers the arcs that can carry a demand out of a set of nodes.
func (in *Instance) cutSetFor(inside []bool, demand float64) cutSet {
	s := cutSet{inside: inside, demand: demand}
	if s.demand == 0 {
		return s
	}
	for j, v := range in.Tail {
		if inside[v] && !inside[in.Head[j]] {
			s.arcs = append(s.arcs, int32(j))
		}
	}
	cutset.Sort(s.arcs, in.Capacity)
	s.least = cutset.Least(s.arcs, in.Capacity, s.demand)
	return s
}

// carries reports whether the open arcs of a design have the capacity for every cut set that is listed.
func (in *Instance) carries(y []float64) bool {
	for _, s := range in.cutSets() {
		if s.shortfall(in, y) > cutset.Tolerance {
			return false
		}
	}
	return true
}

// shortfall returns the part of the demand that the capacity at y does not carry.
func (s *cutSet) shortfall(in *Instance, y []float64) float64 {
	return cutset.Shortfall(s.arcs, in.Capacity, y, s.demand)
}

// cutSetSeparator separates cut-set inequalities (paper, section 5.3): that the capacity which leaves a set of nodes
// carries the demand that does, which is the feasibility cut of u_iv = d_i on the set, and those of package cutset with
// some arcs of the set aside. It is for one goroutine.
type cutSetSeparator struct {
	cutset.Finder      // records have no place for the proof of Covers
	Whole         bool // only the first kind, of the whole capacity

	in        *Instance
	certifier *completer
	u         []float64
}

// newCutSets returns the separation for a valid instance.
func newCutSets(in *Instance) *cutSetSeparator {
	return &cutSetSeparator{in: in, certifier: newCertifier(in, penaltyOf(in)), u: make([]float64, in.size())}
}

// found is a violated inequality on a set, of the whole capacity where no arcs are listed.
type found struct {
	cutset.Found
	set int
}

// Separate returns the most inequalities, at most, that y violates most.
func (c *cutSetSeparator) Separate(y []float64, most int) ([]benders.Cut, error) {
	const violated = 1e-4
	var list []found
	sets := c.in.cutSets()
	for k := range sets {
		if v := sets[k].shortfall(c.in, y); v > violated {
			list = append(list, found{cutset.Found{Violation: v}, k})
		}
		if c.Whole {
			continue
		}
		for _, f := range c.Find(sets[k].arcs, c.in.Capacity, y, sets[k].demand) {
			if f.Violation > violated {
				list = append(list, found{f, k})
			}
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.Violation, a.Violation) })
	var cuts []benders.Cut
	known := make(map[string]bool)
	for _, f := range list {
		if len(cuts) >= most {
			break
		}
		cut, err := c.cut(&sets[f.set], f)
		if err != nil {
			return nil, err
		}
		key := fmt.Sprint(cut.Index, cut.Beta)
		if !known[key] {
			known[key] = true
			cuts = append(cuts, cut)
		}
	}
	return cuts, nil
}

// cut writes what was found as a cut.
func (c *cutSetSeparator) cut(s *cutSet, f found) (benders.Cut, error) {
	if len(f.Arcs) > 0 {
		arcs, beta, alpha := f.Row(c.in.Capacity)
		for k := range beta {
			beta[k] = -beta[k]
		}
		return benders.Cut{Kind: benders.Feasibility, Theta: benders.AllEpigraphs, Alpha: alpha,
			Index: arcs, Beta: beta, Certificate: cutset.Nodes(s.inside)}, nil
	}
	m := c.in.Commodities()
	clear(c.u)
	for v, in := range s.inside {
		for i, d := range c.in.Demand {
			if in && s.inside[c.in.Origin[i]] && !s.inside[c.in.Destination[i]] {
				c.u[v*m+i] = d / s.demand
			}
		}
	}
	return c.certifier.Cut(benders.Feasibility, c.u)
}

// withCutSets asks for cut-set inequalities first: at a design that violates one nothing else is needed, at a
// fractional point they come with the cuts of the separator itself.
type withCutSets struct {
	benders.Separator
	Sets *cutSetSeparator
}

// Separate implements benders.Separator.
func (w withCutSets) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	const most = 10
	cuts, err := w.Sets.Separate(p.Y, most)
	if err != nil || p.Integer && len(cuts) > 0 {
		return benders.Separation{Cuts: cuts, Infeasible: true}, err
	}
	s, err := w.Separator.Separate(ctx, p)
	s.Cuts = append(s.Cuts, cuts...)
	return s, err
}

// designCutSets asks for them at designs alone.
type designCutSets struct{ withCutSets }

// Separate implements benders.Separator.
func (w designCutSets) Separate(ctx context.Context, p benders.Point) (benders.Separation, error) {
	if !p.Integer {
		return w.Separator.Separate(ctx, p)
	}
	return w.withCutSets.Separate(ctx, p)
}

// PartTimes implements benders.Timed with the times of the separator, if it has any.
func (w withCutSets) PartTimes() (prediction, completion time.Duration) {
	if t, ok := w.Separator.(benders.Timed); ok {
		return t.PartTimes()
	}
	return 0, 0
}

// Uses implements benders.Mixed with the counts of the separator, if it is one.
func (w withCutSets) Uses() benders.Uses {
	if m, ok := w.Separator.(benders.Mixed); ok {
		return m.Uses()
	}
	return benders.Uses{}
}
