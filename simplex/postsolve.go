package simplex

import (
	"context"
	"math"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// reduced returns the model that is left, and the numbers of its columns and rows in the whole one.
func (p *presolver) reduced() (m *lp.Model, cols, rows []int32) {
	m = &lp.Model{Maximize: p.sense < 0, Offset: p.sense * p.offset}
	newCol := make([]int32, p.n)
	for j := range p.n {
		if p.colLive[j] {
			newCol[j] = int32(len(cols))
			cols = append(cols, int32(j))
			m.AddCol(lp.Col{Cost: p.sense * p.cost[j], Lower: p.lo[j], Upper: p.up[j]})
		}
	}
	var index []int32
	var value []float64
	for i := range p.m {
		if !p.rowLive[i] {
			continue
		}
		rows = append(rows, int32(i))
		index, value = index[:0], value[:0]
		for k, j := range p.rows[i].index {
			if p.colLive[j] {
				index, value = append(index, newCol[j]), append(value, p.rows[i].value[k])
			}
		}
		m.AddRow(lp.Row{Lower: p.rlo[i], Upper: p.rup[i]}, index, value)
	}
	return m, cols, rows
}

// postsolve makes a basis of the whole model from one of the reduced model.
func (p *presolver) postsolve(from *Basis, cols, rows []int32) *Basis {
	b := &Basis{Cols: make([]VarStatus, p.n), Rows: make([]VarStatus, p.m)}
	for k, j := range cols {
		b.Cols[j] = from.Cols[k]
	}
	for k, i := range rows {
		b.Rows[i] = from.Rows[k]
	}
	for k := len(p.stack) - 1; k >= 0; k-- {
		r := p.stack[k]
		switch r.kind {
		case slackRow:
			b.Rows[r.row] = Basic
		case fixedColumn:
			b.Cols[r.col] = r.status
		case freeColumn:
			b.Cols[r.col], b.Rows[r.row] = Basic, r.status
		case singletonRow:
			b.Rows[r.row] = r.swap(&b.Cols[r.col])
		case aggregated:
			b.Rows[r.row] = AtLower
			b.Cols[r.col] = r.swap(&b.Cols[r.other])
		}
	}
	return b
}

// swap returns the status of the row or column that gave the column that stays its bounds: basic, unless
// the latter sits at such a bound; then it becomes basic and the former is at the bound instead.
func (r *reduction) swap(stays *VarStatus) VarStatus {
	st := *stays
	if !(st == AtLower && r.lower || st == AtUpper && r.upper) {
		return Basic
	}
	*stays = Basic
	if r.flip {
		return AtLower + AtUpper - st
	}
	return st
}

// presolved solves what presolve leaves of m. It returns the result and the basis of m that follows; no basis
// where presolve does not pay or cannot say. What it has built is garbage afterwards, so that the
// solvers of the reduced and of the whole model do not exist at the same time.
func presolved(ctx context.Context, m *lp.Model, opt Options, start time.Time) (r Result, basis *Basis, err error) {
	if err := opt.Validate(); err != nil {
		return r, nil, err
	}
	if err := m.Validate(); err != nil {
		return r, nil, err
	}
	p, work, err := reduceModel(m)
	if p == nil || err != nil {
		return r, nil, err
	}
	small, cols, rows := p.reduced()
	p.release()
	if opt.TimeLimit < math.MaxInt64 {
		opt.TimeLimit = max(0, opt.TimeLimit-time.Since(start))
	}
	opt.MaxWork = max(0, opt.MaxWork-work)
	t, err := New(small, opt)
	if err != nil {
		return r, nil, err
	}
	t.logged = logged{started: start, inner: true}
	t.logPresolve(small)
	r, err = t.Solve(ctx)
	r.Work += work
	if err != nil { // the whole model decides
		return r, nil, nil
	}
	var b Basis
	t.GetBasis(&b)
	return r, p.postsolve(&b, cols, rows), nil
}

// reduceModel applies presolve to m; it returns nil where that does not pay or cannot say.
func reduceModel(m *lp.Model) (*presolver, float64, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, 0, err
	}
	p := newPresolver(m, dropZeros(a))
	p.reduce()
	if p.failed || p.removed() < presolveGain*float64(p.n+p.m) {
		return nil, 0, nil
	}
	return p, 2 * float64(a.NNZ()), nil
}

// release drops everything that postsolve does not need.
func (p *presolver) release() { *p = presolver{n: p.n, m: p.m, stack: p.stack} }

// removed returns the number of rows and columns that are gone.
func (p *presolver) removed() float64 {
	count := 0
	for _, live := range p.rowLive {
		if !live {
			count++
		}
	}
	for _, live := range p.colLive {
		if !live {
			count++
		}
	}
	return float64(count)
}

// presolveGain is the least share of rows and columns that presolve must remove to be used.
const presolveGain = 0.02
