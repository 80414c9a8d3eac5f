package nested

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// stage is the linear program of nodes of a period that have the same future and differ in sides, bounds and costs
// alone. It has the period's own columns, those of the state, fixed, and an epigraph column for every part of the
// future; its rows are those of the period and the cuts of the future.
type stage struct {
	period *period
	pool   *pool // of the future; one without parts in the last period
	cols   []lp.Col
	rows   []lp.Row
	matrix *lp.Matrix
	reach  []float64 // of each column
	inCut  []int32   // position of each column in the next period's state, -1 for none

	solver       *simplex.Solver
	base         *stage // a copy of cols and rows as in the core, nil for that copy
	changes      map[int32][]stoch.Change
	node         int32 // whose numbers the program has, -1 for the core's
	withoutCosts bool  // costs are taken away
	crossed      bool  // a lower bound or side of the node is above the upper one: it is infeasible at any state
	synced       int   // cuts of the pool that are rows
	sign         float64
	extra        []float64 // costs of the columns of the program behind cols

	fresh                bool           // not solved yet
	firstBasis           *simplex.Basis // of the first program of the period that was solved, shared by its programs
	vectors              vectors
	multipliers, weights []float64 // scratch
}

// outcome says how a node is at a state.
type outcome struct {
	status   lp.Status // Optimal, Infeasible, Unbounded or a limit
	cost     float64   // of the columns of the period
	next     []float64 // state of the next period
	own      []float64 // of node 0: its columns
	ray      []float64 // of an unbounded program
	lower    affine    // where every part of the future has a cut; of an infeasible node that of its ray
	pivots   int
	cutsUsed int // of the future at the time
}

// dualTolerance is that of the programs: what a reduced cost has the wrong sign by takes its column's reach from a
// cut.
const dualTolerance = 1e-9

// newStage builds the program of a group of nodes, with future f, from that of one of them.
func (r *run) newStage(nodes []int32, f int32) (*stage, error) {
	// The period's own columns, then the state, and the period's rows, as in the core.
	l := r.layout
	t := l.p.Nodes[nodes[0]].Period
	q := &l.periods[t]
	m := &lp.Model{}
	for _, j := range q.own {
		c := l.p.Core.Cols[j]
		m.AddCol(lp.Col{Cost: l.sign * c.Cost, Lower: c.Lower, Upper: c.Upper})
	}
	for range q.state {
		m.AddCol(lp.Col{})
	}
	for _, i := range q.rows {
		row := l.p.Core.Rows[i]
		m.AddRow(lp.Row{Lower: row.Lower, Upper: row.Upper}, nil, nil)
	}
	s := &stage{period: q, pool: &pool{}, fresh: true, firstBasis: &r.bases[t], node: -1, sign: l.sign,
		changes: map[int32][]stoch.Change{}, multipliers: make([]float64, len(m.Rows))}
	if f >= 0 {
		s.pool = r.pools[f]
	}

	// The nodes have the same coefficients; their other changes are made one node at a time.
	if err := s.fill(l, m, nodes[0]); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		for _, c := range l.p.Nodes[n].Changes {
			if c.Kind != stoch.Entry {
				s.changes[n] = append(s.changes[n], s.own(c))
			}
		}
	}
	s.cols = m.Cols
	s.rows = m.Rows
	s.base = &stage{cols: slices.Clone(m.Cols), rows: slices.Clone(m.Rows)}

	// What certificates need of each column.
	for _, j := range slices.Concat(q.own, q.state) {
		s.reach = append(s.reach, l.reach[j])
		s.inCut = append(s.inCut, -1)
	}
	for k, j := range q.next {
		s.inCut[j] = int32(k)
	}

	// The linear program has an epigraph column for every part of the future.
	program := m.Clone()
	for range s.pool.parts {
		program.AddCol(lp.Col{Cost: 1})
		s.extra = append(s.extra, 1)
	}
	var err error
	s.solver, err = simplex.New(program, r.simplex())
	return s, err
}

// simplex returns the options of linear programs.
func (r *run) simplex() simplex.Options {
	o := simplex.DefaultOptions()
	o.Seed = r.o.Seed
	o.Tolerances.Dual = dualTolerance
	return o
}

// fill adds the coefficients of a node: those of the core, replaced by those that the node changes.
func (s *stage) fill(l *layout, m *lp.Model, n int32) error {
	type place struct{ row, col int32 }
	random := map[place]float64{}
	for _, c := range l.p.Nodes[n].Changes {
		if c.Kind == stoch.Entry {
			random[place{int32(c.Row), int32(c.Col)}] = c.Value
		}
	}
	add := func(i, j int32, v float64) {
		if row, ok := s.period.row[i]; ok && v != 0 {
			m.AddEntry(lp.Con(row), lp.Var(s.period.at[j]), v)
		}
	}

	for _, j := range slices.Concat(s.period.own, s.period.state) {
		index, value := l.matrix.Vec(int(j))
		for k, i := range index {
			if v, ok := random[place{i, j}]; ok {
				add(i, j, v)
				delete(random, place{i, j})
			} else {
				add(i, j, value[k])
			}
		}
	}

	// What is left are coefficients that are zero in the core, in the order of the changes.
	for _, c := range l.p.Nodes[n].Changes {
		at := place{int32(c.Row), int32(c.Col)}
		if v, ok := random[at]; ok && c.Kind == stoch.Entry {
			add(at.row, at.col, v)
		}
	}
	var err error
	s.matrix, err = m.Matrix()
	return err
}

// own returns a change in the numbers of the program.
func (s *stage) own(c stoch.Change) stoch.Change {
	switch c.Kind {
	case stoch.RowLower, stoch.RowUpper:
		c.Row = lp.Con(s.period.row[int32(c.Row)])
	default:
		c.Col = lp.Var(s.period.at[int32(c.Col)])
		if c.Kind == stoch.Cost {
			c.Value *= s.sign
		}
	}
	return c
}

// setNode sets the program to the sides, bounds and costs of a node.
func (s *stage) setNode(n int32) {
	if s.node == n {
		return
	}

	// The numbers of the node before go back to those of the core.
	before := s.changes[s.node]
	for _, c := range before {
		switch c.Kind {
		case stoch.RowLower, stoch.RowUpper:
			s.rows[c.Row] = s.base.rows[c.Row]
		default:
			s.cols[c.Col] = s.base.cols[c.Col]
		}
	}
	s.node = n
	for _, c := range s.changes[n] {
		switch c.Kind {
		case stoch.Cost:
			s.cols[c.Col].Cost = c.Value
		case stoch.RowLower:
			s.rows[c.Row].Lower = c.Value
		case stoch.RowUpper:
			s.rows[c.Row].Upper = c.Value
		case stoch.ColLower:
			s.cols[c.Col].Lower = c.Value
		case stoch.ColUpper:
			s.cols[c.Col].Upper = c.Value
		}
	}
	s.crossed = s.crosses()

	// The solver gets what either of the two nodes changes.
	for _, c := range slices.Concat(before, s.changes[n]) {
		switch c.Kind {
		case stoch.RowLower, stoch.RowUpper:
			s.solver.SetRowBounds(c.Row, s.rows[c.Row].Lower, s.rows[c.Row].Upper)
		case stoch.Cost:
			s.solver.SetCost(c.Col, s.cols[c.Col].Cost)
		default:
			s.solver.SetColBounds(c.Col, s.cols[c.Col].Lower, s.cols[c.Col].Upper)
		}
	}
}

// crosses reports whether a lower bound or side is above the upper one.
func (s *stage) crosses() bool {
	own := s.cols[:len(s.period.own)]
	return slices.ContainsFunc(own, func(c lp.Col) bool { return c.Lower > c.Upper }) ||
		slices.ContainsFunc(s.rows, func(r lp.Row) bool { return r.Lower > r.Upper })
}

// epigraph returns the column of a part of the future.
func (s *stage) epigraph(part int) lp.Var { return lp.Var(len(s.cols) + part) }

// sync adds the cuts that the pool has and the program has not. An epigraph column is zero until it has a cut.
func (s *stage) sync() {
	for ; s.synced < len(s.pool.cuts); s.synced++ {
		c := &s.pool.cuts[s.synced]
		var index []int32
		var value []float64
		add := func(j int32, v float64) {
			index = append(index, j)
			value = append(value, v)
		}
		for k, b := range c.beta {
			if b != 0 {
				add(s.period.next[k], -b)
			}
		}
		if c.part >= 0 {
			v := s.epigraph(c.part)
			add(int32(v), 1)
			s.solver.SetColBounds(v, math.Inf(-1), math.Inf(1))
		}
		s.solver.AddRow(c.alpha, math.Inf(1), index, value)
	}
}

// setState moves the program to a node and a state, from which it may differ by the slack.
func (s *stage) setState(n int32, z []float64, slack float64) {
	s.sync()
	s.setNode(n)
	for k, v := range z {
		by := slack * (1 + math.Abs(v))
		s.solver.SetColBounds(lp.Var(len(s.period.own)+k), v-by, v+by)
	}
}

// solve solves a node at a state, from which the program may differ by the slack, and certifies the answer.
func (s *stage) solve(ctx context.Context, n int32, z []float64, slack float64,
	limits simplex.Limits) (outcome, error) {

	if s.setNode(n); s.crossed {
		return outcome{status: lp.Infeasible, lower: affine{alpha: 1, beta: make([]float64, len(z))}, cutsUsed: s.synced}, nil
	}
	s.setState(n, z, slack)
	if s.fresh {
		s.fresh = false
		s.startBasis()
	}
	res, err := s.run(ctx, limits)
	out := outcome{status: res.Status, cutsUsed: s.synced, pivots: res.Iterations}
	if err != nil {
		return out, err
	}

	ok := true
	switch res.Status {
	case lp.Infeasible:
		out.lower, ok = s.certify(s.vectors.ray(), false)
	case lp.Unbounded:
		out.ray = slices.Clone(s.vectors.ray())
	case lp.Optimal:
		s.shareBasis()
		x := s.vectors.x()
		for j := range s.period.own {
			out.cost += s.cols[j].Cost * x[j]
		}
		out.next = s.nextState(x)
		if n == 0 {
			out.own = slices.Clone(x[:len(s.period.own)])
		}

		// Without a cut for every part of the future the program's value is no bound.
		if s.pool.complete() {
			out.lower, ok = s.certify(s.vectors.dual(), true)
		}
	}
	if !ok {
		return out, errMultipliers
	}
	return out, nil
}

var errMultipliers = errors.New("multipliers without a certificate")

// startBasis takes the basis of another program of the period, whose rows and columns are alike, for the first solve.
// The cuts are basic.
func (s *stage) startBasis() {
	if s.firstBasis.Cols != nil && s.solver.SetBasis(s.firstBasis) != nil {
		s.solver.SlackBasis()
	}
}

// shareBasis keeps the basis of the program for the other programs of the period.
func (s *stage) shareBasis() {
	if s.firstBasis.Cols == nil {
		var b simplex.Basis
		s.solver.GetBasis(&b)
		s.firstBasis.Cols = b.Cols[:len(s.cols)]
		s.firstBasis.Rows = b.Rows[:len(s.rows)]
	}
}

// vectors are the solution vectors of the last solve.
type vectors struct{ x, dual, ray func() []float64 }

// run solves the program as it is, from scratch where the warm solve fails.
func (s *stage) run(ctx context.Context, limits simplex.Limits) (simplex.Result, error) {
	res, err := s.solver.Solve(ctx, limits)
	s.vectors = vectors{s.solver.X, s.solver.RowDual, s.solver.Ray}
	if !errors.Is(err, simplex.ErrNumerical) {
		return res, err
	}
	cold, err := s.cold(ctx, limits)
	if err != nil {
		return res, err
	}
	of := func(v []float64) func() []float64 { return func() []float64 { return v } }
	s.vectors = vectors{of(cold.X), of(cold.RowDual), of(cold.Ray)}
	s.solver.SlackBasis()
	return cold.Result, nil
}

// cold solves a copy of the program from scratch.
func (s *stage) cold(ctx context.Context, limits simplex.Limits) (*simplex.Solution, error) {
	m := &lp.Model{}
	for j := range s.solver.NumCols() {
		c := lp.Col{Cost: s.cost(j)}
		c.Lower, c.Upper = s.solver.ColBounds(lp.Var(j))
		m.AddCol(c)
	}
	for i := range s.solver.NumRows() {
		lower, upper := s.solver.RowBounds(lp.Con(i))
		index, value := s.solver.Row(lp.Con(i))
		m.AddRow(lp.Row{Lower: lower, Upper: upper}, index, value)
	}
	o := simplex.DefaultOptions()
	o.Limits = limits
	o.Tolerances.Dual = dualTolerance
	return simplex.Solve(ctx, m, o)
}

// cost returns the cost of a column of the program.
func (s *stage) cost(j int) float64 {
	if s.withoutCosts {
		return 0
	}
	if j < len(s.cols) {
		return s.cols[j].Cost
	}
	return s.extra[j-len(s.cols)]
}

// feasible returns a feasible point of a node, nil for none: that of the program without costs.
func (s *stage) feasible(ctx context.Context, n int32, z []float64) ([]float64, error) {
	s.setState(n, z, leastSlack)
	s.setCosts(false)
	defer s.setCosts(true)
	res, err := s.run(ctx, simplex.NoLimits())
	if err != nil || res.Status != lp.Optimal {
		return nil, err
	}
	return slices.Clone(s.vectors.x()), nil
}

// setCosts sets the costs, or takes them away.
func (s *stage) setCosts(on bool) {
	s.withoutCosts = !on
	for j := range s.solver.NumCols() {
		s.solver.SetCost(lp.Var(j), s.cost(j))
	}
}

// nextState returns the state of the next period at a point.
func (s *stage) nextState(x []float64) []float64 {
	next := make([]float64, len(s.period.next))
	for k, j := range s.period.next {
		next[k] = roundState(x[j])
	}
	return next
}

// roundState rounds to 32 bits, which is far below the feasibility tolerances, so that states that differ only by the
// path of the simplex method are the same point.
func roundState(v float64) float64 {
	const bits, nothing = 32, 1e-10
	if math.Abs(v) < nothing {
		return 0
	}
	f, e := math.Frexp(v)
	return math.Ldexp(math.Round(math.Ldexp(f, bits)), e-bits)
}
