package scenario

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/simplex"
)

// chunk is a part of the scenarios, with the linear program that solves them one after the other. What it answers
// depends on the tasks that it was given so far, and on nothing else.
type chunk struct {
	number    int // of the chunk
	view      *twostage.View
	shortcut  Shortcut // nil for none
	scenarios []int
	jumps     bool        // begin at bases of certificates
	at        *namedBasis // where the linear program stands, nil for elsewhere
	made      int         // bases so far
}

// newChunk returns a chunk that has solved nothing. It is for one goroutine at a time: it has a view, and where there
// is one a shortcut, of its own.
func newChunk(p *Problem, number int, scenarios []int) (*chunk, error) {
	v, err := p.scenarios.View()
	if err != nil {
		return nil, err
	}
	c := &chunk{number: number, view: v, scenarios: scenarios}
	if p.shortcut != nil {
		c.shortcut, err = p.shortcut()
	}
	return c, err
}

// namedBasis is a basis of a chunk's linear program. Two with the same chunk and number are the same one.
type namedBasis struct {
	chunk, number int
	basis         *simplex.Basis
}

// same reports whether two bases are the same one; nil is none.
func (b *namedBasis) same(other *namedBasis) bool {
	return b != nil && other != nil && b.chunk == other.chunk && b.number == other.number
}

// task is what a chunk has to do at a point: answer its scenarios but those that are done.
type task struct {
	y    []float64
	done []int // ascending
	few  bool  // only the first scenario of the chunk
	keep bool  // bases of answers are kept

	// from returns the basis at which a scenario begins, nil to go on from the scenario before; without it all do.
	from func(s int) *namedBasis
}

// outcome is what a chunk has found: answers of scenarios in the order in which they were solved.
type outcome struct {
	fresh   []int // scenarios
	answers []answer
	pivots  int // of those, with what changes of basis cost
	bunched int // of those: by the basis of a certificate, without a pivot
}

// solve answers scenarios from the end on that the view shows: the last solution there is the nearest; of few only the
// first one. It stops where one is infeasible.
func (c *chunk) solve(ctx context.Context, t task) (out outcome, err error) {
	order := c.scenarios
	if t.few {
		order = order[:1]
	}

	// The scenarios of a chunk are consecutive numbers: in its second half the last one is nearer.
	if at := c.view.Scenario(); at >= 0 && 2*(at-order[0]) > len(order) {
		order = slices.Clone(order)
		slices.Reverse(order)
	}

	for _, s := range order {
		if _, done := slices.BinarySearch(t.done, s); done {
			continue
		}
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if err := c.view.Set(s); err != nil {
			return out, err
		}

		// The linear program begins at the basis of the nearest known certificate, or where the last one ended.
		moved, err := c.begin(t.from, s, &out)
		if err != nil {
			return out, err
		}
		a, err := c.price(ctx, t.y)
		if err != nil {
			return out, err
		}
		if t.keep && c.shortcut == nil {
			c.ended(&a, moved, &out)
		}
		out.answers = append(out.answers, a)
		out.fresh = append(out.fresh, s)
		if a.state == infeasible {
			break
		}
	}
	return out, nil
}

// begin goes to the basis at which the linear program of a scenario begins, and reports whether there is one.
func (c *chunk) begin(of func(s int) *namedBasis, s int, out *outcome) (ok bool, err error) {
	if of == nil {
		return false, nil
	}

	// Where the linear program has this basis already there is nothing to load.
	from := of(s)
	if from == nil || from.same(c.at) {
		return from != nil, nil
	}

	// Loading a basis costs a factorisation, which is counted in pivots.
	c.at = from
	out.pivots += params.basisChangePivots
	return true, c.view.Begin(from.basis)
}

// ended notes with which basis the linear program of an answer ended; moved if it began at that of a certificate.
func (c *chunk) ended(a *answer, moved bool, out *outcome) {
	n := c.view.Pivots()
	out.pivots += n
	switch {
	case n == 0 && moved:
		// The basis of the certificate is optimal for this scenario too (bunching).
		out.bunched++
	case n > 0 || c.at == nil:
		// The linear program has another basis, or one that was not read yet; that of a ray is not kept.
		c.at = nil
		if a.state == solved {
			c.made++
			c.at = &namedBasis{chunk: c.number, number: c.made, basis: c.view.Basis()}
		}
	}
	a.basis = c.at
}

// price answers the scenario that the view shows.
func (c *chunk) price(ctx context.Context, y []float64) (answer, error) {
	// A shortcut replaces the linear program where it has an answer that its certificate proves.
	if a, ok, err := c.short(ctx, y); ok || err != nil {
		return a, err
	}

	// Else the linear program is solved, and its multipliers are certified.
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

	// The certificate is worse than the linear program, or there is none: the value comes from the linear program.
	q, feasible, err := c.view.Value(ctx, y)
	if err != nil || !feasible {
		return answer{state: infeasible, cut: none}, err
	}

	// A cut below the value is valid all the same.
	if len(sep.Cuts) == 1 {
		none = sep.Cuts[0]
	}
	return answer{state: solved, value: q, cut: none}, nil
}
