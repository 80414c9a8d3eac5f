package simplex

import (
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/internal/sparse"
)

// ahead solves for tau, which the edge weights need after a pivot, on another goroutine while the pivot is still being
// chosen: the right-hand side is the row of the inverse, which comes first (a task of its own in Huangfu and Hall 2018,
// Parallelizing the dual revised simplex method). What is computed and counted is the same as with one thread, bit for
// bit.
type ahead struct {
	allowed bool    // there is a thread for it
	least   float64 // running work of a solve from which it is begun ahead
	begun   bool    // a solve that has not been ended
	helper  parallel.Helper
	run     func() // its job

	factor   factor         // a copy of that of the solver, to solve with
	x, where *sparse.Vector // the arguments of ftranWhere
	cost     float64        // its result
	work     float64        // of the copied factor, when the solve began
	saved    float64        // work that was done at the same time as other work, ever
}

// init allows solves of at least that running work to be begun ahead, if there is a thread for them.
func (a *ahead) init(threads int, least float64) { a.allowed, a.least = threads > 1, least }

// begin starts the solve of ftranWhere with f. Until end the factors must not change, and x must not be used.
func (a *ahead) begin(f *factor, x, where *sparse.Vector) {
	a.factor.follow(f)
	a.x, a.where = x, where
	a.work = f.work
	a.begun = true
	if a.run == nil {
		a.run = a.solve
	}
	a.helper.Start(a.run)
}

// solve is the job of the helper.
func (a *ahead) solve() { a.cost = a.factor.ftranWhere(a.x, a.where, &a.factor.density.tau, tauDrop) }

// end waits for the solve, if one was begun, and reports whether there is a result to use. If so f, with which it was
// begun, takes over what the solve has counted and measured, and the cost of it is returned.
func (a *ahead) end(f *factor, use bool) (cost float64, ok bool) {
	if !a.begun {
		return 0, false
	}
	a.begun = false
	a.helper.Wait()
	if use {
		// The shorter of the two was done during the longer one.
		work := a.factor.work - a.work
		a.saved += min(work, f.work-a.work)
		f.include(&a.factor, work)
	}
	return a.cost, use
}

// stop ends the goroutine and lets go of the factors.
func (a *ahead) stop() {
	a.helper.Stop()
	a.factor = factor{space: a.factor.space}
}
