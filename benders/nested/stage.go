package nested

import (
	"context"
	"errors"
	"math"

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

	solver    *simplex.Solver
	base      *stage // a copy of cols and rows as in the core, nil for that copy
	changes   map[int32][]stoch.Change
	node      int32 // whose numbers the program has, -1 for the core's
	priceless bool  // costs are taken away
	crossed   bool  // a lower bound or side of the node is above the upper one: it is infeasible at any state
	synced    int   // cuts of the pool that are rows
	sign      float64
	extra     []float64 // costs of the columns of the program behind cols

	fresh                bool           // not solved yet
	like                 *simplex.Basis // of the first program of the period that was solved, shared by its programs
	vectors              vectors
	multipliers, weights []float64 // scratch
}

// outcome says how a node is at a state.
type outcome struct {
	status lp.Status // Optimal, Infeasible, Unbounded or a limit
	cost   float64   // of the columns of the period
	next   []float64 // state of the next period
	own    []float64 // of node 0: its columns
	ray    []float64 // of an unbounded program
	lower  affine    // where every part of the future has a cut; of an infeasible node that of its ray
	pivots int
	seen   int // cuts of the future at the time
}

// dualTolerance is that of the programs: what a reduced cost has the wrong sign by takes its column's reach from a
// cut.
const dualTolerance = 1e-9

// newStage builds the program of a group of nodes from that of one of them.
func (r *run) newStage(nodes []int32, f int32) (*stage, error) {
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
	s := &stage{period: q, pool: &pool{}, fresh: true, like: &r.bases[t], node: -1,
		sign: l.sign, changes: map[int32][]stoch.Change{}}
	if f >= 0 {
		s.pool = r.pools[f]
	}
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
	s.cols, s.rows = m.Cols, m.Rows
	s.base = &stage{cols: append([]lp.Col(nil), m.Cols...), rows: append([]lp.Row(nil), m.Rows...)}
	s.multipliers = make([]float64, len(m.Rows))
	for _, list := range [2][]int32{q.own, q.state} {
		for _, j := range list {
			s.reach = append(s.reach, l.reach[j])
			s.inCut = append(s.inCut, -1)
		}
	}
	for k, j := range q.next {
		s.inCut[j] = int32(k)
	}
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
	o.Seed, o.Tolerances.Dual = r.o.Seed, dualTolerance
	return o
}

// fill adds the coefficients of a node.
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
	for _, list := range [2][]int32{s.period.own, s.period.state} {
		for _, j := range list {
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
	}
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

// become gives the program the numbers of a node.
func (s *stage) become(n int32) {
	if s.node == n {
		return
	}
	for _, c := range s.changes[s.node] {
		switch c.Kind {
		case stoch.RowLower, stoch.RowUpper:
			s.rows[c.Row] = s.base.rows[c.Row]
		default:
			s.cols[c.Col] = s.base.cols[c.Col]
		}
	}
	before := s.changes[s.node]
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
	for _, list := range [2][]stoch.Change{before, s.changes[n]} {
		for _, c := range list {
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
}

// crosses reports whether a lower bound or side is above the upper one.
func (s *stage) crosses() bool {
	for j := range s.period.own {
		if s.cols[j].Lower > s.cols[j].Upper {
			return true
		}
	}
	for i := range s.rows {
		if s.rows[i].Lower > s.rows[i].Upper {
			return true
		}
	}
	return false
}

// epigraph returns the column of a part of the future.
func (s *stage) epigraph(part int) lp.Var { return lp.Var(len(s.cols) + part) }

// sync adds the cuts that the pool has and the program has not. An epigraph column is zero until it has a cut.
func (s *stage) sync() {
	for ; s.synced < len(s.pool.cuts); s.synced++ {
		c := &s.pool.cuts[s.synced]
		index, value := make([]int32, 0, len(c.beta)+1), make([]float64, 0, len(c.beta)+1)
		for k, b := range c.beta {
			if b != 0 {
				index, value = append(index, s.period.next[k]), append(value, -b)
			}
		}
		if c.part >= 0 {
			v := s.epigraph(c.part)
			index, value = append(index, int32(v)), append(value, 1)
			s.solver.SetColBounds(v, math.Inf(-1), math.Inf(1))
		}
		s.solver.AddRow(c.alpha, math.Inf(1), index, value)
	}
}

// at moves the program to a node and a state, which may differ by the play.
func (s *stage) at(n int32, z []float64, play float64) {
	s.sync()
	s.become(n)
	for k, v := range z {
		by := play * (1 + math.Abs(v))
		s.solver.SetColBounds(lp.Var(len(s.period.own)+k), v-by, v+by)
	}
}

// solve solves a node at a state, which may differ by the play.
func (s *stage) solve(ctx context.Context, n int32, z []float64, play float64, limits simplex.Limits) (outcome, error) {
	if s.become(n); s.crossed {
		return outcome{status: lp.Infeasible, lower: affine{alpha: 1, beta: make([]float64, len(z))}, seen: s.synced}, nil
	}
	s.at(n, z, play)
	if s.fresh {
		s.fresh = false
		s.begin()
	}
	res, err := s.run(ctx, limits)
	out := outcome{status: res.Status, seen: s.synced, pivots: res.Iterations}
	if err != nil {
		return out, err
	}
	ok := true
	switch {
	case res.Status == lp.Infeasible:
		out.lower, ok = s.certify(s.vectors.ray(), false)
	case res.Status == lp.Unbounded:
		out.ray = append([]float64(nil), s.vectors.ray()...)
	case res.Status == lp.Optimal:
		s.lend()
		x := s.vectors.x()
		for j := range s.period.own {
			out.cost += s.cols[j].Cost * x[j]
		}
		out.next = s.chosen(x)
		if n == 0 {
			out.own = append([]float64(nil), x[:len(s.period.own)]...)
		}
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

// begin takes the basis of another program of the period, whose rows and columns are alike, for the first solve. Cuts
// are left out.
func (s *stage) begin() {
	if s.like.Cols != nil && s.solver.SetBasis(s.like) != nil {
		s.solver.SlackBasis()
	}
}

// lend keeps the basis of the program for others of the period.
func (s *stage) lend() {
	if s.like.Cols == nil {
		var b simplex.Basis
		s.solver.GetBasis(&b)
		s.like.Cols, s.like.Rows = b.Cols[:len(s.cols)], b.Rows[:len(s.rows)]
	}
}

// vectors are those of the last answer.
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

// cold solves the program as it is from scratch, where the warm one fails.
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
	o.Limits, o.Tolerances.Dual = limits, dualTolerance
	return simplex.Solve(ctx, m, o)
}

// cost returns the cost of a column of the program.
func (s *stage) cost(j int) float64 {
	if s.priceless {
		return 0
	}
	if j < len(s.cols) {
		return s.cols[j].Cost
	}
	return s.extra[j-len(s.cols)]
}

// feasible returns a feasible point of a node, nil for none.
func (s *stage) feasible(ctx context.Context, n int32, z []float64) ([]float64, error) {
	s.at(n, z, least)
	s.charge(false)
	defer s.charge(true)
	res, err := s.run(ctx, simplex.NoLimits())
	if err != nil || res.Status != lp.Optimal {
		return nil, err
	}
	return append([]float64(nil), s.vectors.x()...), nil
}

// charge sets the costs, or takes them away.
func (s *stage) charge(on bool) {
	s.priceless = !on
	for j := range s.solver.NumCols() {
		s.solver.SetCost(lp.Var(j), s.cost(j))
	}
}

// chosen returns the state of the next period at a point.
func (s *stage) chosen(x []float64) []float64 {
	next := make([]float64, len(s.period.next))
	for k, j := range s.period.next {
		next[k] = snap(x[j])
	}
	return next
}

// snap rounds what may differ by the path of the simplex method alone, so that states that are the same are seen to
// be: to 32 bits, which is far below the feasibility tolerances.
func snap(v float64) float64 {
	const bits, nothing = 32, 1e-10
	if math.Abs(v) < nothing {
		return 0
	}
	f, e := math.Frexp(v)
	return math.Ldexp(math.Round(math.Ldexp(f, bits)), e-bits)
}
