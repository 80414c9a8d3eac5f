package prove

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/simplex"
)

// Limits of the tree. Most of its cuts were made by the run before, so that few rounds are needed.
const (
	rootRounds  = 100  // rounds of separation of fractional points at the root
	nodeRounds  = 10   // and at other nodes
	minProgress = 1e-4 // relative gain of the bound over a round, below which separation ends
	maxSlackAge = 15   // solves after which a slack cut leaves the LP
)

// prover is a depth-first branch and bound over the cuts, which may grow.
type prover struct {
	s        *Subject
	o        benders.Options
	deadline time.Time // zero for none
	n        int       // first-stage columns
	lp       *simplex.Solver
	limits   simplex.Limits // of the last solve of a node
	rows     []record.Row   // of the master, one a finite side
	sides    []side         // of the rows of the LP that are not cuts
	cuts     []benders.Cut  // the pool; those of the LP are active
	held     int            // cuts that never leave the LP: the lower bounds of the epigraphs
	place    []int          // of a cut among the active ones, -1 outside the LP
	active   []int          // cuts in the LP, behind the rows of the master
	age      []int          // of the active ones: solves in a row without a weight
	lower    []float64      // bounds of the first-stage columns: the box of the node
	upper    []float64
	costs    *benders.PseudoCosts

	design      []float64 // the best one, nil for none
	objective   float64   // of the design, +Inf without one; the goal of a Bounder
	noIncumbent bool      // the run found no design: the LP has no costs, so that it is never unbounded
	hasFree     bool      // a column lacks a bound
	plain       bool      // the costs of the LP are those of the model, not shifted
	unbounded   int       // nodes that were split without a bound
	unresolved  bool      // a leaf has no proof, so that no bound is proven

	fractions map[int32][]*big.Rat // exact coefficients of rows of the record, computed when they are needed

	root  *node // of the tree of proofs
	nodes int   // that were solved
}

// side names the rows of the record that belong to a row of the master, -1 for none.
type side struct{ lower, upper int }

// node is a node of the proof tree.
type node struct {
	split    int      // column, -1 for a leaf
	at       float64  // the first child has values up to it, the second from it plus one on
	children [2]*node // nil for a leaf
	proof    proof    // of a leaf
}

// newProver returns a prover with the cuts of a run, all of them in the LP, and the design of its result.
func newProver(s *Subject, cuts []benders.Cut, res *benders.Result, o benders.Options) (*prover, error) {
	m := s.Problem.Master.Clone()
	p := &prover{
		s:         s,
		o:         o,
		n:         len(m.Cols),
		design:    res.Design,
		objective: math.Inf(1),
		costs:     benders.NewPseudoCosts(len(m.Cols)),
		fractions: map[int32][]*big.Rat{},
	}
	if o.TimeLimit != math.MaxInt64 {
		p.deadline = time.Now().Add(o.TimeLimit)
	}
	if res.Design != nil {
		p.objective = res.Objective
	}

	// The root box, with integer bounds for integer columns, as the splits of the tree have.
	p.noIncumbent = s.Unbounded || res.Status == lp.Infeasible
	for j := range m.Cols {
		c := &m.Cols[j]
		if c.Integer {
			c.Lower = math.Ceil(c.Lower)
			c.Upper = math.Floor(c.Upper)
		}
		p.lower = append(p.lower, c.Lower)
		p.upper = append(p.upper, c.Upper)
		p.hasFree = p.hasFree || math.IsInf(c.Lower, -1) || math.IsInf(c.Upper, 1)

		// The margins of columns without a bound shift the costs. An infeasible program is proven so without costs.
		c.Cost = p.shifted(j)
	}

	// An epigraph column for each epigraph, with the lower bound that has a certificate. The cuts of these bounds are the
	// first of the cuts.
	unit := 1.0
	if p.noIncumbent {
		unit = 0
	}
	for k := range s.Problem.Epigraphs {
		if !math.IsInf(s.Lower[k].Alpha, -1) {
			p.held++
		}
		m.AddCol(lp.Col{Name: fmt.Sprintf("theta%d", k), Cost: unit, Lower: s.Lower[k].Alpha, Upper: lp.Inf})
	}
	if err := p.readRows(m); err != nil {
		return nil, err
	}

	// The duals of columns without a bound need a tolerance below their margin.
	lpo := simplex.DefaultOptions()
	lpo.Seed = o.Seed
	if p.hasFree {
		lpo.Tolerances.Dual = margin / 10
	}
	var err error
	if p.lp, err = simplex.New(m, lpo); err != nil {
		return nil, err
	}

	p.add(cuts)
	return p, nil
}

// readRows writes the rows of the master as rows of the record, which have a lower side only.
func (p *prover) readRows(m *lp.Model) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	byRow := a.Transpose()
	for i := range m.Rows {
		// An equation gives two rows, and a row without any side none.
		index, value := byRow.Vec(i)
		s := side{-1, -1}
		first := len(p.rows)
		if v := m.Rows[i].Lower; !math.IsInf(v, 0) {
			s.lower = len(p.rows)
			p.rows = append(p.rows, record.Row{Lower: v, Index: slices.Clone(index), Value: slices.Clone(value)})
		}

		// An upper side is the lower side of the negated row.
		if v := m.Rows[i].Upper; !math.IsInf(v, 0) {
			s.upper = len(p.rows)
			p.rows = append(p.rows, record.Row{Lower: -v, Index: slices.Clone(index), Value: negated(value)})
		}

		// The family adds the proof of a row that is not part of the instance.
		for k := first; k < len(p.rows) && p.s.Justify != nil; k++ {
			p.s.Justify(i, &p.rows[k])
		}
		p.sides = append(p.sides, s)
	}
	return nil
}

// activate puts a cut that is not in the LP into it. Its logical column is basic, so that the basis stays dual feasible
// and the next solve is a short one by the dual simplex method.
func (p *prover) activate(k int) {
	p.place[k] = len(p.active)
	p.active = append(p.active, k)
	p.age = append(p.age, 0)

	// The row of the record, with the epigraphs of the cut behind the columns of the first stage.
	row := int32(k)
	index, value, lower := p.recordRow(row)
	index = slices.Clone(index)
	p.onEpigraphs(row, func(e int) {
		index = append(index, int32(p.n+e))
		value = append(value, 1)
	})
	p.lp.AddRow(lower, math.Inf(1), index, value)
}

// add adds new cuts to the pool and the LP.
func (p *prover) add(cuts []benders.Cut) {
	for _, c := range cuts {
		// A new cut goes into the LP at once: the point of the LP violates it, or there is no point yet.
		p.cuts = append(p.cuts, c)
		p.place = append(p.place, -1)
		p.activate(len(p.cuts) - 1)
	}
}

// violation returns by how much the point (y, theta) of the LP violates a cut, relative to max(1, |theta|).
func (p *prover) violation(c *benders.Cut, x []float64) float64 {
	t := c.At(x[p.n:])
	return (c.Value(x[:p.n]) - t) / max(1, math.Abs(t))
}

// reactivate puts the cuts of the pool that x violates into the LP.
func (p *prover) reactivate(x []float64) (added int) {
	for k := range p.cuts {
		if p.place[k] < 0 && p.holds(k) && p.violation(&p.cuts[k], x) > p.o.Violation {
			p.activate(k)
			added++
		}
	}
	return added
}

// holds reports whether a cut holds for all designs of the present box.
func (p *prover) holds(k int) bool {
	local, ok := p.cuts[k].Certificate.(Local)
	return !ok || local.Holds(p.lower, p.upper)
}

// purge removes the cuts from the LP that have been slack for too many solves. The lower bounds of the epigraphs stay.
func (p *prover) purge() {
	p.remove(func(at, k int) bool {
		// A row that is not basic is tight and may have a weight.
		p.age[at]++
		if p.lp.RowStatus(lp.Con(len(p.sides)+at)) != simplex.Basic {
			p.age[at] = 0
		}
		return p.age[at] > maxSlackAge && k >= p.held
	})
}

// remove removes cuts from the LP, given by their place there and their number.
func (p *prover) remove(drop func(at, k int) bool) {
	var rows []lp.Con
	keep := p.active[:0]
	ages := p.age[:0]
	for at, k := range p.active {
		if drop(at, k) {
			rows = append(rows, lp.Con(len(p.sides)+at))
			p.place[k] = -1
			continue
		}
		p.place[k] = len(keep)
		keep = append(keep, k)
		ages = append(ages, p.age[at])
	}

	// The rows behind those that are deleted move up, as the places of their cuts have.
	if len(rows) > 0 {
		p.lp.DeleteRows(rows)
	}
	p.active = keep
	p.age = ages
}

// target is the bound at which a leaf is closed: what closes the gap to the design, +Inf without one, or the goal of a
// Bounder.
func (p *prover) target() float64 {
	if p.s.Separator == nil {
		return p.objective
	}
	if p.design == nil {
		return math.Inf(1)
	}

	// Slightly tighter than the gap, so that rounding does not leave the proven gap just above it.
	return p.objective - max(p.o.Gap*(1-1e-6), 1e-9)*math.Abs(p.objective)
}

// stopped reports a limit, a cancelled context, or a tree that cannot prove a bound any more.
func (p *prover) stopped(ctx context.Context) bool {
	// After a leaf without a proof the rest of the tree would be of no use.
	late := !p.deadline.IsZero() && time.Now().After(p.deadline)
	limited := late || p.nodes >= p.o.MaxNodes
	return limited || p.unresolved || ctx.Err() != nil
}

// solve solves the LP in the present box, up to a bound.
func (p *prover) solve(ctx context.Context, limit float64) (simplex.Result, error) {
	// The limits are kept for the probes of the node, which have the same time and objective.
	p.limits = simplex.NoLimits()
	p.limits.Objective = limit
	if !p.deadline.IsZero() {
		p.limits.Time = max(0, time.Until(p.deadline))
	}
	return p.lp.Solve(ctx, p.limits)
}

// setBounds sets the box of a column, on which its cost in the LP depends where it may lack a bound.
func (p *prover) setBounds(j int, lower, upper float64) {
	p.lower[j] = lower
	p.upper[j] = upper
	p.lp.SetColBounds(lp.Var(j), lower, upper)
	if p.hasFree {
		p.lp.SetCost(lp.Var(j), p.shifted(j))
	}
}
