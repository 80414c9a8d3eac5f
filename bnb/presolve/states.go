package presolve

import "math"

// states removes columns that carry a state from one equation to the next, such as the use of a resource at a time:
//
//	use_t = use_{t-1} + what starts at t - what ends at t.
//
// The sum of the equations up to t gives use_t by 0-1 columns alone: what has started and not ended. The equation of t
// is replaced by this sum. Then use_t is in no other row, and its bounds become sides of a knapsack row over what may
// run at t. The difference of two states says next to nothing to propagation: use_{t-1} may have any value. The simplex
// method, too, takes many iterations to move a chain of states.
func (p *problem) states() {
	if !p.has(States) {
		return
	}
	budget := min(stateFill*p.A.NNZ, stateEntries)
	for _, c := range p.stateChains() {
		fill, leave := p.sumsOf(&c, budget)
		if fill > budget || !leave || !p.running() {
			continue
		}

		// The reductions to come may touch the new entries as often as those of the given model.
		budget -= fill
		p.maxWork += workFactor * fill
		p.accumulate(&c)
	}
}

// stateChain is a sequence of rows, all of them equations but perhaps the last: cols[k] is in rows[k] and rows[k+1] and
// in no other row.
type stateChain struct {
	rows, cols []int32
	ratios     []float64 // the entry of cols[k] in rows[k+1] divided by that in rows[k], 1 or -1
}

// stateChains lists the longest sequences of rows that have two states each, the one before and the one after; the
// first row has one state. No row is in two of them.
func (p *problem) stateChains() []stateChain {
	places := make([][]int32, len(p.RowLo))
	for i := range int32(len(p.RowLo)) {
		places[i] = p.statesOf(i)
	}

	var chains []stateChain
	for i := range int32(len(p.RowLo)) {
		if len(places[i]) != 1 {
			continue
		}
		c := stateChain{rows: []int32{i}}
		for at := places[i][0]; at >= 0; {
			at = p.follow(&c, at, places)
		}
		if len(c.cols) > 0 {
			chains = append(chains, c)
		}
	}
	return chains
}

// statesOf returns the places of the states in row i, its integer columns of more than two values. It returns none
// unless there are one or two, all other columns are integer, too, and the row consists of whole numbers, whose sums
// have no rounding errors.
func (p *problem) statesOf(i int32) (places []int32) {
	if p.GoneRow[i] || !whole(p.RowLo[i]) || !whole(p.RowUp[i]) {
		return nil
	}
	p.Work += int(p.A.RowLen[i])
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		e := &p.A.E[k]
		if !p.integer[e.Col] || !whole(e.Val) {
			return nil
		}
		if p.isState(e.Col) {
			places = append(places, k)
		}
		if len(places) > 2 {
			return nil
		}
	}
	return places
}

// isState reports whether the integer column j has more than two values.
func (p *problem) isState(j int32) bool { return p.Up[j]-p.Lo[j] > 1 }

// whole reports whether v is a whole number, and not too large to be summed, or infinite.
func whole(v float64) bool {
	return math.IsInf(v, 0) || v == math.Round(v) && math.Abs(v) <= maxSide
}

// follow extends the chain by the other row of the state at a place of its last row. It returns the place of the next
// state, -1 where the chain ends.
func (p *problem) follow(c *stateChain, at int32, places [][]int32) int32 {
	// An equation that gives the state an integral value may remove it. Its cost would be spread over a long sum.
	e := p.A.E[at]
	last := e.Row
	places[last] = nil
	equation := p.RowLo[last] == p.RowUp[last]
	if !equation || p.A.ColLen[e.Col] != 2 || p.Cost[e.Col] != 0 || !p.integralRow(last, e.Col, e.Val) {
		return -1
	}

	// The state has another entry of the same size, in a row that is in no chain yet.
	other := p.A.E[p.A.ColHead[e.Col]]
	if other.Row == last {
		other = p.A.E[other.NextC]
	}
	next := places[other.Row]
	if len(next) == 0 || math.Abs(other.Val) != math.Abs(e.Val) {
		return -1
	}
	places[other.Row] = nil
	c.rows = append(c.rows, other.Row)
	c.cols = append(c.cols, e.Col)
	c.ratios = append(c.ratios, other.Val/e.Val)

	for _, k := range next {
		if p.A.E[k].Col != e.Col {
			return k
		}
	}
	return -1
}

// sumsOf returns the number of entries of all sums of the chain, states left out, or more than the limit. It reports
// whether at least half of the columns that enter the sums have left them at the end. The sums of a stock, to
// which columns are added that never leave, get longer with every row.
func (p *problem) sumsOf(c *stateChain, limit int) (fill int, leave bool) {
	// The sum is kept up to its sign, so that a row changes only the entries that it has.
	sum := make(map[int32]float64)
	length := 0
	sign := 1.0
	for k, i := range c.rows {
		if k > 0 {
			sign *= -c.ratios[k-1]
		}
		for e := range p.A.Row(i) {
			if p.isState(e.Col) {
				continue
			}
			before := sum[e.Col]
			after := before + sign*e.Val
			sum[e.Col] = after
			if before == 0 {
				length++
			}
			if after == 0 {
				length--
			}
		}

		p.Work += int(p.A.RowLen[i])
		if fill += length; fill > limit {
			return fill, false
		}
	}
	return fill, length <= len(sum)/2
}

// accumulate subtracts from each row of the chain the sum before it, times the ratio of the entries of the state
// between them, which leaves the row. The state is then in one row, where singletonCol removes it.
func (p *problem) accumulate(c *stateChain) {
	for k, f := range c.ratios {
		// The row before is a sum already.
		sum := p.rowEntries(c.rows[k], -1)
		i := c.rows[k+1]
		p.Work += p.A.SubtractRow(i, sum.cols, sum.vals, f)
		p.ShiftRow(i, f, p.RowLo[c.rows[k]])
		p.TouchRow(i)
		p.TouchCols(i)
		p.ColQueue.Add(c.cols[k])
		p.changed++
		p.count.States++
	}
}
