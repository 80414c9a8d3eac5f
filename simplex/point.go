package simplex

import (
	"context"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// Scales returns the powers of two by which a Solver with the option Scale multiplies the rows of m and its columns:
// the scaled coefficient is rows[i] a_ij cols[j], so that the scaled value of column j is x_j / cols[j]. The error is
// that of m.Validate.
func Scales(m *lp.Model) (rows, cols []float64, err error) {
	if err := m.Validate(); err != nil {
		return nil, nil, err
	}
	a, err := m.Matrix()
	if err != nil {
		return nil, nil, err
	}

	var p problem
	p.load(m, a, true)
	return p.rowScale, p.colScale, nil
}

// CrossOver turns an optimal point and its multipliers, which need not belong to a vertex, into an optimal basis of m
// (Megiddo 1991; Bixby and Saltzman 1994), and solves m from there, without presolve. All vectors of p have the lengths
// of m and the signs of the package comment; the statuses of p.Basis are Basic for variables that may lie between their
// bounds, any number of them, and the bound for every other one. The iterations and the work of p are not counted. The
// answer is not held against m as that of Solve is: SolveFrom with its basis does that. Errors are those of Solve.
func CrossOver(ctx context.Context, m *lp.Model, opt Options, p *Solution) (*Solution, error) {
	start := time.Now()
	s, err := New(m, opt)
	if err != nil {
		return nil, err
	}

	// What the pushes use is taken off the limits of the solve that follows.
	s.logged = logged{started: start, inner: true}
	r := s.crossover(ctx, p)
	s.spend(&r, start)
	s.start.advanced = true
	return s.follow(ctx, &r)
}
