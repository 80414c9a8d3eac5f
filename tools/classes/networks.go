package classes

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// network is a class of fixed-charge networks: flows of some commodities over arcs that are paid for if they are used
// at all.
type network struct {
	nodes, arcs, commodities int
	sources                  int     // nodes that supply, in a network of one commodity
	unit                     bool    // demands are 1 and costs small integers, as in Steiner trees
	capacity                 float64 // of an arc, as a share of all demand; 0 for none but that
	fixed                    float64 // fixed cost over the cost of a unit of flow, mean
}

// Classes of sparse networks, as they are in MIPLIB 2017: with one source and unit demands, with a few sources, with
// capacities that bind, and with many commodities that share the arcs.
var networks = map[string]network{
	"@steinerflow":     {nodes: 150, arcs: 300, commodities: 1, sources: 1, unit: true},
	"@steinerflow2":    {nodes: 300, arcs: 1200, commodities: 1, sources: 1, unit: true},
	"@fixedcharge":     {nodes: 200, arcs: 1200, commodities: 1, sources: 10, fixed: 40},
	"@fixedcharge2":    {nodes: 500, arcs: 2500, commodities: 1, sources: 1, fixed: 100},
	"@capacitated":     {nodes: 150, arcs: 600, commodities: 1, sources: 20, capacity: 0.05, fixed: 20},
	"@capacitated2":    {nodes: 100, arcs: 300, commodities: 1, sources: 10, capacity: 0.15, fixed: 50},
	"@multicommodity":  {nodes: 20, arcs: 100, commodities: 10, capacity: 0.3, fixed: 20},
	"@multicommodity2": {nodes: 30, arcs: 120, commodities: 20, capacity: 1, fixed: 60},
}

func init() {
	for name, n := range networks {
		structured[name] = n.draw
	}
}

// draw makes a member: a spanning tree, so that every demand can be met, and random arcs between near nodes.
func (n network) draw(rng *rand.Rand) *lp.Model {
	at := make([][2]float64, n.nodes)
	for i := range at {
		at[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	ends := n.graph(rng, at)
	demand := n.demands(rng)
	total := 0.0
	for _, d := range demand {
		for _, v := range d {
			total += math.Max(v, 0)
		}
	}
	m := &lp.Model{}
	balance := make([][][]term, len(demand))
	for k := range demand {
		balance[k] = make([][]term, n.nodes)
	}
	for a, e := range ends {
		length := math.Hypot(at[e[0]][0]-at[e[1]][0], at[e[0]][1]-at[e[1]][1])
		cost, fixed := math.Round(1+20*length), math.Round(n.fixed*(1+20*length)*(0.5+rng.Float64()))
		if n.unit {
			cost, fixed = 0, float64(1+rng.IntN(10))
		}
		capacity := total
		if n.capacity > 0 && a >= n.tree() {
			capacity = math.Max(1, math.Round(total*n.capacity*(0.5+rng.Float64())))
		}
		row := []term{{addBinary(m, fixed), -capacity}}
		for k := range demand {
			x := m.AddCol(lp.Col{Cost: cost, Upper: math.Inf(1)})
			row = append(row, term{x, 1})
			balance[k][e[0]] = append(balance[k][e[0]], term{x, 1})
			balance[k][e[1]] = append(balance[k][e[1]], term{x, -1})
		}
		addTerms(m, math.Inf(-1), 0, row...)
	}
	for k, rows := range balance {
		for i, row := range rows {
			addTerms(m, -demand[k][i], -demand[k][i], row...)
		}
	}
	return m
}

// tree is the number of arcs of the spanning tree: one direction suffices if node 0 supplies everything.
func (n network) tree() int {
	if n.sources == 1 {
		return n.nodes - 1
	}
	return 2 * (n.nodes - 1)
}

// graph draws the ends of the arcs, first those of the tree.
func (n network) graph(rng *rand.Rand, at [][2]float64) [][2]int {
	var ends [][2]int
	near := func(i int, among int) int {
		best, least := 0, math.Inf(1)
		for range 8 { // the nearest of a few
			j := rng.IntN(among)
			if d := math.Hypot(at[i][0]-at[j][0], at[i][1]-at[j][1]); j != i && d < least {
				best, least = j, d
			}
		}
		return best
	}
	for i := 1; i < n.nodes; i++ {
		j := near(i, i)
		ends = append(ends, [2]int{j, i})
		if n.sources != 1 {
			ends = append(ends, [2]int{i, j})
		}
	}
	for len(ends) < n.arcs {
		i := rng.IntN(n.nodes)
		if j := near(i, n.nodes); j != i {
			ends = append(ends, [2]int{i, j})
		}
	}
	return ends
}

// demands draws what every node takes of every commodity; what it supplies is negative.
func (n network) demands(rng *rand.Rand) [][]float64 {
	out := make([][]float64, n.commodities)
	for k := range out {
		out[k] = make([]float64, n.nodes)
		if n.commodities > 1 {
			p := rng.Perm(n.nodes)
			d := float64(1 + rng.IntN(20))
			out[k][p[0]], out[k][p[1]] = d, -d
			continue
		}
		p := rng.Perm(n.nodes)
		first := slices.Index(p, 0)
		p[0], p[first] = 0, p[0]
		for _, i := range p[n.sources:] {
			d := 0.0
			switch {
			case n.unit:
				d = float64(rng.IntN(2))
			case rng.IntN(3) > 0:
				d = float64(1 + rng.IntN(20))
			}
			out[k][i] = d
			out[k][p[rng.IntN(n.sources)]] -= d
		}
	}
	return out
}
