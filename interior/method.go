package interior

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/proxybd/proxybd/internal/cholesky"
	"github.com/proxybd/proxybd/lp"
)

// outcome is why the iterations ended.
type outcome uint8

const (
	stalled    outcome = iota // no step is long enough, or the numbers are not finite
	optimal                   // the conditions of an optimum hold to the tolerance
	infeasible                // y is a proof that no point satisfies the rows, to rounding
	unbounded                 // x is a direction that improves without bound, to rounding
	limited                   // at a limit, see method.stop
)

var outcomeNames = [...]string{"stalled", "optimal", "infeasible", "unbounded", "limited"}

// String returns the name of the outcome.
func (o outcome) String() string { return outcomeNames[o] }

// method is the state of the iterations.
type method struct {
	*newton
	model *lp.Model // the form is made of it
	opt   Options
	ctx   context.Context
	began time.Time
	stop  lp.Status // the limit that was reached

	affine, dir, trial *iterate
	to, more           target
	iterations         int
	last               violations
	best               *iterate // so far, see isBest; nil before there is one worth a crossover
	least              violations
	leastMu            float64 // mu of best
	products           float64 // see complementarity
	lastProducts       float64 // of the iterate before
	iterationLimit     int     // with further iterations; 0 before an iterate is an optimum to the tolerance
	suspected          bool    // the model seems to be infeasible
	correctors         int
}

// newMethod analyses the linear system of f and allocates the iterates. The error wraps ErrMemory, or
// cholesky.ErrStopped at the limit of time or where the context ends.
func newMethod(ctx context.Context, m *lp.Model, f *form, opt Options, began time.Time) (*method, error) {
	k, err := newKKT(f, opt, func() bool { return ctx.Err() != nil || timeUp(opt, began) })
	if err != nil {
		return nil, err
	}

	// Residuals and iterates are allocated once.
	res := &residuals{
		primal: make([]float64, f.m),
		upper:  make([]float64, f.n),
		dual:   make([]float64, f.n),
	}
	w := &method{
		newton: newNewton(k, newIterate(f), res),
		model:  m,
		opt:    opt,
		ctx:    ctx,
		began:  began,
		affine: newIterate(f),
		dir:    newIterate(f),
		trial:  newIterate(f),
		to:     target{p: make([]float64, f.n), q: make([]float64, f.n)},
		more:   target{p: make([]float64, f.n), q: make([]float64, f.n)},
	}

	w.correctors = w.correctorsAllowed()
	return w, nil
}

// correctorsAllowed returns the number of centrality corrections that pay: more where a factorisation costs many solves
// (Gondzio 1996, section 4).
func (w *method) correctorsAllowed() int {
	solve := 4 * (float64(w.factor.NonZeros()) + float64(w.cols.NNZ()))
	switch ratio := w.factor.Flops() / solve; {
	case ratio > 50:
		return maxCorrectors
	case ratio > 30:
		return 2
	}
	return 1
}

// run iterates until an outcome.
func (w *method) run() outcome {
	if err := w.start(); err != nil {
		// The iterate is zero, whose multipliers have a bound, too.
		w.it.tau = 1
		return w.failed(err)
	}
	for {
		w.res.update(w.form, w.it)
		w.last = w.res.relative(w.form, w.it)
		w.lastProducts = w.products
		w.products = w.complementarity()
		w.log()
		if out, ended := w.judge(); ended {
			return out
		}
		w.keepBest()

		if err := w.prepare(); err != nil {
			return w.failed(err)
		}
		step := w.step()
		if !(step.shorter() > minStep) || !w.dir.finite() {
			return w.giveUp()
		}
		w.it.move(step, w.dir)
		w.iterations++
	}
}

// failed ends the iterations where the system of the current iterate has no factors: a limit may have ended the
// factorisation.
func (w *method) failed(err error) outcome {
	out := w.giveUp()
	if out == stalled && errors.Is(err, cholesky.ErrStopped) {
		w.stop = stopped(w.ctx)
		return limited
	}
	return out
}

// stopped is the status where the context or the limit of time has ended something.
func stopped(ctx context.Context) lp.Status {
	if ctx.Err() != nil {
		return lp.Interrupted
	}
	return lp.TimeLimit
}

// giveUp ends the iterations where there is no further step: with an optimum if the best iterate is one to the
// tolerance.
func (w *method) giveUp() outcome {
	if w.best != nil && w.least.within(w.opt.Tolerance) {
		w.returnToBest()
		return optimal
	}
	return stalled
}

// proceed reports whether the iterations go beyond the first iterate that is an optimum to the tolerance. The nearer
// they come to the optimal face, the more variables have their right places in the crossover, and the less is left for
// the simplex method after it. Without a crossover nothing is gained.
func (w *method) proceed() bool {
	if w.iterationLimit == 0 {
		w.iterationLimit = min(maxIterations, w.opt.Limits.Iterations, w.iterations+max(5, w.iterations/4))
	}
	isLimit := w.ctx.Err() != nil || w.iterations >= w.iterationLimit || timeUp(w.opt, w.began)

	// A fall by a large factor in one iteration means full steps, as they come at the end alone.
	isFalling := w.products < w.lastProducts
	isFast := w.products <= fastFall*w.lastProducts
	isDone := w.products <= nearProducts || isFast && w.products <= fastProducts

	// The gap may exceed the tolerance again meanwhile, since neither objective is monotone.
	isNear := w.last.largest() <= nearMost*w.opt.Tolerance
	return w.opt.Crossover && !isLimit && !isDone && isNear && isFalling
}

// complementarity returns the sum of the products of all pairs at x/tau, relative to the objective in the units of the
// model. Where the equations hold it is the duality gap, computed without cancellation.
func (w *method) complementarity() float64 {
	unit := w.size * w.price
	objective := unit*w.res.cost/w.it.tau + w.offset
	return unit * float64(w.pairs+1) * w.mu() / (1 + math.Abs(objective))
}

// mu returns the mean product of a pair at the point x/tau.
func (w *method) mu() float64 { return w.res.mu / (w.it.tau * w.it.tau) }

// timeUp reports whether the limit of time is reached.
func timeUp(opt Options, began time.Time) bool {
	return opt.Limits.Time < math.MaxInt64 && time.Since(began) >= opt.Limits.Time
}

// keepBest keeps a copy of the current iterate if it is the best one so far: near the end rounding may spoil the next.
func (w *method) keepBest() {
	if !(w.last.largest() <= nearTol) || !w.isBest() {
		return
	}
	if w.best == nil {
		w.best = newIterate(w.form)
	}
	w.best.copyFrom(w.it)
	w.least = w.last
	w.leastMu = w.mu()
}

// isBest reports whether the current iterate is better than the best one: by mu where both are optima to the tolerance,
// and by the largest violation otherwise.
func (w *method) isBest() bool {
	tol := w.opt.Tolerance
	switch {
	case w.best == nil:
		return true
	case w.last.within(tol) && w.least.within(tol):
		return w.mu() < w.leastMu
	}
	return w.last.largest() < w.least.largest()
}

// returnToBest makes the best iterate the current one, and reports whether there is one.
func (w *method) returnToBest() bool {
	if w.best == nil {
		return false
	}
	w.it.copyFrom(w.best)
	w.last = w.least
	return true
}

// judge reports whether the iterations end with the current iterate.
func (w *method) judge() (out outcome, ended bool) {
	if w.last.within(w.opt.Tolerance) || w.best != nil && w.least.within(w.opt.Tolerance) {
		if w.proceed() {
			return stalled, false
		}

		// The last iteration beyond the tolerance may have led away from the optimum.
		if !w.isBest() {
			w.returnToBest()
		}
		return optimal, true
	}
	if out := w.proof(); out != stalled {
		return out, true
	}

	switch {
	case w.suspected && w.it.tau < lastTau*w.it.kappa:
		return stalled, true
	case w.ctx.Err() != nil:
		w.stop = lp.Interrupted
	case w.iterations >= w.opt.Limits.Iterations:
		w.stop = lp.IterationLimit
	case timeUp(w.opt, w.began):
		w.stop = lp.TimeLimit
	default:
		spoiled := w.best != nil && !(w.last.largest() <= spoiledBy*w.least.largest())
		return stalled, spoiled || w.iterations >= maxIterations
	}
	return limited, true
}

// proof reports whether the iterate is a proof, to the tolerance, that there is no optimum.
func (w *method) proof() outcome {
	if !(w.it.tau < proofTau*w.it.kappa) {
		return stalled
	}

	// A'y + z - v = 0 with b'y - u'v > 0 excludes every point; A x = 0, x + w = 0 in the limit with c'x < 0 is a ray.
	tau := w.it.tau
	if w.res.sum > 0 && norm(w.res.dual)+tau*w.costSize <= proofTol*w.res.sum {
		// Further iterations may make an almost valid proof valid.
		w.suspected = true
		if proves(w.model, w.ray()) {
			return infeasible
		}
	}
	off := max(norm(w.res.primal)+tau*w.rightSize, norm(w.res.upper)+tau*w.upperSize)
	if w.res.cost < 0 && off <= -proofTol*w.res.cost {
		return unbounded
	}
	return stalled
}

// step finds the direction of the iteration, and returns how far to go.
func (w *method) step() steps {
	// The predictor goes to complementarity; how far it gets decides on the centring.
	w.to.affine(w.it)
	w.direction(1, &w.to, w.affine)
	far := w.longest(w.it, w.affine).shorter()
	gamma := (1 - far) * (1 - far) * min(1-far, maxCentring)

	// The corrector aims at the products gamma mu.
	mu := gamma * w.res.mu
	w.to.correct(w.it, w.affine, mu)
	w.direction(1-gamma, &w.to, w.dir)
	step := w.longest(w.it, w.dir)

	// Each further solve with the same factors has to make the steps longer.
	for range w.correctors {
		if step.shorter() > enoughStep {
			break
		}
		aim := steps{min(1, longerStep*step.primal), min(1, longerStep*step.dual)}
		w.more.centre(w.form, w.it, w.dir, aim, mu)
		w.direction(0, &w.more, w.trial)
		w.trial.move(steps{1, 1}, w.dir)
		longer := w.longest(w.it, w.trial)
		if longer.primal+longer.dual < correctorGain*(step.primal+step.dual) {
			break
		}
		w.dir, w.trial = w.trial, w.dir
		step = longer
	}
	return steps{stepBack * step.primal, stepBack * step.dual}
}
