package presolve

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// prober fixes binary columns to either value and propagates. Between two probes its bounds and ranges are those of the
// problem.
type prober struct {
	p      *problem
	lo, up []float64
	act    []activity.Range
	queue  sparse.Queue
	cols   []int32 // changed by the current probe
	isCol  []bool
	rows   []savedRange
	isRow  []bool  // the range of the row is in rows
	spare  []int32 // scratch of the queue
	at     []int32 // by column, its index in a list of outcomes, -1 between probes

	switched int // implications that close a continuous column
}

// savedRange is the range of a row before the current probe.
type savedRange struct {
	row int32
	was activity.Range
}

// outcome is the bounds of one column after a probe.
type outcome struct {
	col    int32
	lo, up float64
}

// probe fixes each binary column to 0 and to 1, those in many rows first. If one value is impossible the consequences
// of the other hold; otherwise those that follow from both, and as facts those that follow from each (Savelsbergh 1994,
// section 2).
func (p *problem) probe() {
	// Probing has a limit of its own, on the entries that it touches.
	exhausted := func() bool { return float64(p.probed) > probeFactor*float64(p.A.NNZ)+probeBase }
	if !p.has(Probing) || exhausted() {
		return
	}
	list := p.binaries()
	if len(list) == 0 {
		return
	}

	pr := p.newProber()
	idle := 0 // consecutive probes without a gain
	for _, j := range list {
		if !p.running() || exhausted() || idle > probeStall {
			break
		}

		// Earlier probes may have fixed or eliminated the column.
		if p.GoneCol[j] || p.Lo[j] == p.Up[j] {
			continue
		}

		// A probe is of use if it changes the problem or finds a flow that the column opens.
		before := p.changes() + pr.switched
		pr.probe(j)
		p.wasProbed[j] = true
		p.count.Probes++
		idle++
		if p.changes()+pr.switched > before {
			idle = 0
		}
	}
}

// binaries lists the binary columns that have not been probed, those with most entries first.
func (p *problem) binaries() []int32 {
	if p.wasProbed == nil {
		p.wasProbed = make([]bool, len(p.Lo))
	}

	var list []int32
	for j := range p.Lo {
		if p.isBinary(int32(j)) && !p.wasProbed[j] && p.A.ColLen[j] > 0 {
			list = append(list, int32(j))
		}
	}

	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(p.A.ColLen[b], p.A.ColLen[a]) })
	return list
}

// newProber returns a prober with the bounds and ranges of the problem.
func (p *problem) newProber() *prober {
	pr := &prober{
		p:     p,
		lo:    slices.Clone(p.Lo),
		up:    slices.Clone(p.Up),
		act:   make([]activity.Range, len(p.RowLo)),
		queue: sparse.NewQueue(len(p.RowLo)),
		isCol: make([]bool, len(p.Lo)),
		isRow: make([]bool, len(p.RowLo)),
		at:    slices.Repeat([]int32{-1}, len(p.Lo)),
	}

	// The ranges of the rows are copied, so that probes may change them.
	for i := range p.RowLo {
		if !p.GoneRow[i] {
			pr.act[i] = *p.Activity(int32(i))
		}
	}

	p.probed += p.A.NNZ
	return pr
}

// probe draws the conclusions from both values of column j.
func (pr *prober) probe(j int32) {
	// Each probe leaves the bounds as they were, so that the two are independent.
	zero, ok0 := pr.try(j, 0)
	one, ok1 := pr.try(j, 1)

	// One value impossible: the other one holds, with all its consequences.
	switch {
	case !ok0 && !ok1:
		pr.p.infeasible = true
	case !ok0:
		pr.p.count.ProbeFixed++
		pr.commitAll(one)
	case !ok1:
		pr.p.count.ProbeFixed++
		pr.commitAll(zero)
	default:
		pr.both(j, zero, one)
	}
}

// try propagates x_j = v and returns the columns whose bounds changed; ok is false if the value is impossible.
func (pr *prober) try(j int32, v float64) (moved []outcome, ok bool) {
	// An empty domain, or a row that cannot hold, excludes the value.
	ok = pr.set(j, v, v) && pr.propagate()

	// The bounds are read before they are restored.
	if ok {
		moved = make([]outcome, 0, len(pr.cols))
		for _, c := range pr.cols {
			moved = append(moved, outcome{c, pr.lo[c], pr.up[c]})
		}
	}

	pr.undo()
	return moved, ok
}

// set gives column c tighter bounds and updates the ranges of its rows, which it saves first. It returns false if the
// bounds cross.
func (pr *prober) set(c int32, lo, up float64) bool {
	// Crossing bounds change nothing: the caller gives up the probe.
	if lo > up {
		return false
	}

	// A column is listed once, with the bounds of the problem to return to.
	if !pr.isCol[c] {
		pr.isCol[c] = true
		pr.cols = append(pr.cols, c)
	}

	// The ranges of the rows follow the bounds; each row is propagated once more.
	a := &pr.p.A
	for k := a.ColHead[c]; k >= 0; k = a.E[k].NextC {
		e := &a.E[k]
		if !pr.isRow[e.Row] {
			pr.isRow[e.Row] = true
			pr.rows = append(pr.rows, savedRange{e.Row, pr.act[e.Row]})
		}
		t := &pr.act[e.Row]
		t.Move(e.Val, pr.lo[c], pr.up[c], lo, up)
		pr.queue.Add(e.Row)
	}

	pr.p.probed += int(a.ColLen[c])
	pr.lo[c] = lo
	pr.up[c] = up
	return true
}

// undo restores bounds and ranges to those before the current probe.
func (pr *prober) undo() {
	// The bounds return to those of the problem, the ranges to those that were saved.
	for _, c := range pr.cols {
		pr.isCol[c] = false
		pr.lo[c] = pr.p.Lo[c]
		pr.up[c] = pr.p.Up[c]
	}

	for _, r := range pr.rows {
		pr.isRow[r.row] = false
		pr.act[r.row] = r.was
	}

	pr.cols = pr.cols[:0]
	pr.rows = pr.rows[:0]

	// The queue is emptied, since rows may be left in it.
	pr.spare = pr.queue.Take(pr.spare)
}

// propagate derives bounds from the rows that have changed, until none is left. It returns false if one cannot hold.
// After probeRows rows it stops, which is valid: fewer bounds are derived.
func (pr *prober) propagate() bool {
	// Rows that are queued meanwhile belong to the next pass.
	left := probeRows
	for pr.queue.Len() > 0 {
		rows := pr.queue.Take(pr.spare)
		for _, i := range rows {
			if left--; left < 0 {
				break
			}
			if !pr.row(i) {
				pr.spare = rows
				return false
			}
		}
		pr.spare = rows
		if left < 0 {
			break
		}
	}
	return true
}

// row derives bounds from row i. It returns false if the row cannot hold.
func (pr *prober) row(i int32) bool {
	p := pr.p

	// The range is a copy: it stays while the columns of the row are tightened.
	t := pr.act[i]
	lo, up := p.RowLo[i], p.RowUp[i]

	// The range was updated term by term, so that it has a rounding error.
	noise := rangeNoise * t.Size
	if t.Lower()-noise > up+p.tolerance(up) || t.Upper()+noise < lo-p.tolerance(lo) {
		return false
	}

	// A side implies nothing if it always holds, or if two terms of the opposite activity are infinite.
	holdsBelow := t.InfMin == 0 && t.Min >= lo
	holdsAbove := t.InfMax == 0 && t.Max <= up
	below := holdsBelow || t.InfMax > 1 || math.IsInf(lo, -1)
	above := holdsAbove || t.InfMin > 1 || math.IsInf(up, 1)
	if below && above {
		return true
	}

	p.probed += int(p.A.RowLen[i])

	// Columns that are fixed, in the probe or in the problem, get no bound.
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		e := &p.A.E[k]
		if pr.lo[e.Col] < pr.up[e.Col] && !pr.entry(&t, i, e.Col, e.Val, noise) {
			return false
		}
	}
	return true
}

// entry derives bounds of column c from the range t of row i, where it has the coefficient v. It returns false if they
// leave the column no value.
func (pr *prober) entry(t *activity.Range, i, c int32, v, noise float64) bool {
	p := pr.p
	low, high := activity.Terms(v, pr.lo[c], pr.up[c])
	lo, up := activity.Divide(p.RowLo[i]-t.MaxWithout(high)-noise, p.RowUp[i]-t.MinWithout(low)+noise, v)

	// Rounded or relaxed they may be no tighter than those that hold.
	if p.integer[c] {
		lo, up = p.derived(lo, up, v)
	} else {
		lo, up = pr.worthwhile(c, lo, up, v)
	}
	lo = math.Max(lo, pr.lo[c])
	up = math.Min(up, pr.up[c])
	if lo == pr.lo[c] && up == pr.up[c] {
		return true
	}

	// A huge bound of an integer column is not used, but shows an empty domain.
	if p.integer[c] && math.Max(math.Abs(lo), math.Abs(up)) > hugeInteger {
		return lo <= up
	}
	return pr.set(c, lo, up)
}

// worthwhile relaxes bounds of a continuous column that a row implies, where its coefficient is v, and drops those that
// are not clearly tighter. Bounds that contradict the row are returned as they are: they cross.
func (pr *prober) worthwhile(c int32, lo, up, v float64) (float64, float64) {
	// The prober has bounds of its own, that are tighter than those of the problem.
	if lo > pr.up[c]+pr.p.reach(pr.up[c], v) || up < pr.lo[c]-pr.p.reach(pr.lo[c], v) {
		return lo, up
	}
	return pr.p.relaxed(lo, up, pr.lo[c], pr.up[c], v)
}

// commitAll makes the consequences of the only possible value of a column bounds of the problem.
func (pr *prober) commitAll(moved []outcome) {
	for _, o := range moved {
		pr.commit(o.col, o.lo, o.up)
	}
}

// commit tightens bounds of column c in the problem and in the prober.
func (pr *prober) commit(c int32, lo, up float64) {
	p := pr.p

	// Only bounds that are tighter than those of the problem are committed.
	if !(lo > p.Lo[c] || up < p.Up[c]) || p.infeasible {
		return
	}
	lo = math.Max(lo, p.Lo[c])
	up = math.Min(up, p.Up[c])

	// The change is permanent: it is not saved for undo.
	pr.set(c, lo, up)
	for _, r := range pr.rows {
		pr.isRow[r.row] = false
	}
	pr.rows = pr.rows[:0]
	pr.cols = pr.cols[:0]
	pr.isCol[c] = false
	pr.spare = pr.queue.Take(pr.spare)
	p.imply(c, lo, up)
	p.count.ProbeBounds++
}

// both uses the consequences of two possible values of column j: bounds that follow from both hold, and a column that
// is fixed to two different values is an affine function of x_j.
func (pr *prober) both(j int32, zero, one []outcome) {
	// The outcomes of the second probe are found by column.
	for k, o := range one {
		pr.at[o.col] = int32(k)
	}

	var same []int32 // columns fixed in both cases, to different values
	for _, z := range zero {
		k := pr.at[z.col]
		if k < 0 || z.col == j {
			// A column that only one of the values has moved keeps its bound in the other case.
			continue
		}
		o := one[k]
		// Two different values make the column an affine function of x_j.
		fixed := z.lo == z.up && o.lo == o.up
		if fixed && z.lo != o.lo {
			same = append(same, z.col)
			continue
		}

		// The weaker of the two bounds holds in both cases.
		pr.commit(z.col, math.Min(z.lo, o.lo), math.Max(z.up, o.up))
	}

	// Implications come before columns are eliminated: they are about columns of the problem.
	pr.addImplications(j, 0, zero)
	pr.addImplications(j, 1, one)
	for _, c := range same {
		pr.identify(c, j, zero, one[pr.at[c]].lo)
	}
	for _, o := range one {
		pr.at[o.col] = -1
	}
}

// addImplications records the implications of x_j = v as facts.
func (pr *prober) addImplications(j int32, v uint8, moved []outcome) {
	p := pr.p
	for _, o := range moved {
		// Bounds that are global by now are no implications.
		if o.col == j || p.Lo[o.col] == p.Up[o.col] || len(p.facts.Implications) >= maxImplied {
			continue
		}

		if o.lo > p.Lo[o.col] {
			lower := Implication{Col: j, Value: v, Then: o.col, Bound: o.lo}
			p.facts.Implications = append(p.facts.Implications, lower)
		}
		if o.up < p.Up[o.col] {
			upper := Implication{Col: j, Value: v, Upper: true, Then: o.col, Bound: o.up}
			p.facts.Implications = append(p.facts.Implications, upper)

			// The binary column opens the flow of a continuous one.
			if !p.integer[o.col] && o.up-o.lo <= closedShare*(p.Up[o.col]-p.Lo[o.col]) {
				pr.switched++
			}
		}
	}
}

// identify eliminates column c, which has the value w in zero if x_j = 0, and v if x_j = 1: x_c = w + (v - w) x_j.
func (pr *prober) identify(c, j int32, zero []outcome, v float64) {
	// The column was fixed in both probes, so that it is in both lists.
	p := pr.p
	k := slices.IndexFunc(zero, func(o outcome) bool { return o.col == c })
	w := zero[k].lo

	// Since the probes the column may have left the problem, by another identification for instance.
	done := p.GoneCol[c] || p.Lo[c] == p.Up[c] || p.A.ColLen[c] == 0
	if done || p.opt.KeepColumns || math.Abs(v-w) > maxRatio {
		return
	}

	// The rows get entries of x_j, which change their ranges in the prober too.
	var rows []int32
	for e := range p.A.Col(c) {
		rows = append(rows, e.Row)
	}

	p.eliminate(c, 1, w, terms{[]int32{j}, []float64{w - v}})
	for _, i := range rows {
		pr.act[i] = *p.Activity(i)
	}
	p.count.ProbeMerged++
}
