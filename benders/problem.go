package benders

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/lp"
)

// Problem describes a two-stage program to a driver. Master holds the first-stage columns y and
// the rows that only they appear in (minimisation); the driver adds one epigraph column theta_k for
// each of the Epigraphs parts of the recourse cost: Q(y) = sum_k Q_k(y).
type Problem struct {
	Name       string
	Master     *lp.Model
	Epigraphs  int
	ThetaLower []float64 // a valid lower bound on each Q_k, one an epigraph

	// Recourse fills q (one entry an epigraph) with the exact Q_k(y) at an integer design, and returns
	// false if there is no feasible recourse. It may be nil where Q is too costly to evaluate.
	Recourse func(ctx context.Context, y, q []float64) (feasible bool, err error)

	// Round, if not nil, makes an integer design of a point of the relaxation, or nil where it finds none. It is priced at
	// every point that a tree separates, and Improve begins there. Without it every column is rounded to the nearest
	// integer, for Improve alone.
	Round func(y []float64) []float64

	// Improve, if not nil, turns an integer design into one that is at least as good (local search);
	// it is the family's primal heuristic. It may return y itself.
	Improve func(ctx context.Context, y []float64) ([]float64, error)

	// Starts are integer designs that are known before the search, best first.
	Starts [][]float64

	// Initial are valid cuts that the master holds from the first node on.
	Initial []Cut

	// Copy, if not nil, is a part of the recourse that stays in the master of BranchAndCut; others leave it out.
	Copy *Copy

	// Known are rows that every design satisfies, known to tolerances and without a certificate. They keep a master
	// bounded that its cuts do not bound yet. A record holds none of them.
	Known []Cut
}

// Price returns the true cost f'y + Q(y) of a design and fills q with the Q_k(y), one an epigraph. feasible is false
// for a point that is no design, because it breaks a bound, the integrality or a row of the master, and for a design
// without feasible recourse. Every design that a run returns has passed here, or in Check where nothing prices it,
// whatever found it: the tree, a heuristic, a start or a proof.
func (p *Problem) Price(ctx context.Context, y, q []float64) (cost float64, feasible bool, err error) {
	if ok, err := p.Check(y); err != nil || !ok {
		return math.NaN(), false, err
	}
	if feasible, err = p.Recourse(ctx, y, q); err != nil || !feasible {
		return math.NaN(), false, err
	}

	return sumFrom(p.Master.Evaluate(y), q), true, nil
}

// Check reports whether y is a design: it satisfies the bounds, the integrality and the rows of the master, as
// lp.Model.Check judges them.
func (p *Problem) Check(y []float64) (ok bool, err error) {
	err = p.Master.Check(y)
	if errors.Is(err, lp.ErrPoint) {
		return false, nil
	}
	return err == nil, err
}

// Unbounded reports whether bounds alone leave the master unbounded: the cost of a column decreases without bound, or
// an epigraph has no lower bound.
func (p *Problem) Unbounded() bool {
	if slices.Contains(p.ThetaLower, math.Inf(-1)) {
		return true
	}
	for _, c := range p.Master.Cols {
		improving := c.Lower // the bound towards which the cost improves
		if c.Cost < 0 {
			improving = c.Upper
		}
		if c.Cost != 0 && math.IsInf(improving, 0) {
			return true
		}
	}
	return false
}

// Floor returns the row that no design costs less than the linear relaxation of the whole, whose value is known to
// tolerances. It is one for Known: it has no certificate.
func (p *Problem) Floor(value float64) Cut {
	const margin = 1e-6 // relative; above the tolerances of the relaxation

	// sum of theta >= value - offset - costs of the first stage, less the margin.
	offset := p.Master.Offset
	cut := Cut{Theta: AllEpigraphs, Alpha: value - offset - margin*max(1, math.Abs(value), math.Abs(offset))}
	for j, c := range p.Master.Cols {
		if c.Cost != 0 {
			cut.Index, cut.Beta = append(cut.Index, int32(j)), append(cut.Beta, -c.Cost)
		}
	}
	return cut
}

// NotCancelled drops the error of a cancelled context: for a driver and a search that is a status.
func NotCancelled(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}
