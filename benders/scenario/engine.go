package scenario

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// Counts counts how scenarios were priced.
type Counts struct {
	LPs int // by a linear program
}

// engine prices the scenarios of a problem at points of the first stage. Scenarios are in fixed chunks, each with one linear
// program that stays warm: what it answers depends on the points that it was asked for, never on the number of threads.
type engine struct {
	p       *Problem
	threads int
	chunks  []*chunk
	counts  Counts

	at      []float64 // the point of the answers, nil before the first
	answers []answer  // of each scenario at it
}

// answer is what is known of a scenario at a point.
type answer struct {
	state state
	value float64     // of the recourse, where it is solved
	cut   benders.Cut // of the scenario alone, not weighted; an optimality cut without certificate has no Alpha
}

type state uint8

const (
	open       state = iota // not asked yet
	solved                  // value is that of the recourse
	infeasible              // proven by cut, if that has an Alpha
)

func newEngine(p *Problem) (*engine, error) {
	e := &engine{p: p, answers: make([]answer, len(p.weight))}
	for _, list := range groups(len(p.weight), mostChunks) {
		v, err := p.scenarios.View()
		if err != nil {
			return nil, err
		}
		e.chunks = append(e.chunks, &chunk{view: v, scenarios: list})
	}
	return e, nil
}

// move makes y the point of the answers, none of which is known there.
func (e *engine) move(y []float64) {
	if slices.Equal(e.at, y) && e.at != nil {
		return
	}
	e.at = append(e.at[:0], y...)
	for s := range e.answers {
		e.answers[s] = answer{}
	}
}

// solve answers all scenarios at y and returns those that are infeasible there.
func (e *engine) solve(ctx context.Context, y []float64) (failed []int, err error) {
	e.move(y)
	err = each(e.threads, len(e.chunks), func(k int) error { return e.chunks[k].solve(ctx, y, e.answers) })
	for _, c := range e.chunks {
		e.counts.LPs += c.lps
		c.lps = 0
	}
	if err != nil {
		e.at = nil
		return nil, err
	}
	for s := range e.answers {
		if e.answers[s].state == infeasible {
			failed = append(failed, s)
		}
	}
	return failed, nil
}

// chunk is a part of the scenarios, with the linear program that solves them one after the other.
type chunk struct {
	view      *twostage.View
	scenarios []int
	lps       int // since they were last counted
}

// solve answers the scenarios of the chunk that are open, from the one that the view shows on: the last solution of that is the
// nearest.
func (c *chunk) solve(ctx context.Context, y []float64, answers []answer) error {
	order := c.scenarios
	if at := c.view.Scenario(); at >= 0 && 2*(at-order[0]) > len(order) {
		order = slices.Clone(order)
		slices.Reverse(order)
	}
	for _, s := range order {
		if answers[s].state != open {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := c.view.Set(s); err != nil {
			return err
		}
		a, err := c.price(ctx, y)
		if err != nil {
			return err
		}
		answers[s] = a
	}
	return nil
}

// price answers the scenario that the view shows.
func (c *chunk) price(ctx context.Context, y []float64) (answer, error) {
	c.lps++
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
