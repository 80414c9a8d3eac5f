package cli

import (
	"math"
	"strconv"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// ending is what the last row of a search's table says: the result.
type ending struct {
	nodes, lps            int // nodes of the search, iterations of its linear programs
	objective, bound, gap float64
}

// ending is what a report says, with the counts.
func (r *report) ending(nodes, lps int) ending {
	return ending{nodes, lps, float64(r.Objective), float64(r.Bound), float64(r.Gap)}
}

// unknown stands in the last row for what a result does not say.
const unknown = "-"

// treeLog writes the table of a branch-and-cut search.
type treeLog struct {
	t    table
	cost float64 // of the incumbent in the last row
	from string  // what found it
}

// newTreeLog returns the table of a search.
func newTreeLog(l *solverLog) *treeLog {
	return &treeLog{cost: math.NaN(), from: unknown, t: newTable(l, []heading{
		{"nodes", 7},
		{"open", 6},
		{"LP iter", 8},
		{"incumbent", 14},
		{"bound", 14},
		{"gap", 8},
		{"cuts", 6},
		{"time", 7},
	}, heading{"found by", 10}, heading{"nodes/s", 8}, heading{"iter/node", 9})}
}

// progress writes a row with the cost of the incumbent, which may be above that of the search itself. The mark of a
// row says where a new incumbent comes from: * the relaxation, H a heuristic, S a start. An incumbent that is new to
// the search and costs what the last row says has no row.
func (l *treeLog) progress(p bnb.Progress, cost float64) {
	// Only a new incumbent has a mark.
	mark := ""
	// The mark is empty in rows that only show progress.
	if p.Incumbent {
		if cost == l.cost {
			return
		}
		mark = sourceMark(p.Source)
		l.from = sourceName(p.Source)
	}

	// The gap is to the cost that the row shows, and so may be larger than that of the search.
	l.cost = cost
	l.t.row(mark,
		strconv.Itoa(p.Nodes),
		strconv.Itoa(p.Open),
		strconv.Itoa(p.LPIterations),
		showValue(cost),
		showValue(p.Bound),
		showGap(lp.RelativeGap(cost, p.Bound)),
		strconv.Itoa(p.Cuts),
		l.t.clock(),
		l.from,
		rate(float64(p.Nodes), p.Elapsed.Seconds()),
		rate(float64(p.LPIterations), float64(p.Nodes)))
}

// rate shows how many of something there are for one of another, in three digits at least.
func rate(of, per float64) string {
	if !(per > 0) {
		return unknown
	}
	if v := of / per; v < 100 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return strconv.FormatFloat(of/per, 'f', 0, 64)
}

// result writes the last row.
func (l *treeLog) result(e ending) {
	// The result says neither how many nodes were open nor how many cuts the last relaxation had.
	l.t.row("",
		strconv.Itoa(e.nodes),
		unknown,
		strconv.Itoa(e.lps),
		showValue(e.objective),
		showValue(e.bound),
		showGap(e.gap),
		unknown,
		l.t.clock(),
		l.from,
		unknown,
		rate(float64(e.lps), float64(e.nodes)))
}

// sourceMark is the mark of a row with a new incumbent.
func sourceMark(s bnb.Source) string {
	switch s {
	case bnb.FromHeuristic:
		return "H"
	case bnb.FromStart:
		return "S"
	}
	return "*"
}

// sourceName says in a word where a new incumbent comes from.
func sourceName(s bnb.Source) string {
	switch s {
	case bnb.FromHeuristic:
		return "heuristic"
	case bnb.FromStart:
		return "start"
	}
	return "relaxation"
}

// bendersLog writes the rows of a Benders run: in a tree those of a branch-and-cut search, without a master those of
// its nodes, in an outer loop one a round. A run in phases may have several of these tables. The incumbent is the true
// cost of the best design, and unknown where designs are not priced and cuts are not exact.
type bendersLog struct {
	// The objective of the master's own incumbent is its true cost, as in every exact run.
	exact bool

	// The tables of a tree, of the rounds of an outer loop, and of a tree without a master.
	tree         *treeLog
	rounds, dual table

	// Writes the last row, into the table of the row before.
	last func(e ending, r *benders.Result)
}

// newBendersLog returns the tables of a Benders run. The last row is in the table of the row before it.
func newBendersLog(l *solverLog, exact bool) *bendersLog {
	b := &bendersLog{
		exact: exact,
		tree:  newTreeLog(l),
		rounds: table{log: l, headings: []heading{
			{"round", 6},
			{"nodes", 7},
			{"LP iter", 8},
			{"incumbent", 14},
			{"bound", 14},
			{"gap", 8},
			{"cuts", 6},
			{"time", 7},
		}},
		dual: table{log: l, headings: []heading{
			{"dual nodes", 10},
			{"depth", 6},
			{"incumbent", 15},
			{"bound", 15},
			{"gap", 8},
			{"time", 8},
		}},
	}

	// A run that ends without a row has its last row in the table of a tree.
	b.last = b.lastNode
	return b
}

// progress writes a row, unless the log has other lines for that part of the run.
func (b *bendersLog) progress(p benders.Progress) {
	if p.Logged {
		return
	}

	// Where designs are not priced, the objective of an exact master takes the place of the true cost.
	if math.IsNaN(p.TrueCost) && b.exact {
		p.TrueCost = p.Objective
	}

	// The gap is between the two values of the row.
	gap := showGap(lp.RelativeGap(p.TrueCost, p.Bound))
	// A depth is that of a tree without a master, a round that of an outer loop; all other rows are of a master's tree.
	switch {
	case p.Depth > 0:
		b.last = b.lastDual
		b.dual.row("",
			strconv.Itoa(p.Nodes),
			strconv.Itoa(p.Depth),
			showValue(p.TrueCost),
			showValue(p.Bound),
			gap,
			b.dual.clock())
	case p.Iteration > 0:
		b.last = b.lastRound
		b.rounds.row("",
			strconv.Itoa(p.Iteration),
			strconv.Itoa(p.Nodes),
			strconv.Itoa(p.LPIterations),
			showValue(p.TrueCost),
			showValue(p.Bound),
			gap,
			strconv.Itoa(p.Cuts),
			b.rounds.clock())
	default:
		b.last = b.lastNode
		b.tree.progress(p.Progress, p.TrueCost)
	}
}

// result writes the last row, which says what the report says.
func (b *bendersLog) result(r *benders.Result, said *report) {
	b.last(said.ending(r.Nodes, r.LPIterations), r)
}

// lastNode writes the last row of a tree.
func (b *bendersLog) lastNode(e ending, _ *benders.Result) { b.tree.result(e) }

// lastDual writes the last row of a tree without a master.
func (b *bendersLog) lastDual(e ending, _ *benders.Result) {
	b.dual.row("",
		strconv.Itoa(e.nodes),
		unknown,
		showValue(e.objective),
		showValue(e.bound),
		showGap(e.gap),
		b.dual.clock())
}

// lastRound writes the last row of an outer loop.
func (b *bendersLog) lastRound(e ending, r *benders.Result) {
	// Cuts at fractional points have no column: a round separates at the optimum of the master.
	b.rounds.row("",
		strconv.Itoa(r.Iterations),
		strconv.Itoa(e.nodes),
		strconv.Itoa(e.lps),
		showValue(e.objective),
		showValue(e.bound),
		showGap(e.gap),
		strconv.Itoa(r.Cuts.Optimality+r.Cuts.Feasibility),
		b.rounds.clock())
}
