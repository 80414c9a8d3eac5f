package scenario

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/lagrange"
)

// search is the local search of a run whose first-stage columns are all 0-1. It prices a design by the pool, and by
// linear programs only where the lower bound of the pool is below the cost of the best design. It implements
// lagrange.Pricer.
type search struct {
	*lagrange.LocalSearch
	s     *separator
	spent int // linear programs that the search solved
}

// Sizes of the search.
const (
	descent = 200 // designs that are priced in one descent, most of them by the pool
	ahead   = 4   // times all scenarios: linear programs that it may use before the run has solved some
	portion = 3   // it may use the share 1/portion of that
)

// newSearch returns nil where a first-stage column is not 0-1, or certificates are not shared.
func (r *solvers) newSearch() (*search, error) {
	s, err := r.separator(1)
	if err != nil || s.pool == nil {
		return nil, err
	}
	for _, c := range r.p.master.Cols {
		if !c.Integer || c.Lower < 0 || c.Upper > 1 {
			return nil, nil
		}
	}

	// The search may use a share of the linear programs of the run, and some before there are any.
	l := &search{s: s}
	l.LocalSearch = lagrange.NewLocalSearch(len(r.p.master.Cols), l, nil)
	l.Enough = func() bool { return portion*l.spent > s.counts.LPs+portion*ahead*len(r.p.weight) }
	return l, nil
}

// Carries implements lagrange.Pricer.
func (l *search) Carries(y []float64) bool { return isDesign(l.s.p.master, y) }

// Price implements lagrange.Pricer. What it returns is a lower bound where that is no better than the best design.
func (l *search) Price(ctx context.Context, y []float64) (float64, error) {
	// A ray of an earlier point may prove that there is no recourse.
	s := l.s
	s.move(y)
	if len(s.refute()) > 0 {
		return math.Inf(1), nil
	}

	// Linear programs are solved only until the lower bound reaches the cost of the best design. Where all scenarios are
	// answered already, none is solved: then solve returns those that are infeasible.
	own, before := s.p.master.Evaluate(y), s.counts.LPs
	worse := func() bool { return s.byPool() && own+s.sum(nil) >= s.best }
	if s.open == 0 || !worse() {
		failed, err := s.solve(ctx, worse)
		if l.spent += s.counts.LPs - before; err != nil || len(failed) > 0 {
			return math.Inf(1), err
		}
	}

	// With all scenarios solved the sum is the cost, else a lower bound that is no better than the best design.
	cost := own + s.sum(nil)
	if s.open == 0 {
		s.keep(cost)
		s.best = min(s.best, cost)
	}
	return cost, nil
}

// Cut implements lagrange.Pricer.
func (l *search) Cut(slope []float64) (constant float64) {
	// The first stage's part of the cut.
	for j := range slope {
		slope[j] = l.s.p.master.Cols[j].Cost
	}
	constant = l.s.p.master.Offset

	// Every scenario adds the cut of its linear program, or of its best certificate in the pool, times its probability.
	for k, w := range l.s.weight {
		switch a := &l.s.answers[k]; {
		case a.state == solved && !math.IsNaN(a.cut.Alpha):
			constant += w * a.cut.Alpha
			for i, j := range a.cut.Index {
				slope[j] += w * a.cut.Beta[i]
			}
		case l.s.asked:
			constant += l.s.pool.plane(k, w, slope)
		default:
			// Without a cut of one scenario there is no cut, and no bound on other designs.
			return math.Inf(-1)
		}
	}
	return constant
}

// Trim implements lagrange.Pricer: it does not look for columns without a use, and closes none.
func (l *search) Trim([]float64) bool { return false }

// improve descends from the design of start and from a point of the relaxation, nil for none of either, and leaves the
// best known design in start.
func (l *search) improve(ctx context.Context, start *decompose.Start, point []float64) error {
	var err error
	if start.Design != nil {
		_, err = l.Descend(ctx, slices.Clone(start.Design), descent)
	}
	if point != nil && err == nil {
		err = l.Round(ctx, point, descent)
	}
	l.take(start)
	return benders.NotCancelled(ctx, err)
}

// take takes over the best known design, also of a search that was stopped.
func (l *search) take(start *decompose.Start) {
	// The engine has the cheapest design for which all scenarios were solved, whatever found it.
	if k := &l.s.known; k.y != nil && k.cost < start.Cost {
		start.Design, start.Cost = slices.Clone(k.y), k.cost
	}
}
