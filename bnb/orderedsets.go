package bnb

import (
	"cmp"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// An equation over binary columns one of which is 1, such as the starts of a job at one time or another, is a set; a
// row that gives its columns different coefficients, such as the times, puts them in order (Beale and Tomlin 1970,
// special ordered sets with a reference row). A branching sets the columns before some place to zero, or those behind
// it. Where a single column is branched on, one child has nearly the LP of its parent: 4113 nodes with its sets prove
// that csched008 has no point below 172, and without them 8347 nodes left 4116 open. The numbers were chosen by hand.
const (
	setLeast  = 4    // columns of a set at least
	setShare  = 0.5  // least share of the integer columns that are in sets for the sets to be branched on
	setApart  = 1e-6 // least difference between the coefficients of two columns in the reference row
	setWeight = 1e-6 // least weight of either part of a set at an LP point

	setNonzero = 1e-6 // size from which on a column of a special ordered set is not zero; as the feasibility tolerance
)

// orderedSet are the columns of a set in their order, and their coefficients in the reference row, ascending.
type orderedSet struct {
	cols []int32
	at   []float64
	// vars are the columns of a special ordered set, which the columns of the set are the places of, and width is how
	// many of them belong to a place; nil for a set that was found in the rows.
	vars  []lp.Var
	width int
}

// findSets finds the sets that are to be branched on: the special ordered sets come first.
func (p *problem) findSets() {
	p.sets = append(p.declaredSets(), p.orderedSets()...)
}

// declaredSets returns the special ordered sets that the model leaves to branching.
func (p *problem) declaredSets() []orderedSet {
	if p.implied == nil {
		return nil
	}
	var list []orderedSet
	p.place = make([]bool, p.n)
	for _, s := range p.implied.sets {
		set := orderedSet{vars: s.Vars, width: int(s.Kind)}
		for k, y := range s.At {
			set.cols = append(set.cols, int32(y))
			set.at = append(set.at, float64(k))
			p.place[y] = true
		}
		list = append(list, set)
	}
	p.declared = len(list)
	return list
}

// isPlace reports whether column j is one of the places of a special ordered set.
func (p *problem) isPlace(j int32) bool { return p.place != nil && p.place[j] }

// orderedSets returns the sets of a model, if they hold enough of its integer columns.
func (p *problem) orderedSets() []orderedSet {
	var list []orderedSet
	covered := 0
	coef := make([]float64, p.n) // scratch, zero between two calls

	// Each row that is a set takes the first row that orders it.
	for i := range p.rows {
		if !p.choosesOne(i) {
			continue
		}
		for _, k := range p.shared(i) {
			if set, ok := p.ordered(i, k, coef); ok {
				list = append(list, set)
				covered += len(set.cols)
				break
			}
		}
	}

	// With few columns in sets the branching on columns is as good.
	if float64(covered) < setShare*float64(len(p.ints)) {
		return nil
	}
	return list
}

// choosesOne reports whether one of the columns of row i, all binary, has to be 1.
func (p *problem) choosesOne(i int) bool {
	index, value := p.byRow.Vec(i)
	if p.rowLower[i] != 1 || p.rowUpper[i] != 1 || len(index) < setLeast {
		return false
	}
	for k, j := range index {
		binary := p.integer[j] && p.lower[j] == 0 && p.upper[j] == 1
		if !binary || value[k] != 1 {
			return false
		}
	}
	return true
}

// shared lists the other rows that hold all columns of row i but at most one, the shortest first.
func (p *problem) shared(i int) []int32 {
	// A row with all columns but one of the set has the first column or the second one.
	index, _ := p.byRow.Vec(i)
	first, _ := p.byCol.Vec(int(index[0]))
	second, _ := p.byCol.Vec(int(index[1]))
	rows := slices.Concat(first, second)
	slices.Sort(rows)
	rows = slices.Compact(rows)
	length := func(k int32) int {
		other, _ := p.byRow.Vec(int(k))
		return len(other)
	}
	rows = slices.DeleteFunc(rows, func(k int32) bool { return int(k) == i || length(k) < len(index)-1 })
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(length(a), length(b)) })
	return rows
}

// ordered puts the columns of row i in the order of their coefficients in row k, if these are all different; one column
// may be absent, with the coefficient zero.
func (p *problem) ordered(i int, k int32, coef []float64) (orderedSet, bool) {
	// The coefficients are scattered by column for the comparison, and cleared again below.
	index, value := p.byRow.Vec(int(k))
	for q, j := range index {
		coef[j] = value[q]
	}
	cols, _ := p.byRow.Vec(i)
	set := orderedSet{cols: slices.Clone(cols), at: make([]float64, len(cols))}
	slices.SortFunc(set.cols, func(a, b int32) int { return cmp.Compare(coef[a], coef[b]) })
	for q, j := range set.cols {
		set.at[q] = coef[j]
	}
	for _, j := range index {
		coef[j] = 0
	}

	// Equal coefficients leave the order open.
	for q := 1; q < len(cols); q++ {
		if !(set.at[q] > set.at[q-1]+setApart) {
			return set, false
		}
	}
	return set, true
}

// parts returns the number of columns in the first part of the set at x, which ends at the mean, and the weight of the
// second part; false where one of them has no weight.
func (o *orderedSet) parts(x []float64) (first int, weight float64, ok bool) {
	if o.vars != nil {
		first = o.divide(x)
		return first, o.behind(x, max(0, first)), first >= 0
	}

	// Negative values are rounding errors of the LP and count as zero.
	var sum, all float64
	for k, j := range o.cols {
		v := math.Max(0, x[j])
		sum += o.at[k] * v
		all += v
	}

	// The first part holds the columns whose coefficient is at most the mean.
	for first < len(o.cols) && o.at[first]*all <= sum {
		first++
	}
	weight = o.behind(x, first)
	return first, weight, weight > setWeight && weight < 1-setWeight
}

// divide returns the number of places in the first part of a special ordered set that x violates, -1 where x satisfies
// the set. The parts meet at the mean place of the values, where each part leaves out a column that is not zero.
func (o *orderedSet) divide(x []float64) int {
	first, last := nonzeros(o.vars, x, setNonzero)
	if first < 0 || last-first < o.width {
		return -1
	}
	var sum, all float64
	for k, j := range o.vars {
		sum += float64(k) * math.Abs(x[j])
		all += math.Abs(x[j])
	}
	return min(max(int(sum/all)+1, first+1), last-o.width+1)
}

// behind is the weight of the columns from a place on.
func (o *orderedSet) behind(x []float64, first int) float64 {
	weight := 0.0
	for _, j := range o.cols[first:] {
		weight += math.Max(0, x[j])
	}
	return weight
}

// without sets columns to zero.
func without(cols []int32) []change {
	list := make([]change, len(cols))
	for k, j := range cols {
		list[k] = change{j, true, 0}
	}
	return list
}

// set returns the set of a place after the columns in pseudo-costs and branchings; nil for a column.
func (p *problem) set(col int32) *orderedSet {
	if k := int(col) - p.n; k >= 0 {
		return &p.sets[k]
	}
	return nil
}

// sides are the bound changes of the children of a branching, down and up. value is that of the column; the parts of a
// set are those at the node's LP point.
func (s *search) sides(col int32, value float64) [2][]change {
	if o := s.p.set(col); o != nil {
		// The columns of one part are set to zero in each child.
		first, _, _ := o.parts(s.point.x)
		return [2][]change{without(o.cols[first:]), without(o.cols[:first])}
	}
	floor := math.Floor(value)
	return [2][]change{{{col, true, floor}}, {{col, false, floor + 1}}}
}

// at is the value of a column at x, or the weight of the second part of a set; its parts are those at the LP point of
// the node.
func (s *search) at(x []float64, col int32) float64 {
	o := s.p.set(col)
	if o == nil {
		return x[col]
	}
	first, _, _ := o.parts(s.point.x)
	return o.behind(x, first)
}

// valueOf is the value of a candidate: where that is integral, a half, so that the children are 0 and 1.
func (s *search) valueOf(c candidateColumn) float64 {
	if c.integral {
		return 0.5
	}
	return s.at(s.point.x, c.col)
}

// splitSets are the sets that have weight in two parts at the node's LP point. Those found in rows are branched on once
// there is an objective to beat: before, branching on columns leads to a point sooner.
func (s *search) splitSets(list []candidateColumn) []candidateColumn {
	sets := s.p.sets
	if math.IsInf(s.inc.cutoff, 1) {
		sets = sets[:s.p.declared]
	}

	// A set whose weight is in one part only is satisfied as far as its order goes.
	for k := range sets {
		if _, weight, ok := s.p.sets[k].parts(s.point.x); ok {
			list = append(list, candidateColumn{col: int32(s.p.n + k), frac: weight})
		}
	}
	return list
}

// objectiveSplit branches on the column that is the objective, if that is an integer one and sets are branched on:
// the LP leaves it at a value at which there may be no point, and no branching on sets raises that before all of the
// subtree is refuted. At one value of the objective propagation tightens more of the other columns.
func (s *search) objectiveSplit() (choice, bool) {
	j := s.p.alone
	helps := len(s.p.sets) > 0 && j >= 0 && !math.IsInf(s.inc.cutoff, 1)
	if !helps || s.dom.fixed(j) {
		return choice{}, false
	}

	// A value next to an integer counts as that integer.
	value := s.dom.clamp(j, s.point.x[j])
	if r := math.Round(value); math.Abs(value-r) <= s.opt.Tolerances.Integrality {
		value = r
	}

	// Where the objective falls with the column, a child below its integral LP value is the one to refute.
	if s.p.cost[j] < 0 && value == math.Floor(value) {
		value--
	}
	if floor := math.Floor(value); floor < s.dom.lower[j] || floor+1 > s.dom.upper[j] {
		return choice{}, false
	}
	return unknown(j, value), true
}
