package mcndp

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/cutset"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
)

// repairer gives designs without a recourse one (paper, section 5.3): while the flow certificate fails, it opens the
// arc that the model predicts to be worth most for its fixed cost. A linear program decides only where all arcs are
// open and the certificate, a heuristic, still fails. It is for one goroutine.
type repairer struct {
	in        *Instance
	router    *router         // looks for the flow certificate
	predictor proxy.Predictor // of the worth of arcs
	both      *twoHeads       // the certifier of the predictions
	u         []float64       // the prediction at the last design
	failed    []float64       // the last design of the run that had no recourse
}

// newRepairer returns the repairer of an instance by a model of this family.
func newRepairer(in *Instance, sets *cutset.Separator, m *proxy.Model) (*repairer, error) {
	v, err := m.On(in)
	if err != nil {
		return nil, err
	}

	// Models of this family have views with two heads.
	both, ok := v.(headed)
	if !ok {
		return nil, fmt.Errorf("mcndp: %w: a model of another family", proxy.ErrModel)
	}
	p, err := v.Predictor(m.Net)
	return &repairer{
		in:        in,
		router:    newRouter(in, sets),
		predictor: p,
		both:      both.heads(),
		u:         make([]float64, 2*in.size()),
	}, err
}

// headed is the view of every architecture of this family.
type headed interface{ heads() *twoHeads }

// watch records the last design that the problem finds to have no recourse.
func (r *repairer) watch(p *benders.Problem) {
	exact := p.Recourse
	p.Recourse = func(ctx context.Context, y, q []float64) (bool, error) {
		feasible, err := exact(ctx, y, q)

		// The point is copied, since its memory is used again.
		if err == nil && !feasible {
			r.failed = append(r.failed[:0], y...)
		}
		return feasible, err
	}
}

// repair opens arcs of y in place and returns how many. routed is false if all arcs are open and no flow was found.
func (r *repairer) repair(y []float64) (opened int, routed bool, err error) {
	for !r.router.route(y) {
		// Each arc that opens changes the prediction.
		j, err := r.best(y)
		if j < 0 || err != nil {
			return opened, false, err
		}
		y[j] = 1
		opened++
	}
	return opened, true, nil
}

// best returns the closed arc whose predicted worth is greatest for its fixed cost: by the feasibility head, and where
// that gives no closed arc any, by the optimality head; -1 if all are open.
func (r *repairer) best(y []float64) (int, error) {
	if err := r.predictor.Predict(y, r.u); err != nil {
		return -1, err
	}
	r.both.Project(r.u)
	size := r.in.size()
	if j := r.bestClosed(benders.Feasibility, r.u[size:], y); j >= 0 {
		return j, nil
	}
	if j := r.bestClosed(benders.Optimality, r.u[:size], y); j >= 0 {
		return j, nil
	}

	// Neither head gives a closed arc any worth: the first of them.
	return slices.IndexFunc(y, func(v float64) bool { return v < 0.5 }), nil
}

// bestClosed returns the closed arc of the greatest positive worth by its fixed cost, or -1.
func (r *repairer) bestClosed(kind benders.Kind, u, y []float64) int {
	best := -1
	worth := 0.0
	for j, v := range y {
		// Only closed arcs can be opened.
		if v > 0.5 {
			continue
		}

		// The knapsack of an arc is what the cut saves where the arc opens.
		if w := r.both.certifier.solve(kind, u, j) / (r.in.Fixed[j] + tooSmall); w > worth {
			best = j
			worth = w
		}
	}
	return best
}

// finish repairs the last design of a run that ended at one without a recourse, and returns the repaired one if it is
// better than what the run has. That of a run that priced none is repaired by the flow certificate alone: where it
// fails on the design, arcs are opened until it holds (paper, section 5.3), and the price is found after the run.
func (r *repairer) finish(ctx context.Context, out *benders.Result, p *benders.Problem) error {
	last := r.failed
	unpriced := out.Design != nil && math.IsNaN(out.Objective)

	// A run that priced its designs needs a repair only where it ended without a price for the last one.
	switch {
	case unpriced:
		last = out.Design
	case last == nil || out.Status == lp.Infeasible || !math.IsNaN(out.Terminal):
		return nil
	}

	began := time.Now()
	y := slices.Clone(last)
	opened, routed, err := r.repair(y)

	// An unpriced design that the flow certificate accepts stays as it is.
	unchanged := unpriced && opened == 0 && routed
	if err != nil || unchanged {
		return err
	}
	out.Repair = benders.Repair{Designs: 1, Elapsed: time.Since(began)}
	if !routed { // the exact price decides
		out.Repair.LPs = 1
	}
	if unpriced {
		out.Design = y
		out.Repair.Opened = opened
		return nil
	}

	// The repaired design replaces the incumbent only where it is cheaper.
	cost, feasible, err := p.Price(ctx, y, make([]float64, 1))
	if err == nil && feasible && !(out.Objective <= cost) {
		out.Design = y
		out.Objective = cost
		out.Repair.Opened = opened
	}
	return err
}
