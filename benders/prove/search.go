package prove

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// explore proves a bound of the present box, at least as good as parent, the proof of the box around it. It builds the
// tree below, depth first. At a limit, open nodes become leaves with the bound of their parent.
func (p *prover) explore(ctx context.Context, depth int, parent proof) (*node, error) {
	if p.stopped(ctx) {
		return &node{split: -1, proof: parent}, nil
	}
	p.nodes++
	q, x, err := p.tighten(ctx, depth)
	if err != nil {
		return nil, err
	}

	// The proof of the box around holds in this one too, and is the better one where few rounds were made here.
	if q.bound < parent.bound {
		q = parent
	}

	// A leaf: its bound reaches the target, no point is left in the box, or a limit is reached.
	closed := q.bound >= p.target() || x == nil && !math.IsInf(q.bound, -1)
	if closed || p.stopped(ctx) {
		return &node{split: -1, proof: q}, nil
	}

	// Without a bound, a column without bounds is split first, since no proof may be possible before.
	nd := &node{split: -1}
	if math.IsInf(q.bound, -1) {
		nd.split, nd.at = p.halve(x)
	}
	if nd.split < 0 {
		nd.split, nd.at = p.choose(ctx, x)
	}

	// With nothing left to split the node is a leaf with the proof that it has, be it none.
	if nd.split < 0 || p.tooManyUnbounded(q) {
		p.unresolved = p.unresolved || math.IsInf(q.bound, -1)
		return &node{split: -1, proof: q}, nil
	}
	return nd, p.divide(ctx, nd, depth, q, x)
}

// divide explores both children of a node, the nearer one first.
func (p *prover) divide(ctx context.Context, nd *node, depth int, q proof, x []float64) error {
	split := nd.split
	lower, upper := p.lower[split], p.upper[split]

	// Without an LP point there is no gain to measure, and the sides are equally near.
	base := math.Inf(-1)
	fraction := 0.5
	if x != nil {
		base = p.objectiveAt(x)
		fraction = x[split] - nd.at
	}
	first := 0
	if fraction > 0.5 {
		first = 1
	}

	for _, side := range []int{first, 1 - first} {
		// Side 0 has the values up to the split, side 1 those above, and both have the split of a continuous column.
		from := nd.at
		if p.s.Problem.Master.Cols[split].Integer {
			from++
		}
		if side == 0 {
			p.setBounds(split, lower, nd.at)
		} else {
			p.setBounds(split, from, upper)
		}
		child, err := p.explore(ctx, depth+1, q)
		if err != nil {
			return err
		}
		nd.children[side] = child

		// The gain of a child that is a leaf is that of this one branch.
		if gain := child.proof.bound - base; child.split < 0 && !math.IsInf(gain, 0) {
			p.addGain(split, side, gain, fraction)
		}

		// The search goes back to the box of the node, where cuts of smaller boxes do not hold.
		p.setBounds(split, lower, upper)
		if p.s.Local != nil {
			p.remove(func(_, k int) bool { return !p.holds(k) })
		}
	}
	return nil
}

// objectiveAt returns the objective of the relaxation at an LP point.
func (p *prover) objectiveAt(x []float64) float64 {
	v := p.s.Problem.Master.Evaluate(x[:p.n])
	for _, t := range x[p.n:] {
		v += t
	}
	return v
}

// tighten solves the LP of the box and cuts until the box is closed, nothing is violated, or cutting does not pay. It
// returns the best proof, and the last LP point unless the box is closed.
func (p *prover) tighten(ctx context.Context, depth int) (best proof, x []float64, err error) {
	best.bound = math.Inf(-1)
	rounds := nodeRounds
	if depth == 0 {
		rounds = rootRounds
	}
	last := math.Inf(-1) // the bound of the round before
	for round := 0; ; {
		q, x, err := p.relax(ctx)
		if err != nil {
			return best, nil, err
		}

		// A later LP has more cuts, but its proof may lose more to rounding.
		if q.bound > best.bound {
			best = q
		}

		// Cuts of the pool come before new ones.
		if x == nil || best.bound >= p.target() || p.stopped(ctx) {
			return best, nil, nil
		}
		if p.reactivate(x) > 0 {
			continue
		}

		// A fractional point is cut off while that pays, a design until no cut is violated.
		design, err := p.rounded(x)
		if err != nil {
			return best, nil, err
		}
		if p.s.Separator == nil {
			return best, p.uncut(best, x, design), nil
		}
		stalls := round > 3 && best.bound < last+minProgress*math.Max(1, math.Abs(last))
		if design == nil && (round >= rounds || stalls) {
			return best, x, nil
		}

		last = best.bound
		round++
		added, err := p.separate(ctx, x, design)
		if err != nil {
			return best, nil, err
		}

		// A design that no cut excludes is the optimum of the box, unless local cuts are needed to say so; a fractional
		// point is one to branch at.
		if added == 0 && design != nil && p.s.Local != nil {
			if added, err = p.separateLocally(ctx, x, design); err != nil {
				return best, nil, err
			}
			if added == 0 {
				return best, x, nil
			}
		}
		switch {
		case added == 0 && design != nil:
			return best, nil, nil
		case added == 0:
			return best, x, nil
		}
	}
}

// uncut returns the LP point of a box without separation: nil where it is a point of the program, whose box is done. No
// bound above the one of its box can be proven then, so that it becomes the goal.
func (p *prover) uncut(best proof, x, design []float64) []float64 {
	if design == nil || math.IsInf(best.bound, -1) {
		return x
	}
	p.objective = min(p.objective, best.bound)
	return nil
}

// relax solves the LP and makes a proof of its answer. x is nil where the box is closed, or where nothing is proven
// (then the bound of the proof is -Inf). Where the proof falls short of the answer, the LP is solved again, from the
// slack basis and without a limit on the objective.
func (p *prover) relax(ctx context.Context) (proof, []float64, error) {
	defer p.restoreShift()
	for attempt := range 3 {
		// Somewhat above the target, so that the duals of a solve that ends there prove the target.
		limit := p.target() + 1e-7*math.Max(1, math.Abs(p.objective))
		if attempt > 0 {
			limit = math.Inf(1)
			p.lp.SlackBasis()
		}

		res, err := p.solve(ctx, limit)
		switch {
		case errors.Is(err, simplex.ErrNumerical):
			// The next attempt begins at the slack basis.
			continue
		case err != nil:
			return proof{}, nil, err
		case res.Status == lp.Optimal:
			// The proof reads the duals before slack cuts leave the LP.
			q := p.bounded(p.lp.RowDual())
			p.purge()
			return q, slices.Clone(p.lp.X()), nil
		case res.Status == lp.Infeasible:
			// A Farkas ray proves the box empty, with the last duals if need be.
			if q := p.refuted(p.lp.Ray(), slices.Clone(p.lp.RowDual())); !math.IsInf(q.bound, -1) {
				return q, nil, nil
			}
		case res.Status == lp.ObjectiveLimit:
			// The duals prove a bound above the target, or else the next attempt has no limit.
			if q := p.bounded(p.lp.RowDual()); q.bound >= p.target() {
				return q, nil, nil
			}
		case res.Status == lp.Unbounded:
			// Costs that are shifted down may be what makes the LP unbounded.
			p.setPlain(true)
		}
	}
	return proof{bound: math.Inf(-1)}, nil, nil
}

// integrality is the largest distance from an integer of a column of an LP point that is rounded.
const integrality = 1e-6

// rounded returns the design next to an LP point that is integer within the tolerance, and nil where a column is
// fractional or the rounded point violates a row of the master. A row with large coefficients separates points that are
// closer to each other than any tolerance on columns.
func (p *prover) rounded(x []float64) ([]float64, error) {
	y := slices.Clone(x[:p.n])
	for j := range y {
		if !p.s.Problem.Master.Cols[j].Integer {
			continue
		}
		y[j] = math.Round(y[j])
		if math.Abs(x[j]-y[j]) > integrality {
			return nil, nil
		}
	}

	// The same judgement as of every design of a run.
	if ok, err := p.s.Problem.Check(y); err != nil || !ok {
		return nil, err
	}
	return y, nil
}

// separate adds violated cuts at a design, which it prices, or at the LP point itself where design is nil.
func (p *prover) separate(ctx context.Context, x, design []float64) (added int, err error) {
	// At a design an exact separator also returns its recourse cost, so that the design can be priced.
	y := design
	if y == nil {
		y = slices.Clone(x[:p.n])
	}
	within, cancel := p.within(ctx)
	defer cancel()
	s, err := p.s.Separator.Separate(within, benders.Point{Y: y, Theta: x[p.n:], Integer: design != nil})
	if err != nil {
		return 0, p.unlessLate(within, err)
	}

	added = p.addViolated(s.Cuts, x)
	if design != nil && !s.Infeasible {
		err = p.unlessLate(within, p.price(within, design))
	}
	return added, err
}

// addViolated adds the cuts that x violates and a record can prove: another cut is of no use in a proof, however much
// it cuts off.
func (p *prover) addViolated(cuts []benders.Cut, x []float64) (added int) {
	for k := range cuts {
		if p.violation(&cuts[k], x) > p.o.Violation && (p.s.Provable == nil || p.s.Provable(&cuts[k])) {
			p.add(cuts[k : k+1])
			added++
		}
	}
	return added
}

// separateLocally adds cuts that hold in the present box and that the LP point of a design violates.
func (p *prover) separateLocally(ctx context.Context, x, design []float64) (added int, err error) {
	within, cancel := p.within(ctx)
	defer cancel()
	cuts, err := p.s.Local(within, p.lower[:p.n], p.upper[:p.n], design)
	return p.addViolated(cuts, x), p.unlessLate(within, err)
}

// within returns a context that ends with the time of the search.
func (p *prover) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.deadline.IsZero() {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, p.deadline)
}

// unlessLate returns an error unless the context of the search has ended, by an interrupt or with its time: the search
// stops at its next node, and keeps what it has proven.
func (p *prover) unlessLate(within context.Context, err error) error {
	if within.Err() != nil {
		return nil
	}
	return err
}

// price prices a design, which becomes the incumbent if it is better.
func (p *prover) price(ctx context.Context, y []float64) error {
	// Without an exact recourse the design of the run is the only one with a cost.
	if p.s.Problem.Recourse == nil {
		return nil
	}
	cost, feasible, err := p.s.Problem.Price(ctx, y, make([]float64, p.s.Problem.Epigraphs))
	if err == nil && feasible && cost < p.objective {
		p.design = y
		p.objective = cost
	}
	return err
}

// addGain adds the gain of a branch per unit of change, for a column at a fraction above the split.
func (p *prover) addGain(j, side int, gain, fraction float64) {
	if side == 1 {
		fraction = 1 - fraction
	}

	// A tiny change would make any gain a huge one per unit.
	if fraction > 1e-6 {
		p.costs.Add(j, side, max(0, gain)/fraction)
	}
}

// candidate is a column to branch on, an integer one with a fractional value.
type candidate struct {
	col   int
	score float64
}

// choose selects the column by the product of its predicted gains, the best candidates by strong branching with a few
// dual iterations (reliability branching). Where all columns are integer within tolerances, but their rounding is no
// design, it divides at the column farthest from an integer.
func (p *prover) choose(ctx context.Context, x []float64) (split int, at float64) {
	const probes, reliable = 8, 4
	if x == nil {
		return p.middle()
	}

	// The fractional columns, the best predictions first. The score of a column is the product of the gains that are
	// expected of its two children, so that both of them count.
	var list []candidate
	for j := range p.n {
		f := x[j] - math.Floor(x[j])
		if p.s.Problem.Master.Cols[j].Integer && f > integrality && f < 1-integrality {
			list = append(list, candidate{j, p.predicted(j, f)})
		}
	}
	if len(list) == 0 {
		return p.nearlyIntegral(x)
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })

	// Those with few gains so far are probed. Each probe ends at the basis of the node.
	var start simplex.Basis
	p.lp.GetBasis(&start)
	base := p.objectiveAt(x)
	for k := range list[:min(probes, len(list))] {
		c := &list[k]
		if min(p.costs.Count(c.col, 0), p.costs.Count(c.col, 1)) >= reliable {
			continue
		}
		if !p.probe(ctx, c.col, x[c.col], base, &start) {
			break
		}

		// The gains of the probe are among those of the column now.
		c.score = p.predicted(c.col, x[c.col]-math.Floor(x[c.col]))
	}

	// Of equal scores the first.
	best := slices.MaxFunc(list, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	return best.col, math.Floor(x[best.col])
}

// nearlyIntegral divides at the integer column that is farthest from an integer, however small the distance, and at the
// middle of a domain where all columns are integers: then a continuous column or a tolerance of the LP violates a row.
func (p *prover) nearlyIntegral(x []float64) (split int, at float64) {
	split = -1
	largest := 0.0
	for j := range p.n {
		// Columns that are exactly integer, or at a bound of their domain, cannot be divided here.
		rest := math.Abs(x[j] - math.Round(x[j]))
		inside := math.Floor(x[j]) >= p.lower[j] && math.Floor(x[j])+1 <= p.upper[j] // both children are smaller
		if p.s.Problem.Master.Cols[j].Integer && inside && rest > largest {
			split = j
			at = math.Floor(x[j])
			largest = rest
		}
	}
	if split < 0 {
		return p.middle()
	}
	return split, at
}

// middle halves the first domain that is not a point, where there is no LP point to choose by.
func (p *prover) middle() (split int, at float64) {
	for j := range p.n {
		// A domain that is not finite has no middle.
		if p.s.Problem.Master.Cols[j].Integer && p.lower[j] < p.upper[j] && !math.IsInf(p.upper[j]-p.lower[j], 0) {
			return j, math.Floor(p.lower[j] + (p.upper[j]-p.lower[j])/2)
		}
	}
	if p.s.Local != nil {
		return p.widest()
	}
	return -1, 0
}

// widest halves the widest domain of a continuous column, as long as that is more than rounding: cuts that hold in a
// box alone may be stronger in a part of it.
func (p *prover) widest() (split int, at float64) {
	const narrow = 1e-6
	split = -1
	most := narrow
	for j := range p.n {
		middle := p.lower[j] + (p.upper[j]-p.lower[j])/2
		width := (p.upper[j] - p.lower[j]) / max(1, math.Abs(middle))
		if !p.s.Problem.Master.Cols[j].Integer && width > most && !math.IsInf(width, 0) {
			split = j
			at = middle
			most = width
		}
	}
	return split, at
}

// predicted is the product of the predicted gains of the two children.
func (p *prover) predicted(j int, f float64) float64 {
	gain := func(side int, distance float64) float64 {
		// A column that was never branched on counts as one with a gain of one per unit.
		mean := 1.0
		if p.costs.Count(j, side) > 0 {
			mean = p.costs.Mean(j, side, 0, 0)
		}
		return max(1e-6, mean*distance)
	}
	return gain(0, f) * gain(1, 1-f)
}

// probe solves both children of a column for a few iterations and adds their gains. It reports false where the LP could
// not be solved or the basis not be restored. Bounds of probes are estimates: no proof rests on them, so that rounding
// in them does no harm.
func (p *prover) probe(ctx context.Context, j int, value, base float64, start *simplex.Basis) bool {
	// A few dual iterations: their bound on the child is a lower estimate of its gain.
	limits := p.limits
	limits.Iterations = 30
	at := math.Floor(value)
	lower, upper := p.lower[j], p.upper[j]
	for side := range 2 {
		if side == 0 {
			p.lp.SetColBounds(lp.Var(j), lower, at)
		} else {
			p.lp.SetColBounds(lp.Var(j), at+1, upper)
		}

		// A child that is infeasible, or above the limit, gains all that there is to gain.
		res, err := p.lp.Solve(ctx, limits)
		gain := res.Bound - base
		if res.Status == lp.Infeasible || res.Status == lp.ObjectiveLimit {
			gain = max(p.target()-base, 0)
		}
		if err == nil && !math.IsNaN(gain) && !math.IsInf(gain, 0) {
			p.addGain(j, side, gain, value-at)
		}

		// Bounds and basis of the node come back for the other side.
		p.lp.SetColBounds(lp.Var(j), lower, upper)
		if p.lp.SetBasis(start) != nil || err != nil {
			return false
		}
	}
	return true
}
