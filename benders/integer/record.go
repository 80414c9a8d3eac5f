package integer

import (
	"context"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// A record of a run is a tree over the first stage, whose leaves rest on cuts of single scenarios, each an epigraph of
// its own. Whatever a cut theta_s >= a + b'y comes from, it says that p_s q_s'x - b'y is at least a at every point (y,
// x) of the mixed-integer program of the scenario, and a tree over this program proves it. Slopes are those that the
// run uses too; the constant is what the tree proves.

// prover makes the cuts of a record.
type prover struct {
	*pricer
	run    *run
	data   *record.Model
	layout layout
	blocks []*block
	dual   *lagrangian // nil until it is needed
	bump   *separator
}

// layout is where a scenario stands in the deterministic equivalent.
type layout struct {
	first    int   // columns of the first stage
	recourse int   // columns of a scenario
	rowAt    []int // of a row of the skeleton: its number there, or that in the first scenario
	own      []bool
	rows     int // rows of a scenario
}

// col returns the column of the equivalent that column j of scenario s is.
func (l *layout) col(s, j int) int {
	if j >= l.first {
		j += s * l.recourse
	}
	return j
}

// row returns the row of the equivalent that row i of scenario s is.
func (l *layout) row(s, i int) int {
	if l.own[i] {
		return l.rowAt[i] + s*l.rows
	}
	return l.rowAt[i]
}

// block is the mixed-integer program of a scenario, with the rows of split.go after the given ones.
type block struct {
	bounder *prove.Bounder
	model   *lp.Model
	costs   []float64     // of the recourse, weighted; zero for the first stage
	rows    [][]term      // the coefficients of each row
	derived map[int]int32 // number in the record of a row of split.go, by its number in the model
}

// proof is the certificate of a cut: the tree of its scenario.
type proof struct {
	kind         benders.Kind
	scenario     int
	tree         []record.Node
	lower, upper []float64 // the box that the cut holds in, nil for all designs
}

// Kind implements benders.Certificate.
func (c *proof) Kind() benders.Kind { return c.kind }

// Vector implements benders.Certificate. A tree is no vector.
func (c *proof) Vector() []float64 { return nil }

// Holds implements prove.Local.
func (c *proof) Holds(lower, upper []float64) bool {
	for j := range c.lower {
		if lower[j] < c.lower[j] || upper[j] > c.upper[j] {
			return false
		}
	}
	return true
}

// record returns the program as the data of a record: the deterministic equivalent, minimised, with a block for each
// scenario.
func (p *Problem) record() (*record.Model, layout, error) {
	given := p.given
	m, err := given.Extensive()
	if err != nil {
		return nil, layout{}, prefixed(err)
	}
	m.Minimize()
	a, err := m.Matrix()
	if err != nil {
		return nil, layout{}, prefixed(err)
	}
	first, err := given.FirstRows()
	if err != nil {
		return nil, layout{}, prefixed(err)
	}

	// Rows of the first stage come first, then those of each scenario.
	l := layout{first: given.First, recourse: len(given.Core.Cols) - given.First}
	shared := 0
	for _, is := range first {
		if is {
			shared++
		}
	}
	k := 0
	for _, is := range first {
		l.own = append(l.own, !is)
		if is {
			l.rowAt = append(l.rowAt, k)
			k++
		} else {
			l.rowAt = append(l.rowAt, shared+l.rows)
			l.rows++
		}
	}

	data := twostage.RecordOf(m, a.Transpose(), given.First, func(j int) int { return (j - given.First) / l.recourse })
	data.Maximize = p.Maximize
	return &data, l, nil
}

// data is the program as a record holds it.
func (r *run) data() any {
	data, _, err := r.p.record()
	if err != nil { // New has validated the program
		panic(err)
	}
	return *data
}

// subject returns what a recorded run needs.
func (r *run) subject(ctx context.Context, _ bool) (*prove.Subject, error) {
	prices, err := r.prices()
	if err != nil {
		return nil, err
	}
	p := &prover{pricer: prices, run: r, bump: &separator{pricer: prices}}
	if p.data, p.layout, err = r.p.record(); err != nil {
		return nil, err
	}
	groups := make([][]int, len(r.p.weight))
	for s := range r.p.weight {
		groups[s] = []int{s}
		b, err := p.block(s)
		if err != nil {
			return nil, err
		}
		p.blocks = append(p.blocks, b)
	}

	// The least cost of each scenario bounds its epigraph.
	lower := make([]float64, len(groups))
	cuts := make([]benders.Cut, len(groups))
	err = p.each(func(c *chunk) error {
		for _, s := range c.scenarios {
			like := benders.Cut{Theta: s, Alpha: math.Inf(1)}
			cut, err := p.prove(ctx, s, like, nil)
			if err != nil {
				return err
			}
			cuts[s] = cut
			lower[s] = cut.Alpha
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	out := &prove.Subject{
		Data:      p.data,
		Label:     prove.Label{Hash: p.data.Hash()},
		Separator: p,
		Lower:     cuts,
		Problem: &benders.Problem{
			Name:       r.p.Name,
			Master:     r.p.master,
			Epigraphs:  len(groups),
			ThetaLower: lower,
			Recourse:   r.recourse(prices, groups),
		},
		Certify:  p.certify,
		Recourse: p.solution,
		Solve:    r.solve,
	}
	if !r.p.binary {
		out.Local = p.local
	}
	return out, nil
}

// solve is the run itself, as a minimisation.
func (r *run) solve(ctx context.Context, o benders.Options) (*benders.Result, error) {
	own := r.o
	own.Benders = o
	own.Benders.Recorder = nil
	own.Certified = false
	out, err := decompose.Solve(ctx, r.p.Program(), own)
	if err == nil && r.p.Maximize {
		out.Objective = -out.Objective
		out.Bound = -out.Bound
		out.Terminal = -out.Terminal
	}
	return out, err
}

// block makes the program of a scenario.
func (p *prover) block(s int) (*block, error) {
	m, err := p.model(s)
	if err != nil {
		return nil, err
	}

	// The costs are those of the record, weighted by the probability; the first stage has none here.
	b := &block{
		model:   m,
		costs:   make([]float64, len(m.Cols)),
		rows:    make([][]term, len(m.Rows)),
		derived: make(map[int]int32),
	}
	for j := p.p.tight.First; j < len(m.Cols); j++ {
		b.costs[j] = p.data.Cost[p.layout.col(s, j)]
	}

	// The rows by their terms, from which derived rows are made.
	a, err := m.Matrix()
	if err != nil {
		return nil, prefixed(err)
	}
	for j := range m.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			b.rows[i] = append(b.rows[i], term{int32(j), value[k]})
		}
	}
	b.bounder, err = prove.NewBounder(m, proofNodes)
	return b, err
}

// certify adds its proof to a cut of the record, and to the data the rows that it rests on.
func (p *prover) certify(c *benders.Cut, to *record.Cut) {
	own := c.Certificate.(*proof)
	if own.kind == benders.Feasibility {
		to.Case = own.scenario
	}
	to.Proof = p.placed(own.scenario, own.tree)
	for j := range own.lower {
		to.Box = append(to.Box, record.Domain{Column: j, Lower: record.Number(own.lower[j]),
			Upper: record.Number(own.upper[j])})
	}
}

// placed returns the tree of a scenario in the numbers of the record. The tree itself does not change: the prover may
// ask for the certificate of a cut before the record does.
func (p *prover) placed(s int, tree []record.Node) []record.Node {
	out := slices.Clone(tree)
	for k := range out {
		if out[k].Split >= 0 {
			out[k].Split = p.layout.col(s, out[k].Split)
		}
		out[k].Rows = slices.Clone(out[k].Rows)
		out[k].Weights = slices.Clone(out[k].Weights)
		out[k].Exact = slices.Clone(out[k].Exact)
		for i, row := range out[k].Rows {
			if int(row) < len(p.layout.own) {
				out[k].Rows[i] = int32(p.layout.row(s, int(row)))
				continue
			}

			// The rows of split.go have an upper side alone, the derived ones of a record a lower side.
			out[k].Rows[i] = p.derive(s, int(row))
			out[k].Weights[i] = -out[k].Weights[i]
			if len(out[k].Exact) > 0 {
				out[k].Exact[i] = negated(out[k].Exact[i])
			}
		}
	}
	return out
}

// negated returns a number in the notation of a record with the other sign.
func negated(text string) string {
	switch {
	case text == "":
		return ""
	case text[0] == '-':
		return text[1:]
	}
	return "-" + text
}
