package simplex

import (
	"context"
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

// presolved solves what presolve leaves of m and gives s the basis that follows. It returns the
// iterations and the work of that, zero where presolve does not pay or cannot say.
func (s *Solver) presolved(ctx context.Context, m *lp.Model) (iterations int, work float64, err error) {
	a, err := m.Matrix()
	if err != nil {
		return 0, 0, err
	}
	start := time.Now()
	p := newPresolver(m, dropZeros(a))
	p.reduce()
	work = 2 * float64(a.NNZ())
	if p.failed || p.removed() < presolveGain*float64(p.n+p.m) {
		return 0, work, nil
	}
	small, cols, rows := p.reduced()
	opt := s.opt
	if opt.TimeLimit < 1<<62 {
		opt.TimeLimit = max(0, opt.TimeLimit-time.Since(start))
	}
	t, err := New(small, opt)
	if err != nil {
		return 0, work, err
	}
	r, err := t.Solve(ctx)
	if err != nil { // the whole model decides
		return r.Iterations, work + r.Work, nil
	}
	var b Basis
	t.GetBasis(&b)
	if err := s.SetBasis(p.postsolve(&b, cols, rows)); err != nil {
		return r.Iterations, work + r.Work, err
	}
	return r.Iterations, work + r.Work, nil
}

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
