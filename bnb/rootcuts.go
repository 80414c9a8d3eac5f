package bnb

import (
	"math"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Limits of the cuts that this package makes.
const (
	cutRounds   = 100 // rounds at a root at most; chosen by hand
	cutWorkFree = 5e6 // work of all separators that is free, in units of the LP's; chosen by hand

	// Where the relative gap between the bound and the incumbent is above cutWorkGap, the free work is at least
	// cutWorkEntry for each entry of the model, times the square of the gap over cutWorkGap (at most cutWorkFar). Below
	// that gap a tree is the faster end; far above it no tree closes the gap. Measured: 50v-10 ends a minute with 2.25%
	// instead of 4.73, 31 MIPLIB models take .993 of the time; five times as much for all took fctp 1.01 to 1.21.
	cutWorkEntry = 4000
	cutWorkGap   = 0.1
	cutWorkFar   = 50

	// In addition the separators may work a share of the LP's work so far. On networks the LP waits for their cut sets.
	cutWorkShare = 0.25
	cutWorkNet   = 1
	maxCutWork   = 1e12 // so that the sum fits an int

	// The cut rows of the LP have together at most cutEntriesFree entries, or cutEntriesShare times those of the model.
	// Beyond that node LPs slow down by more than the bound gains (misc07, 10teams). On fixed charges, where the root is
	// most of the proof, cutEntriesFlows takes the place of cutEntriesFree: with it pg is solved, in 895 nodes.
	cutEntriesFree  = 16000
	cutEntriesShare = 2
	cutEntriesFlows = 40000

	// A round adds at most this number of cuts plus a fifth of the columns, or of the rows if they are fewer; all of
	// them, not a fifth, where no round has gained anything.
	cutsPerRound = 50

	// Separation in the tree. From the first node on it took small models 1.20 times the work.
	treeAfter  = 200 // nodes before the first that is separated after the root
	treeEvery  = 10  // every tenth node is separated from then on
	treeRounds = 3   // rounds at such a node at most
	treeCuts   = 20  // cuts added in one such round at most
)

// rootCuts separates the cuts of this package, at the root and at some nodes, and puts them into the pool and the LP.
type rootCuts struct {
	s     *search // nil until the first round
	model cuts.Model
	gen   *cuts.Generator
	flows bool // many columns are flows that are paid for: nodes below the root are separated too
	done  int
	added int // cuts of the last round at the root
	work  int // of the separators so far, in units like those of the LP
}

// begin takes the model and the implications that presolve has found. The separators may use that many threads.
func (rc *rootCuts) begin(s *search, threads int) {
	p := s.p
	rc.s = s
	rc.model = cuts.Model{
		Integer:      p.integer,
		Cost:         p.cost,
		ByCol:        p.byCol,
		ByRow:        p.byRow,
		RowLower:     p.rowLower,
		RowUpper:     p.rowUpper,
		Implications: s.facts.Implications,
		Lower:        make([]float64, p.n),
		Upper:        make([]float64, p.n),
	}
	rc.tighten()
	opt := cuts.DefaultOptions()
	opt.Threads = threads
	for _, k := range s.opt.tuning.separatorsOff {
		opt.Off[k] = true
	}
	rc.gen = cuts.New(&rc.model, cutLP{s.lp}, opt)
	rc.flows = rc.gen.Flows()
}

// continueFrom takes over from the separators of the search that w, a worker, comes from, if they are called after the
// root.
func (rc *rootCuts) continueFrom(w *search, from *rootCuts) {
	// Without flows a worker separates nothing below the root.
	if from.s != nil && from.flows {
		rc.begin(w, 1)
		rc.done = from.done
		rc.work = from.work
	}
}

// beginRoot is called when the rounds of a root begin.
func (rc *rootCuts) beginRoot() { rc.done = 0 }

// tighten takes over the bounds of the root after propagation: they hold for every better point.
func (rc *rootCuts) tighten() {
	copy(rc.model.Lower, rc.s.dom.lower)
	copy(rc.model.Upper, rc.s.dom.upper)
}

// network reports whether cut sets are separated, once there was a round.
func (rc *rootCuts) network() bool { return rc.s != nil && rc.gen.Network() }

// round separates at the LP point of the root and puts the best cuts into the LP, more where the rounds so far have
// gained nothing. It returns their number.
func (rc *rootCuts) round(s *search, idle bool) int {
	if rc.s == nil {
		rc.begin(s, s.opt.workers())
	}
	if rc.done >= cutRounds {
		return 0
	}

	// Cuts are derived from the tightest bounds that hold in the whole tree.
	rc.done++
	rc.tighten()
	share := min(s.p.n, s.p.rows)
	if !idle {
		share /= 5
	}
	rc.added = rc.separate(s, cuts.Limits{Cuts: cutsPerRound + share, Insist: !idle && wideGap(s)})
	return rc.added
}

// inTree separates at the LP point of a node below the root, for the bounds of the whole tree. It returns the number of
// cuts. On fixed charges a tree of half the nodes needs a third of the time; at every node it took others too long.
func (rc *rootCuts) inTree(s *search, done int) int {
	if rc.s == nil || !rc.flows || done >= treeRounds {
		return 0
	}

	// Nodes are separated from time to time; a node that has begun its rounds goes on with them.
	if s.effort.allNodes() < treeAfter || done == 0 && s.effort.nodes%treeEvery != 0 {
		return 0
	}
	copy(rc.model.Lower, s.dom.globalLower)
	copy(rc.model.Upper, s.dom.globalUpper)
	return rc.separate(s, cuts.Limits{Cuts: treeCuts})
}

// wideGap reports whether the LP is far from the incumbent, or there is none.
func wideGap(s *search) bool {
	return !(lp.RelativeGap(s.inc.objective, s.point.objective) <= cutWorkGap)
}

// cutWork is the work that is free for the separators; a share of the work of the LP comes on top.
func (rc *rootCuts) cutWork(s *search) float64 {
	// A restart, a small gap and a large one have different shares of free work.
	switch {
	case s.origin.restarts > 0:
		return 0 // the first root has used it
	case !wideGap(s):
		return cutWorkFree
	}

	// Without an incumbent the gap is infinite, and the largest factor would not mean anything.
	farther := 1.0
	if !math.IsInf(s.inc.objective, 0) {
		gap := lp.RelativeGap(s.inc.objective, s.point.objective) / cutWorkGap
		farther = min(gap*gap, cutWorkFar)
	}
	return max(cutWorkFree, cutWorkEntry*farther*float64(s.p.byRow.NNZ()))
}

// separate calls the separators within the limits and within what they may work.
func (rc *rootCuts) separate(s *search, limits cuts.Limits) int {
	share := cutWorkShare
	if rc.gen.Network() {
		share = cutWorkNet
	}

	// The limit on the sum, less what the separators have worked so far.
	limits.Work = int(min(rc.cutWork(s)+share*(s.effort.work-float64(rc.work)), maxCutWork)) - rc.work
	if limits.Work <= 0 {
		return 0
	}
	found, work := rc.gen.Separate(s.point.x, s.point.fractional, limits)
	rc.work += work
	s.effort.spendAtOnce(0, float64(work), float64(rc.gen.Span()))
	return rc.insert(found)
}

// insert puts cuts into the pool and the LP.
func (rc *rootCuts) insert(list []cuts.Cut) int {
	// The LP gets no more entries of cuts than it may hold together with those of earlier rounds.
	s := rc.s
	free := cutEntriesFree
	if rc.flows {
		free = cutEntriesFlows
	}
	room := max(free, cutEntriesShare*s.p.byRow.NNZ())
	for _, c := range s.lp.cuts {
		room -= len(c.index)
	}
	room /= 2 // the other half is for later rounds

	added := 0
	for k := range list {
		if room -= len(list[k].Index); room < 0 {
			break
		}

		// A cut that is not valid for the pool, such as one with an infinite coefficient, is left out.
		c, err := s.pool.read(&Cut{Lower: math.Inf(-1), Upper: list[k].Upper, Index: list[k].Index, Value: list[k].Value})
		if err != nil {
			continue
		}
		kept, isNew, changed := s.pool.add(c)
		if isNew {
			s.pool.others.add(kept)
		}

		// A parallel cut of the pool that became tighter may be in the LP already.
		if changed && kept.row >= 0 {
			s.lp.tightened(kept)
			added++
		}
		if isNew || kept.row < 0 {
			s.lp.insert(kept)
			added++
		}
	}
	return added
}

// cutLP is the LP in the form that separators use.
type cutLP struct{ r *relaxation }

// Rows is the number of rows, with the cuts.
func (l cutLP) Rows() int { return l.r.p.rows + len(l.r.cuts) }

// Row returns a row of the model, or a cut after those.
func (l cutLP) Row(i int) cuts.Row {
	index, value, lower, upper := l.r.row(i)
	return cuts.Row{Index: index, Value: value, Lower: lower, Upper: upper}
}

// Multipliers sets y to the multipliers of the rows that make the tableau row of column j; false where it is not basic.
func (l cutLP) Multipliers(j int32, y []float64) bool {
	return l.r.s.ColStatus(lp.Var(j)) == simplex.Basic && l.r.s.BInvRow(int(j), y) == nil
}
