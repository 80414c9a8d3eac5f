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
	of      []int32   // of each node: its future, -1 in the last period
	reach   []float64 // of each column of the core: how far from zero its values may be
}

// period says which columns the programs of a period have: its own in front, then those of the state, which earlier
// periods chose and which rows of this period or of a later one need.
type period struct {
	own, rows []int32         // columns and rows of the core
	state     []int32         // columns of the core
	at        map[int32]int32 // position of each of these columns
	row       map[int32]int32 // position of each row
	next      []int32         // positions of the columns of the next period's state
}

// future is what follows nodes with the same arcs: a function of the state of the next period. Its expectation is
// split into parts, each with an epigraph column and cuts of its own.
type future struct {
	period int32 // of the nodes that have it
	arcs   []stoch.Arc
	part   []int32 // of each arc
	parts  int
}

// newLayout checks a program and cuts it into periods. parts is the largest number of parts of a future, 0 for what its
// arcs say.
func newLayout(p *stoch.Multistage, parts int) (*layout, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	for j := range p.Core.Cols {
		if p.Core.Cols[j].Integer {
			return nil, fmt.Errorf("nested: %w: the column %s is integer", ErrUnsuited, p.Core.ColName(lp.Var(j)))
		}
	}

	l := &layout{p: p, sign: 1, periods: make([]period, p.Periods), of: make([]int32, len(p.Nodes))}
	if p.Core.Maximize {
		l.sign = -1
	}
	var err error
	if l.matrix, err = p.Core.Matrix(); err != nil {
		return nil, err
	}

	// The next period's state is a part of the state and the decision of a period.
	last := l.lastNeeds()
	for t := range l.periods {
		l.periods[t].fill(p, int32(t), last)
	}
	for t := range l.periods[:p.Periods-1] {
		q := &l.periods[t]
		for _, j := range l.periods[t+1].state {
			q.next = append(q.next, q.at[j])
		}
	}

	l.findFutures(parts)
	l.reach, err = reach(p)
	return l, err
}

// lastNeeds returns for every column the last period with a row that has it, in any node.
func (l *layout) lastNeeds() []int32 {
	p := l.p
	last := make([]int32, len(p.Core.Cols))
	for j := range last {
		index, _ := l.matrix.Vec(j)
		for _, i := range index {
			last[j] = max(last[j], p.RowPeriod[i])
		}
	}
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
func (q *period) fill(p *stoch.Multistage, t int32, last []int32) {
	q.at = map[int32]int32{}
	q.row = map[int32]int32{}
	for j, of := range p.ColPeriod {
		if of == t {
			q.own = append(q.own, int32(j))
		} else if of < t && last[j] >= t {
			q.state = append(q.state, int32(j))
		}
	}
	for k, j := range slices.Concat(q.own, q.state) {
		q.at[j] = int32(k)
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
		l.of[n] = -1
		if len(node.Arcs) == 0 {
			continue
		}
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

func newFuture(node *stoch.Node, parts int) future {
	if parts == 0 {
		parts = 1
		if len(node.Arcs) <= maxMultiCutArcs {
			parts = maxMultiCutArcs
		}
	}
	f := future{period: node.Period, arcs: node.Arcs, parts: min(parts, len(node.Arcs))}
	for k := range node.Arcs {
		f.part = append(f.part, int32(k*f.parts/len(node.Arcs)))
	}
	return f
}

func arcsKey(arcs []stoch.Arc) string {
	b := make([]byte, 0, 12*len(arcs))
	for _, a := range arcs {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.To))
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(a.Probability))
	}
	return string(b)
}
