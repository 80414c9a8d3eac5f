package scenario

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
)

// engine prices the scenarios of a problem at points of the first stage. Scenarios are in fixed chunks, each with one
// linear program that stays warm; chunks are solved in waves (layout.go), and a caller may stop after any of them. The
// answers of an engine depend on the points that it was given, never on the number of threads.
type engine struct {
	p         *Problem
	threads   int // goroutines that solve chunks, 0 for one a processor
	chunks    []*chunk
	remote    *remote           // has the chunks where they are in other processes, nil elsewhere
	next      int               // chunk with which the next wave begins
	hot       int               // chunk that was infeasible last
	some      []*chunk          // of whose scenarios the first one is solved where few is set
	few       bool              // only the first scenario of some chunks is solved and counted
	certified bool              // cuts keep their certificates
	inFull    bool              // every design is priced exactly, also where it costs more than the best one
	pool      *pool             // certificates of values, nil where scenarios do not share them
	rays      *pool             // certificates that there is no recourse, nil as the pool
	starts    *starts           // nil where certificates are not shared
	counts    benders.Scenarios // how scenarios were answered, for the result of the run

	// The state of the current point, which move sets.
	at      []float64 // the point of the answers, nil before the first
	answers []answer  // of each scenario at the point
	open    int       // scenarios without an answer
	asked   bool      // the pool has been priced at the point

	// What points so far have left.
	best  float64   // cost of the cheapest design that was priced
	point []float64 // of the master, the last one that was separated
	known priced    // the cheapest design for which all scenarios were solved, also by a separation
}

// answer is what a linear program says of a scenario at a point.
type answer struct {
	state state
	value float64     // of the recourse, where it is solved
	cut   benders.Cut // of the scenario alone, not weighted; one that could not be certified has no Alpha
	basis *namedBasis // of the linear program, nil where it is not kept
}

// state is what is known of a scenario at the point of an engine.
type state uint8

const (
	open       state = iota // not solved yet
	solved                  // value is that of the recourse
	infeasible              // proven by cut, if that has an Alpha
)

// newEngine returns an engine that has solved nothing yet, with a linear program for every chunk.
func newEngine(p *Problem) (*engine, error) {
	e := &engine{
		p:       p,
		answers: make([]answer, len(p.weight)),
		pool:    newPool(p),
		best:    math.Inf(1),
	}

	// Rays and bases are shared between scenarios exactly where certificates of values are.
	if e.pool != nil {
		e.rays = e.pool.rays()
		e.starts = newStarts(p)
	}

	// The chunks of a team are in its processes, and have nothing but their numbers here.
	parts := p.chunks()
	if p.team != nil {
		e.remote = newRemote(p, 0, len(parts))
	}
	for number, list := range parts {
		c := &chunk{number: number, scenarios: list}
		if p.team == nil {
			var err error
			if c, err = newChunk(p, number, list); err != nil {
				return nil, err
			}
		}
		e.chunks = append(e.chunks, c)
		if number%coarseStep(len(parts)) == 0 {
			e.some = append(e.some, c)
		}
	}
	return e, nil
}

// limitThreads sets how many goroutines work for the engine.
func (e *engine) limitThreads(n int) {
	e.threads = n
	if e.remote != nil {
		e.remote.threads = n
	}
	if e.pool != nil {
		e.pool.threads = n
		e.rays.threads = n
	}
}

// wave has the open scenarios of chunks answered side by side, in an order that does not depend on the threads.
func (e *engine) wave(ctx context.Context, list []*chunk) ([]outcome, error) {
	if e.remote != nil {
		return e.remote.wave(ctx, e, list)
	}

	// A chunk that has not been solved yet begins where the one that is solved first ended.
	for _, c := range list {
		if err := c.view.Follow(e.chunks[e.hot].view); err != nil {
			return nil, err
		}
	}
	parts := make([]outcome, len(list))
	err := parallel.Each(e.threads, len(list), func(k int) (err error) {
		parts[k], err = list[k].solve(ctx, e.task(list[k]))
		return err
	})
	return parts, err
}

// task is what a chunk has to do at the point.
func (e *engine) task(c *chunk) task {
	t := task{y: e.at, few: e.few, keep: e.starts != nil}
	for _, s := range c.scenarios {
		if e.answers[s].state != open {
			t.done = append(t.done, s)
		}
	}

	// Without the pool's best certificates of this point the basis of the last scenario is as good as any.
	wanted := c.jumps && e.p.shortcut == nil
	if wanted && e.asked && e.pool.current() {
		t.from = func(s int) *namedBasis { return e.starts.of(e.pool, s) }
	}
	return t
}

// move makes y the point of the answers, none of which is known there.
func (e *engine) move(y []float64) {
	// Answers at the same point stay: a driver may separate a point and then price it.
	if e.at != nil && slices.Equal(e.at, y) {
		return
	}

	// The copy is the engine's own, since drivers reuse their points.
	e.at = append(e.at[:0], y...)
	e.open = e.active()
	e.asked = false
	clear(e.answers)
}

// focus restricts the engine to the first scenario of some chunks from now on, or lifts that.
func (e *engine) focus(few bool) {
	e.few = few

	// The answers so far are those of another set of scenarios.
	e.at = nil
}

// active returns the number of scenarios that are solved at a point.
func (e *engine) active() int {
	if e.few {
		return len(e.some)
	}
	return len(e.answers)
}

// priced is a design with what it costs and the recourse cost of every scenario there.
type priced struct {
	y      []float64 // nil for none
	cost   float64
	values []float64
}

// keep notes the point, where every scenario is solved, if it is the cheapest such design.
func (e *engine) keep(cost float64) {
	k := &e.known
	unpriced := e.open > 0 || e.few
	better := k.y == nil || cost < k.cost

	// A point of the relaxation that is not integer is no design, whatever it costs.
	if unpriced || !better || !isDesign(e.p.master, e.at) {
		return
	}

	// The values are copied too: the next point overwrites the answers.
	k.y = append(k.y[:0], e.at...)
	k.cost = cost
	k.values = k.values[:0]
	for s := range e.answers {
		k.values = append(k.values, e.answers[s].value)
	}
}

// refute returns cuts of certificates that were there before, which prove that scenarios have no recourse at the point.
func (e *engine) refute() []benders.Cut {
	// Where scenarios are solved at this point already, the rays were tried before that.
	if e.open < e.active() {
		return nil
	}
	cuts, by := e.rays.refute(e.at)
	for k := range cuts {
		e.certify(&cuts[k], by[k:k+1], cuts[k].Certificate)
	}
	if len(cuts) > 0 {
		e.counts.Refuted++
	}
	return cuts
}

// byPool asks the pool at the point, and reports whether it has an answer.
func (e *engine) byPool() bool {
	e.asked = e.pool.price(e.at, e.asked)
	return e.asked
}

// solve has all scenarios answered at the point by linear programs, wave by wave. It stops where one is infeasible, or
// where enough says so, and returns the infeasible ones.
func (e *engine) solve(ctx context.Context, enough func() bool) (failed []int, err error) {
	chunks := e.chunks
	hot := e.hot
	if e.few {
		chunks = e.some
		hot /= coarseStep(len(e.chunks))
	}

	n := 0 // chunks of the wave
	for done := 0; done < len(chunks) && e.open > 0; done += n {
		n = min(waveOf(len(e.answers)), len(chunks)-done)

		// The first wave is the chunk that was infeasible last: it alone is enough where it is infeasible again.
		if done == 0 {
			n = 1
			e.next = hot
		}

		// How each chunk of this wave begins is decided before, from what earlier waves cost.
		list := make([]*chunk, n)
		for k := range list {
			list[k] = chunks[(e.next+k)%len(chunks)]
		}
		e.starts.choose(list, e.next)
		e.next = (e.next + n) % len(chunks)
		parts, err := e.wave(ctx, list)

		// An error leaves some scenarios unanswered: the next call has to begin anew, at the same point too.
		if err != nil {
			e.at = nil
			return nil, err
		}

		// What they found is collected one chunk after the other.
		var cuts, rays []*benders.Cut
		var of []int // scenarios of the cuts
		for k := range parts {
			c := list[k]
			part := &parts[k]
			e.counts.LPs += len(part.fresh)
			e.open -= len(part.fresh)
			for i, s := range part.fresh {
				// A cut that could not be certified has no Alpha, and adds nothing to a pool.
				e.answers[s] = part.answers[i]
				a := &e.answers[s]
				known := !math.IsNaN(a.cut.Alpha)
				switch {
				case a.state == infeasible:
					e.hot = c.number
					if failed = append(failed, s); known {
						rays = append(rays, &a.cut)
					}
				case known:
					cuts, of = append(cuts, &a.cut), append(of, s)
				}
			}

			// Only where the pool was priced did a chunk have the choice between two ways to begin.
			if e.asked {
				e.starts.learn(c.jumps, len(part.fresh), part.pivots)
			}
			e.counts.Bunched += part.bunched
		}

		// The certificates go to the pools before enough is called, which may price the pool.
		if e.pool != nil {
			for k, d := range e.pool.add(cuts) {
				e.starts.note(of[k], d, e.answers[of[k]].basis)
			}
			e.rays.add(rays)
		}
		if len(failed) > 0 || e.open > 0 && enough() {
			e.counts.Skipped += e.open
			return failed, nil
		}
	}

	// No wave of this call failed: what is infeasible was so in an earlier call at the same point.
	for s := range e.answers {
		if e.answers[s].state == infeasible {
			failed = append(failed, s)
		}
	}
	return failed, nil
}

// solveAll is solve without a point at which less is enough: only an infeasible scenario leaves others open.
func (e *engine) solveAll(ctx context.Context) (failed []int, err error) {
	return e.solve(ctx, func() bool { return false })
}

// lower returns a lower bound on the recourse cost of a scenario at the point, after byPool.
func (e *engine) lower(s int) float64 {
	if e.answers[s].state == solved {
		return e.answers[s].value
	}

	// By weak duality every certificate bounds the cost from below.
	if e.asked {
		return e.pool.best[s]
	}
	return math.Inf(-1)
}

// addTo adds the cut of a scenario at the point to a sum, that of its linear program or the pool's best, and returns
// its certificate, where the run keeps these. It reports false if there is none.
func (e *engine) addTo(w *twostage.Weighted, weight float64, s int) (of benders.Certificate, ok bool) {
	// The cut of the linear program is the best that there is at this point.
	if a := &e.answers[s]; a.state == solved {
		if math.IsNaN(a.cut.Alpha) {
			return nil, false
		}
		w.Add(weight, &a.cut)
		return a.cut.Certificate, true
	}
	if !e.asked {
		return nil, false
	}

	// The pool's certificate is dual feasible in every scenario, and makes a valid cut of this one.
	d := e.pool.duals[e.pool.by[s]]
	w.AddDual(weight, d.Dual, s)
	if e.certified {
		of = d.Multipliers()
	}
	return of, true
}

// integrality is by how much the value of an integer column may differ from a whole number in a fractional point, and
// such a point from a bound or a side.
const integrality = 1e-6

// isDesign reports whether a point is a design of the first stage: the result of a run has to pass the same check.
func isDesign(m *lp.Model, y []float64) bool { return m.Check(y) == nil }

// holds reports whether a point satisfies the bounds and rows of a model to tolerances; it need not be integer.
func holds(m *lp.Model, y []float64) bool {
	const tol = integrality // relative to bounds beyond 1, absolute below
	in := func(v, l, u float64) bool { return v >= l-tol*max(1, math.Abs(l)) && v <= u+tol*max(1, math.Abs(u)) }

	a, err := m.Matrix()
	if err != nil {
		return false
	}

	// The columns, and with them the activities of the rows. The matrix is stored by columns.
	activity := make([]float64, len(m.Rows))
	for j, v := range y {
		if c := &m.Cols[j]; !in(v, c.Lower, c.Upper) {
			return false
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
		}
	}

	// The rows, to the same tolerance as the bounds.
	for i, v := range activity {
		if !in(v, m.Rows[i].Lower, m.Rows[i].Upper) {
			return false
		}
	}
	return true
}
