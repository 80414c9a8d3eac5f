package benders

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// ErrProblem is wrapped by the errors about a Problem that cannot be solved.
var ErrProblem = errors.New("invalid two-stage problem")

// master is the restricted master problem: the first-stage columns, then the epigraph columns.
type master struct {
	model     *lp.Model
	n         int   // first-stage columns
	epigraphs int   // columns behind these
	copy      *Copy // a part of the recourse with columns behind both, nil for none
}

// newMaster checks a problem and returns its master with the cuts that it begins with.
func newMaster(p *Problem) (*master, error) {
	if err := validate(p); err != nil {
		return nil, err
	}
	m := &master{model: p.Master.Clone(), n: len(p.Master.Cols), epigraphs: p.Epigraphs}
	for k := range p.Epigraphs {
		m.model.AddCol(lp.Col{Name: fmt.Sprintf("theta%d", k), Cost: 1, Lower: p.ThetaLower[k], Upper: lp.Inf})
	}
	m.addRows("initial", p.Initial)
	m.addRows("known", p.Known)
	return m, m.model.Validate()
}

// addRows adds cuts as rows that never leave the master; name and number name a row.
func (m *master) addRows(name string, cuts []Cut) {
	for i := range cuts {
		c := m.row(&cuts[i])
		m.model.AddRow(lp.Row{Name: fmt.Sprint(name, i), Lower: c.Lower, Upper: c.Upper}, c.Index, c.Value)
	}
}

// validate checks what a driver relies on; the master model is validated with its cuts.
func validate(p *Problem) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("benders: %w: %s: %s", ErrProblem, p.Name, fmt.Sprintf(format, args...))
	}
	switch {
	case p.Master == nil:
		return bad("no master model")
	case p.Master.Maximize:
		return bad("the master must be a minimisation")
	case p.Epigraphs < 1:
		return bad("%d epigraph columns", p.Epigraphs)
	case len(p.ThetaLower) != p.Epigraphs:
		return bad("%d lower bounds for %d epigraph columns", len(p.ThetaLower), p.Epigraphs)
	}
	for _, y := range p.Starts {
		if len(y) != len(p.Master.Cols) {
			return bad("a start of length %d for %d first-stage columns", len(y), len(p.Master.Cols))
		}
	}
	return nil
}

// violated returns the cuts that (y, theta) violates by more than eps, relative to their scale there.
func violated(cuts []Cut, y, theta []float64, eps float64) []Cut {
	var out []Cut
	for i := range cuts {
		if cuts[i].Violated(y, theta, eps) {
			out = append(out, cuts[i])
		}
	}
	return out
}

// row writes a cut as a row of the master.
func (m *master) row(c *Cut) bnb.Cut { return c.Row(m.n, m.epigraphs) }

// point joins a design and epigraph values into a point of the master.
func (m *master) point(y, theta []float64) []float64 {
	x := make([]float64, 0, m.n+m.epigraphs)
	return append(append(x, y...), theta...)
}
