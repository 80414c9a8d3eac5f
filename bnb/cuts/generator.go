package cuts

import (
	"cmp"
	"math"
	"slices"
)

// Kind names the separator that made a cut.
type Kind uint8

// The separators.
const (
	Gomory Kind = iota
	Rounding
	Cover
	Clique
	Implied
	FlowCover
	Hull
	CutSet
	Kinds // their number
)

var kindNames = [Kinds]string{"gomory", "rounding", "cover", "clique", "implied", "flowcover", "hull", "cutset"}

func (k Kind) String() string { return kindNames[k] }

// Options steer a Generator.
type Options struct {
	Efficacy float64     // least Euclidean distance by which a cut removes the LP point
	Off      [Kinds]bool // separators not asked
}

// DefaultOptions returns the settings that suit most models.
func DefaultOptions() Options { return Options{Efficacy: 1e-4} }

// Generator separates cuts of all kinds.
type Generator struct {
	m          *Model
	opt        Options
	v          *view
	vb         *variableBounds
	mir        *mir
	agg        *aggregation
	flows      bool    // see Flows
	idle       []idle  // of the rows of the model, as starts of aggregations
	far        int     // rows of an aggregation at most
	resting    []int32 // rows that were only rounded alone in this round
	covers     *coverSearch
	hulls      *hullSearch
	sets       *cutSets      // nil where the model has no network with flows that are paid for
	cliques    *cliqueSearch // nil until asked for
	rounds     int           // calls of Separate
	few        int           // fewer cuts of a round are few; see Limits.Insist
	dry        bool          // the last round, but for Gomory cuts, has found few
	fractional []int32
	y          []float64
	unit       []float64 // of the columns, for parallel
	found      []Cut
}

// New prepares the separators for a model.
func New(m *Model, lp LP, opt Options) *Generator {
	g := &Generator{m: m, opt: opt, v: &view{m: m, lp: lp}, agg: newAggregation(len(m.Integer)), vb: newVariableBounds(m)}
	g.v.longest = denseFree + denseRows*m.ByRow.NNZ()/max(1, len(m.RowLower))
	g.mir = newMIR(g.v, g.vb)
	g.covers = newCoverSearch(g.v, g.vb)
	g.hulls = newHullSearch(g.v)
	g.unit = g.units()
	g.flows = g.countFlows()*flowShare >= len(m.Integer)
	g.idle = make([]idle, len(m.RowLower))
	if n := newNetwork(m); g.flows && n != nil {
		g.sets = newCutSets(n, g.v, g.vb)
	}
	return g
}

// Limits say what one call of Separate may do.
type Limits struct {
	Cuts int // returned at most
	Work int // after which it stops early, about one unit an entry touched

	// Insist says that the gap is wide: more is tried where a round finds few cuts. On fixed charges the aggregations of
	// the next one go farther. On others Gomory cuts need not be short and deep, and in the next round aggregations start
	// from cuts too; with fixed charges that took ran12x12 and ran10x10c, permuted, a quarter more work.
	Insist bool
}

// Separate returns cuts that remove the LP point x, whose integer columns with fractional values are listed, the best
// first and none nearly parallel to a better one, and the work done.
func (g *Generator) Separate(x []float64, fractional []int32, limits Limits) (cuts []Cut, work int) {
	g.v.work, g.v.budget = 0, limits.Work
	g.rounds++
	g.v.refresh(x)
	g.vb.refresh(x)
	g.mir.measured.reset()
	g.far, g.few = aggregateLen, 0
	switch {
	case !limits.Insist:
		g.dry = false
	case !g.flows:
		g.few = limits.Cuts / dryShare
	case g.rounds > 1 && len(g.found)*farShare < limits.Cuts: // in the last round
		g.far = aggregateFar
	}
	g.fractional, g.found = fractional, g.found[:0]
	g.mir.least, g.mir.covers = g.opt.Efficacy, !g.opt.Off[FlowCover]
	for _, s := range []struct {
		kind Kind
		run  func()
	}{{Implied, g.implied}, {Clique, g.clique}, {Cover, g.cover}, {Hull, g.hull}, {Rounding, g.aggregate},
		{CutSet, g.cutSet}, {Gomory, g.gomory}} {
		if !g.opt.Off[s.kind] && g.due(s.kind) && !g.v.spent() {
			s.run()
		}
	}
	return g.choose(limits.Cuts), g.v.work
}

// Flows reports whether one in ten columns, at least, is continuous with a variable upper bound: a flow that is paid
// for.
func (g *Generator) Flows() bool { return g.flows }

// Network reports whether one of the last rounds has found many cut sets of a network of such flows.
func (g *Generator) Network() bool {
	return g.sets != nil && g.sets.last > 0 && g.rounds-g.sets.last < cutSetRounds
}

// countFlows counts the continuous columns with variable upper bounds.
func (g *Generator) countFlows() int {
	n := 0
	for j, list := range g.vb.upper {
		if len(list) > 0 && !g.m.Integer[j] {
			n++
		}
	}
	return n
}

// due keeps covers and Gomory cuts to rounds 1, 2, 4 and so on. In every round they crowd out better cuts and fill the
// LP: what they cost then was more than they saved. But where there are few others Gomory cuts go on.
func (g *Generator) due(k Kind) bool {
	if k == Gomory {
		g.dry = len(g.found) < g.few
	}
	return k != Cover && k != Gomory || g.rounds&(g.rounds-1) == 0 || k == Gomory && g.dry
}

// add takes a cut whose efficacy suffices.
func (g *Generator) add(c Cut, kind Kind) bool {
	c.Kind, c.Efficacy = kind, g.v.efficacy(&c)
	if len(c.Index) > g.v.longest || !(c.Efficacy > g.opt.Efficacy) {
		return false
	}
	g.found = append(g.found, c)
	return true
}

// choose picks cuts by efficacy, leaving out those nearly parallel to a better one.
func (g *Generator) choose(limit int) []Cut {
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
// columns' own units a cut of a network is its binary columns and hardly its flows.
func (g *Generator) parallel(a, b *Cut) float64 {
	sum, na, nb := 0.0, 0.0, 0.0
	for k, v := range a.Value {
		v *= g.unit[a.Index[k]]
		na += v * v
	}
	for k, v := range b.Value {
		v *= g.unit[b.Index[k]]
		nb += v * v
	}
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

// units measures the ranges of the continuous columns, with their variable bounds where they have none of their own;
// others are 1.
func (g *Generator) units() []float64 {
	unit := make([]float64, len(g.m.Integer))
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
