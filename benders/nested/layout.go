package nested

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// layout is a program cut into periods, as a minimisation.
type layout struct {
	p       *stoch.Multistage
	matrix  *lp.Matrix // of the core, by columns
	sign    float64    // of the costs of the program given
	periods []period
	futures []future
	of      []int32 // of each node, its future, -1 in the last period

	groups  [][]int32 // of nodes that share a linear program
	groupOf []int32   // of each node
}

// period has the columns of the programs of a period: its own in front, then those of the state, which earlier
// periods chose and which rows of this period or of a later one need.
type period struct {
	own, rows []int32         // columns and rows of the core
	state     []int32         // columns of the core
	reach     []float64       // of the own columns and of those of the state: how far from zero their values may be
	at        map[int32]int32 // position of each of these columns
	row       map[int32]int32 // position of each row
	next      []int32         // positions of the columns of the next period's state
}

// stateReach is the reach of the columns of the state.
func (q *period) stateReach() []float64 { return q.reach[len(q.own):] }

// future is what follows nodes with the same arcs: a function of the state of the next period. Its expectation is
// split into parts, each with an epigraph column and cuts of its own.
type future struct {
	period int32 // of the nodes that have it
	arcs   []stoch.Arc
	part   []int32 // of each arc
	parts  int
}

// newLayout checks a program and cuts it into periods. parts is the largest number of parts of a future, 0 for the
// default of newFuture.
func newLayout(p *stoch.Multistage, parts int) (*layout, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	for j := range p.Core.Cols {
		if p.Core.Cols[j].Integer {
			return nil, fmt.Errorf("nested: %w: the column %s is integer", ErrUnsuited, p.Core.ColName(lp.Var(j)))
		}
	}

	l := &layout{
		p:       p,
		sign:    1,
		periods: make([]period, p.Periods),
		of:      slices.Repeat([]int32{-1}, len(p.Nodes)),
	}
	if p.Core.Maximize {
		l.sign = -1
	}
	var err error
	if l.matrix, err = p.Core.Matrix(); err != nil {
		return nil, err
	}

	// The columns and rows of each period, with the reach of the columns.
	last := l.lastNeeds()
	reach := reach(p, l.matrix)
	for t := range l.periods {
		l.periods[t].fill(p, int32(t), last, reach)
	}

	// The next period's state is a part of the state and the decision of a period.
	for t := range l.periods[:p.Periods-1] {
		q := &l.periods[t]
		for _, j := range l.periods[t+1].state {
			q.next = append(q.next, q.at[j])
		}
	}

	l.findFutures(parts)
	l.group()
	return l, nil
}

// lastNeeds returns for every column the last period with a row that has it, in any node.
func (l *layout) lastNeeds() []int32 {
	// The coefficients of the core.
	p := l.p
	last := make([]int32, len(p.Core.Cols))
	for j := range last {
		index, _ := l.matrix.Vec(j)
		for _, i := range index {
			last[j] = max(last[j], p.RowPeriod[i])
		}
	}

	// A node may have a coefficient where the core has none.
	for n := range p.Nodes {
		for _, c := range p.Nodes[n].Changes {
			if c.Kind == stoch.Entry {
				last[c.Col] = max(last[c.Col], p.RowPeriod[c.Row])
			}
		}
	}
	return last
}

// fill finds the columns and rows of period t. A column of an earlier period is in the state while a row of this period
// or of a later one has it.
func (q *period) fill(p *stoch.Multistage, t int32, last []int32, reach []float64) {
	q.at = map[int32]int32{}
	q.row = map[int32]int32{}
	for j, of := range p.ColPeriod {
		if of == t {
			q.own = append(q.own, int32(j))
		} else if of < t && last[j] >= t {
			q.state = append(q.state, int32(j))
		}
	}

	// The programs of the period have the own columns in front.
	for k, j := range slices.Concat(q.own, q.state) {
		q.at[j] = int32(k)
		q.reach = append(q.reach, reach[j])
	}

	for i, of := range p.RowPeriod {
		if of == t {
			q.row[int32(i)] = int32(len(q.rows))
			q.rows = append(q.rows, int32(i))
		}
	}
}

// findFutures numbers the futures: nodes with the same arcs have the same one.
func (l *layout) findFutures(parts int) {
	known := map[string]int32{}
	for n := range l.p.Nodes {
		node := &l.p.Nodes[n]
		if len(node.Arcs) == 0 {
			continue
		}

		// Futures are numbered by the first node that has them.
		id := arcsKey(node.Arcs)
		f, ok := known[id]
		if !ok {
			f = int32(len(l.futures))
			known[id] = f
			l.futures = append(l.futures, newFuture(node, parts))
		}
		l.of[n] = f
	}
}

// maxMultiCutArcs is the largest number of arcs of a future for which every arc has an epigraph of its own (a
// multi-cut); with more of them the cuts are on the sum. The watson and sgpf programs (2 and 5 arcs) took 5 to 45%
// fewer linear programs with the multi-cut; with 10 arcs the runs took three times as long.
const maxMultiCutArcs = 5

// newFuture returns the future of a node in at most as many parts, or with 0 in a part for each of a few arcs, and else
// in one.
func newFuture(node *stoch.Node, parts int) future {
	if parts == 0 {
		parts = 1
		if len(node.Arcs) <= maxMultiCutArcs {
			parts = maxMultiCutArcs
		}
	}

	// Parts have consecutive arcs, and their sizes differ by one at most.
	f := future{period: node.Period, arcs: node.Arcs, parts: min(parts, len(node.Arcs))}
	for k := range node.Arcs {
		f.part = append(f.part, int32(k*f.parts/len(node.Arcs)))
	}
	return f
}

// arcsKey returns a string that is the same for the same nodes with the same probabilities, bit for bit.
func arcsKey(arcs []stoch.Arc) string {
	// Four bytes for the node and eight for the probability of each arc.
	b := make([]byte, 0, 12*len(arcs))
	for _, a := range arcs {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.To))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.Probability))
	}
	return string(b)
}

// group finds the nodes that share a linear program: those with the same future and the same coefficients.
func (l *layout) group() {
	type shared struct {
		future int32
		period int32
		matrix string
	}
	known := map[shared]int32{}
	l.groupOf = make([]int32, len(l.p.Nodes))
	for n := range l.p.Nodes {
		node := &l.p.Nodes[n]

		// The changed coefficients, in the order of the changes: four bytes for row and column each, and eight for the value.
		var matrix []byte
		for _, c := range node.Changes {
			if c.Kind == stoch.Entry {
				matrix = binary.LittleEndian.AppendUint32(matrix, uint32(c.Row))
				matrix = binary.LittleEndian.AppendUint32(matrix, uint32(c.Col))
				matrix = binary.LittleEndian.AppendUint64(matrix, math.Float64bits(c.Value))
			}
		}

		// Groups are numbered by their first nodes.
		k := shared{l.of[n], node.Period, string(matrix)}
		g, ok := known[k]
		if !ok {
			g = int32(len(l.groups))
			known[k] = g
			l.groups = append(l.groups, nil)
		}
		l.groups[g] = append(l.groups[g], int32(n))
		l.groupOf[n] = g
	}
}
