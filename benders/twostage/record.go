package twostage

import (
	"context"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/outward"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/simplex"
)

// Record returns the program as the data of a record.
func (p *Problem) Record() record.Model {
	// The block of a recourse column is the epigraph of its component.
	epigraph := make([]int, len(p.parts))
	for g, group := range p.groups {
		for _, k := range group {
			epigraph[k] = g
		}
	}
	r := RecordOf(p.Compact, p.rows, p.First, func(j int) int { return epigraph[p.partOf[j]] })
	r.Maximize = p.Maximize

	// The bounds that certificates use and the model does not state, with the rows that imply them.
	for _, s := range p.implied.steps {
		r.Implied = append(r.Implied, record.Implied{Row: int(s.row), Column: int(s.col), Upper: s.upper, Bound: s.value})
	}
	return r
}

// RecordOf returns a minimisation with its rows as the data of a record. The first columns are those of the first
// stage, and block is the epigraph of every other one.
func RecordOf(m *lp.Model, rows *lp.Matrix, first int, block func(j int) int) record.Model {
	r := record.Model{Offset: m.Offset, Start: []int{0}}
	for j, c := range m.Cols {
		b := -1
		if j >= first {
			b = block(j)
		}
		r.Cost, r.Integer = append(r.Cost, c.Cost), append(r.Integer, c.Integer)
		r.Lower, r.Upper = append(r.Lower, record.Number(c.Lower)), append(r.Upper, record.Number(c.Upper))
		r.First, r.Block = append(r.First, j < first), append(r.Block, b)
	}

	// The rows and their coefficients, one row after the other: those of row i are Index[Start[i]:Start[i+1]].
	for i, row := range m.Rows {
		index, value := rows.Vec(i)
		r.RowLower, r.RowUpper = append(r.RowLower, record.Number(row.Lower)), append(r.RowUpper, record.Number(row.Upper))
		r.Index, r.Value = append(r.Index, index...), append(r.Value, value...)
		r.Start = append(r.Start, len(r.Index))
	}
	return r
}

// Multipliers returns the certificate of a cut as one multiplier for every row of Compact, and as fractions those that
// are no float64, "" for the others; nil if there are none.
func (p *Problem) Multipliers(cut *benders.Cut) (lambda []float64, fractions []string) {
	lambda = make([]float64, len(p.Compact.Rows))
	c, ok := cut.Certificate.(*Certificate)
	if !ok {
		return lambda, nil
	}

	// A fraction is needed only where the rounded multiplier differs from the exact one.
	for _, q := range c.parts {
		for k, i := range p.parts[q.component].rows {
			lambda[i] = q.lambda[k]
			if q.exact == nil || outward.Rat(q.lambda[k]).Cmp(q.exact[k]) == 0 {
				continue
			}
			if fractions == nil {
				fractions = make([]string, len(lambda))
			}
			fractions[i] = q.exact[k].RatString()
		}
	}
	return lambda, fractions
}

// provable reports whether a cut, with its slopes as the method slopes has them, follows from a certificate of this
// package wherever its columns are within their bounds, so that it may stand in a record.
func (p *Problem) provable(cut *benders.Cut) bool {
	c, ok := cut.Certificate.(*Certificate)
	return ok && !slices.ContainsFunc(c.parts, func(q part) bool { return q.faint })
}

// slopes returns as fractions the slopes of a cut on columns without any bound that are no float64, "" for the others;
// nil if there are none.
func (p *Problem) slopes(cut *benders.Cut) []string {
	c, ok := cut.Certificate.(*Certificate)
	if !ok || !c.rounded {
		return nil
	}

	// No loss of alpha pays for the rounding of such a slope, so that a record has the exact one.
	t := terms{p: p, parts: c.parts}
	var out []string
	for k, j := range cut.Index {
		if !p.unbounded(j) {
			continue
		}
		if r := t.exactSlope(j); r.Cmp(outward.Rat(cut.Beta[k])) != 0 {
			if out == nil {
				out = make([]string, len(cut.Index))
			}
			out[k] = r.RatString()
		}
	}
	return out
}

// solution returns the recourse columns that are not zero in a solution at y, numbered from 0, and their values; none
// if the recourse is infeasible. With inside > 0 rows and columns of a range keep that distance from their sides,
// relative to max(1, |side|), where there is such a solution.
func (e *Exact) solution(ctx context.Context, y []float64, inside float64) (index []int32, value []float64, err error) {
	for _, q := range e.pieces {
		status, err := q.recourse.solve(ctx, y)
		if err != nil || status != lp.Optimal {
			return nil, nil, err
		}

		// In exact arithmetic the rounding of a vertex may violate a side; a point inside has room for that.
		x := q.recourse.solver.x()
		if inside > 0 {
			inner := q.recourse.solver.model.Clone()
			inner.Shrink(inside)
			sol, err := simplex.Solve(ctx, inner, simplex.DefaultOptions())
			if err == nil && sol.Status == lp.Optimal {
				x = sol.X
			}
		}
		for k, v := range x {
			if v != 0 {
				index, value = append(index, q.c.cols[k]-int32(e.p.First)), append(value, v)
			}
		}
	}
	return index, value, nil
}
