package interior

import (
	"time"

	"github.com/proxybd/proxybd/lp"
)

// log writes a record of the current iterate: objectives in the sense of the model, relative violations, and the mean
// product of a pair.
func (w *method) log() {
	if w.opt.Log == nil {
		return
	}
	w.opt.Log.Info("interior", "iteration", w.iterations,
		"objective", w.objective(w.res.cost), "bound", w.objective(w.res.sum),
		"primal", w.last.primal, "dual", w.last.dual, "mu", w.res.mu, "elapsed", time.Since(w.began))
}

// logEnd writes how the iterations ended, and the violations of the best iterate.
func (w *method) logEnd(out outcome) {
	if w.opt.Log == nil {
		return
	}
	last := w.last
	if w.best != nil && !(last.largest() <= w.least.largest()) {
		last = w.least
	}
	w.opt.Log.Info("interior point done", "outcome", out.String(), "after", w.iterations, "primal", last.primal, "dual",
		last.dual, "gap", last.gap, "elapsed", time.Since(w.began))
}

// objective returns an objective of the homogeneous model in the units and the sense of the model.
func (w *method) objective(v float64) float64 {
	return w.sense * (w.size*w.price*v/w.it.tau + w.offset)
}

// logSize writes the size of what presolve has left.
func (o *Options) logSize(m *lp.Model) {
	if o.Log != nil {
		o.Log.Info("presolve", "rows", len(m.Rows), "columns", len(m.Cols), "nonzeros", m.NumEntries())
	}
}

// logSystem writes the size of the linear system.
func (w *method) logSystem() {
	if w.opt.Log != nil {
		w.opt.Log.Info("linear system", "rows", w.factor.Order(), "kept columns", len(w.kept), "factor", w.factor.NonZeros(),
			"flops", w.factor.Flops(), "bytes", w.factor.Bytes())
	}
}
