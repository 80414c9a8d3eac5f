package presolve

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/activity"
	"github.com/proxybd/proxybd/internal/sparse"
)

// prober fixes binary columns to either value and propagates. Its bounds and ranges are those of the
// problem between two probes.
type prober struct {
	p      *problem
	lo, up []float64
	act    []activity.Range
	queue  sparse.Queue
	cols   []int32 // changed by the present probe
	isCol  []bool
	rows   []savedRange
	isRow  []bool
	spare  []int32
	at     []int32 // places in a list of outcomes, -1 between probes

	switched int // implications that close a continuous column
}

type savedRange struct {
	row int32
	was activity.Range
}

// outcome is what a probe did to one column.
type outcome struct {
	col    int32
	lo, up float64
}

// probe fixes each binary column to 0 and to 1, the ones in many rows first, and keeps what follows in one
// case if the other is impossible, what follows in both, and as facts what follows in each (Savelsbergh
// 1994, section 2).
func (p *problem) probe() {
	if !p.has(Probing) || float64(p.probed) > probeFactor*float64(p.A.NNZ)+probeBase {
		return
	}
	list := p.binaries()
	if len(list) == 0 {
		return
	}
	pr := p.newProber()
	idle := 0
	for _, j := range list {
		if !p.running() || float64(p.probed) > probeFactor*float64(p.A.NNZ)+probeBase || idle > probeStall {
			break
		}
		if p.GoneCol[j] || p.Lo[j] == p.Up[j] {
			continue
		}
		before := p.changes() + pr.switched
		pr.probe(j)
		p.wasProbed[j] = true
		p.count.Probes++
		if idle++; p.changes()+pr.switched > before {
			idle = 0
		}
	}
}

// binaries lists the binary columns that no pass has probed.
func (p *problem) binaries() []int32 {
	if p.wasProbed == nil {
		p.wasProbed = make([]bool, len(p.Lo))
	}
	var list []int32
	for j := range p.Lo {
		if p.integer[j] && !p.GoneCol[j] && !p.wasProbed[j] && p.Lo[j] == 0 && p.Up[j] == 1 && p.A.ColLen[j] > 0 {
			list = append(list, int32(j))
		}
	}
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(p.A.ColLen[b], p.A.ColLen[a]) })
	return list
}

func (p *problem) newProber() *prober {
	pr := &prober{p: p, lo: slices.Clone(p.Lo), up: slices.Clone(p.Up), act: make([]activity.Range, len(p.RowLo)),
		queue: sparse.NewQueue(len(p.RowLo)), isCol: make([]bool, len(p.Lo)), isRow: make([]bool, len(p.RowLo)),
		at: slices.Repeat([]int32{-1}, len(p.Lo))}
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
	zero, ok0 := pr.try(j, 0)
	one, ok1 := pr.try(j, 1)
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

// try propagates x_j = v and returns the columns that moved; ok is false if that is impossible.
func (pr *prober) try(j int32, v float64) (moved []outcome, ok bool) {
	ok = pr.set(j, v, v) && pr.propagate()
	if ok {
		moved = make([]outcome, 0, len(pr.cols))
		for _, c := range pr.cols {
			moved = append(moved, outcome{c, pr.lo[c], pr.up[c]})
		}
	}
	pr.undo()
	return moved, ok
}

// set gives column c tighter bounds and moves the ranges of its rows.
func (pr *prober) set(c int32, lo, up float64) bool {
	if lo > up {
		return false
	}
	if !pr.isCol[c] {
		pr.isCol[c] = true
		pr.cols = append(pr.cols, c)
	}
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
	pr.lo[c], pr.up[c] = lo, up
	return true
}

// undo takes the present probe back.
func (pr *prober) undo() {
	for _, c := range pr.cols {
		pr.isCol[c] = false
		pr.lo[c], pr.up[c] = pr.p.Lo[c], pr.p.Up[c]
	}
	for _, r := range pr.rows {
		pr.isRow[r.row] = false
		pr.act[r.row] = r.was
	}
	pr.cols, pr.rows = pr.cols[:0], pr.rows[:0]
	pr.spare = pr.queue.Take(pr.spare)
}

// propagate works through the rows that have changed; it stops after probeRows of them, which loses nothing
// but strength.
func (pr *prober) propagate() bool {
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

// row derives bounds from row i.
func (pr *prober) row(i int32) bool {
	p, t := pr.p, pr.act[i]
	lo, up, noise := p.RowLo[i], p.RowUp[i], rangeNoise*t.Size
	if t.Lower()-noise > up+p.tolerance(up) || t.Upper()+noise < lo-p.tolerance(lo) {
		return false
	}
	below := t.InfMax > 1 || math.IsInf(lo, -1) || t.InfMin == 0 && t.Min >= lo
	above := t.InfMin > 1 || math.IsInf(up, 1) || t.InfMax == 0 && t.Max <= up
	if below && above {
		return true
	}
	p.probed += int(p.A.RowLen[i])
	for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
		e := &p.A.E[k]
		if pr.lo[e.Col] < pr.up[e.Col] && !pr.entry(&t, i, e.Col, e.Val, noise) {
			return false
		}
	}
	return true
}

// entry derives bounds of column c from the range t of row i, in which it has the coefficient v.
func (pr *prober) entry(t *activity.Range, i, c int32, v, noise float64) bool {
	p := pr.p
	low, high := activity.Terms(v, pr.lo[c], pr.up[c])
	lo := (p.RowLo[i] - t.MaxWithout(high) - noise) / v
	up := (p.RowUp[i] - t.MinWithout(low) + noise) / v
	if v < 0 {
		lo, up = up, lo
	}
	if p.integer[c] {
		lo, up = p.derived(lo, up, v)
	} else {
		lo, up = pr.worthwhile(c, lo, up, v)
	}
	lo, up = math.Max(lo, pr.lo[c]), math.Min(up, pr.up[c])
	if lo == pr.lo[c] && up == pr.up[c] {
		return true
	}
	if p.integer[c] && math.Max(math.Abs(lo), math.Abs(up)) > hugeInteger {
		return lo <= up
	}
	return pr.set(c, lo, up)
}

// worthwhile relaxes bounds of a continuous column that a row with the coefficient v gives, and drops those that gain
// too little. Bounds that contradict the row are left crossing.
func (pr *prober) worthwhile(c int32, lo, up, v float64) (float64, float64) {
	if lo > pr.up[c]+pr.p.reach(pr.up[c], v) || up < pr.lo[c]-pr.p.reach(pr.lo[c], v) {
		return lo, up
	}
	return pr.p.relaxed(lo, up, pr.lo[c], pr.up[c], v)
}

// commitAll makes what follows from the only possible value of a column bounds of the problem.
func (pr *prober) commitAll(moved []outcome) {
	for _, o := range moved {
		pr.commit(o.col, o.lo, o.up)
	}
}

// commit tightens bounds of the problem.
func (pr *prober) commit(c int32, lo, up float64) {
	p := pr.p
	if !(lo > p.Lo[c] || up < p.Up[c]) || p.infeasible {
		return
	}
	lo, up = math.Max(lo, p.Lo[c]), math.Min(up, p.Up[c])
	pr.set(c, lo, up)
	for _, r := range pr.rows { // for good
		pr.isRow[r.row] = false
	}
	pr.rows, pr.cols, pr.isCol[c] = pr.rows[:0], pr.cols[:0], false
	pr.spare = pr.queue.Take(pr.spare)
	p.imply(c, lo, up)
	p.count.ProbeBounds++
}

// both uses what follows from either value of column j.
func (pr *prober) both(j int32, zero, one []outcome) {
	for k, o := range one {
		pr.at[o.col] = int32(k)
	}
	var same []int32 // columns fixed in both cases, to different values
	for _, z := range zero {
		k := pr.at[z.col]
		if k < 0 || z.col == j {
			continue
		}
		o := one[k]
		if z.lo == z.up && o.lo == o.up && z.lo != o.lo {
			same = append(same, z.col)
			continue
		}
		pr.commit(z.col, math.Min(z.lo, o.lo), math.Max(z.up, o.up))
	}
	pr.remember(j, 0, zero)
	pr.remember(j, 1, one)
	for _, c := range same {
		pr.identify(c, j, zero, one[pr.at[c]].lo)
	}
	for _, o := range one {
		pr.at[o.col] = -1
	}
}

// remember keeps the implications of x_j = v.
func (pr *prober) remember(j int32, v uint8, moved []outcome) {
	p := pr.p
	for _, o := range moved {
		if o.col == j || p.Lo[o.col] == p.Up[o.col] || len(p.facts.Implications) >= maxImplied {
			continue
		}
		if o.lo > p.Lo[o.col] {
			p.facts.Implications = append(p.facts.Implications, Implication{Col: j, Value: v, Then: o.col, Bound: o.lo})
		}
		if o.up < p.Up[o.col] {
			p.facts.Implications = append(p.facts.Implications, Implication{Col: j, Value: v, Upper: true, Then: o.col,
				Bound: o.up})
			if !p.integer[o.col] && o.up-o.lo <= closedShare*(p.Up[o.col]-p.Lo[o.col]) {
				pr.switched++
			}
		}
	}
}

// identify eliminates column c, which is at zero's value where x_j = 0 and at v where x_j = 1.
func (pr *prober) identify(c, j int32, zero []outcome, v float64) {
	p := pr.p
	k := slices.IndexFunc(zero, func(o outcome) bool { return o.col == c })
	w := zero[k].lo
	if p.opt.KeepColumns || p.GoneCol[c] || p.Lo[c] == p.Up[c] || p.A.ColLen[c] == 0 || math.Abs(v-w) > maxRatio {
		return
	}
	var rows []int32
	for q := p.A.ColHead[c]; q >= 0; q = p.A.E[q].NextC {
		rows = append(rows, p.A.E[q].Row)
	}
	p.eliminate(c, 1, w, terms{[]int32{j}, []float64{w - v}})
	for _, i := range rows {
		pr.act[i] = *p.Activity(i)
	}
	p.count.ProbeMerged++
}
