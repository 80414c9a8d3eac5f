package smps

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp/stoch"
)

// node is a node of the scenario tree. Parents come before their children; node 0 is the root.
type node struct {
	// name is that of a scenario through the node, or a number.
	name string
	// parent is the index of the parent, -1 for the root.
	parent int32
	period int32
	// probability is that of all scenarios through the node, not the one given its parent.
	probability float64
	// changes are the numbers that become known here; those of independent parts may be needed in a later period.
	changes []stoch.Change
}

// tree returns the nodes of the program.
func (p *Program) tree(o Options) ([]node, error) {
	if p.Parts == nil {
		return p.paths(o)
	}
	if o.Sample > 0 {
		return p.sampled(o)
	}

	// A continuous part has no outcomes to enumerate.
	for k := range p.Parts {
		if l := p.Parts[k].Law; l != nil {
			return nil, fmt.Errorf("smps: %w: %s is %s, which can only be sampled", ErrTooLarge, p.Parts[k].Name, l.Name)
		}
	}
	return p.product(o)
}

// sampled draws scenarios of a two-period program.
func (p *Program) sampled(o Options) ([]node, error) {
	if len(p.Periods) != 2 {
		return nil, fmt.Errorf("smps: %w: a program of %d periods is not sampled path by path: decisions would depend on "+
			"the future", stoch.ErrProgram, len(p.Periods))
	}
	if o.Sample > o.MaxNodes {
		return nil, fmt.Errorf("smps: %w: %d, the limit is %d", ErrTooLarge, o.Sample, o.MaxNodes)
	}

	// Every scenario is drawn by itself, and all have the same probability.
	rng := rand.New(rand.NewPCG(o.Seed, 0x736d7073))
	nodes := []node{{parent: -1, probability: 1}}
	for s := range o.Sample {
		n := node{name: fmt.Sprintf("S%05d", s+1), period: 1, probability: 1 / float64(o.Sample)}
		for k := range p.Parts {
			n.changes = append(n.changes, p.Parts[k].draw(rng)...)
		}
		nodes = append(nodes, n)
	}
	return nodes, nil
}

// product enumerates the outcomes of independent parts, period by period.
func (p *Program) product(o Options) ([]node, error) {
	// The number of nodes, in floating point since it may be huge.
	parts := make([][]*Part, len(p.Periods))
	size := 1.0  // all periods so far
	width := 1.0 // the last of them
	for t := range parts {
		for k := range p.Parts {
			if q := &p.Parts[k]; int(q.Period) == t {
				parts[t] = append(parts[t], q)
				width *= float64(len(q.Outcomes))
			}
		}
		size += width
	}
	if size > float64(o.MaxNodes) {
		return nil, fmt.Errorf("smps: %w: %.6g of them make a tree of %.6g nodes, the limit is %d", ErrTooLarge, width, size,
			o.MaxNodes)
	}

	// The nodes from the index from on are those of the period before t.
	nodes := []node{{parent: -1, probability: 1}}
	from := 0
	for t := 1; t < len(parts); t++ {
		to := len(nodes)
		for parent := from; parent < to; parent++ {
			nodes = expand(nodes, parent, t, parts[t])
		}
		from = to
	}
	return nodes, nil
}

// expand appends the children of a node: one a combination of outcomes.
func expand(nodes []node, parent, t int, parts []*Part) []node {
	at := make([]int, len(parts)) // the outcome of each part
	for {
		n := node{parent: int32(parent), period: int32(t), probability: nodes[parent].probability}
		for k, q := range parts {
			o := &q.Outcomes[at[k]]
			n.probability *= o.Probability
			n.changes = append(n.changes, o.Changes...)
		}

		// A combination that cannot occur, also by underflow, has no node.
		if n.probability > 0 {
			n.name = fmt.Sprintf("S%05d", len(nodes))
			nodes = append(nodes, n)
		}

		// The next combination, as an odometer counts: the last part moves fastest.
		k := len(parts) - 1
		for ; k >= 0; k-- {
			if at[k]++; at[k] < len(parts[k].Outcomes) {
				break
			}
			at[k] = 0
		}
		if k < 0 {
			return nodes
		}
	}
}

// paths makes the tree of the listed scenarios.
func (p *Program) paths(o Options) ([]node, error) {
	if o.Sample > 0 {
		return nil, fmt.Errorf("smps: %w: the scenarios are listed, there is nothing to draw", stoch.ErrProgram)
	}

	// Scenarios without a parent share the path of the core before their branch, whose nodes are made as they come.
	periods := len(p.Periods)
	nodes := []node{{parent: -1}}
	core := slices.Repeat([]int32{-1}, periods)
	core[0] = 0

	path := make([][]int32, len(p.Scenarios)) // the nodes of each scenario, by period
	roots := 0
	for k := range p.Scenarios {
		sc := &p.Scenarios[k]

		// A scenario shares the nodes of its parent before its branch.
		from := core
		if sc.Parent >= 0 {
			from = path[sc.Parent]
		} else if sc.Branch == 0 {
			if roots++; roots > 1 {
				return nil, fmt.Errorf("smps: %w: scenario %s is a second root", stoch.ErrProgram, sc.Name)
			}
		}

		// What a scenario changes becomes known period by period.
		own := p.byPeriod(sc.Changes)
		path[k] = make([]int32, periods)
		for t := range periods {
			switch {
			// All scenarios share the root.
			case t == 0:
				nodes[0].changes = merge(nodes[0].changes, own[0])
				continue
			// The node before the branch is there already.
			case t < int(sc.Branch) && from[t] >= 0:
				path[k][t] = from[t]
				continue
			}

			// A new node has the numbers of the parent's, and its own in their places.
			n := node{name: sc.Name, parent: path[k][t-1], period: int32(t), changes: own[t]}
			if sc.Parent >= 0 {
				n.changes = merge(nodes[from[t]].changes, own[t])
			}
			path[k][t] = int32(len(nodes))

			// A node of the core before the branch serves later scenarios too.
			if t < int(sc.Branch) {
				from[t] = path[k][t]
			}
			nodes = append(nodes, n)
			if len(nodes) > o.MaxNodes {
				return nil, fmt.Errorf("smps: %w: the tree has over %d nodes", ErrTooLarge, o.MaxNodes)
			}
		}

		// The probability of a node is that of all scenarios through it.
		for _, n := range path[k] {
			nodes[n].probability += sc.Probability
		}
	}
	return possible(nodes), nil
}

// possible returns the nodes of positive probability, numbered anew. The nodes above such a node have a positive one
// too; the root stays in any case.
func possible(nodes []node) []node {
	// A child has at most the probability of its parent, so no node that is kept loses its parent.
	number := make([]int32, len(nodes))
	kept := nodes[:1]
	for k := 1; k < len(nodes); k++ {
		n := nodes[k]
		if n.probability > 0 {
			number[k] = int32(len(kept))
			n.parent = number[n.parent]
			kept = append(kept, n)
		}
	}
	return kept
}

// byPeriod splits changes by the period in which they are needed.
func (p *Program) byPeriod(changes []stoch.Change) [][]stoch.Change {
	out := make([][]stoch.Change, len(p.Periods))
	for _, c := range changes {
		// The order within a period stays: the last change of a place counts.
		t := p.needed(c)
		out[t] = append(out[t], c)
	}
	return out
}

// needed returns the period in which a number is needed.
func (p *Program) needed(c stoch.Change) int32 {
	// A coefficient is needed with its row, which is not before its column.
	switch c.Kind {
	case stoch.Cost, stoch.ColLower, stoch.ColUpper:
		return p.ColPeriod[c.Col]
	}
	return p.RowPeriod[c.Row]
}

// place identifies the number that a change replaces.
type place struct {
	kind     stoch.Kind
	row, col int32
}

// merge returns the changes of base, with those of top in their places and the others behind. The last one of a place
// counts.
func merge(base, top []stoch.Change) []stoch.Change {
	out := make([]stoch.Change, 0, len(base)+len(top))
	at := make(map[place]int, len(base)+len(top))
	for _, part := range [2][]stoch.Change{base, top} {
		for _, c := range part {
			// A place that comes again keeps its position and takes the new value.
			key := place{c.Kind, int32(c.Row), int32(c.Col)}
			if k, known := at[key]; known {
				out[k].Value = c.Value
				continue
			}
			at[key] = len(out)
			out = append(out, c)
		}
	}
	return out
}
