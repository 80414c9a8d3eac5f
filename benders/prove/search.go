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

// run builds the tree. At a limit, open nodes become leaves with the bound of their parent.
func (p *prover) run(ctx context.Context) error {
	var err error
	p.root, err = p.explore(ctx, 0, proof{bound: math.Inf(-1)})
	return err
}

// explore proves the present box. parent is what is known of it before.
func (p *prover) explore(ctx context.Context, depth int, parent proof) (*node, error) {
	if p.stopped(ctx) {
		return &node{split: -1, proof: parent}, nil
	}
	p.nodes++
	q, x, err := p.tighten(ctx, depth)
	if err != nil {
		return nil, err
	}
	if q.bound < parent.bound {
		q = parent
	}
	if q.bound >= p.target() || x == nil && !math.IsInf(q.bound, -1) || p.stopped(ctx) {
		return &node{split: -1, proof: q}, nil
	}
	nd := &node{split: -1}
	if math.IsInf(q.bound, -1) {
		nd.split, nd.at = p.halve(x)
	}
	if nd.split < 0 {
		nd.split, nd.at = p.choose(ctx, x)
	}
	if nd.split < 0 || p.tooManyUnbounded(q) {
		p.lost = p.lost || math.IsInf(q.bound, -1)
		return &node{split: -1, proof: q}, nil
	}
	return nd, p.divide(ctx, nd, depth, q, x)
}

// divide explores both children of a node, the nearer one first.
func (p *prover) divide(ctx context.Context, nd *node, depth int, q proof, x []float64) error {
	split, at := nd.split, nd.at
	lower, upper := p.lower[split], p.upper[split]
	base, fraction, first := math.Inf(-1), 0.5, 0
	if x != nil {
		base, fraction = p.objectiveAt(x), x[split]-at
	}
	if fraction > 0.5 {
		first = 1
	}
	for _, side := range []int{first, 1 - first} {
		if side == 0 {
			p.setBounds(split, lower, at)
		} else {
			p.setBounds(split, at+1, upper)
		}
		child, err := p.explore(ctx, depth+1, q)
		if err != nil {
			return err
		}
		nd.children[side] = child
		if gain := child.proof.bound - base; child.split < 0 && !math.IsInf(gain, 0) {
			p.costs.learn(split, side, gain, fraction)
		}
		p.setBounds(split, lower, upper)
	}
	return nil
}

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
	last := math.Inf(-1)
	for round := 0; ; {
		q, x, err := p.relax(ctx)
		if err != nil {
			return best, nil, err
		}
		if q.bound > best.bound {
			best = q
		}
		if x == nil || best.bound >= p.target() || p.stopped(ctx) {
			return best, nil, nil
		}
		if p.reactivate(x) > 0 {
			continue
		}
		design, err := p.rounded(x)
		if err != nil {
			return best, nil, err
		}
		stalls := round > 3 && best.bound < last+progress*math.Max(1, math.Abs(last))
		if design == nil && (round >= rounds || stalls) {
			return best, x, nil
		}

		last = best.bound
		round++
		added, err := p.separate(ctx, x, design)
		if err != nil {
			return best, nil, err
		}
		switch {
		case added == 0 && design != nil:
			return best, nil, nil
		case added == 0:
			return best, x, nil
		}
	}
}

// relax solves the LP and makes a proof of its answer; x is nil where nothing is left inside, or nothing known (the
// bound of the proof is -Inf then). An answer that proves less than it says is solved for once more, from the slack
// basis and without a limit on the objective.
func (p *prover) relax(ctx context.Context) (proof, []float64, error) {
	defer p.shift()
	for attempt := range 3 {
		limit := p.target() + 1e-7*math.Max(1, math.Abs(p.objective))
		if attempt > 0 {
			limit = math.Inf(1)
			p.lp.SlackBasis()
		}
		res, err := p.solve(ctx, limit)
		switch {
		case errors.Is(err, simplex.ErrNumerical):
			continue
		case err != nil:
			return proof{}, nil, err
		case res.Status == lp.Optimal:
			q := p.bounded(p.lp.RowDual())
			p.purge()
			return q, slices.Clone(p.lp.X()), nil
		case res.Status == lp.Infeasible:
			if q := p.refuted(p.lp.Ray(), slices.Clone(p.lp.RowDual())); !math.IsInf(q.bound, -1) {
				return q, nil, nil
			}
		case res.Status == lp.ObjectiveLimit:
			if q := p.bounded(p.lp.RowDual()); q.bound >= p.target() {
				return q, nil, nil
			}
		case res.Status == lp.Unbounded:
			p.unshift()
		}
	}
	return proof{bound: math.Inf(-1)}, nil, nil
}

// integrality is the largest distance from an integer of a column of an LP point that is rounded.
const integrality = 1e-6

// rounded returns the design that an LP point is to tolerances, and nil where a column is fractional or where the
// rounded point breaks a row of the master. A row with large coefficients separates points that are closer to each
// other than any tolerance on columns.
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
	if ok, err := p.s.Problem.Check(y); err != nil || !ok {
		return nil, err
	}
	return y, nil
}

// separate makes cuts at the design that the LP point is, which it prices, or at the point itself where design is nil.
func (p *prover) separate(ctx context.Context, x, design []float64) (added int, err error) {
	y := design
	if y == nil {
		y = slices.Clone(x[:p.n])
	}
	s, err := p.s.Separator.Separate(ctx, benders.Point{Y: y, Theta: x[p.n:], Integer: design != nil})
	if err != nil {
		return 0, err
	}
	var violated []benders.Cut
	for k := range s.Cuts {
		if p.violation(&s.Cuts[k], x) > p.o.Violation && (p.s.Provable == nil || p.s.Provable(&s.Cuts[k])) {
			violated = append(violated, s.Cuts[k])
		}
	}
	p.add(violated)
	if design != nil && !s.Infeasible {
		err = p.price(ctx, design)
	}
	return len(violated), err
}

// price takes a design that is better than the incumbent.
func (p *prover) price(ctx context.Context, y []float64) error {
	if p.s.Problem.Recourse == nil {
		return nil
	}
	cost, feasible, err := p.s.Problem.Price(ctx, y, make([]float64, p.s.Problem.Epigraphs))
	if err == nil && feasible && cost < p.objective {
		p.design, p.objective = y, cost
	}
	return err
}

// pseudoCosts are the gains of the bound a unit of change, by column and direction.
type pseudoCosts struct {
	sum   [2][]float64
	count [2][]int
}

func newPseudoCosts(n int) pseudoCosts {
	return pseudoCosts{sum: [2][]float64{make([]float64, n), make([]float64, n)},
		count: [2][]int{make([]int, n), make([]int, n)}}
}

func (c *pseudoCosts) learn(j, side int, gain, fraction float64) {
	if side == 1 {
		fraction = 1 - fraction
	}
	if fraction > 1e-6 {
		c.sum[side][j] += max(0, gain) / fraction
		c.count[side][j]++
	}
}

// candidate is a column to branch on.
type candidate struct {
	col   int
	score float64
}

// choose picks the column by the product of its predicted gains, the best ones probed by a few dual iterations. Where
// all columns are integral to tolerances, but their rounding is no design, it divides at the largest rest.
func (p *prover) choose(ctx context.Context, x []float64) (split int, at float64) {
	const probes, reliable = 8, 4
	if x == nil {
		return p.middle()
	}
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
	var start simplex.Basis
	p.lp.GetBasis(&start)
	base := p.objectiveAt(x)
	for k := range list[:min(probes, len(list))] {
		c := &list[k]
		if min(p.costs.count[0][c.col], p.costs.count[1][c.col]) >= reliable {
			continue
		}
		if !p.probe(ctx, c.col, x[c.col], base, &start) {
			break
		}
		c.score = p.predicted(c.col, x[c.col]-math.Floor(x[c.col]))
	}
	best := slices.MaxFunc(list, func(a, b candidate) int { return cmp.Compare(a.score, b.score) })
	return best.col, math.Floor(x[best.col])
}

// nearlyIntegral divides at the integer column that is farthest from an integer, however near all are, and at the
// middle of a domain where all columns are integers: then a continuous column or a tolerance of the LP breaks a row.
func (p *prover) nearlyIntegral(x []float64) (split int, at float64) {
	split = -1
	largest := 0.0
	for j := range p.n {
		rest := math.Abs(x[j] - math.Round(x[j]))
		inside := math.Floor(x[j]) >= p.lower[j] && math.Floor(x[j])+1 <= p.upper[j] // both children are smaller
		if p.s.Problem.Master.Cols[j].Integer && inside && rest > largest {
			split, at, largest = j, math.Floor(x[j]), rest
		}
	}
	if split < 0 {
		return p.middle()
	}
	return split, at
}

// middle halves the first domain that is not a point, where there is no LP point to go by.
func (p *prover) middle() (split int, at float64) {
	for j := range p.n {
		if p.s.Problem.Master.Cols[j].Integer && p.lower[j] < p.upper[j] && !math.IsInf(p.upper[j]-p.lower[j], 0) {
			return j, math.Floor(p.lower[j] + (p.upper[j]-p.lower[j])/2)
		}
	}
	return -1, 0
}

// predicted is the product of the predicted gains of the two children.
func (p *prover) predicted(j int, f float64) float64 {
	gain := func(side int, distance float64) float64 {
		if n := p.costs.count[side][j]; n > 0 {
			return max(1e-6, p.costs.sum[side][j]/float64(n)*distance)
		}
		return max(1e-6, distance)
	}
	return gain(0, f) * gain(1, 1-f)
}

// probe solves both children of a column for a few iterations and learns their gains.
func (p *prover) probe(ctx context.Context, j int, value, base float64, start *simplex.Basis) bool {
	limits := p.limits
	limits.Iterations = 30
	at := math.Floor(value)
	lower, upper := p.lower[j], p.upper[j]
	ok := true
	for side := range 2 {
		if side == 0 {
			p.lp.SetColBounds(lp.Var(j), lower, at)
		} else {
			p.lp.SetColBounds(lp.Var(j), at+1, upper)
		}
		res, err := p.lp.Solve(ctx, limits)
		gain := res.Bound - base
		if res.Status == lp.Infeasible || res.Status == lp.ObjectiveLimit {
			gain = max(p.target()-base, 0)
		}
		if err == nil && !math.IsNaN(gain) && !math.IsInf(gain, 0) {
			p.costs.learn(j, side, gain, value-at)
		}
		p.lp.SetColBounds(lp.Var(j), lower, upper)
		if p.lp.SetBasis(start) != nil || err != nil {
			ok = false
			break
		}
	}
	return ok
}
