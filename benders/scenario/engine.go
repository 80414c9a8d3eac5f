package scenario

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// engine prices the scenarios of a problem at points of the first stage. Scenarios are in fixed chunks, each with one
// linear program that stays warm; chunks are solved in waves of a fixed number, after each of which a caller may know
// enough. What an engine answers depends on the points that it was asked for, never on the number of threads.
type engine struct {
	p         *Problem
	threads   int
	chunks    []*chunk
	next      int     // chunk with which the next wave begins
	hot       int     // chunk that was infeasible last
	few       bool    // only the first scenario of every chunk is asked
	certified bool    // cuts keep their certificates
	pool      *pool   // certificates of values
	rays      *pool   // certificates that there is no recourse
	starts    *starts // nil where certificates are not shared
	counts    benders.Scenarios

	at      []float64 // the point of the answers, nil before the first
	answers []answer  // of each scenario at it
	open    int       // scenarios without one
	asked   bool      // the pool was, at it
	best    float64   // the cheapest design that was priced
	point   []float64 // of the master, the last one that was separated
	known   priced    // the cheapest one for which all scenarios were solved, also by a separation
}

// answer is what a linear program says of a scenario at a point.
type answer struct {
	state state
	value float64        // of the recourse, where it is solved
	cut   benders.Cut    // of the scenario alone, not weighted; one that could not be certified has no Alpha
	basis *simplex.Basis // of the linear program, nil where it is not kept
}

type state uint8

const (
	open       state = iota // not asked yet
	solved                  // value is that of the recourse
	infeasible              // proven by cut, if that has an Alpha
)

func newEngine(p *Problem) (*engine, error) {
	e := &engine{p: p, answers: make([]answer, len(p.weight)), pool: newPool(p), best: math.Inf(1)}
	if e.pool != nil {
		e.rays, e.starts = e.pool.rays(), newStarts(p)
	}
	for _, list := range groups(len(p.weight), maxChunks) {
		v, err := p.scenarios.View()
		if err != nil {
			return nil, err
		}
		c := &chunk{view: v, scenarios: list}
		if p.shortcut != nil {
			if c.shortcut, err = p.shortcut(); err != nil {
				return nil, err
			}
		}
		e.chunks = append(e.chunks, c)
	}
	return e, nil
}

// move makes y the point of the answers, none of which is known there.
func (e *engine) move(y []float64) {
	if e.at != nil && slices.Equal(e.at, y) {
		return
	}
	e.at = append(e.at[:0], y...)
	e.open, e.asked = e.active(), false
	for s := range e.answers {
		e.answers[s] = answer{}
	}
}

// focus asks only the first scenario of every chunk from now on, or all.
func (e *engine) focus(few bool) { e.few, e.at = few, nil }

// active returns the number of scenarios that are asked.
func (e *engine) active() int {
	if e.few {
		return len(e.chunks)
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
	if unpriced || !better || !holds(e.p.master, e.at, true) {
		return
	}
	k.y, k.cost, k.values = append(k.y[:0], e.at...), cost, k.values[:0]
	for s := range e.answers {
		k.values = append(k.values, e.answers[s].value)
	}
}

// refute returns cuts of certificates that were there before, which prove that scenarios have no recourse at the point.
func (e *engine) refute() []benders.Cut {
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
	n := 0
	for done := 0; done < len(e.chunks) && e.open > 0; done += n {
		n = min(params.chunksPerWave, len(e.chunks)-done)
		if done == 0 { // one is enough where it is infeasible again
			n, e.next = 1, e.hot
		}

		// The chunks of this wave are solved side by side, in an order that does not depend on the threads.
		list := make([]*chunk, n)
		for k := range list {
			list[k] = e.chunks[(e.next+k)%len(e.chunks)]
		}
		e.starts.choose(list, e.next)
		e.next = (e.next + n) % len(e.chunks)
		if err := e.follow(list); err != nil {
			return nil, err
		}
		err := each(e.threads, n, func(k int) error { return list[k].solve(ctx, e) })

		// What they found is collected one chunk after the other.
		var cuts, rays []*benders.Cut
		var of []int // scenarios of the cuts
		for _, c := range list {
			e.counts.LPs += len(c.fresh)
			e.open -= len(c.fresh)
			for _, s := range c.fresh {
				a := &e.answers[s]
				known := !math.IsNaN(a.cut.Alpha)
				switch {
				case a.state == infeasible:
					e.hot = slices.Index(e.chunks, c)
					if failed = append(failed, s); known {
						rays = append(rays, &a.cut)
					}
				case known:
					cuts, of = append(cuts, &a.cut), append(of, s)
				}
			}
			if e.asked {
				e.starts.learn(c.jumps, len(c.fresh), c.pivots)
			}
			e.counts.Bunched += c.bunched
			c.fresh = c.fresh[:0]
			c.pivots = 0
			c.bunched = 0
		}
		if err != nil {
			e.at = nil
			return nil, err
		}

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
	for s := range e.answers { // those that were known before
		if e.answers[s].state == infeasible {
			failed = append(failed, s)
		}
	}
	return failed, nil
}

// follow makes chunks that have not been solved yet begin where the one that is solved first ended.
func (e *engine) follow(list []*chunk) error {
	for _, c := range list {
		if err := c.view.Follow(e.chunks[e.hot].view); err != nil {
			return err
		}
	}
	return nil
}

// lower returns a lower bound on the recourse cost of a scenario at the point, after byPool.
func (e *engine) lower(s int) float64 {
	if e.answers[s].state == solved {
		return e.answers[s].value
	}
	if e.asked {
		return e.pool.best[s]
	}
	return math.Inf(-1)
}

// addTo adds the cut of a scenario at the point to a sum, that of its linear program or the pool's best, and returns
// its certificate, where the run keeps these. It reports false if there is none.
func (e *engine) addTo(w *twostage.Weighted, weight float64, s int) (of benders.Certificate, ok bool) {
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
	d := e.pool.duals[e.pool.by[s]]
	w.AddDual(weight, d.Dual, s)
	if e.certified {
		of = d.Multipliers()
	}
	return of, true
}

// chunk is a part of the scenarios, with the linear program that solves them one after the other.
type chunk struct {
	view      *twostage.View
	shortcut  Shortcut // nil for none
	scenarios []int
	fresh     []int          // answered since they were last collected
	jumps     bool           // begin at bases of certificates
	at        *simplex.Basis // where the linear program stands, nil for elsewhere
	pivots    int            // of those in fresh, with what changes of basis cost
	bunched   int            // of those in fresh: by the basis of a certificate, without a pivot
}

// solve answers the scenarios of the chunk that are open, from the end on that the view shows: the last solution there
// is the nearest; of few only the first one. It stops where one is infeasible.
func (c *chunk) solve(ctx context.Context, e *engine) error {
	order := c.scenarios
	if e.few {
		order = order[:1]
	}
	if at := c.view.Scenario(); at >= 0 && 2*(at-order[0]) > len(order) {
		order = slices.Clone(order)
		slices.Reverse(order)
	}

	for _, s := range order {
		if e.answers[s].state != open {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.view.Set(s); err != nil {
			return err
		}

		// The linear program begins at the basis of the nearest known certificate, or where the last one ended.
		moved, err := c.begin(e, s)
		if err != nil {
			return err
		}
		a, err := c.price(ctx, e.at)
		if err != nil {
			return err
		}
		if e.starts != nil && c.shortcut == nil {
			c.ended(&a, moved)
		}
		e.answers[s] = a
		c.fresh = append(c.fresh, s)
		if a.state == infeasible {
			break
		}
	}
	return nil
}

// begin goes to the basis at which the linear program of a scenario begins, and reports whether there is one.
func (c *chunk) begin(e *engine, s int) (ok bool, err error) {
	wanted := c.jumps && c.shortcut == nil
	if !wanted || !e.asked || !e.pool.knows() {
		return false, nil
	}
	from := e.starts.of(e.pool, s)
	if from == nil || from == c.at {
		return from != nil, nil
	}
	c.at = from
	c.pivots += params.basisChangePivots
	return true, c.view.Begin(from)
}

// ended notes with which basis the linear program of an answer ended; moved if it began at that of a certificate.
func (c *chunk) ended(a *answer, moved bool) {
	n := c.view.Pivots()
	c.pivots += n
	switch {
	case n == 0 && moved:
		c.bunched++
	case n > 0 || c.at == nil:
		c.at = nil
		if a.state == solved {
			c.at = c.view.Basis()
		}
	}
	a.basis = c.at
}

// price answers the scenario that the view shows.
func (c *chunk) price(ctx context.Context, y []float64) (answer, error) {
	if a, ok, err := c.short(ctx, y); ok || err != nil {
		return a, err
	}
	sep, err := c.view.Separate(ctx, y)
	if err != nil {
		return answer{}, err
	}
	none := benders.Cut{Alpha: math.NaN()}
	switch {
	case sep.Infeasible:
		return answer{state: infeasible, cut: sep.Cuts[0]}, nil
	case len(sep.Cuts) == 1 && sep.Cuts[0].Kind == benders.Optimality && sep.Exact:
		return answer{state: solved, value: sep.Value, cut: sep.Cuts[0]}, nil
	}
	q, feasible, err := c.view.Value(ctx, y) // without a certificate as good as it
	if err != nil || !feasible {
		return answer{state: infeasible, cut: none}, err
	}
	if len(sep.Cuts) == 1 {
		none = sep.Cuts[0]
	}
	return answer{state: solved, value: q, cut: none}, nil
}

// holds reports whether a point satisfies the bounds and rows of a model to tolerances, and where asked is integer.
func holds(m *lp.Model, y []float64, integer bool) bool {
	const tol = 1e-6
	in := func(v, l, u float64) bool { return v >= l-tol*max(1, math.Abs(l)) && v <= u+tol*max(1, math.Abs(u)) }

	a, err := m.Matrix()
	if err != nil {
		return false
	}

	// The columns, and with them the activities of the rows.
	activity := make([]float64, len(m.Rows))
	for j, v := range y {
		c := &m.Cols[j]
		fractional := c.Integer && math.Abs(v-math.Round(v)) > tol
		if !in(v, c.Lower, c.Upper) || integer && fractional {
			return false
		}
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
		}
	}

	// The rows.
	for i, v := range activity {
		if !in(v, m.Rows[i].Lower, m.Rows[i].Upper) {
			return false
		}
	}
	return true
}
