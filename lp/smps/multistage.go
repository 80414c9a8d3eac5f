package smps

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp/stoch"
)

// Multistage returns the program period by period, as a graph of nodes instead of a tree: nodes share their successors
// where the outcomes of a period do not matter in later ones, or where listed scenarios have the same data from a
// period on. The limit of the options is on the nodes and arcs of the graph; the tree may have any number. Nothing is
// drawn.
func (p *Program) Multistage(o Options) (*stoch.Multistage, error) {
	out := &stoch.Multistage{
		Name:      p.Name,
		Core:      p.Core,
		Periods:   len(p.Periods),
		ColPeriod: p.ColPeriod,
		RowPeriod: p.RowPeriod,
	}

	// Listed scenarios or independent parts make the nodes.
	g := &grapher{p: p, limit: o.MaxNodes}
	var err error
	if p.Parts == nil {
		err = g.listed(o)
	} else {
		err = g.independent()
	}

	// What is wrong with the program, or its size, is known before nodes are merged.
	if err != nil {
		return nil, err
	}

	g.merge(len(p.Periods))
	out.Nodes = g.reached()
	return out, nil
}

// grapher makes the nodes of a multi-period program, the root first and parents before their children. Three steps
// make the graph: nodes for what can be known in each period (listed or independent), one node of all that are equal
// from there on (merge), and the nodes that are still reached from the root (reached). For T periods with k
// independent outcomes each that matter in their own period alone, T-1 times k nodes and the root stand for a tree of
// k^(T-1) leaves.
type grapher struct {
	p *Program
	// limit is the largest number of nodes and arcs.
	limit int
	nodes []stoch.Node
}

// listed makes one node for each of the tree of the scenarios.
func (g *grapher) listed(o Options) error {
	o.Sample = 0
	tree, err := g.p.paths(o)
	if err != nil {
		return err
	}
	for k := range tree {
		// The nodes keep their numbers: parents come first.
		g.nodes = append(g.nodes, stoch.Node{Period: tree[k].period, Changes: tree[k].changes})
		if k > 0 {
			// The probability of an arc is that of its end, given the node it leaves.
			above := tree[k].parent
			arc := stoch.Arc{To: int32(k), Probability: tree[k].probability / tree[above].probability}
			g.nodes[above].Arcs = append(g.nodes[above].Arcs, arc)
		}
	}
	return nil
}

// independent makes one node for each combination of outcomes that matter from a period on. What is known at a node is
// the outcome of each part, -1 for one that is not known yet or does not matter any more.
func (g *grapher) independent() error {
	// last is the period in which the outcome of a part matters last; parts lists them by the period in which they
	// become known.
	last := make([]int32, len(g.p.Parts))
	parts := make([][]int, len(g.p.Periods))
	for k := range g.p.Parts {
		q := &g.p.Parts[k]
		if q.Law != nil {
			return fmt.Errorf("smps: %w: %s is %s, which can only be sampled", ErrTooLarge, q.Name, q.Law.Name)
		}
		parts[q.Period] = append(parts[q.Period], k)
		last[k] = q.Period
		for _, o := range q.Outcomes {
			for _, c := range o.Changes {
				last[k] = max(last[k], g.p.needed(c))
			}
		}
	}

	// known[n] is what is known at node n; the nodes from the index from on are those of the period before t.
	g.nodes = []stoch.Node{{}}
	known := [][]int32{slices.Repeat([]int32{-1}, len(g.p.Parts))}
	from := 0
	arcs := 0 // so far, for the limit
	for t := int32(1); int(t) < len(parts); t++ {
		to := len(g.nodes)
		at := map[string]int32{}  // node of period t by what is known
		after := map[string]int{} // node of the period before by what is known and matters from t on
		for n := from; n < to; n++ {
			// What no longer matters is dropped, so that nodes that differ in nothing else become alike.
			for k := range known[n] {
				if last[k] < t {
					known[n][k] = -1
				}
			}

			// Nodes with the same knowledge have the same arcs.
			same := key(known[n])
			if first, ok := after[same]; ok {
				g.nodes[n].Arcs = g.nodes[first].Arcs
				continue
			}
			after[same] = n

			err := g.outcomes(parts[t], slices.Clone(known[n]), 1, func(outcome []int32, probability float64) error {
				if arcs++; arcs+len(g.nodes) > g.limit {
					return fmt.Errorf("smps: %w: the combinations of outcomes in period %s make over %d nodes and arcs", ErrTooLarge,
						g.p.Periods[t], g.limit)
				}

				// Outcomes that are known already in a node of this period lead there.
				id := key(outcome)
				m, ok := at[id]
				if !ok {
					m = int32(len(g.nodes))
					at[id] = m
					g.nodes = append(g.nodes, stoch.Node{Period: t, Changes: g.changes(outcome, t)})
					known = append(known, slices.Clone(outcome))
				}
				g.nodes[n].Arcs = append(g.nodes[n].Arcs, stoch.Arc{To: m, Probability: probability})
				return nil
			})
			if err != nil {
				return err
			}
		}
		from = to
	}
	return nil
}

// outcomes calls do for every combination of outcomes of the parts, all but those in known.
func (g *grapher) outcomes(parts []int, known []int32, probability float64, do func([]int32, float64) error) error {
	if len(parts) == 0 {
		return do(known, probability)
	}

	// One part after the other; at the end the part is unknown again.
	k := parts[0]
	defer func() { known[k] = -1 }()
	for o := range g.p.Parts[k].Outcomes {
		// An outcome of probability 0 does not occur, nor does a product that underflows.
		own := probability * g.p.Parts[k].Outcomes[o].Probability
		if own <= 0 {
			continue
		}
		known[k] = int32(o)
		if err := g.outcomes(parts[1:], known, own, do); err != nil {
			return err
		}
	}
	return nil
}

// changes returns the numbers of a period that outcomes set. Where two set the same number, the later one counts.
func (g *grapher) changes(outcome []int32, period int32) []stoch.Change {
	// Parts that become known later come later, so that their numbers count.
	var list []stoch.Change
	for t := int32(1); t <= period; t++ {
		for k, o := range outcome {
			if o < 0 || g.p.Parts[k].Period != t {
				continue
			}
			for _, c := range g.p.Parts[k].Outcomes[o].Changes {
				if g.p.needed(c) == period {
					list = append(list, c)
				}
			}
		}
	}
	return merge(nil, list)
}

// key is a list of numbers as a string, for maps.
func key(list []int32) string {
	b := make([]byte, 0, 4*len(list))

	// Four bytes a number, so that different lists of a length differ.
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return string(b)
}

// probabilityDigits is the factor that makes integers of probabilities, which are equal where these differ by rounding.
const probabilityDigits = 1e12

// merge makes one node of all that have the same changes and the same future, from the last period on.
func (g *grapher) merge(periods int) {
	merged := make([]int32, len(g.nodes)) // by node: the first one that is equal to it
	known := map[string]int32{}
	for t := periods - 1; t >= 0; t-- {
		for n := range g.nodes {
			node := &g.nodes[n]
			if int(node.Period) != t {
				continue
			}

			// The arcs lead to nodes that are merged already.
			node.Arcs = joined(node.Arcs, merged)
			id := g.identity(node)

			// The first node of its kind stands for all others, whose arcs lead to it from now on.
			if _, ok := known[id]; !ok {
				known[id] = int32(n)
			}
			merged[n] = known[id]
		}
	}
}

// joined returns arcs to the merged nodes, one to each, in the order of their numbers.
func joined(arcs []stoch.Arc, merged []int32) []stoch.Arc {
	out := make([]stoch.Arc, 0, len(arcs))
	for _, a := range arcs {
		// Arcs to nodes that were merged lead to the one that stands for them.
		out = append(out, stoch.Arc{To: merged[a.To], Probability: a.Probability})
	}

	// Arcs to the same node become one, with the sum of their probabilities.
	slices.SortStableFunc(out, func(a, b stoch.Arc) int { return cmp.Compare(a.To, b.To) })
	kept := out[:0]
	for _, a := range out {
		if k := len(kept) - 1; k >= 0 && kept[k].To == a.To {
			kept[k].Probability += a.Probability
			continue
		}
		kept = append(kept, a)
	}
	return kept
}

// identity is the period, the changes and the arcs of a node as a string.
func (g *grapher) identity(node *stoch.Node) string {
	changes := slices.Clone(node.Changes)
	slices.SortFunc(changes, func(a, b stoch.Change) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col))
	})

	// Two nodes are equal where period, changes and arcs are.
	b := binary.LittleEndian.AppendUint32(nil, uint32(node.Period))
	for _, c := range changes {
		b = append(b, byte(c.Kind))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Row))
		b = binary.LittleEndian.AppendUint32(b, uint32(c.Col))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(c.Value))
	}

	// No kind has this number, so it ends the changes.
	b = append(b, 0xff)
	for _, a := range node.Arcs {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.To))
		b = binary.LittleEndian.AppendUint64(b, uint64(math.Round(a.Probability*probabilityDigits)))
	}
	return string(b)
}

// reached returns the nodes that a path leads to, numbered anew.
func (g *grapher) reached() []stoch.Node {
	wanted := make([]bool, len(g.nodes))
	list := []int32{0}
	wanted[0] = true
	for len(list) > 0 {
		// Depth first: the order of the visits does not matter.
		n := list[len(list)-1]
		list = list[:len(list)-1]
		for _, a := range g.nodes[n].Arcs {
			if !wanted[a.To] {
				wanted[a.To] = true
				list = append(list, a.To)
			}
		}
	}

	// The order stays, so that parents come before their children.
	number := make([]int32, len(g.nodes))
	var out []stoch.Node
	for n := range g.nodes {
		if wanted[n] {
			number[n] = int32(len(out))
			out = append(out, g.nodes[n])
		}
	}

	// Arcs get the new numbers of the nodes.
	for n := range out {
		for k := range out[n].Arcs {
			arc := &out[n].Arcs[k]
			arc.To = number[arc.To]
		}
	}
	return out
}
