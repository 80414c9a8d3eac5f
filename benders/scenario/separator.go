package scenario

import (
	"context"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
)

// Separator makes a cut for each group of scenarios, or feasibility cuts. It implements benders.Separator; it is for one
// goroutine, and uses more itself.
type Separator struct {
	*engine
	groups [][]int // scenarios of each epigraph
}

// Name implements benders.Separator.
func (s *Separator) Name() string { return "exact" }

// Separate implements benders.Separator.
func (s *Separator) Separate(ctx context.Context, pt benders.Point) (benders.Separation, error) {
	if len(pt.Y) != len(s.p.master.Cols) {
		return benders.Separation{}, fmt.Errorf("scenario: %w: a point with %d columns", twostage.ErrProblem, len(pt.Y))
	}
	failed, err := s.solve(ctx, pt.Y)
	if err != nil {
		return benders.Separation{}, err
	}
	if len(failed) > 0 {
		return s.infeasible(failed), nil
	}
	out := benders.Separation{Exact: true}
	for g := range s.groups {
		s.group(g, pt.Y, &out)
	}
	return out, nil
}

// group adds the cut of a group of scenarios that are all solved.
func (s *Separator) group(g int, y []float64, out *benders.Separation) {
	w := s.p.scenarios.NewWeighted()
	q := 0.0
	for _, k := range s.groups[g] {
		a := &s.answers[k]
		q += s.p.weight[k] * a.value
		w.Add(s.p.weight[k], &a.cut)
	}
	cut, ok := w.Cut(g)
	if !ok {
		out.Exact, out.Value = false, math.Inf(-1)
		return
	}
	v := cut.ValueDown(y)
	out.Value += v
	out.Exact = out.Exact && v >= q-exactness*max(1, math.Abs(q))
	out.Cuts = append(out.Cuts, cut)
}

// exactness is how far, relative, a certified value may be below that of the linear programs and still be called exact.
const exactness = 1e-6

// infeasible returns the feasibility cuts of scenarios, as far as they are proven.
func (s *Separator) infeasible(failed []int) benders.Separation {
	out := benders.Separation{Value: math.Inf(-1)}
	for _, k := range failed {
		if a := &s.answers[k]; !math.IsNaN(a.cut.Alpha) {
			out.Infeasible = true
			out.Cuts = append(out.Cuts, a.cut)
		}
	}
	return out
}

// Recourse fills q with the recourse cost of each group at y and reports whether all scenarios have a recourse.
func (s *Separator) Recourse(ctx context.Context, y, q []float64) (feasible bool, err error) {
	failed, err := s.solve(ctx, y)
	if err != nil || len(failed) > 0 {
		return false, err
	}
	for g, group := range s.groups {
		q[g] = 0
		for _, k := range group {
			q[g] += s.p.weight[k] * s.answers[k].value
		}
	}
	return true, nil
}
