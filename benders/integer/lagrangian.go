package integer

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// box is a set of designs by bounds of the first-stage columns.
type box struct{ lower, upper []float64 }

// wholeBox returns the box of all designs of a master.
func wholeBox(master *lp.Model) box {
	var b box
	for _, c := range master.Cols {
		b.lower = append(b.lower, c.Lower)
		b.upper = append(b.upper, c.Upper)
	}
	return b
}

// clone returns a copy.
func (b box) clone() box { return box{slices.Clone(b.lower), slices.Clone(b.upper)} }

// holds reports whether a point lies in the box, within rounding.
func (b box) holds(y []float64) bool {
	for j, v := range y {
		if slack := 1e-9 * max(1, math.Abs(v)); v < b.lower[j]-slack || v > b.upper[j]+slack {
			return false
		}
	}
	return true
}

// point reports whether the box holds one design alone.
func (b box) point() bool { return slices.Equal(b.lower, b.upper) }

// member is a feasible point of a scenario: its copy of the first stage and the least recourse cost found for that.
type member struct {
	z    []float64
	cost float64
}

// plane is a Lagrangian cut of a scenario, Q_s(y) >= low - pi'y for every y in the box that it was made in.
type plane struct {
	low float64
	pi  []float64 // nil where no multipliers were found that prove anything
	at  float64   // its value at the point that it was made for
	z   []float64 // the copy of the first stage that bears it
	// infeasible says that the scenario has no point in the box.
	infeasible bool
}

// lagrangian maximises the Lagrangian dual of scenarios.
type lagrangian struct {
	*pricer
	ascents []ascent // of each scenario
	free    bool     // multipliers are not kept to the span of those before; see ascent
}

// ascent is what the maximisation of the Lagrangian dual of a scenario keeps from one cut to the next.
type ascent struct {
	members []member
	last    []float64   // multipliers of the last cut, nil for none
	spans   [][]float64 // those of the last cuts, in whose span the next ones lie unless they are free
	point   []float64   // the last point that bore a plane, in the columns of the skeleton; nil where it is not kept
}

func newLagrangian(r *pricer) *lagrangian {
	return &lagrangian{pricer: r, ascents: make([]ascent, len(r.p.weight))}
}

// Sizes of the level method.
const (
	dualNodes     = 100  // of a mixed-integer program
	maxMembers    = 60   // of a scenario that are kept
	firstStep     = 0.3  // half-width of the first trust region, in units of cost over the width of the box
	stepGrowth    = 2.0  // factor of the trust region after a step that improved the bound
	stepShrinkage = 0.25 // and after one that did not
	maxSpan       = 10   // multipliers of a scenario that span those of its next cut
	precision     = 1e-6 // predicted gain, relative, at which the maximisation ends
)

// planes makes a Lagrangian cut for every scenario at a point of a box, each by at most steps mixed-integer programs.
// Where a scenario has no point in the box, the cuts of some others are not made.
func (d *lagrangian) planes(ctx context.Context, in box, at []float64, slopes [][]float64, steps int) (
	[]plane, error) {
	out := make([]plane, len(d.p.weight))
	tasks := make([]*planeTask, len(out))
	for s := range tasks {
		tasks[s] = &planeTask{scenario: s, in: in, at: at, slope: slopes[s], steps: steps, free: d.free, ascent: d.ascents[s]}
		if d.supports != nil {
			tasks[s].values = new(valueRanges)
		}
	}
	found, err := d.planesOf(ctx, tasks)
	if err != nil {
		return nil, err
	}

	// What each scenario found is kept for its next cut; the point only where points are kept.
	for s, r := range found {
		if r == nil {
			continue
		}
		d.ascents[s] = r.ascent
		if d.recent == nil {
			d.ascents[s].point = nil
		}
		d.supports.merge(s, r.values)
		d.counts.lagrangian += r.solved
		if out[s] = r.plane; !r.plane.infeasible {
			d.counts.planes++
		}
	}
	return out, nil
}

// planeTask is to make a Lagrangian cut of a scenario: all that the cut depends on but the model of the scenario.
type planeTask struct {
	scenario  int
	in        box
	at, slope []float64 // slope is that of a cut of the linear relaxation, nil for none
	steps     int
	free      bool
	ascent    ascent
	values    *valueRanges // is given the values in the points that are found; nil where nobody keeps them
}

// planeResult is a cut, and what the scenario keeps for the next one.
type planeResult struct {
	plane  plane
	ascent ascent
	solved int // mixed-integer programs
	values *valueRanges
}

// run maximises L_s(pi) - pi'at over the multipliers pi by cutting planes in a trust region (the boxstep method of
// Marsten, Hogan, Blankenship 1975): every member (z, cost) bounds the value by cost + pi'(z - at), which a linear
// program maximises; the mixed-integer program at its solution gives the value there, and another member.
func (t *planeTask) run(ctx context.Context, m *lp.Model) (*planeResult, error) {
	out := &planeResult{ascent: t.ascent.clone(), values: t.values}
	inner := within(m, t.in)

	// It begins at the multipliers of the last cut of the scenario, or at those of its linear program.
	pi := out.ascent.last
	if pi == nil {
		pi = make([]float64, len(t.at))
		copy(pi, negative(t.slope))
	}
	pi = finite(pi)
	if t.slope != nil {
		out.ascent.extend(negative(t.slope))
	}

	best := &out.plane
	step := firstStep
	for k := range t.steps {
		// The value at the multipliers, and the member that bears it.
		v, err := evaluate(ctx, inner, pi, dualNodes, out.ascent.start(t.in))
		out.solved++
		switch {
		case errors.Is(err, ErrUnbounded) && best.pi == nil:
			// No multipliers are known that prove anything in an unbounded box: there is no plane.
			out.plane = plane{low: math.Inf(-1), z: t.at}
			return out, nil
		case errors.Is(err, ErrUnbounded):
			// These multipliers prove nothing in an unbounded box, and others that are nearer to the best ones may.
			v.low = math.Inf(-1)
			v.pi = pi
		case err != nil:
			return nil, err
		}
		if v.infeasible {
			out.plane = v.plane
			return out, nil
		}
		if v.z != nil {
			out.ascent.remember(member{v.z, v.cost})
			t.values.add(v.x[len(v.z):])
			out.ascent.point = v.x
		} else {
			v.z = t.at
		}
		v.at = v.low - dot(pi, t.at)

		// A better value moves the centre of the trust region and widens it; a worse one narrows it.
		if best.pi == nil || v.at > best.at {
			if best.pi != nil {
				step *= stepGrowth
			}
			*best = v.plane
		} else {
			step *= stepShrinkage
		}
		if k+1 == t.steps {
			break
		}

		// It ends where the members promise no more than what is reached.
		next, most, err := t.ascend(ctx, &out.ascent, best.pi, step)
		if err != nil {
			return nil, err
		}
		if most-best.at <= precision*max(1, math.Abs(best.at)) {
			break
		}
		pi = next
	}
	out.ascent.last = best.pi
	out.ascent.extend(best.pi)
	return out, nil
}

// clone returns a copy to which more can be added.
func (a *ascent) clone() ascent {
	return ascent{members: slices.Clone(a.members), last: a.last, spans: slices.Clone(a.spans), point: a.point}
}

// start returns the point with which the next search in a box begins: the last one that bore a plane, which other
// multipliers do not make infeasible; nil for none. On dcap342-200 (held out) searches take .74 of the work so, and on
// dcap233-200 .95.
func (a *ascent) start(in box) []float64 {
	if a.point == nil || !in.holds(a.point[:len(in.lower)]) {
		return nil
	}
	return a.point
}

// extend adds multipliers of a cut to those that span the next ones; the oldest give way.
func (a *ascent) extend(pi []float64) {
	a.spans = append(a.spans, finite(pi))
	if extra := len(a.spans) - maxSpan; extra > 0 {
		a.spans = slices.Delete(a.spans, 0, extra)
	}
}

// negative returns the negative of a vector, none for none.
func negative(v []float64) []float64 {
	out := make([]float64, len(v))
	for j, b := range v {
		out[j] = -b
	}
	return out
}

// span keeps the multipliers of a model, its first columns, to combinations of the center and of the multipliers of the
// last cuts (Chen and Luedtke 2022): few numbers, which a few members determine.
func (a *ascent) span(model *lp.Model, center []float64) {
	list := append([][]float64{center}, a.spans...)
	var weights []lp.Var
	for range list {
		weights = append(weights, model.Free("", 0))
	}
	for j := range center {
		index := []int32{int32(j)}
		coef := []float64{1}
		for k, pi := range list {
			if pi[j] != 0 {
				index = append(index, int32(weights[k]))
				coef = append(coef, -pi[j])
			}
		}
		model.AddRow(lp.Row{Lower: 0, Upper: 0}, index, coef)
	}
}

// within returns a copy of the model of a scenario in which the copy of the first stage lies in a box. The costs of
// that copy, which will be multipliers, may be changed in it.
func within(m *lp.Model, in box) *lp.Model {
	inner := *m
	inner.Offset = 0
	inner.Cols = slices.Clone(m.Cols)
	for j := range in.lower {
		inner.Cols[j].Lower = in.lower[j]
		inner.Cols[j].Upper = in.upper[j]
	}
	return &inner
}

// setCosts sets the costs of the copy of the first stage in a model of within.
func setCosts(inner *lp.Model, cost []float64) {
	for j, v := range cost {
		inner.Cols[j].Cost = v
	}
}

// finite returns a copy of multipliers in which those that are no finite numbers are 0: any multipliers give a valid
// cut.
func finite(pi []float64) []float64 {
	pi = slices.Clone(pi)
	for j, v := range pi {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			pi[j] = 0
		}
	}
	return pi
}

// supported is a plane with the point of the scenario that bears it, and the cost of its recourse. Both copy and point
// are nil where the search ended at its limit without one: its bound holds all the same.
type supported struct {
	plane
	x    []float64
	cost float64
}

// evaluate computes L_s(pi) by a search of at most nodes nodes, which begins with a point of the scenario, nil for
// none. The model is that of within, whose costs it sets.
func evaluate(ctx context.Context, inner *lp.Model, pi []float64, nodes int, start []float64) (supported, error) {
	setCosts(inner, pi)
	found, err := solveMIPFrom(ctx, inner, nodes, start)
	if err != nil {
		return supported{}, err
	}
	return supportedBy(&found, pi), nil
}

// supportedBy returns the value of a Lagrangian at multipliers by the search that found it.
func supportedBy(found *bnb.Result, pi []float64) supported {
	if found.Status == lp.Infeasible {
		return supported{plane: plane{infeasible: true}}
	}

	n := len(pi)
	v := supported{plane: plane{low: found.Bound, pi: slices.Clone(pi)}}
	if found.X != nil {
		v.low = min(v.low, found.Objective)
		v.x = found.X
		v.z = slices.Clone(found.X[:n])
		v.cost = found.Objective - dot(pi, v.z)
	}
	return v
}

// remember keeps a member; the oldest one gives way.
func (a *ascent) remember(m member) {
	a.members = append(a.members, m)
	if len(a.members) > maxMembers {
		a.members = slices.Delete(a.members, 0, 1)
	}
}

// ascend maximises the bounds of the members in the box over multipliers near the best ones, and returns the
// multipliers and the maximum.
func (t *planeTask) ascend(ctx context.Context, a *ascent, center []float64, step float64) (pi []float64, most float64,
	err error) {
	in := t.in
	at := t.at

	// Members outside the box bound nothing in it.
	var list []member
	lowest := math.Inf(1)
	highest := math.Inf(-1)
	for _, m := range a.members {
		if in.holds(m.z) {
			list = append(list, m)
			lowest = min(lowest, m.cost)
			highest = max(highest, m.cost)
		}
	}
	// Multipliers are costs over a width.
	unit := max(highest-lowest, 1e-2*max(1, math.Abs(highest)))

	// The columns are the multipliers in the trust region and the value; every member has a row.
	var model lp.Model
	model.Maximize = true
	for j := range at {
		reach := 0.0
		if width := in.upper[j] - in.lower[j]; width > 0 {
			reach = step * unit / min(width, max(1, math.Abs(at[j])))
		}
		model.Between("", 0, center[j]-reach, center[j]+reach)
	}
	value := model.Free("", 1)
	for _, m := range list {
		index := []int32{int32(value)}
		coef := []float64{1}
		for j := range at {
			if v := m.z[j] - at[j]; v != 0 {
				index = append(index, int32(j))
				coef = append(coef, -v)
			}
		}
		model.AddRow(lp.Row{Lower: math.Inf(-1), Upper: m.cost}, index, coef)
	}
	if !t.free {
		a.span(&model, center)
	}
	sol, err := simplex.Solve(ctx, &model, simplex.DefaultOptions())
	if err != nil {
		return nil, 0, err
	}
	if sol.Status != lp.Optimal {
		return center, math.Inf(-1), nil
	}
	return sol.X[:len(at)], sol.Objective, nil
}

// cuts sums the planes of the scenarios of each group in which all have one.
func (d *lagrangian) cuts(planes []plane, groups [][]int) []benders.Cut {
	var out []benders.Cut
	for g, group := range groups {
		// A sum needs a plane of every scenario.
		if slices.ContainsFunc(group, func(s int) bool { return planes[s].pi == nil }) {
			continue
		}
		w := d.p.scenarios.NewWeighted()
		for _, s := range group {
			cut := planes[s].cut()
			w.Add(d.p.weight[s], &cut)
		}
		if cut, ok := w.Cut(g); ok {
			out = append(out, cut)
		}
	}
	return out
}

// cut returns the plane as a cut without a certificate. The bound of a mixed-integer program is one in floating point.
func (p *plane) cut() benders.Cut {
	const rounding = 1e-9
	size := math.Abs(p.low)
	cut := benders.Cut{}
	for j, v := range p.pi {
		if v != 0 {
			cut.Index = append(cut.Index, int32(j))
			cut.Beta = append(cut.Beta, -v)
			size = max(size, math.Abs(v*p.z[j]))
		}
	}
	cut.Alpha = p.low - rounding*max(1, size)
	return cut
}

func dot(a, b []float64) float64 {
	v := 0.0
	for j := range a {
		v += a[j] * b[j]
	}
	return v
}
