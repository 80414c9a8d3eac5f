package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// Cutting planes of scenarios. Let S be the points (z, x) of a scenario, z its copy of the first stage in a box. A row
// a'(z, x) <= b that holds on S strengthens the linear program of the scenario at a design,
//
//	v(y) = min { q_s'x : rows of s, cutting planes, z = y, x continuous } <= Q_s(y),
//
// and with the reduced costs d of z at a point y*, the cut theta_s >= v(y*) + d'(y - y*) holds for every y in the box.
// The planes are those of package bnb/cuts, separated at the optimum of the linear program. Parametric Gomory cuts
// (Gade, Kucukyavuz, Sen 2014) are of this kind; here all separators of bnb take part.

// Sizes of the loop of cutting planes of a scenario at a point. These were not tuned.
const (
	sharpRounds = 10      // solves of the linear program
	sharpCuts   = 100     // planes of a round
	sharpWork   = 2e7     // of the separators in a round, in units of bnb/cuts
	sharpGain   = 1e-5    // relative: by how much a round has to raise the value for another one
	sharpKept   = 1 << 24 // entries of planes of all scenarios together up to which they are kept
)

// row is a cutting plane of a scenario: value'x[index] <= upper, over the columns of the skeleton.
type row struct {
	index []int32
	value []float64
	upper float64
}

// sharpening has the cutting planes of the scenarios that hold at every design.
type sharpening struct {
	rows [][]row // by scenario
}

// addTo adds the cutting planes to the deterministic equivalent, in which the recourse columns of a scenario follow
// each other after the first-stage columns.
func (h *sharpening) addTo(m *lp.Model, first int) {
	if len(h.rows) == 0 {
		return
	}
	recourse := (len(m.Cols) - first) / len(h.rows)
	for s, rows := range h.rows {
		for _, r := range rows {
			index := slices.Clone(r.index)
			for k, j := range index {
				if int(j) >= first {
					index[k] = j + int32(s*recourse)
				}
			}
			m.AddRow(lp.Row{Lower: math.Inf(-1), Upper: r.upper}, index, r.value)
		}
	}
}

// scenarioLP is the linear program of a scenario in the form that separators use.
type scenarioLP struct{ *simplex.Solver }

// Rows returns the number of rows, with the cutting planes.
func (l scenarioLP) Rows() int { return l.NumRows() }

// Row returns a row of the scenario, or a cutting plane after those.
func (l scenarioLP) Row(i int) cuts.Row {
	index, value := l.Solver.Row(lp.Con(i))
	lower, upper := l.RowBounds(lp.Con(i))
	return cuts.Row{Index: index, Value: value, Lower: lower, Upper: upper}
}

// Multipliers sets y to the multipliers of the rows that make the tableau row of column j; false where it is not basic.
func (l scenarioLP) Multipliers(j int32, y []float64) bool {
	return l.ColStatus(lp.Var(j)) == simplex.Basic && l.BInvRow(int(j), y) == nil
}

// separated returns the model of a scenario in the form that separators use, for designs in a box.
func separated(m *lp.Model, in box) (*cuts.Model, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	out := &cuts.Model{ByCol: a, ByRow: a.Transpose()}
	for j, c := range m.Cols {
		if j < len(in.lower) {
			c.Lower = in.lower[j]
			c.Upper = in.upper[j]
		}
		if c.Integer {
			c.Lower = math.Ceil(c.Lower)
			c.Upper = math.Floor(c.Upper)
		}
		out.Integer = append(out.Integer, c.Integer)
		out.Cost = append(out.Cost, c.Cost)
		out.Lower = append(out.Lower, c.Lower)
		out.Upper = append(out.Upper, c.Upper)
	}
	for _, r := range m.Rows {
		out.RowLower = append(out.RowLower, r.Lower)
		out.RowUpper = append(out.RowUpper, r.Upper)
	}
	return out, nil
}

// sharpen returns the cut of a scenario's linear program at a point, with cutting planes that hold for designs in a
// box: those that are given, and others that it adds. It returns those that are tight at the end too. There is no cut
// (and no multipliers in it) where the program has no solution.
func sharpen(ctx context.Context, m *lp.Model, in box, at []float64, given []row) (cut plane, tight []row, err error) {
	// The linear program, with the copy of the first stage fixed to the point.
	relaxed := within(m, box{at, at})
	setCosts(relaxed, make([]float64, len(at)))
	for j := range relaxed.Cols {
		relaxed.Cols[j].Integer = false
	}
	s, err := simplex.New(relaxed, simplex.DefaultOptions())
	if err != nil {
		return plane{}, nil, prefixed(err)
	}
	for _, r := range given {
		s.AddRow(math.Inf(-1), r.upper, r.index, r.value)
	}

	// The separators come into play where the solution is fractional.
	var gen *cuts.Generator
	last := math.Inf(-1)
	for k := 0; ; k++ {
		res, err := s.Solve(ctx, simplex.NoLimits())
		if err != nil {
			return plane{}, nil, prefixed(err)
		}
		if res.Status != lp.Optimal {
			return plane{}, given, ctx.Err()
		}

		gained := res.Objective - last
		last = res.Objective
		if k == sharpRounds || gained < sharpGain*max(1, math.Abs(last)) {
			break
		}
		x := slices.Clone(s.X())
		fractional := fractionalOf(m, x)
		if len(fractional) == 0 {
			break
		}
		if gen == nil {
			model, err := separated(m, in)
			if err != nil {
				return plane{}, nil, prefixed(err)
			}
			gen = cuts.New(model, scenarioLP{s}, cuts.DefaultOptions())
		}
		found, _ := gen.Separate(x, fractional, cuts.Limits{Cuts: sharpCuts, Work: sharpWork})
		if len(found) == 0 {
			break
		}
		for _, c := range found {
			s.AddRow(math.Inf(-1), c.Upper, c.Index, c.Value)
		}
	}

	// The value falls by the multipliers as the columns grow.
	cut = plane{pi: negative(s.ReducedCost()[:len(at)]), at: last - slackness(s, len(at)), z: at}
	cut.low = cut.at + dot(cut.pi, at)
	for i := len(m.Rows); i < s.NumRows(); i++ {
		if s.RowStatus(lp.Con(i)) != simplex.Basic {
			index, value := s.Row(lp.Con(i))
			_, upper := s.RowBounds(lp.Con(i))
			tight = append(tight, row{slices.Clone(index), slices.Clone(value), upper})
		}
	}
	return cut, tight, nil
}

// slackness returns by how much the dual objective lies below the objective, since multipliers may have the wrong sign
// within the tolerances: nothing at an exact optimum. The first columns are fixed and do not count.
func slackness(s *simplex.Solver, first int) (sum float64) {
	// A multiplier above 0 prices a column or row at its lower side.
	below := func(multiplier, at, lower, upper float64) float64 {
		side := lower
		if multiplier < 0 {
			side = upper
		}
		if multiplier == 0 || math.IsInf(side, 0) {
			return 0
		}
		return multiplier * (at - side)
	}

	x := s.X()
	for j, d := range s.ReducedCost() {
		if j >= first {
			lower, upper := s.ColBounds(lp.Var(j))
			sum += below(d, x[j], lower, upper)
		}
	}
	activity := s.RowActivity()
	for i, v := range s.RowDual() {
		lower, upper := s.RowBounds(lp.Con(i))
		sum += below(v, activity[i], lower, upper)
	}
	return sum
}

// fractionalOf lists the integer columns whose value is fractional.
func fractionalOf(m *lp.Model, x []float64) []int32 {
	var out []int32
	for j, c := range m.Cols {
		if c.Integer && math.Abs(x[j]-math.Round(x[j])) > 1e-6 {
			out = append(out, int32(j))
		}
	}
	return out
}

// sharpen adds the cuts of linear programs with cutting planes at a point that cut off another one, the master's, and
// reports whether there is one.
func (t *tree) sharpen(ctx context.Context, n *node, at, y, theta []float64) (added bool, err error) {
	planes := make([]plane, len(t.p.weight))
	err = t.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			m, err := t.models.of(s)
			if err != nil {
				return err
			}
			cut, tight, err := sharpen(ctx, m, n.box, at, t.sharp.rows[s])
			if err != nil {
				return err
			}
			planes[s] = cut
			if n.depth == 0 {
				t.sharp.rows[s] = tight
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}

	// What was derived in the box of the root holds everywhere.
	local := n.depth > 0
	n.cuts = slices.Clip(n.cuts)
	for _, c := range t.cuts(planes, t.groups) {
		if c.Violated(y, theta, t.o.Violation) {
			t.add(&c, local)
			t.counts.User++
			added = true
			if local {
				n.cuts = append(n.cuts, c)
			}
		}
	}
	return added, nil
}
