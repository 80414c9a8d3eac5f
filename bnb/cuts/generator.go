package cuts

import (
	"cmp"
	"math"
	"slices"
)

// Kind names the separator that made a cut.
type Kind uint8

// The separators, in the order of the names.
const (
	// Gomory separates mixed-integer rounding cuts from rows of the tableau.
	Gomory Kind = iota
	// Rounding separates mixed-integer rounding cuts from aggregated rows.
	Rounding
	// Cover separates lifted covers of knapsack rows over binary columns.
	Cover
	// Clique separates sets of literals with at most one true in each.
	Clique
	// Implied separates variable bounds that long rows and presolve imply.
	Implied
	// FlowCover separates lifted covers of aggregated rows with continuous columns.
	FlowCover
	// Hull separates from the convex hulls of short rows over integer columns.
	Hull
	// CutSet separates rounding cuts from the rows of cut sets of a network.
	CutSet
	// Kinds is the number of separators.
	Kinds
)

var kindNames = [Kinds]string{"gomory", "rounding", "cover", "clique", "implied", "flowcover", "hull", "cutset"}

// String returns the name of the separator.
func (k Kind) String() string { return kindNames[k] }

// Options steer a Generator.
type Options struct {
	Efficacy float64     // least Euclidean distance by which a cut removes the LP point
	Off      [Kinds]bool // separators that are switched off
	Threads  int         // at most this many work at the same time; the cuts depend on their number
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options { return Options{Efficacy: 1e-4, Threads: 1} }

// Generator separates cuts of all kinds. It keeps between its rounds which starts have failed.
type Generator struct {
	m          *Model
	opt        Options
	v          *view
	vb         *variableBounds
	mir        *mir
	agg        *aggregation
	flows      bool    // see Flows
	idle       []idle  // by row of the model, as a start of aggregations
	far        int     // largest number of rows of an aggregation
	resting    []int32 // rows that were only rounded alone in this round
	covers     *coverSearch
	hulls      *hullSearch
	sets       *cutSets      // nil where the model has no network with flows that are paid for, and in further parts
	finder     *setFinder    // finds the sets; nil where there is no such network
	cliques    *cliqueSearch // nil until the first search
	rounds     int           // calls of Separate
	few        int           // a round with fewer cuts has found few; see Limits.Insist
	foundFew   bool          // the last round, Gomory cuts apart, has found few
	fractional []int32
	unit       []float64    // by column, for parallel
	found      []Cut        // in this round
	parts      []*Generator // one a thread, this generator first; see parts.go
	saved      int          // work of this round that other threads did meanwhile
}

// New prepares the separators for a model.
func New(m *Model, lp LP, opt Options) *Generator {
	v := &view{m: m, lp: lp, longest: denseFree + denseRows*m.ByRow.NNZ()/max(1, len(m.RowLower))}
	vb := newVariableBounds(m)
	g := &Generator{
		m:      m,
		opt:    opt,
		v:      v,
		vb:     vb,
		mir:    newMIR(v, vb),
		agg:    newAggregation(len(m.Integer)),
		idle:   make([]idle, len(m.RowLower)),
		covers: newCoverSearch(v, vb),
		hulls:  newHullSearch(v),
	}
	g.unit = g.units()

	// Cut sets need a network whose flows are paid for.
	g.flows = g.countFlows()*flowShare >= len(m.Integer)
	if n := newNetwork(m); g.flows && n != nil {
		g.sets = &cutSets{seen: map[uint64]bool{}}
		g.finder = newSetFinder(n, v, vb)
	}
	g.parts = g.newParts(opt.Threads)
	return g
}

// Limits are the limits of one call of Separate.
type Limits struct {
	Cuts int // largest number of cuts returned
	Work int // the search stops soon after this work is done; a unit is about one matrix entry

	// Insist holds where the gap is wide: then the search after a round with few cuts is more thorough. In models with
	// many flows (see Flows) the aggregations of the next round may be longer. In others Gomory cuts need not be short and
	// deep, and in the next round aggregations start from cuts too; in models with flows this took a quarter more work on
	// permuted ran12x12 and ran10x10c.
	Insist bool
}

// Separate returns cuts that remove the LP point x, whose integer columns with fractional values are listed. The cuts
// are sorted by decreasing efficacy, and none is nearly parallel to a better one. It also returns the work done.
func (g *Generator) Separate(x []float64, fractional []int32, limits Limits) (cuts []Cut, work int) {
	g.v.work = 0
	g.v.budget = limits.Work
	g.saved = 0
	g.rounds++
	g.v.refresh(x)
	g.vb.refresh(x)
	g.mir.measured.reset()

	// The efforts depend on the outcome of the last round, whose cuts are still in found. Without a wide gap they are
	// the usual ones.
	g.far = aggregateLen
	g.few = 0
	switch {
	case !limits.Insist:
		g.foundFew = false
	case !g.flows:
		g.few = limits.Cuts / fewCutsShare
	case g.rounds > 1 && len(g.found)*farShare < limits.Cuts:
		g.far = aggregateFar
	}

	g.fractional = fractional
	g.found = g.found[:0]
	g.mir.least = g.opt.Efficacy
	g.mir.covers = !g.opt.Off[FlowCover]

	// The cheapest separators come first; Gomory cuts come last, since they depend on the number of other cuts.
	for _, s := range []struct {
		kind Kind
		run  func()
	}{
		{Implied, g.implied},
		{Clique, g.clique},
		{Cover, g.cover},
		{Hull, g.hull},
		{Rounding, g.aggregate},
		{CutSet, g.cutSet},
		{Gomory, g.gomory},
	} {
		if !g.opt.Off[s.kind] && g.due(s.kind) && !g.v.spent() {
			s.run()
		}
	}
	return g.choose(limits.Cuts), g.v.work
}

// Flows reports whether at least every tenth column is continuous with a variable upper bound: a flow that is paid for.
func (g *Generator) Flows() bool { return g.flows }

// Network reports whether one of the last cutSetRounds rounds has found many cut sets in a network of such flows.
func (g *Generator) Network() bool {
	return g.sets != nil && g.sets.last > 0 && g.rounds-g.sets.last < cutSetRounds
}

// countFlows counts the continuous columns with variable upper bounds.
func (g *Generator) countFlows() int {
	// Integer columns with variable bounds are no flows.
	n := 0
	for j, list := range g.vb.upper {
		if len(list) > 0 && !g.m.Integer[j] {
			n++
		}
	}
	return n
}

// due keeps covers and Gomory cuts to rounds 1, 2, 4 and so on. If they are separated in every round they crowd out
// better cuts and fill the LP: their cost was more than they saved. But Gomory cuts are separated in every round that
// has found few others.
func (g *Generator) due(k Kind) bool {
	powerOfTwo := g.rounds&(g.rounds-1) == 0

	// The number of cuts so far shows whether the round has found few.
	switch k {
	case Gomory:
		g.foundFew = len(g.found) < g.few
		return powerOfTwo || g.foundFew
	case Cover:
		return powerOfTwo
	}
	return true
}

// add takes a cut of sufficient efficacy that is not too long, and reports whether it did.
func (g *Generator) add(c Cut, kind Kind) bool {
	// The efficacy is computed here for the cuts of all separators, so that they can be compared.
	c.Kind = kind
	c.Efficacy = g.v.efficacy(&c)
	if len(c.Index) > g.v.longest || !(c.Efficacy > g.opt.Efficacy) {
		return false
	}
	g.found = append(g.found, c)
	return true
}

// choose picks cuts by efficacy, leaving out those nearly parallel to a better one.
func (g *Generator) choose(limit int) []Cut {
	// The sort is stable, so that of equal cuts the cheaper separator's comes first.
	slices.SortStableFunc(g.found, func(a, b Cut) int { return cmp.Compare(b.Efficacy, a.Efficacy) })

	var taken []Cut
	for _, c := range g.found {
		if len(taken) >= limit {
			break
		}
		if !slices.ContainsFunc(taken, func(o Cut) bool { return g.parallel(&c, &o) > maxParallel }) {
			taken = append(taken, c)
		}
	}
	return taken
}

// parallel is the cosine of the angle between two cuts, where every column is measured in units of its range: in the
// columns' own units the large coefficients of binary columns would hide the flows in the cuts of a network.
func (g *Generator) parallel(a, b *Cut) float64 {
	var sum, na, nb float64

	// The norms of both, in the units of the columns.
	for k, v := range a.Value {
		v *= g.unit[a.Index[k]]
		na += v * v
	}
	for k, v := range b.Value {
		v *= g.unit[b.Index[k]]
		nb += v * v
	}

	// The indices of both are ascending: the sum is a merge.
	for k, l := 0, 0; k < len(a.Index) && l < len(b.Index); {
		switch {
		case a.Index[k] < b.Index[l]:
			k++
		case a.Index[k] > b.Index[l]:
			l++
		default:
			u := g.unit[a.Index[k]]
			sum += a.Value[k] * b.Value[l] * u * u
			k++
			l++
		}
	}

	return sum / math.Sqrt(na*nb)
}

// units are the ranges of the continuous columns, or the least slope of their variable upper bounds where that is
// smaller. The unit of other columns, and of columns without a finite range, is 1.
func (g *Generator) units() []float64 {
	unit := make([]float64, len(g.m.Integer))

	// A flow is measured by what its variable bound allows, since its own bound may be far away.
	for j := range unit {
		unit[j] = g.m.Upper[j] - g.m.Lower[j]
		for _, b := range g.vb.upper[j] {
			unit[j] = math.Min(unit[j], math.Abs(b.slope))
		}

		if g.m.Integer[j] || math.IsInf(unit[j], 0) || unit[j] == 0 {
			unit[j] = 1
		}
	}
	return unit
}
