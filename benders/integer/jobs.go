package integer

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/lp"
)

// What a run solves by scenario are jobs: the mixed-integer program of a scenario (mipTask), and a Lagrangian cut of
// it (planeTask). The result of a job depends on the job and the program alone, so that any goroutine, and any process
// that has the program, may work it. Linear relaxations at designs stay where the run is: they begin where that of the
// scenario before has ended, and take little time.

// mipTask is to solve the mixed-integer program of a scenario over its recourse and its copy of the first stage, whose
// costs are given.
type mipTask struct {
	scenario int
	in       box       // of the copy
	cost     []float64 // of its columns
	nodes    int       // of the search at most
	start    []float64 // a point in the columns of the skeleton to begin with, NaN for what is open; nil for none
}

// mipResult is what a search has found. The fields of Result that it has are Status, Objective, Bound, X and Nodes.
type mipResult struct {
	bnb.Result
	unbounded bool
}

// run solves the program; m is the model of the scenario.
func (t *mipTask) run(ctx context.Context, m *lp.Model) (mipResult, error) {
	inner := within(m, t.in)
	setCosts(inner, t.cost)
	found, err := solveMIPFrom(ctx, inner, t.nodes, t.start)
	if errors.Is(err, ErrUnbounded) {
		return mipResult{unbounded: true}, nil
	}
	return mipResult{Result: found}, err
}

// solveAll solves programs of scenarios, each of another scenario, and returns the results in their order.
func (r *pricer) solveAll(ctx context.Context, tasks []*mipTask) ([]mipResult, error) {
	if r.p.team != nil {
		return ask[mipResult](ctx, r.p.team, tasks)
	}

	out := make([]mipResult, len(tasks))
	err := parallel.Each(r.threads, len(tasks), func(k int) error {
		m, err := r.model(tasks[k].scenario)
		if err != nil {
			return err
		}
		if out[k], err = tasks[k].run(ctx, m); err != nil {
			return r.p.inScenario(tasks[k].scenario, err)
		}
		return nil
	})
	return out, err
}

// planesOf makes Lagrangian cuts, the one of each scenario by its task. A scenario without a point in the box ends the
// work on its chunk: those that follow it there have no result.
func (r *pricer) planesOf(ctx context.Context, tasks []*planeTask) ([]*planeResult, error) {
	cutOf := func(s int) (*planeResult, error) { return r.planeHere(ctx, tasks[s]) }

	// A team makes all of them, and the results that a run without it would not have are left out below.
	if r.p.team != nil {
		found, err := ask[planeResult](ctx, r.p.team, tasks)
		if err != nil {
			return nil, err
		}
		cutOf = func(s int) (*planeResult, error) { return &found[s], nil }
	}

	out := make([]*planeResult, len(tasks))
	err := r.each(func(c *chunk) (err error) {
		for _, s := range c.scenarios {
			if out[s], err = cutOf(s); err != nil || out[s].plane.infeasible {
				return err
			}
		}
		return nil
	})
	return out, err
}

// planeHere makes a Lagrangian cut in this process.
func (r *pricer) planeHere(ctx context.Context, t *planeTask) (*planeResult, error) {
	m, err := r.model(t.scenario)
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, m)
	if err != nil {
		return nil, r.p.inScenario(t.scenario, err)
	}
	return out, nil
}

// inScenario names the scenario in an error.
func (p *Problem) inScenario(s int, err error) error {
	return fmt.Errorf("integer: scenario %s: %w", p.tight.ScenarioName(s), err)
}

// WithTeam makes runs of the problem have the work on its scenarios done in the processes of a team, nil for this
// process alone, and returns the problem. The results are those without a team, bit for bit.
func (p *Problem) WithTeam(t scenario.Team) *Problem {
	p.team = t
	p.relaxed.WithTeam(t)
	return p
}

// ask has jobs worked by a team, and reads their results.
func ask[R any, P interface {
	*R
	decode(text []byte) error
}, T interface{ encode() []byte }](ctx context.Context, team scenario.Team, tasks []T) ([]R, error) {
	payloads := make([][]byte, len(tasks))
	for k, t := range tasks {
		payloads[k] = t.encode()
	}
	answers, err := team.Run(ctx, nil, payloads)
	if err != nil {
		return nil, err
	}
	out := make([]R, len(payloads))
	for k := range out {
		if err := P(&out[k]).decode(answers[k]); err != nil {
			return nil, fmt.Errorf("integer: an answer that cannot be read: %w", err)
		}
	}
	return out, nil
}

// Worker works what the processes of a team are given: the jobs of scenarios, and the chunks of the linear relaxation.
// Its methods may be called from several goroutines, for one chunk by one at a time.
type Worker struct {
	*scenario.Worker
	p      *Problem
	models *models
}

// NewWorker returns a worker for a problem, which must be that of the coordinator.
func NewWorker(p *Problem) *Worker {
	return &Worker{Worker: scenario.NewWorker(p.relaxed), p: p, models: newModels(p)}
}

// Work answers a job of a scenario, which has no state, or operations of a chunk.
func (w *Worker) Work(ctx context.Context, state any, payload []byte) ([]byte, error) {
	if state != nil {
		return w.Worker.Work(ctx, state, payload)
	}

	// What came from outside is checked before its numbers are used.
	j, err := decodeJob(payload)
	if err != nil {
		return nil, fmt.Errorf("integer: a job that cannot be read: %w", err)
	}
	if err := j.check(w.p); err != nil {
		return nil, err
	}

	m, err := w.models.of(j.scenario)
	if err != nil {
		return nil, err
	}
	var out interface{ encode() []byte }
	if j.mip != nil {
		var found mipResult
		found, err = j.mip.run(ctx, m)
		out = &found
	} else {
		out, err = j.plane.run(ctx, m)
	}
	if err != nil {
		return nil, w.p.inScenario(j.scenario, err)
	}
	return out.encode(), nil
}

// job is a job of a scenario: one of mip and plane.
type job struct {
	scenario int
	mip      *mipTask
	plane    *planeTask
}

// check reports what is wrong with a job: its numbers are read as positions and as bounds.
func (j *job) check(p *Problem) error {
	columns := len(p.tight.Core.Cols)
	n := p.tight.First
	ok := j.scenario >= 0 && j.scenario < len(p.weight)
	if t := j.mip; t != nil {
		ok = ok && t.in.valid(n) && len(t.cost) == n && allFinite(t.cost) && t.nodes >= 1 &&
			(t.start == nil || len(t.start) == columns)
	}
	if t := j.plane; t != nil {
		ok = ok && t.in.valid(n) && len(t.at) == n && allFinite(t.at) && (t.slope == nil || len(t.slope) == n) &&
			t.steps >= 1 && t.steps <= maxPlaneSteps && t.ascent.valid(n, columns)
	}
	if !ok {
		return fmt.Errorf("integer: a job of another problem")
	}
	return nil
}

// maxPlaneSteps is more than any cut takes.
const maxPlaneSteps = 1 << 16

// valid reports whether the box has n columns, and no lower bound above its upper bound.
func (b *box) valid(n int) bool {
	if len(b.lower) != n || len(b.upper) != n {
		return false
	}
	for j, l := range b.lower {
		if !(l <= b.upper[j]) {
			return false
		}
	}
	return true
}

// valid reports whether all vectors have n entries, and the point as many as there are columns.
func (a *ascent) valid(n, columns int) bool {
	ok := a.last == nil || len(a.last) == n
	ok = ok && (a.point == nil || len(a.point) == columns)
	for _, m := range a.members {
		ok = ok && len(m.z) == n
	}
	for _, pi := range a.spans {
		ok = ok && len(pi) == n
	}
	return ok
}

// allFinite reports whether no entry is infinite or NaN.
func allFinite(list []float64) bool {
	for _, v := range list {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
