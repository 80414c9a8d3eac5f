package integer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// A search comes to many points of every scenario: of linear programs at designs, of mixed-integer programs at designs,
// copies of Lagrangian cuts. The deterministic equivalent in which every integer recourse column keeps to the values
// that it had there is much smaller, and its best design is often cheaper than all that were priced. It is a heuristic
// like crossover (Rothberg, An evolutionary algorithm for polishing mixed integer programming solutions, 2007), over
// the scenarios of a decomposition.

const (
	maxRestricted   = 40000 // integer columns that may be free
	restrictedWork  = 2e8   // work units of the first search at the root, at least
	restrictedEntry = 5e3   // and for each coefficient; each next search in a row has twice as many
	restrictedMost  = 4e9   // up to this number
	restrictFirst   = 16    // nodes before the next searches; the others follow after twice as many, with twice the work
	maxRestrictions = 5     // searches in a row, each with the points of the designs before
)

// supports has for every scenario the ranges of the recourse columns over the points that were found. Each scenario may
// be used by one goroutine.
type supports struct {
	p      *Problem
	ranges []valueRanges
}

// valueRanges has the range of each recourse column of a scenario over some points, in whole numbers; nil before the
// first point.
type valueRanges struct{ lower, upper []float64 }

// newSupports returns none where they would take too much room.
func newSupports(p *Problem) *supports {
	n := len(p.weight)
	if len(p.tight.Core.Cols)*n > keptPoints {
		return nil
	}
	return &supports{p: p, ranges: make([]valueRanges, n)}
}

// add adds a point of a scenario, in the columns of the skeleton.
func (u *supports) add(s int, x []float64) {
	if u != nil {
		u.ranges[s].add(x[u.p.tight.First:])
	}
}

// merge adds the ranges of other points of a scenario, nil for none.
func (u *supports) merge(s int, other *valueRanges) {
	if u != nil && other != nil && other.lower != nil {
		u.ranges[s].widen(other.lower, other.upper)
	}
}

// add adds the values of the recourse columns of a point.
func (r *valueRanges) add(x []float64) {
	if r == nil {
		return
	}
	const tolerance = 1e-6
	low := make([]float64, len(x))
	high := make([]float64, len(x))
	for k, v := range x {
		low[k] = math.Floor(v + tolerance)
		high[k] = math.Ceil(v - tolerance)
	}
	r.widen(low, high)
}

// widen adds other ranges, whose memory it may keep.
func (r *valueRanges) widen(lower, upper []float64) {
	if r.lower == nil {
		r.lower = lower
		r.upper = upper
		return
	}
	for k, v := range lower {
		r.lower[k] = min(r.lower[k], v)
		r.upper[k] = max(r.upper[k], upper[k])
	}
}

// restricted searches the deterministic equivalent over the values of the supports, and prices the design that it
// finds, as long as that makes the best one cheaper by more than the gap of the run. Before it does so at the root, it
// narrows the box in which a better design may be.
func (t *tree) restricted(ctx context.Context, n *node) error {
	factor := t.restrictFactor
	for range maxRestrictions {
		before := t.cost
		if n.depth == 0 {
			if err := t.narrow(ctx, n); err != nil {
				return err
			}
		}
		if err := t.restrict(ctx, factor); err != nil {
			return err
		}
		factor *= 2 // a search that was worth it is worth more
		t.logRestricted(before)
		if !(before-t.cost > t.o.Gap*math.Abs(t.cost)) || t.closed() {
			return nil
		}
	}
	return nil
}

// closed reports whether there is a design and the bound proves it.
func (t *tree) closed() bool {
	return t.design != nil && t.cost-t.bound() <= t.o.Gap*(1-1e-6)*math.Abs(t.cost)
}

// logRestricted writes to the log what a search over the supports found.
func (t *tree) logRestricted(before float64) {
	if t.run.o.Log != nil && t.cost < before {
		t.run.o.Log(fmt.Sprintf("points of scenarios together: a design of cost %.9g, before %.9g, %.1fs", t.cost, before,
			time.Since(t.began).Seconds()))
	}
}

// restrict makes one such search, with a multiple of the work of the first one.
func (t *tree) restrict(ctx context.Context, factor float64) error {
	u := t.prices.supports
	if u == nil || t.design == nil || t.closed() || !u.complete() {
		return nil
	}
	m, err := t.p.tight.Extensive()
	if err != nil {
		return prefixed(err)
	}

	// Better designs lie in their box, and recourse columns keep to values that they had.
	for j, low := range t.better.lower {
		m.Cols[j].Lower = low
		m.Cols[j].Upper = t.better.upper[j]
	}
	if free := u.bound(m); free == 0 || free > maxRestricted {
		return nil
	}
	t.sharp.addTo(m)

	// Only designs that are better than the best one are of use. A point to begin with needs the recourse at that one.
	o := bnb.DefaultOptions()
	o.Gap = t.o.Gap
	o.MaxWork = min(factor*max(restrictedWork, restrictedEntry*float64(m.NumEntries())), restrictedMost)
	if start := t.startOf(t.design); start != nil {
		o.Start = [][]float64{start}
	} else {
		o.HasCutoff = true
		o.Cutoff = t.cost
	}
	out, err := bnb.Solve(ctx, m, o, bnb.Hooks{})
	if err != nil || out.X == nil {
		return ctx.Err() // it is a heuristic: an error of its search is none of the run
	}
	return t.try(ctx, out.X[:t.p.tight.First])
}

// complete reports whether every scenario has a point.
func (u *supports) complete() bool {
	return !slices.ContainsFunc(u.ranges, func(r valueRanges) bool { return r.lower == nil })
}

// bound narrows the bounds of the integer recourse columns of the deterministic equivalent, and returns how many of
// these are free. The columns of a scenario follow each other in the order of the skeleton.
func (u *supports) bound(m *lp.Model) (free int) {
	at := u.p.tight.First
	for _, r := range u.ranges {
		for k, low := range r.lower {
			c := &m.Cols[at+k]
			if !c.Integer {
				continue
			}
			c.Lower = max(c.Lower, low)
			c.Upper = min(c.Upper, r.upper[k])
			if c.Lower < c.Upper {
				free++
			}
		}
		at += len(r.lower)
	}
	return free
}

// startOf returns the point of the deterministic equivalent that belongs to the design that was priced last, nil for
// another design.
func (t *tree) startOf(y []float64) []float64 {
	if t.prices.points == nil || !slices.Equal(t.prices.at, y) {
		return nil
	}
	x := slices.Clone(y)
	for s, p := range t.prices.points {
		if t.prices.values[s].state != exact || p == nil {
			return nil
		}
		x = append(x, p[t.p.tight.First:]...)
	}
	return x
}
