package prove

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/simplex"
)

// Limits of the tree.
const (
	rootRounds = 100  // rounds of separation of fractional points at the root
	nodeRounds = 10   // and at other nodes
	progress   = 1e-4 // relative gain of the bound over a round that is worth another one
	slackFor   = 15   // solves after which a slack cut leaves the LP
)

// prover is a depth-first branch and bound over the cuts, which may grow.
type prover struct {
	s        *Subject
	o        benders.Options
	deadline time.Time
	n        int // first-stage columns
	lp       *simplex.Solver
	limits   simplex.Limits // of the last solve of a node
	rows     []record.Row   // of the master, one a finite side
	sides    []side         // of the rows of the LP that are not cuts
	cuts     []benders.Cut
	held     int   // cuts that never leave the LP: the lower bounds of the epigraphs
	place    []int // of a cut among the active ones, -1 outside the LP
	active   []int // cuts in the LP, behind the rows of the master
	age      []int // of the active ones: solves in a row without a weight
	lower    []float64
	upper    []float64
	costs    pseudoCosts

	design    []float64
	objective float64 // of the design, +Inf without one
	costless  bool    // the run found no design: there are no costs, so that no LP is unbounded
	lopsided  bool    // a column lacks a bound
	plain     bool    // the costs of the LP are those of the model, not shifted
	unbounded int     // nodes of which nothing was known
	lost      bool    // a leaf has no proof, so that no bound is proven

	fractions map[int32][]*big.Rat // exact coefficients of rows of the record, as far as they were asked for

	root  *node
	nodes int
}

// side names the rows of the record that belong to a row of the master, -1 for none.
type side struct{ lower, upper int }

// node is a node of the proof tree.
type node struct {
	split    int // column, -1 for a leaf
	at       float64
	children [2]*node
	proof    proof
}

func newProver(s *Subject, cuts []benders.Cut, res *benders.Result, o benders.Options) (*prover, error) {
	m := s.Problem.Master.Clone()
	p := &prover{s: s, o: o, n: len(m.Cols), cuts: cuts, design: res.Design, objective: math.Inf(1),
		costs: newPseudoCosts(len(m.Cols)), fractions: map[int32][]*big.Rat{}}
	if o.TimeLimit != math.MaxInt64 {
		p.deadline = time.Now().Add(o.TimeLimit)
	}
	if res.Design != nil {
		p.objective = res.Objective
	}
	for j := range m.Cols {
		c := &m.Cols[j]
		if c.Integer {
			c.Lower, c.Upper = math.Ceil(c.Lower), math.Floor(c.Upper)
		}
		p.lower, p.upper = append(p.lower, c.Lower), append(p.upper, c.Upper)
	}
	p.costless = s.Unbounded || res.Status == lp.Infeasible
	for j := range m.Cols {
		p.lopsided = p.lopsided || math.IsInf(p.lower[j], -1) || math.IsInf(p.upper[j], 1)
		m.Cols[j].Cost = p.shifted(j)
	}
	unit := 1.0
	if p.costless {
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
	lpo := simplex.DefaultOptions()
	lpo.Seed = o.Seed
	if p.lopsided {
		lpo.Tolerances.Dual = margin / 10
	}
	var err error
	if p.lp, err = simplex.New(m, lpo); err != nil {
		return nil, err
	}
	p.place = make([]int, len(cuts))
	for k := range cuts {
		p.place[k] = -1
		p.activate(k)
	}
	return p, nil
}

// readRows writes the rows of the master as rows of the record.
func (p *prover) readRows(m *lp.Model) error {
	a, err := m.Matrix()
	if err != nil {
		return err
	}
	byRow := a.Transpose()
	for i := range m.Rows {
		index, value := byRow.Vec(i)
		s := side{-1, -1}
		first := len(p.rows)
		if v := m.Rows[i].Lower; !math.IsInf(v, 0) {
			s.lower = len(p.rows)
			p.rows = append(p.rows, record.Row{Lower: v, Index: append([]int32(nil), index...),
				Value: append([]float64(nil), value...)})
		}
		if v := m.Rows[i].Upper; !math.IsInf(v, 0) {
			s.upper = len(p.rows)
			r := record.Row{Lower: -v, Index: append([]int32(nil), index...)}
			for _, c := range value {
				r.Value = append(r.Value, -c)
			}
			p.rows = append(p.rows, r)
		}
		for k := first; k < len(p.rows) && p.s.Justify != nil; k++ {
			p.s.Justify(i, &p.rows[k])
		}
		p.sides = append(p.sides, s)
	}
	return nil
}

// row writes a cut as a row of the LP.
func (p *prover) row(c *benders.Cut) (index []int32, value []float64) {
	for k, j := range c.Index {
		index, value = append(index, j), append(value, -c.Beta[k])
	}
	for k := range p.s.Problem.Epigraphs {
		if c.Kind == benders.Optimality && (c.Theta == benders.AllEpigraphs || c.Theta == k) {
			index, value = append(index, int32(p.n+k)), append(value, 1)
		}
	}
	return index, value
}

// activate puts a cut into the LP.
func (p *prover) activate(k int) {
	if p.place[k] >= 0 {
		return
	}
	index, value := p.row(&p.cuts[k])
	p.place[k] = len(p.active)
	p.active, p.age = append(p.active, k), append(p.age, 0)
	p.lp.AddRow(p.cuts[k].Alpha, math.Inf(1), index, value)
}

// add takes new cuts into the pool and the LP.
func (p *prover) add(cuts []benders.Cut) {
	for _, c := range cuts {
		p.cuts, p.place = append(p.cuts, c), append(p.place, -1)
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
		if p.place[k] < 0 && p.violation(&p.cuts[k], x) > p.o.Violation {
			p.activate(k)
			added++
		}
	}
	return added
}

// purge takes the cuts out of the LP that have been slack for long.
func (p *prover) purge() {
	var rows []lp.Con
	keep, ages := p.active[:0], p.age[:0]
	for at, k := range p.active {
		row := len(p.sides) + at
		if p.lp.RowStatus(lp.Con(row)) != simplex.Basic {
			p.age[at] = 0
		} else {
			p.age[at]++
		}
		if p.age[at] > slackFor && k >= p.held {
			rows, p.place[k] = append(rows, lp.Con(row)), -1
			continue
		}
		p.place[k] = len(keep)
		keep, ages = append(keep, k), append(ages, p.age[at])
	}
	if len(rows) > 0 {
		p.lp.DeleteRows(rows)
	}
	p.active, p.age = keep, ages
}

// target is the bound at which a leaf is closed, +Inf without a design.
func (p *prover) target() float64 {
	if p.design == nil {
		return math.Inf(1)
	}
	return p.objective - max(p.o.Gap*(1-1e-6), 1e-9)*math.Abs(p.objective)
}

// stopped reports a limit or a cancelled context.
func (p *prover) stopped(ctx context.Context) bool {
	return p.lost || ctx.Err() != nil || !p.deadline.IsZero() && time.Now().After(p.deadline) || p.nodes >= p.o.MaxNodes
}

// solve solves the LP in the present box, up to a bound.
func (p *prover) solve(ctx context.Context, limit float64) (simplex.Result, error) {
	p.limits = simplex.NoLimits()
	p.limits.Objective = limit
	if !p.deadline.IsZero() {
		p.limits.Time = max(0, time.Until(p.deadline))
	}
	return p.lp.Solve(ctx, p.limits)
}

func (p *prover) setBounds(j int, lower, upper float64) {
	p.lower[j], p.upper[j] = lower, upper
	p.lp.SetColBounds(lp.Var(j), lower, upper)
	if p.lopsided {
		p.lp.SetCost(lp.Var(j), p.shifted(j))
	}
}
