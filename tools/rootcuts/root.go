package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
	"github.com/proxybd/proxybd/simplex"
)

// Tolerances of the cutting planes.
const (
	violation = 1e-6 // least violation of a cut, relative to the value of the epigraph
	slackRuns = 30   // solves of the master for which a cut may be slack before it leaves
	unbounded = 1e7  // what an epigraph without a cut costs less than nothing, at most
)

// root is a run of cutting planes at the root.
type root struct {
	sources
	first     int // first-stage columns
	binary    bool
	weight    []float64
	scenarios []*scenario
	sharp     *integer.Sharpener

	master *simplex.Solver
	given  int   // rows of the first stage
	idle   []int // of every cut: solves for which it was slack
	center []float64

	bound                   float64
	rounds, lps, mips, cuts int
	nodes                   int
	spent                   time.Duration
	ended                   string // why it ended before the time did
}

// newRoot returns a run before its first round.
func newRoot(q *integer.Problem, given *stoch.Program, from sources) (*root, error) {
	// The given rows are those before the disaggregated ones.
	tight := q.Disaggregated()
	r := &root{sources: from, first: tight.First, binary: true, bound: math.Inf(-1), sharp: q.Sharpener()}
	extra := len(tight.Core.Rows) - len(given.Core.Rows)
	m := &lp.Model{}
	for _, c := range tight.Core.Cols[:r.first] {
		r.binary = r.binary && c.Integer && c.Lower >= 0 && c.Upper <= 1
		m.AddCol(lp.Col{Cost: c.Cost, Lower: c.Lower, Upper: c.Upper})
	}
	m.Offset = tight.Core.Offset
	if err := r.firstRows(m, tight); err != nil {
		return nil, err
	}
	r.given = len(m.Rows)

	for s := range tight.Scenarios {
		r.weight = append(r.weight, tight.Scenarios[s].Probability)
		m.AddCol(lp.Col{Cost: tight.Scenarios[s].Probability, Lower: -unbounded, Upper: lp.Inf})
		rows := extra
		if from.split {
			rows = 0
		}
		sc, err := newScenario(tight, s, rows)
		if err != nil {
			return nil, err
		}
		r.scenarios = append(r.scenarios, sc)
	}
	var err error
	r.master, err = simplex.New(m, simplex.DefaultOptions())
	return r, err
}

// firstRows adds the rows of the first stage alone to the master.
func (r *root) firstRows(m *lp.Model, p *stoch.Program) error {
	own, err := p.FirstRows()
	if err != nil {
		return err
	}
	a, err := p.Core.Matrix()
	if err != nil {
		return err
	}

	// The matrix is by columns; the rows are collected from it.
	index := make([][]int32, len(own))
	value := make([][]float64, len(own))
	for j := range r.first {
		rows, v := a.Vec(j)
		for k, i := range rows {
			index[i] = append(index[i], int32(j))
			value[i] = append(value[i], v[k])
		}
	}

	// Those of the first stage alone are rows of the master.
	for i, is := range own {
		if is && len(index[i]) > 0 {
			row := p.Core.Rows[i]
			m.AddRow(lp.Row{Lower: row.Lower, Upper: row.Upper}, index[i], value[i])
		}
	}
	return nil
}

// run adds cuts until none is violated or the processor time is used up.
func (r *root) run(ctx context.Context, seconds float64) error {
	began := processor()
	limit := time.Duration(seconds * float64(time.Second))
	defer func() { r.spent = processor() - began }()
	for processor()-began < limit {
		y, theta, err := r.solve(ctx)
		if err != nil {
			return err
		}
		r.rounds++

		// Cuts are made halfway to where the last ones were made; where these cut nothing off, at the point itself.
		at := slices.Clone(y)
		if r.center != nil {
			for j := range at {
				at[j] = (at[j] + r.center[j]) / 2
			}
		}
		r.center = at
		late := func() bool { return processor()-began >= limit }
		cut, err := r.separate(ctx, at, y, theta, late)
		if err != nil {
			return err
		}
		if !cut && processor()-began < limit {
			r.ended = ", no cut left"
			return nil
		}
	}
	_, _, err := r.solve(ctx) // with the cuts of the last round
	return err
}

// solve solves the master and drops cuts that have been slack for long.
func (r *root) solve(ctx context.Context) (y, theta []float64, err error) {
	res, err := r.master.Solve(ctx, simplex.NoLimits())
	if err != nil {
		return nil, nil, err
	}
	if res.Status != lp.Optimal {
		return nil, nil, fmt.Errorf("the master ended with the status %v", res.Status)
	}
	r.bound = max(r.bound, res.Objective)
	x := slices.Clone(r.master.X())

	// A cut whose row is tight begins to count anew.
	var gone []lp.Con
	var kept []int
	for k, age := range r.idle {
		row := lp.Con(r.given + k)
		if r.master.RowStatus(row) != simplex.Basic {
			age = -1
		}
		if age >= slackRuns {
			gone = append(gone, row)
		} else {
			kept = append(kept, age+1)
		}
	}
	r.master.DeleteRows(gone)
	r.idle = kept
	return x[:r.first], x[r.first:], nil
}

// add adds theta_s >= low - pi'y to the master if the point violates it.
func (r *root) add(s int, low float64, pi, y, theta []float64) bool {
	low -= 1e-9 * max(1, math.Abs(low))
	if low-dot(pi, y)-theta[s] <= violation*max(1, math.Abs(theta[s])) || math.IsInf(low, 0) || math.IsNaN(low) {
		return false
	}
	index, value := sparse(pi)
	r.row(low, append(index, int32(r.first+s)), append(value, 1))
	return true
}

// exclude adds pi'y >= low to the master if the point violates it.
func (r *root) exclude(low float64, pi, y []float64) bool {
	if low-dot(pi, y) <= violation*max(1, math.Abs(low)) {
		return false
	}
	index, value := sparse(pi)
	r.row(low-1e-9*max(1, math.Abs(low)), index, value)
	return true
}

// row adds a row with a lower side to the master.
func (r *root) row(low float64, index []int32, value []float64) {
	r.master.AddRow(low, lp.Inf, index, value)
	r.idle = append(r.idle, 0)
	r.cuts++
}

// sparse lists the entries of a vector that are not 0.
func sparse(v []float64) (index []int32, value []float64) {
	for j, x := range v {
		if x != 0 {
			index = append(index, int32(j))
			value = append(value, x)
		}
	}
	return index, value
}

// separate makes cuts that cut off the point y: those of linear programs first, at a point before it and at itself;
// then those of mixed-integer programs, where there are none or in every round.
func (r *root) separate(ctx context.Context, at, y, theta []float64, late func() bool) (cut bool, err error) {
	for _, point := range [][]float64{at, y} {
		cut, err = r.relaxed(ctx, point, y, theta, late)
		if err != nil || cut {
			break
		}
	}
	if err != nil || cut && !r.every {
		return cut, err
	}

	for _, point := range [][]float64{at, y} {
		more, err := r.dualise(ctx, point, y, theta, late)
		if err != nil || more {
			return more, err
		}
	}
	if cut || !r.raised || !r.binary {
		return cut, nil
	}
	return r.raise(ctx, y, theta, late)
}

// relaxed adds the cuts of linear programs at one point that cut another one off.
func (r *root) relaxed(ctx context.Context, at, y, theta []float64, late func() bool) (cut bool, err error) {
	for s, sc := range r.scenarios {
		if late() {
			return true, nil
		}
		value, pi, ok, err := sc.relax(ctx, at)
		if err != nil {
			return false, err
		}

		// Planes raise the value, unless they exclude the point.
		if ok && r.planes {
			low, slope, holds, err := r.sharp.Cut(ctx, s, at)
			if err != nil {
				return false, err
			}
			if holds {
				pi = slope
				value = low - dot(pi, at)
			}
		}

		r.lps++
		sc.pi = pi
		if !ok {
			// Without a recourse there is no cut of an epigraph, but one on the first stage.
			low, pi, err := sc.shortage(ctx, at)
			if err != nil {
				return false, err
			}
			cut = r.exclude(low+dot(pi, at), pi, y) || cut
			sc.pi = nil
			continue
		}
		if r.add(s, value+dot(pi, at), pi, y, theta) {
			sc.slopes = append(sc.slopes, pi)
			cut = true
		}
	}
	return cut, nil
}

// dualise adds the cuts of mixed-integer programs at one point that cut another one off.
func (r *root) dualise(ctx context.Context, at, y, theta []float64, late func() bool) (cut bool, err error) {
	for s, sc := range r.scenarios {
		if r.steps == 0 {
			return false, nil
		}
		if late() {
			return true, nil
		}
		if sc.pi == nil {
			continue
		}
		low, pi, err := sc.ascend(ctx, r, at, theta[s]+sc.fall(y, at))
		if err != nil {
			return false, err
		}
		if pi != nil && r.add(s, low, pi, y, theta) {
			sc.slopes = append(sc.slopes, pi)
			cut = true
		}
	}
	return cut, nil
}

// fall is what the cut of the linear program falls by from one point to another.
func (s *scenario) fall(y, at []float64) (v float64) {
	for j, p := range s.pi {
		v += p * (y[j] - at[j])
	}
	return v
}

// raise adds integer L-shaped cuts at a 0-1 point of the master, over the cut of the linear program.
func (r *root) raise(ctx context.Context, y, theta []float64, late func() bool) (cut bool, err error) {
	design := slices.Clone(y)
	for j, v := range y {
		if design[j] = math.Round(v); math.Abs(v-design[j]) > 1e-6 {
			return false, nil
		}
	}
	for s, sc := range r.scenarios {
		if late() {
			return true, nil
		}
		value, pi, ok, err := sc.relax(ctx, design)
		if err != nil || !ok {
			return false, err
		}
		low, nodes, err := sc.price(ctx, design)
		if err != nil {
			return false, err
		}
		r.lps++
		r.mips++
		r.nodes += nodes

		// theta >= value - pi'(y - design) + (low - value) (1 - H(y, design))
		by := low - value
		if by <= 0 {
			continue
		}
		pi = slices.Clone(pi)
		side := value + dot(pi, design) + by
		for j, v := range design {
			if v > 0.5 {
				pi[j] -= by
				side -= by
			} else {
				pi[j] += by
			}
		}
		cut = r.add(s, side, pi, y, theta) || cut
	}
	return cut, nil
}

func dot(a, b []float64) (v float64) {
	for j := range a {
		v += a[j] * b[j]
	}
	return v
}
