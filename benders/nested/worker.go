package nested

import (
	"context"
	"fmt"
	"sync"

	"github.com/proxybd/proxybd/internal/replay"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Worker works the stage programs of a problem for a run in another process. Its methods may be called from several
// goroutines, for one section by one at a time.
type Worker struct {
	p       *stoch.Multistage
	mu      sync.Mutex
	layouts map[int]*layout // by Options.Parts
}

// NewWorker returns a worker for a program, which must be that of the run.
func NewWorker(p *stoch.Multistage) *Worker { return &Worker{p: p, layouts: make(map[int]*layout)} }

// layout returns the layout of the program with at most as many parts of a future.
func (w *Worker) layout(parts int) (*layout, error) {
	if parts < 0 {
		return nil, fmt.Errorf("%w: Parts = %d", ErrOptions, parts)
	}
	parts = min(parts, len(w.p.Nodes)) // A future has no more arcs.
	w.mu.Lock()
	defer w.mu.Unlock()
	if l := w.layouts[parts]; l != nil {
		return l, nil
	}
	l, err := newLayout(w.p, parts)
	if err == nil {
		w.layouts[parts] = l
	}
	return l, err
}

// Hold returns a section that has done nothing. It needs no data.
func (w *Worker) Hold(key uint64, _ []byte) (any, error) {
	if key == 0 || key > sections {
		return nil, fmt.Errorf("nested: section %d of %d", key, sections)
	}
	return &replay.State[*operation, *section]{
		New:  func(int) (*section, error) { return &section{worker: w, number: int(key) - 1}, nil },
		Read: readOperation,
		Do:   func(ctx context.Context, s *section, op *operation) ([]byte, error) { return s.do(ctx, op) },
	}, nil
}

// Work does the operations of a payload that the section has not done yet, and returns the answer of the last one.
func (w *Worker) Work(ctx context.Context, state any, payload []byte) ([]byte, error) {
	s, ok := state.(*replay.State[*operation, *section])
	if !ok {
		return nil, fmt.Errorf("nested: a state of type %T", state)
	}
	out, err := s.Work(ctx, payload)
	if err != nil {
		return nil, fmt.Errorf("nested: %w", err)
	}
	return out, nil
}

// section has the stage programs of a part of the groups, and the pools of their futures.
type section struct {
	worker   *Worker
	number   int
	programs *programs // nil before the first operation
	of       []int     // section of each group
}

// do does an operation.
func (s *section) do(ctx context.Context, op *operation) ([]byte, error) {
	if s.programs == nil {
		l, err := s.worker.layout(op.parts)
		if err != nil {
			return nil, err
		}
		s.programs = newPrograms(l, op.seed)
		s.of = l.sectionOf()
	}
	if !s.fits(op) {
		return nil, fmt.Errorf("an operation of another section or program")
	}
	for _, b := range op.bases {
		s.programs.bases[b.period] = b.basis
	}
	for _, c := range op.cuts {
		s.programs.pools[c.future].add(*c.cut)
	}

	// Programs that were interrupted are dropped with the error.
	out, err := s.programs.solve(ctx, 1, op.tasks)
	if err != nil {
		return nil, err
	}
	for k := range out {
		if out[k].status.Limited() {
			return nil, fmt.Errorf("a linear program ended by %v: %w", out[k].status, context.Cause(ctx))
		}
	}
	return encodeOutcomes(out), nil
}

// fits reports whether an operation is one of the section: its numbers are read as positions.
func (s *section) fits(op *operation) bool {
	l := s.programs.layout
	ok := true
	for _, b := range op.bases {
		ok = ok && b.period >= 0 && int(b.period) < len(l.periods)
	}
	for _, c := range op.cuts {
		ok = ok && c.future >= 0 && int(c.future) < len(l.futures) && c.cut.fits(l, c.future)
	}
	for k := range op.tasks {
		t := &op.tasks[k]
		ok = ok && t.node >= 0 && int(t.node) < len(l.p.Nodes) && s.of[l.groupOf[t.node]] == s.number &&
			len(t.z) == len(l.periods[l.p.Nodes[t.node].Period].state) && finite(t.z)
	}
	return ok
}

// fits reports whether the cut is one of a future.
func (c *cut) fits(l *layout, future int32) bool {
	f := &l.futures[future]
	return c.part >= -1 && c.part < f.parts && c.affine.fits(l, f.period+1)
}

// fits reports whether the function is one of the state of a period.
func (a *affine) fits(l *layout, period int32) bool {
	return len(a.beta) == len(l.periods[period].state) && finite(a.beta) && finite([]float64{a.alpha})
}

// fits returns an error unless the outcome can be one of a task.
func (o *outcome) fits(l *layout, t *task) error {
	period := l.p.Nodes[t.node].Period
	q := &l.periods[period]
	of := func(list []float64, n int) bool { return list == nil || len(list) == n }
	columns := len(q.own) + len(q.state)
	ok := of(o.next, len(q.next)) && of(o.own, len(q.own)) && (!o.certified || len(o.lower.beta) == len(q.state))
	if o.point != nil {
		ok = ok && len(o.point) >= columns
	}
	if o.status == lp.Optimal && !t.feasible {
		ok = ok && len(o.next) == len(q.next) && (t.node != 0 || len(o.own) == len(q.own))
	}
	if !ok {
		return fmt.Errorf("an outcome of another program in period %d", period+1)
	}
	return nil
}
