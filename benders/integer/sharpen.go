package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/bnb/cuts"
	"github.com/proxybd/proxybd/internal/parallel"
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
	sharpKept   = 1 << 24 // entries of the planes of all scenarios together that are kept at most
	sharpTrial  = 16      // scenarios that are tried first, where there are at least twice as many
	sharpPays   = 1e-4    // relative: by how much planes have to raise the value of one of these
)

// row is a cutting plane of a scenario: value'x[index] <= upper, over the columns of the skeleton.
type row struct {
	index []int32
	value []float64
	upper float64
}

// Sharpener makes cuts from linear programs of scenarios with cutting planes. It keeps the planes that hold for every
// design, so that each program begins with those of the points before. Scenarios may be used by one goroutine each.
type Sharpener struct {
	models *models
	whole  box     // of all designs
	rows   [][]row // by scenario
	room   int     // entries that the planes of a scenario may have
}

// Sharpener returns one without planes.
func (p *Problem) Sharpener() *Sharpener { return newSharpener(p, newModels(p)) }

func newSharpener(p *Problem, models *models) *Sharpener {
	return &Sharpener{
		models: models,
		rows:   make([][]row, len(p.weight)),
		room:   sharpKept / len(p.weight),
		whole:  wholeBox(p.master),
	}
}

// Cut returns the cut theta_s >= low - pi'y of scenario s at a point. It reports false where the linear program has no
// solution there.
func (h *Sharpener) Cut(ctx context.Context, s int, at []float64) (low float64, pi []float64, ok bool, err error) {
	cut, err := h.plane(ctx, s, h.whole, at, true)
	return cut.low, cut.pi, cut.pi != nil, err
}

// plane returns the cut of a scenario at a point, which holds for designs in a box; one without multipliers where the
// linear program has no solution. The planes that it adds are kept if the box is that of all designs, as keep says.
func (h *Sharpener) plane(ctx context.Context, s int, in box, at []float64, keep bool) (plane, error) {
	cut, _, err := h.solve(ctx, s, in, at, keep)
	return cut, err
}

// solve is plane, and returns by how much the planes that it adds raise the value of the linear program.
func (h *Sharpener) solve(ctx context.Context, s int, in box, at []float64, keep bool) (plane, float64, error) {
	m, err := h.models.of(s)
	if err != nil {
		return plane{}, 0, err
	}
	l, err := newSharpLP(m, in, at, h.rows[s])
	if err != nil {
		return plane{}, 0, err
	}
	cut, err := l.cut(ctx, at)
	if err == nil && keep && cut.pi != nil {
		h.rows[s] = l.tight(h.room)
	}
	return cut, l.raised, err
}

// pays reports whether planes raise the value of a scenario at a point by sharpPays. It keeps the planes.
func (h *Sharpener) pays(ctx context.Context, s int, at []float64) (bool, error) {
	cut, raised, err := h.solve(ctx, s, h.whole, at, true)
	return cut.pi != nil && raised >= sharpPays*max(1, math.Abs(cut.at)), err
}

// addTo adds the planes to the deterministic equivalent, in which the recourse columns of a scenario follow each other
// after the first-stage columns.
func (h *Sharpener) addTo(m *lp.Model) {
	first := len(h.whole.lower)
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

// sharpLP is the linear program of a scenario at a point, with cutting planes after its rows.
type sharpLP struct {
	scenarioLP
	m   *lp.Model // of the scenario, with its integer columns
	in  box       // in which the planes hold
	gen *cuts.Generator

	raised float64 // by how much the planes of cut raised the value
}

// newSharpLP returns the program with the planes that are given.
func newSharpLP(m *lp.Model, in box, at []float64, given []row) (*sharpLP, error) {
	// The copy of the first stage is fixed to the point, and costs nothing.
	relaxed := within(m, box{at, at})
	setCosts(relaxed, make([]float64, len(at)))
	for j := range relaxed.Cols {
		relaxed.Cols[j].Integer = false
	}
	s, err := simplex.New(relaxed, simplex.DefaultOptions())
	if err != nil {
		return nil, prefixed(err)
	}
	for _, r := range given {
		s.AddRow(math.Inf(-1), r.upper, r.index, r.value)
	}
	return &sharpLP{scenarioLP: scenarioLP{s}, m: m, in: in}, nil
}

// cut solves the program and adds planes as long as they raise its value.
func (l *sharpLP) cut(ctx context.Context, at []float64) (plane, error) {
	value := math.Inf(-1)
	for k := 0; ; k++ {
		res, err := l.Solve(ctx, simplex.NoLimits())
		if err != nil {
			return plane{}, prefixed(err)
		}
		if res.Status != lp.Optimal {
			return plane{}, ctx.Err()
		}

		// A round that gains little is the last one.
		gain := res.Objective - value
		value = res.Objective
		if k > 0 {
			l.raised += gain
		}
		if k == sharpRounds || gain < sharpGain*max(1, math.Abs(value)) {
			break
		}
		added, err := l.separate()
		if err != nil {
			return plane{}, err
		}
		if added == 0 {
			break
		}
	}

	// The value falls by the multipliers as the columns grow.
	out := plane{pi: negative(l.ReducedCost()[:len(at)]), at: value - slackness(l.Solver, len(at)), z: at}
	out.low = out.at + dot(out.pi, at)
	return out, nil
}

// separate adds planes that cut off the solution, and returns their number.
func (l *sharpLP) separate() (int, error) {
	x := slices.Clone(l.X())
	fractional := fractionalOf(l.m, x)
	if len(fractional) == 0 {
		return 0, nil
	}
	if l.gen == nil {
		model, err := separated(l.m, l.in)
		if err != nil {
			return 0, prefixed(err)
		}
		l.gen = cuts.New(model, l.scenarioLP, cuts.DefaultOptions())
	}

	found, _ := l.gen.Separate(x, fractional, cuts.Limits{Cuts: sharpCuts, Work: sharpWork})
	for _, c := range found {
		l.AddRow(math.Inf(-1), c.Upper, c.Index, c.Value)
	}
	return len(found), nil
}

// tight returns the planes that bear the solution, with at most that many entries.
func (l *sharpLP) tight(room int) (out []row) {
	for i := len(l.m.Rows); i < l.NumRows(); i++ {
		if l.RowStatus(lp.Con(i)) == simplex.Basic {
			continue
		}
		index, value := l.Solver.Row(lp.Con(i))
		if room -= len(index); room < 0 {
			break
		}
		_, upper := l.RowBounds(lp.Con(i))
		out = append(out, row{slices.Clone(index), slices.Clone(value), upper})
	}
	return out
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

	// The first columns are the copy of the first stage. Separators take bounds of integer columns to be integers.
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

// sharpenPays reports whether planes of a sample of the scenarios pay at the master's point. The sample is tried before
// all scenarios: on sslpv-40-50-200 planes of all took half a minute, and gave nothing.
func (t *tree) sharpenPays(ctx context.Context, y []float64) (bool, error) {
	scenarios := len(t.p.weight)
	if scenarios < 2*sharpTrial {
		return true, nil
	}
	pays := make([]bool, sharpTrial)
	err := parallel.Each(t.threads, sharpTrial, func(k int) (err error) {
		pays[k], err = t.sharp.pays(ctx, k*scenarios/sharpTrial, y)
		return err
	})
	return slices.Contains(pays, true), err
}

// sharpen adds the cuts of linear programs with cutting planes at the master's point that cut it off, and reports
// whether there is one.
func (t *tree) sharpen(ctx context.Context, n *node, y, theta []float64) (added bool, err error) {
	local := n.depth > 0
	planes := make([]plane, len(t.p.weight))
	err = t.each(func(c *chunk) (err error) {
		for _, s := range c.scenarios {
			if planes[s], err = t.sharp.plane(ctx, s, n.box, y, !local); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return false, err
	}

	// What was derived in the box of the root holds everywhere; the children of a node have its cuts too.
	n.cuts = slices.Clip(n.cuts)
	for _, c := range t.cuts(planes, t.groups) {
		if !c.Violated(y, theta, t.o.Violation) {
			continue
		}
		t.add(&c, held{local: local})
		t.counts.User++
		added = true
		if local {
			n.cuts = append(n.cuts, c)
		}
	}
	return added, nil
}
