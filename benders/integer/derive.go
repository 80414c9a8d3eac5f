package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/simplex"
)

// derive returns the number in the record of a row of split.go in a scenario, and adds the row to the data of the
// record at its first use. Its proof is a chain of splits: where all columns y_j with the coefficient M are 0 the row
// follows from its source, and where one of them is at least 1 from the bounds of the columns.
func (p *prover) derive(s, row int) int32 {
	b := p.blocks[s]
	if number, ok := b.derived[row]; ok {
		return number
	}

	// The coefficients of the source, to see which ones the row has changed.
	from := p.p.sources[row-len(p.layout.own)]
	given := make(map[int32]float64)
	for _, t := range b.rows[from.row] {
		given[t.col] = from.sign * t.value
	}

	// The row is a <= row, the derived one of a record a >= row.
	d := record.Derived{Block: s, Lower: -b.model.Rows[row].Upper}
	var chain []int
	for _, t := range b.rows[row] {
		d.Index = append(d.Index, int32(p.layout.col(s, int(t.col))))
		d.Value = append(d.Value, -t.value)
		if int(t.col) < p.layout.first && t.value != given[t.col] {
			chain = append(chain, p.layout.col(s, int(t.col)))
		}
	}

	// A column whose coefficient is 0 stands in the source alone.
	for _, t := range b.rows[from.row] {
		has := slices.ContainsFunc(b.rows[row], func(own term) bool { return own.col == t.col })
		if int(t.col) < p.layout.first && !has {
			chain = append(chain, int(t.col))
		}
	}
	for _, j := range chain {
		d.Proof = append(d.Proof, record.Node{Split: j})
	}
	d.Proof = append(d.Proof, record.Node{
		Split:   -1,
		Rows:    []int32{int32(p.layout.row(s, from.row))},
		Weights: []float64{-from.sign},
	})
	for range chain {
		d.Proof = append(d.Proof, record.Node{Split: -1})
	}

	number := int32(len(p.data.RowLower) + len(p.data.Derived))
	p.data.Derived = append(p.data.Derived, d)
	b.derived[row] = number
	return number
}

// solution returns an optimal recourse of a design, in the numbers of a record. With inside > 0 continuous columns keep
// that distance from their bounds and from the sides of rows, relative to max(1, |side|), where there is room.
func (p *prover) solution(ctx context.Context, y []float64, inside float64) (index []int32, value []float64,
	err error) {
	points := make([][]float64, len(p.blocks))
	err = p.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			out, err := solveMIP(ctx, fixed(p.blocks[s].model, y), math.MaxInt)
			if err != nil {
				return err
			}
			if out.X == nil {
				continue
			}
			points[s] = out.X
			if inside > 0 {
				points[s], err = p.inner(ctx, s, y, out.X, inside)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}

	for s, x := range points {
		for j := p.layout.first; j < len(x); j++ {
			v := x[j]
			if p.p.tight.Core.Cols[j].Integer {
				v = math.Round(v)
			}
			if v != 0 {
				index = append(index, int32(p.layout.col(s, j)-p.layout.first))
				value = append(value, v)
			}
		}
	}
	return index, value, nil
}

// inner returns a point of a scenario with the integer columns of another one, farther inside; the other one where
// there is none.
func (p *prover) inner(ctx context.Context, s int, y, x []float64, inside float64) ([]float64, error) {
	m := fixed(p.blocks[s].model, y)
	for j := p.layout.first; j < len(x); j++ {
		if c := &m.Cols[j]; c.Integer {
			c.Lower = math.Round(x[j])
			c.Upper = c.Lower
			c.Integer = false
		}
	}
	m.Shrink(inside)
	sol, err := simplex.Solve(ctx, m, simplex.DefaultOptions())
	if err != nil || sol.Status != lp.Optimal {
		return x, ctx.Err()
	}
	return sol.X, nil
}
