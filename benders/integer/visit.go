package integer

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Rounds of cuts at a node. Of dcap233-200 the root's bound was 1397 after 11,000 mixed-integer programs with 2 steps,
// 1624 after 10,000 with 4, 1833 after 18,500 with 8, and 1592 after 20,500 with 16; the optimum is about 1834.6. A
// random program with a continuous first stage was open after 20,000 nodes with 2 rounds of 4 steps, and took 39 nodes
// with 6 of 8.
const (
	rootRounds = 200 // rounds of cuts of linear programs at the root: no limit in practice
	nodeRounds = 10  // and at other nodes
	rootSharp  = 200 // rounds of cuts of linear programs with cutting planes at the root: no limit in practice
	nodeSharp  = 4   // and at other nodes
	dualRounds = 400 // rounds of Lagrangian cuts at the root: rootGain ends them
	nodeDuals  = 6   // and at other nodes
	rootSteps  = 8   // mixed-integer programs a scenario for one of these at the root
	nodeSteps  = 8   // and at other nodes
)

// What ends rounds of Lagrangian cuts. At the root of dcap233-200 the last rounds before the end gain 1e-5 of the bound
// each, and together 2e-4, which is as much as the gap that is asked for.
const (
	rootGain = 2e-5 // relative: by how much a round has to raise the bound of the root
	// spanGain is by how much, relative, a round at the root has to raise the bound for multipliers to stay in the span of
	// earlier ones. On dcap233-200 six rounds in the span reach 1785, and six free ones 1762; later ones in the span
	// gain nothing. The optimum is about 1834.6.
	spanGain = 2e-3
	patience = 2    // rounds in a row that may raise it by less
	minGain  = 0.02 // share of the gap that a round has to close at other nodes
	// payingGain is the share of the root's gap that all rounds have to close for Lagrangian cuts at fractional points
	// below it: they close .99 on dcap233-200, .05 on sslpv-40-50-50.
	payingGain = 0.2
	// assumedGap is the gap, relative to the bound, in place of that of the run as long as there is no design. It was not
	// tuned.
	assumedGap = 0.1
)

// Designs that are priced, and how boxes are split; see also designs.go. These were not tuned.
const (
	rootTries     = 4    // rounds of Lagrangian cuts at the root after which copies are priced as designs
	maxIdle       = 40   // solves of the master for which a cut may be slack before it leaves
	narrowest     = 1e-9 // width of a continuous column, relative to the root's, below which it is not split
	slackPosition = 0.1  // share of the width by which a split keeps away from the ends of a continuous column
)

// effort is what is left to do at a node.
type effort struct {
	linear int     // rounds of cuts of linear programs
	probe  bool    // what comes before cutting planes at the root; see tree.probe
	sharp  int     // rounds of cuts of linear programs with cutting planes
	dual   int     // rounds of Lagrangian cuts
	steps  int     // mixed-integer programs a scenario for one of these
	done   int     // rounds of Lagrangian cuts that were made
	idle   int     // of these, in a row, those that raised the bound by too little
	judged int     // rounds whose gain is counted in idle
	before float64 // the bound before the last one
}

// visit searches a node: it raises the bound of the box by cuts, prices designs, and returns the halves of the box
// where that does not close it.
func (t *tree) visit(ctx context.Context, n *node) ([]*node, error) {
	// The master is that of the box, with the cuts that hold in it.
	t.setBounds(n.box)
	for k := range n.cuts {
		t.add(&n.cuts[k], held{local: true})
	}
	defer t.drop()

	// The root gets more of everything, since its cuts serve all nodes.
	left := effort{linear: nodeRounds, sharp: nodeSharp, dual: nodeDuals, steps: nodeSteps}
	if n.depth == 0 {
		left = effort{linear: rootRounds, probe: true, sharp: rootSharp, dual: dualRounds, steps: rootSteps}
	}
	y, planes, err := t.tighten(ctx, n, &left)
	if err != nil || y == nil {
		return nil, err
	}

	// What is left of the box is split, after the designs that the cuts suggest were priced.
	if n.depth == 0 {
		t.pays = n.bound-t.floor >= payingGain*t.openGap(t.floor)
	}
	if err := t.copies(ctx, planes, y); err != nil || t.prune(n.bound) {
		return nil, err
	}
	if t.done == t.restrictAt {
		if t.done > 0 {
			t.restrictFactor *= 2
		}
		t.restrictAt = max(restrictFirst, 2*t.done)
		if err := t.restricted(ctx, n); err != nil || t.prune(n.bound) {
			return nil, err
		}
	}
	return t.branch(n, y, planes), nil
}

// setBounds gives the first-stage columns of the master the bounds of a box.
func (t *tree) setBounds(in box) {
	for j := range in.lower {
		t.lp.SetColBounds(lp.Var(j), in.lower[j], in.upper[j])
	}
}

// tighten raises the bound of a node by rounds of cuts. It returns the last point of the master and the last Lagrangian
// cuts; a nil point where nothing is left to search.
func (t *tree) tighten(ctx context.Context, n *node, left *effort) (y []float64, planes []plane, err error) {
	for {
		y, theta, err := t.solve(ctx, n)
		if err != nil || y == nil || t.prune(n.bound) {
			return nil, nil, err
		}
		if left.judged < left.done && !t.pay(n, left) {
			return y, planes, nil
		}

		// Cuts of the linear programs hold everywhere, so they come first.
		if left.linear > 0 {
			left.linear--
			added, err := t.linear(ctx, y, theta)
			if err != nil {
				return nil, nil, err
			}
			if added {
				continue
			}
		}

		// Once the linear programs have nothing more to cut off at the root, a design is sought that can be improved.
		if left.probe {
			err := t.probe(ctx, n, y, left)
			t.report(n)
			if err != nil || t.prune(n.bound) {
				return nil, nil, err
			}
		}

		// Cutting planes of the scenarios come next, at other nodes where they did something at the root.
		if left.sharp > 0 && (n.depth == 0 || t.sharper) {
			left.sharp--
			added, err := t.sharpen(ctx, n, y, theta)
			if err != nil {
				return nil, nil, err
			}
			if added {
				t.sharper = true
				continue
			}
		}

		// A point whose integer columns are integers may be a design.
		decided := t.integer(y)
		if decided {
			if err := t.try(ctx, y); err != nil || t.prune(n.bound) {
				return nil, nil, err
			}
		}
		if n.point() {
			return nil, nil, t.settle(ctx, n, y)
		}

		// Where Lagrangian cuts did little at the root, they wait until the integer columns are decided: until then a
		// split is cheaper.
		undecided := n.depth > 0 && !t.pays && !decided
		if undecided || left.done == left.dual {
			return y, planes, nil
		}

		// Points of scenarios are there from the start, so that a better design may be at hand before any such cut.
		if n.depth == 0 && left.done == 0 {
			err := t.restricted(ctx, n)
			t.report(n)
			if err != nil || t.prune(n.bound) {
				return nil, nil, err
			}
		}
		left.before = n.bound
		left.done++
		found, cut, err := t.raise(ctx, n, y, theta, left.steps)
		if err != nil || found == nil {
			return nil, nil, err // without planes the box is empty
		}
		planes = found
		if !cut {
			return y, planes, nil
		}
		if n.depth == 0 && left.done%rootTries == 0 {
			if err := t.copies(ctx, planes, y); err != nil {
				return nil, nil, err
			}
		}
	}
}

// probe seeks a good design at the root, solves the relaxed program where that may raise the bound, and leaves out the
// rounds of cutting planes of scenarios where those of a sample do nothing.
func (t *tree) probe(ctx context.Context, n *node, y []float64, left *effort) error {
	left.probe = false
	if err := t.together(ctx, y); err != nil {
		return err
	}
	if err := t.roomier(ctx, y); err != nil {
		return err
	}
	if err := t.solveRelaxed(ctx); err != nil {
		return err
	}

	// The bound of the relaxed program may close the root.
	n.bound = max(n.bound, t.floor)
	if t.prune(n.bound) {
		return nil
	}
	pays, err := t.sharpenPays(ctx, y)
	if !pays {
		left.sharp = 0
	}
	return err
}

// pay reports whether the last rounds of Lagrangian cuts raised the bound by enough for another one: at the root
// relative to the bound, elsewhere as a share of the gap.
func (t *tree) pay(n *node, left *effort) bool {
	t.logRoot(n, left.done)
	left.judged = left.done
	enough := minGain * t.openGap(left.before)
	allowed := 0 // rounds that may raise it by less
	if n.depth == 0 {
		enough = rootGain * max(1, math.Abs(n.bound))
		if t.paid {
			allowed = patience
		}
	}
	if n.bound-left.before >= enough {
		left.idle = 0
		t.paid = true
	} else {
		left.idle++
	}
	if n.depth > 0 || t.free {
		return left.idle <= allowed
	}

	// Where the span gives little more, multipliers are free from the next round on.
	if n.bound-left.before < spanGain*max(1, math.Abs(n.bound)) {
		t.free = true
		left.idle = 0
	}
	return true
}

// raise adds Lagrangian cuts that cut off the master's point, and reports whether there are any. They are made between
// that point and a center that follows it (in-out separation, Ben-Ameur and Neto 2007); where these do not cut it off,
// at the point itself.
func (t *tree) raise(ctx context.Context, n *node, y, theta []float64, steps int) (
	planes []plane, cut bool, err error) {
	at := t.between(n, y)
	planes, cut, err = t.dualise(ctx, n, at, y, theta, steps)
	decided := err != nil || planes == nil || cut
	if decided || slices.Equal(at, y) {
		return planes, cut, err
	}
	n.center = y
	return t.dualise(ctx, n, y, y, theta, steps)
}

// openGap returns the gap from a bound to the cost of the best design. Without a design it is taken to be the share
// assumedGap of the bound.
func (t *tree) openGap(bound float64) float64 {
	if t.design == nil {
		return assumedGap * max(1, math.Abs(bound))
	}
	return t.cost - bound
}

// logRoot writes to the log how far the Lagrangian cuts of the root are, at most once in LogEvery.
func (t *tree) logRoot(n *node, round int) {
	now := time.Now()
	if n.depth > 0 || t.run.o.Log == nil || now.Sub(t.logged) < t.o.LogEvery {
		return
	}
	t.logged = now
	t.run.o.Log(fmt.Sprintf("boxes: the first one, round %d, bound %.9g, %.1fs", round, n.bound,
		now.Sub(t.began).Seconds()))
}

// drop takes the cuts of the node out of the master, and others that have been slack for long.
func (t *tree) drop() {
	var gone []lp.Con
	var kept []held
	for k, h := range t.rows {
		if h.local || h.idle > maxIdle && !h.fixed {
			gone = append(gone, lp.Con(t.given+k))
		} else {
			kept = append(kept, h)
		}
	}
	t.lp.DeleteRows(gone)
	t.rows = kept
}

// solve solves the master over the box and raises the bound of the node. It returns a nil point where there is none.
func (t *tree) solve(ctx context.Context, n *node) (y, theta []float64, err error) {
	res, err := t.lp.Solve(ctx, simplex.NoLimits())
	if err != nil {
		return nil, nil, prefixed(err)
	}
	switch res.Status {
	case lp.Optimal:
	case lp.Infeasible:
		n.bound = math.Inf(1)
		return nil, nil, nil
	default:
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, fmt.Errorf("integer: %w: the master ended with the status %v", simplex.ErrNumerical, res.Status)
	}

	// Cuts that are slack age, and leave after some nodes.
	n.bound = max(n.bound, res.Objective)
	for k := range t.rows {
		if t.lp.RowStatus(lp.Con(t.given+k)) == simplex.Basic {
			t.rows[k].idle++
		} else {
			t.rows[k].idle = 0
		}
	}

	y, theta = t.point(n)
	return y, theta, nil
}

// point returns the point of the master in the box that was found last, and its epigraphs.
func (t *tree) point(n *node) (y, theta []float64) {
	x := slices.Clone(t.lp.X())
	y = x[:len(t.p.master.Cols)]
	for j := range y {
		// The solution lies in the box but for rounding.
		y[j] = min(max(y[j], n.lower[j]), n.upper[j])
		if r := math.Round(y[j]); t.p.master.Cols[j].Integer && math.Abs(y[j]-r) <= 1e-9 {
			y[j] = r
		}
	}
	return y, x[len(y):]
}

// integer reports whether the integer columns of a point are integers.
func (t *tree) integer(y []float64) bool {
	for j, c := range t.p.master.Cols {
		if c.Integer && y[j] != math.Round(y[j]) {
			return false
		}
	}
	return true
}

// linear adds the cuts of the linear programs at a point that it violates.
func (t *tree) linear(ctx context.Context, y, theta []float64) (added bool, err error) {
	sep, err := t.sep.Separate(ctx, benders.Point{Y: y, Theta: theta, From: y})
	if err != nil {
		return false, prefixed(err)
	}
	for k := range sep.Cuts {
		if sep.Cuts[k].Violated(y, theta, t.o.Violation) {
			t.add(&sep.Cuts[k], held{})
			t.counts.User++
			added = true
		}
	}
	return added, nil
}

// between returns the point at which Lagrangian cuts of a node are made.
func (t *tree) between(n *node, y []float64) []float64 {
	if n.center == nil {
		n.center = y
		if t.design != nil && n.holds(t.design) {
			n.center = t.design
		}
	}
	at := slices.Clone(y)
	for j := range at {
		at[j] = (at[j] + n.center[j]) / 2
	}
	n.center = at
	return at
}

// dualise adds Lagrangian cuts that are made at one point of the box and cut off another, the master's, and reports
// whether there is one. It returns no planes where a scenario has no point in the box.
func (t *tree) dualise(ctx context.Context, n *node, at, y, theta []float64, steps int) (
	planes []plane, cut bool, err error) {
	slopes, err := t.slopes(ctx, at)
	if err != nil {
		return nil, false, err
	}
	if planes, err = t.planes(ctx, n.box, at, slopes, steps); err != nil {
		return nil, false, err
	}

	// A scenario without a point in the box closes it.
	for s := range planes {
		if planes[s].infeasible {
			return nil, false, nil
		}
	}

	// The cuts of the groups that cut the master's point off; the children of the node have them too.
	n.cuts = slices.Clip(n.cuts)
	for _, c := range t.cuts(planes, t.groups) {
		if c.Violated(y, theta, t.o.Violation) {
			t.add(&c, held{local: true})
			t.counts.User++
			n.cuts = append(n.cuts, c)
			cut = true
		}
	}
	return planes, cut, nil
}

// slopes returns the slopes of the cuts of the linear programs of all scenarios at a point: of those that have no
// multipliers yet, and of all where they span the multipliers.
func (t *tree) slopes(ctx context.Context, y []float64) ([][]float64, error) {
	out := make([][]float64, len(t.p.weight))
	err := t.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			if t.ascents[s].last != nil && t.free {
				continue
			}

			// The slopes of the cut of its linear program; none where that has no solution.
			out[s] = make([]float64, len(y))
			if err := c.view.Set(s); err != nil {
				return prefixed(err)
			}
			sep, err := c.view.Separate(ctx, y)
			if err != nil {
				return prefixed(err)
			}
			for _, cut := range sep.Cuts {
				if cut.Kind == benders.Optimality {
					for k, j := range cut.Index {
						out[s][j] = cut.Beta[k]
					}
				}
			}
		}
		return nil
	})
	return out, err
}

// settle closes a box of one design by its price.
func (t *tree) settle(ctx context.Context, n *node, y []float64) error {
	if !t.integer(y) {
		return nil
	}
	_, feasible, err := t.price(ctx, y, math.Inf(1))
	if err != nil || !feasible {
		return err
	}
	if low := t.p.master.Evaluate(y) + t.total(); !t.prune(max(low, n.bound)) {
		t.left = min(t.left, max(low, n.bound))
	}
	return nil
}
