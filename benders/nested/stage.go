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
	nodes  []int32 // that share the program
	period *period
	pool   *pool      // of the future; one without parts in the last period
	cols   []lp.Col   // own columns and those of the state, with the numbers of node
	rows   []lp.Row   // of the period, with the numbers of node
	matrix *lp.Matrix // of cols and rows, by columns
	inCut  []int32    // position of each column in the next period's state, -1 for none

	solver   *simplex.Solver
	coreCols []lp.Col // cols and rows with the numbers of the core
	coreRows []lp.Row
	changes  map[int32][]stoch.Change // of each node, without coefficients, in the numbering of the program
	node     int32                    // whose numbers the program has, -1 for the core's
	synced   int                      // cuts of the pool that are rows of the solver
	extra    []float64                // costs of the columns of the solver behind cols

	// withoutCosts is true while the solver has no costs, to find a feasible point. crossed is true where a lower bound or
	// side of the node is above the upper one, so that the node is infeasible at any state.
	withoutCosts bool
	crossed      bool

	fresh   bool    // not solved yet
	vectors vectors // of the last solve

	multipliers, weights []float64 // scratch of certify: of the rows and of the cuts
}

// outcome is the solution of a node at a state.
type outcome struct {
	status    lp.Status // Optimal, Infeasible, Unbounded or a limit
	failure   string    // what the linear program failed at, "" for nothing
	unsuited  error     // of a node that has no least cost whatever cuts its future gets
	cost      float64   // of the columns of the period
	next      []float64 // state of the next period
	own       []float64 // of node 0: its columns
	ray       []float64 // of an unbounded program
	point     []float64 // of a task that asks for a feasible point
	certified bool      // lower is set
	lower     affine    // where every part of the future has a cut; of an infeasible node that of its ray
	basis     *simplex.Basis
	lps       int
	pivots    int
	cutsUsed  int // of the future at the time
}

// dualTolerance is the dual tolerance of the programs: a reduced cost of the wrong sign lowers a cut by its size times
// the reach of its column.
const dualTolerance = 1e-9

// newStage builds the program of a group of nodes from that of one of them, with the pool of their future, which has no
// parts where there is none. seed is that of the simplex method.
func (l *layout) newStage(nodes []int32, pool *pool, seed uint64) (*stage, error) {
	// The period's own columns, then the state, and the period's rows, as in the core.
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
	s := &stage{
		nodes:       nodes,
		period:      q,
		pool:        pool,
		fresh:       true,
		node:        -1,
		changes:     map[int32][]stoch.Change{},
		multipliers: make([]float64, len(m.Rows)),
	}

	// The nodes have the same coefficients; their other changes are made one node at a time.
	if err := s.fill(l, m, nodes[0]); err != nil {
		return nil, err
	}
	for _, n := range nodes {
		for _, c := range l.p.Nodes[n].Changes {
			if c.Kind != stoch.Entry {
				s.changes[n] = append(s.changes[n], s.own(c, l.sign))
			}
		}
	}
	s.cols, s.rows = m.Cols, m.Rows
	s.coreCols, s.coreRows = slices.Clone(m.Cols), slices.Clone(m.Rows)

	// Cuts have the columns of the next period's state.
	s.inCut = slices.Repeat([]int32{-1}, len(m.Cols))
	for k, j := range q.next {
		s.inCut[j] = int32(k)
	}

	// The linear program has an epigraph column for every part of the future. It is fixed at zero until the part has a
	// cut.
	program := m.Clone()
	for range s.pool.parts {
		program.AddCol(lp.Col{Cost: 1})
		s.extra = append(s.extra, 1)
	}
	var err error
	s.solver, err = simplex.New(program, simplexOptions(seed))
	return s, err
}

// simplexOptions returns the options of linear programs.
func simplexOptions(seed uint64) simplex.Options {
	o := simplex.DefaultOptions()
	o.Seed = seed
	o.Tolerances.Dual = dualTolerance
	return o
}

// fill adds the coefficients of a node: those of the core, replaced by those that the node changes.
func (s *stage) fill(l *layout, m *lp.Model, n int32) error {
	// The coefficients that the node changes and that are not added yet.
	type place struct{ row, col int32 }
	random := map[place]float64{}
	for _, c := range l.p.Nodes[n].Changes {
		if c.Kind == stoch.Entry {
			random[place{int32(c.Row), int32(c.Col)}] = c.Value
		}
	}
	add := func(i, j int32, v float64) { // in the numbering of the core; rows of other periods are left out
		if row, ok := s.period.row[i]; ok && v != 0 {
			m.AddEntry(lp.Con(row), lp.Var(s.period.at[j]), v)
		}
	}

	// The columns of the program, with the coefficients of the core or those in their place.
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

// own returns a change of the core in the numbering of the program; sign is that of the costs.
func (s *stage) own(c stoch.Change, sign float64) stoch.Change {
	// A change of a row has no column, and the other way round.
	switch c.Kind {
	case stoch.RowLower, stoch.RowUpper:
		c.Row = lp.Con(s.period.row[int32(c.Row)])
	default:
		c.Col = lp.Var(s.period.at[int32(c.Col)])
		if c.Kind == stoch.Cost {
			c.Value *= sign
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
		*number(s.cols, s.rows, c) = *number(s.coreCols, s.coreRows, c)
	}
	for _, c := range s.changes[n] {
		*number(s.cols, s.rows, c) = c.Value
	}
	s.node = n
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
	// The columns of the state are fixed by each solve.
	own := s.cols[:len(s.period.own)]
	return slices.ContainsFunc(own, func(c lp.Col) bool { return c.Lower > c.Upper }) ||
		slices.ContainsFunc(s.rows, func(r lp.Row) bool { return r.Lower > r.Upper })
}

// epigraph returns the column of a part of the future.
func (s *stage) epigraph(part int) lp.Var { return lp.Var(len(s.cols) + part) }

// sync adds the cuts that the pool has and the program has not. An epigraph column is zero until it has a cut.
func (s *stage) sync() {
	for ; s.synced < len(s.pool.cuts); s.synced++ {
		// A cut is the row theta - beta'z' >= alpha; one of feasibility has no theta.
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

		// The first cut of a part frees its epigraph column.
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
	// The columns of the state follow the own ones.
	s.sync()
	s.setNode(n)
	for k, v := range z {
		by := slack * (1 + math.Abs(v))
		s.solver.SetColBounds(lp.Var(len(s.period.own)+k), v-by, v+by)
	}
}

// solve solves a node at a state, from which the program may differ by the slack, and certifies the answer.
func (s *stage) solve(ctx context.Context, n int32, z []float64, slack float64) (outcome, error) {
	// Crossed bounds need no program: 1 <= 0 is the certificate at every state.
	if s.setNode(n); s.crossed {
		nowhere := affine{alpha: 1, beta: make([]float64, len(z))}
		return outcome{status: lp.Infeasible, certified: true, lower: nowhere, cutsUsed: s.synced}, nil
	}

	// The state fixes its columns.
	s.setState(n, z, slack)
	res, err := s.run(ctx)
	out := outcome{status: res.Status, cutsUsed: s.synced, pivots: res.Iterations}
	if err != nil {
		return out, err
	}

	// An infeasible program has a Farkas ray of its rows, an unbounded one a ray of its columns, and an optimal one a
	// point with duals.
	switch res.Status {
	case lp.Infeasible:
		out.certified = true
		out.lower, err = s.certify(s.vectors.ray(), false)
	case lp.Unbounded:
		out.ray = slices.Clone(s.vectors.ray())
	case lp.Optimal:
		x := s.vectors.x()
		for j := range s.period.own {
			out.cost += s.cols[j].Cost * x[j]
		}
		out.next = s.period.nextState(x)
		if n == 0 {
			out.own = slices.Clone(x[:len(s.period.own)])
		}

		// Without a cut for every part of the future the program's value is no bound.
		if s.pool.complete() {
			out.certified = true
			out.lower, err = s.certify(s.vectors.dual(), true)
		}
	}
	return out, err
}

// errMultipliers is returned for multipliers that certify refuses.
var errMultipliers = errors.New("multipliers without a certificate")

// begin makes the first solve of the program begin at the basis of another program of the period, whose rows and
// columns are alike; nil for none. The cuts are basic.
func (s *stage) begin(basis *simplex.Basis) {
	if !s.fresh {
		return
	}
	s.fresh = false
	if basis != nil && s.solver.SetBasis(basis) != nil {
		s.solver.SlackBasis()
	}
}

// basis returns the basis of the program for the other programs of the period.
func (s *stage) basis() *simplex.Basis {
	// The statuses of epigraph columns and cuts are those of one future, and left out.
	var b simplex.Basis
	s.solver.GetBasis(&b)
	return &simplex.Basis{Cols: b.Cols[:len(s.cols)], Rows: b.Rows[:len(s.rows)]}
}

// vectors are the solution vectors of the last solve.
type vectors struct{ x, dual, ray func() []float64 }

// run solves the program as it is, from scratch where the warm solve fails.
func (s *stage) run(ctx context.Context) (simplex.Result, error) {
	res, err := s.solver.Solve(ctx, simplex.NoLimits())
	s.vectors = vectors{s.solver.X, s.solver.RowDual, s.solver.Ray}
	if !errors.Is(err, simplex.ErrNumerical) {
		return res, err
	}

	// The vectors are those of the copy, and the next warm solve begins at the slack basis.
	cold, err := s.cold(ctx)
	if err != nil {
		return res, err
	}
	of := func(v []float64) func() []float64 { return func() []float64 { return v } }
	s.vectors = vectors{of(cold.X), of(cold.RowDual), of(cold.Ray)}
	s.solver.SlackBasis()
	return cold.Result, nil
}

// cold solves a copy of the program from scratch.
func (s *stage) cold(ctx context.Context) (*simplex.Solution, error) {
	// The columns, the state and the slack of the present solve among their bounds.
	m := &lp.Model{}
	for j := range s.solver.NumCols() {
		c := lp.Col{Cost: s.cost(j)}
		c.Lower, c.Upper = s.solver.ColBounds(lp.Var(j))
		m.AddCol(c)
	}

	// The rows of the period and the cuts.
	for i := range s.solver.NumRows() {
		lower, upper := s.solver.RowBounds(lp.Con(i))
		index, value := s.solver.Row(lp.Con(i))
		m.AddRow(lp.Row{Lower: lower, Upper: upper}, index, value)
	}
	o := simplex.DefaultOptions()
	o.Tolerances.Dual = dualTolerance
	return simplex.Solve(ctx, m, o)
}

// cost returns the cost of a column of the solver, as it is set now.
func (s *stage) cost(j int) float64 {
	if s.withoutCosts {
		return 0
	}

	// Behind the columns of the period are epigraphs, or what a hull program has in their place.
	if j < len(s.cols) {
		return s.cols[j].Cost
	}
	return s.extra[j-len(s.cols)]
}

// feasible returns a feasible point of a node, nil for none: that of the program without costs.
func (s *stage) feasible(ctx context.Context, n int32, z []float64) ([]float64, lp.Status, error) {
	// A run may find the program unbounded before it has a feasible point, so that the costs go.
	s.setState(n, z, leastSlack)
	s.setCosts(false)
	defer s.setCosts(true)
	res, err := s.run(ctx)
	if err != nil || res.Status != lp.Optimal {
		return nil, res.Status, err
	}
	return slices.Clone(s.vectors.x()), res.Status, nil
}

// setCosts sets the costs, or takes them away.
func (s *stage) setCosts(on bool) {
	s.withoutCosts = !on
	for j := range s.solver.NumCols() {
		s.solver.SetCost(lp.Var(j), s.cost(j))
	}
}
