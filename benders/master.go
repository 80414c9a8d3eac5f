package benders

import (
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// ErrProblem is wrapped by the errors about a Problem that cannot be solved.
var ErrProblem = errors.New("invalid two-stage problem")

// master is the restricted master problem: the first-stage columns, then the epigraph columns.
type master struct {
	model     *lp.Model
	n         int // first-stage columns
	epigraphs int // columns behind these
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

// row writes a cut as a master row: theta_k - beta'y >= alpha, or -beta'y >= alpha.
func (m *master) row(c *Cut) bnb.Cut {
	// An optimality cut has its slopes and one entry for each epigraph that it bounds.
	size := len(c.Index)
	switch {
	case c.Kind == Feasibility:
	case c.Theta == AllEpigraphs:
		size += m.epigraphs
	default:
		size++
	}

	r := bnb.Cut{Lower: c.Alpha, Upper: math.Inf(1), Index: make([]int32, 0, size), Value: make([]float64, 0, size)}
	for k, j := range c.Index {
		r.Index = append(r.Index, j)
		r.Value = append(r.Value, -c.Beta[k])
	}
	if c.Kind == Feasibility {
		return r
	}

	// The epigraphs of the cut have coefficients of one.
	first, last := c.Theta, c.Theta
	if c.Theta == AllEpigraphs {
		first, last = 0, m.epigraphs-1
	}
	for k := first; k <= last; k++ {
		r.Index = append(r.Index, int32(m.n+k))
		r.Value = append(r.Value, 1)
	}
	return r
}

// violated returns the cuts that (y, theta) violates by more than eps, relative to their scale there.
func violated(cuts []Cut, y, theta []float64, eps float64) []Cut {
	var out []Cut
	for i := range cuts {
		if violates(&cuts[i], y, theta, eps) {
			out = append(out, cuts[i])
		}
	}
	return out
}

// violates is violated for one cut. Scale is at least max(1, |t|), which is compared first since it is cheaper.
func violates(c *Cut, y, theta []float64, eps float64) bool {
	t := c.At(theta)
	v := c.Value(y) - t
	return v > eps*max(1, math.Abs(t)) && v > eps*c.Scale(y, t)
}

// point joins a design and epigraph values into a point of the master.
func (m *master) point(y, theta []float64) []float64 {
	x := make([]float64, 0, m.n+m.epigraphs)
	return append(append(x, y...), theta...)
}
