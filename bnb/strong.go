package bnb

import (
	"context"
	"math"
	"slices"
)

// BranchingRule is the rule by which the column is chosen on which a node is split.
type BranchingRule uint8

const (
	// ByReliability lets pseudo-costs choose, and probes the columns with few observations yet (reliability branching,
	// Achterberg, Koch, Martin 2005). It is right where a node costs little more than its LP.
	ByReliability BranchingRule = iota

	// ByProbes probes the best columns at every node, for a few iterations each (strong branching, Applegate, Bixby,
	// Chvatal, Cook 1995). Trees have a third of the nodes or less, which pays where a node costs much more than its LP:
	// where a hook has to solve many problems for its cuts.
	ByProbes

	branchingRules
)

// probing are the limits of a BranchingRule. The numbers of ByReliability are about those of Achterberg, Koch, Martin
// 2005; those of ByProbes were chosen by hand.
type probing struct {
	reliable int     // pseudo-cost observations in each direction that replace a probe
	least    int     // dual simplex iterations of one probe are twice what a node takes, but at least this number
	most     int     // and at most this one
	share    float64 // LP iterations that probes may use, as a share of those of nodes
}

var probings = [branchingRules]probing{
	ByReliability: {reliable: 4, least: 20, most: 300, share: 0.5},
	ByProbes:      {reliable: math.MaxInt, least: 30, most: 40, share: 2},
}

// strongBranching evaluates branchings at one node by a few dual simplex iterations in each direction.
type strongBranching struct {
	s         *search
	nd        *node
	rounds    *rounds
	base      *warmStart // of the node's LP
	best      choice
	bestScore float64
	idle      int // probed columns in a row that were no better
	probed    int
	tightened bool
	why       [2]reason   // by direction: of the opposite of the last refuted probe
	points    [][]float64 // integral LP points met on the way
}

// affordable reports whether another column may be probed.
func (st *strongBranching) affordable() bool {
	// Probing ends where it no longer finds better branchings, at the limit on columns, and after a bound was tightened.
	if st.idle >= strongLookahead || st.probed >= strongMaxCands || st.tightened {
		return false
	}

	// Refuted directions move the bound of a general integer by one at a time, without end if it has none on that side
	// and the rows have no integer point (x - 4y = 0.5). Children are nodes, which count towards the limits.
	if st.rounds.refuted > len(st.s.p.ints)+strongRefuted {
		return false
	}
	return st.s.effort.probesLeft(st.s.probing().share) >= 0
}

// offer keeps the better of two branchings; ties go to the one met first.
func (st *strongBranching) offer(ch choice) bool {
	// A relative margin keeps rounding errors from deciding between equal scores.
	if score := product(ch.gainDown, ch.gainUp); score > st.bestScore*(1+1e-9) {
		st.best = ch
		st.bestScore = score
		return true
	}
	return false
}

// probe solves both children of a column for a while. proceed means that the candidate was scored or the
// domain tightened; fathomed that both directions are refuted.
func (st *strongBranching) probe(ctx context.Context, c candidateColumn) (verdict, error) {
	s := st.s

	// The basis of the node is saved before the first probe, and every probe starts from it.
	if st.base == nil {
		st.base = s.lp.save()
	}
	st.probed++

	value := s.valueOf(c)
	sides := s.sides(c.col, value)
	down, err := st.solve(ctx, sides[0], branching{col: c.col, distance: c.frac})
	if err != nil || down.status == lpStopped {
		return stopped, err
	}
	up, err := st.solve(ctx, sides[1], branching{col: c.col, up: true, distance: 1 - c.frac})
	if err != nil || up.status == lpStopped {
		return stopped, err
	}

	// Where one direction is refuted the node has the bounds of the other.
	deadDown := st.refuted(down)
	deadUp := st.refuted(up)
	if deadDown && deadUp {
		return fathomed, nil
	}
	if deadDown || deadUp {
		st.tightened = true
		st.rounds.refuted++
		s.dom.because(st.why[direction(deadUp)])
		s.dom.tightenAll(sides[direction(deadDown)])
		s.dom.because(assumed)
		return proceed, nil
	}

	// The gains of the probes take the place of the averages.
	ch := s.costs.predict(c, value)
	ch.down = down.bound
	ch.up = up.bound
	ch.gainDown = math.Max(0, down.bound-s.point.objective)
	ch.gainUp = math.Max(0, up.bound-s.point.objective)
	if st.offer(ch) {
		st.idle = 0
	} else {
		st.idle++
	}
	return proceed, nil
}

// solve probes the child that a branching makes by the changes, and leaves the domain as it was.
func (st *strongBranching) solve(ctx context.Context, changes []change, b branching) (outcome, error) {
	s := st.s
	mark := len(s.dom.stack)
	st.why[direction(b.up)] = assumed

	// The bounds of the child are taken back in any case.
	s.dom.beginProbe()
	defer s.dom.endProbe()
	defer s.dom.undo(mark)
	if !s.dom.tightenAll(changes) {
		return outcome{status: lpInfeasible, bound: inf}, nil
	}
	if err := s.lp.restore(st.base); err != nil {
		return outcome{}, err
	}
	out, err := s.solveDomain(ctx, s.inc.cutoff, s.effort.probeLimit(s.probing()))
	if err != nil {
		return out, err
	}
	s.effort.forProbe(out.iterations)
	st.why[direction(b.up)] = s.learnFrom(out.status)

	// The bound after the iterations of a probe, or before, is an observation for the pseudo-costs.
	if out.status == lpOptimal || out.status == lpIterations {
		s.costs.observe(&b, out.bound-s.point.objective)
	}

	// An integral point of a probe is offered later, when the LP of the node is in place again.
	if out.status == lpOptimal && s.inc.improves(out.objective) && s.p.integral(s.lp.x, s.opt.Tolerances.Integrality) {
		st.points = append(st.points, slices.Clone(s.lp.x))
	}
	return out, nil
}

// refuted reports whether a probe proves that its child holds nothing better.
func (st *strongBranching) refuted(out outcome) bool {
	// A probe refutes its direction if it is infeasible or its bound reaches the cutoff.
	if out.status == lpInfeasible {
		return true
	}
	bound := st.s.p.roundUp(out.bound)
	if (out.status == lpCutoff || out.status == lpOptimal) && bound >= st.s.inc.cutoff {
		// The bound that closes the child is part of the global bound.
		st.s.closed.exclude(math.Max(bound, st.nd.bound))
		return true
	}
	return false
}

// leave puts the basis of the node's LP back.
func (st *strongBranching) leave() error {
	if st.base == nil {
		return nil
	}
	return st.s.lp.restore(st.base)
}

// finish offers the integral points, and returns the best branching with proceed, or another verdict.
func (st *strongBranching) finish(ctx context.Context) (choice, verdict, error) {
	s := st.s
	before := s.lp.grown

	// Points of the probes may close the node.
	for _, x := range st.points {
		if _, err := s.offer(ctx, x, FromRelaxation, 1); err != nil {
			return choice{}, stopped, err
		}
	}
	if s.limits.poll(ctx, s) {
		return choice{}, stopped, nil
	}
	if st.nd.bound >= s.inc.cutoff {
		return choice{}, s.drop(st.nd), nil
	}
	if v := s.propagateNode(); v != proceed {
		return choice{}, v, nil
	}

	// A tightened domain, or a new row that cuts the point off, calls for another LP.
	if st.tightened || s.pointCutOff(before) {
		return choice{}, again, nil
	}
	return st.best, proceed, nil
}

// probing are the limits of the branching rule of the search.
func (s *search) probing() *probing { return &probings[s.opt.Branching] }
