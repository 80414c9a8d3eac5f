package experiment

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// run solves an instance by a method, several times if that takes little time, and prices the design. An error is in
// the record too.
func (v *evaluation) run(ctx context.Context, in families.Instance, entry Entry, spec Spec, m *loaded) (*Record,
	error) {
	r := &Record{
		Schema:      Schema,
		Kind:        "eval",
		ID:          entry.ID,
		Family:      entry.Family,
		Shape:       entry.Shape,
		Hash:        entry.Hash,
		Method:      spec.String(),
		Model:       m.hash,
		Version:     v.o.Version,
		Host:        v.host,
		Started:     time.Now().UTC().Format(time.RFC3339),
		Seed:        v.o.Seed,
		TimeLimit:   seconds(v.o.TimeLimit),
		GapGoal:     jsonl.Number(v.o.Gap),
		LoadSeconds: jsonl.Number(m.seconds),
	}

	// Numbers that the run does not give are NaN, which is null in the file.
	for _, p := range []*jsonl.Number{&r.Objective, &r.Bound, &r.Gap, &r.TrueCost, &r.Terminal, &r.Seconds} {
		*p = jsonl.Number(nan)
	}
	runs, err := v.repeat(ctx, in, spec, m.model)
	if err != nil {
		r.fail(err)
		return r, err
	}

	// The median run counts, the faster one of two in the middle.
	first := &runs[0]
	// Runs with the same seed must agree: a difference is noted in the record.
	for k := range runs {
		r.Unstable = r.Unstable || !first.same(&runs[k])
	}
	slices.SortFunc(runs, func(a, b timedRun) int { return cmp.Compare(a.elapsed, b.elapsed) })
	mid := &runs[(len(runs)-1)/2]
	// What the parts do not cover of the time of the run is other time.
	mid.result.Parts.Fill(mid.elapsed)
	r.fill(mid.result)
	r.Seconds = jsonl.Number(mid.elapsed.Seconds())
	r.Repeats = len(runs)
	r.Trace = mid.trace
	r.PeakMemory = mid.peak
	// Without a design there is nothing to price.
	if mid.result.Design == nil {
		return r, nil
	}

	// The design is priced exactly after the timed run, whatever the run says that it costs.
	cost, feasible, err := pipeline.Price(ctx, in, mid.result.Design)
	if err != nil {
		r.fail(err)
		return r, nil
	}
	r.Feasible = feasible
	if feasible {
		r.TrueCost = jsonl.Number(cost)
		// The explanation refers to the exact cost of the design.
		if err := r.explain(ctx, in, mid.accepted); err != nil {
			r.fail(err)
		}
	}
	return r, nil
}

// explain prices the design with which the master of a run ended, and holds its recourse cost against its certificates.
func (r *Record) explain(ctx context.Context, in families.Instance, a *benders.Accepted) error {
	if a == nil || a.Design == nil {
		return nil
	}
	cost, feasible, err := pipeline.Price(ctx, in, a.Design)
	// The design with which the master ended may have no recourse, which explains nothing.
	if err != nil || !feasible {
		return err
	}

	// What the certificates lack is the recourse cost of that design less what they certify.
	lack := cost - a.Master.Evaluate(a.Design) - a.Certified
	// The gap is relative to what the returned design costs.
	part := jsonl.Number(lack / max(math.Abs(float64(r.TrueCost)), math.SmallestNonzeroFloat64))
	r.Explained = &part
	return nil
}

// fail makes the record that of a run with an error.
func (r *Record) fail(err error) {
	r.Status = "error"
	// The message becomes one line, since a record is one.
	r.Message = strings.Join(strings.Fields(err.Error()), " ")
}

// timedRun is one run.
type timedRun struct {
	result  *benders.Result
	elapsed time.Duration // without the pricing of designs
	trace   []TracePoint
	peak    int64 // bytes

	// Of a proxy run by a scheme of the paper, what its master has accepted.
	accepted *benders.Accepted
}

// same reports whether two runs had the same results, whatever their times.
func (t *timedRun) same(u *timedRun) bool {
	a, b := t.result, u.result
	// Counts are compared first, since they differ most often.
	if a.Cuts != b.Cuts || a.Nodes != b.Nodes {
		return false
	}
	return a.Status == b.Status && a.Bound == b.Bound && slices.Equal(a.Design, b.Design)
}

// shortRun is the time below which a run is repeated.
const shortRun = time.Second

// repeat solves an instance once, or several times while the runs are short.
func (v *evaluation) repeat(ctx context.Context, in families.Instance, spec Spec,
	model *proxy.Model) (runs []timedRun, err error) {
	// Repeated runs are all with the same seed.
	for len(runs) < max(1, v.o.Repeats) {
		t, err := v.once(ctx, in, spec, model)
		if err != nil {
			return nil, err
		}

		// A run that takes long enough is timed well by itself.
		runs = append(runs, t)
		if t.elapsed > shortRun {
			break
		}
	}
	return runs, nil
}

// grace is what a run may take beyond its time limit before it is cancelled.
const grace = 30 * time.Second

// once solves an instance, with its time, trace and memory.
func (v *evaluation) once(ctx context.Context, in families.Instance, spec Spec, model *proxy.Model) (timedRun, error) {
	o := benders.DefaultOptions()
	// The trace has a point for each row of the log, which the run may write every millisecond.
	trace := newTracer()
	o.Gap = v.o.Gap
	o.TimeLimit = v.o.TimeLimit
	o.Seed = v.o.Seed
	o.Heuristic = !spec.Plain
	o.LogEvery = time.Millisecond
	o.Progress = trace.progress

	// The instance of a run by the paper's schemes is as it is, so that its points are designs of the instance.
	var accepted *benders.Accepted
	if spec.Method == decompose.Proxy && spec.preset() == families.Paper {
		p, err := in.Program()
		if err != nil {
			return timedRun{}, err
		}
		accepted = &benders.Accepted{Master: p.Model.Master()}
		o.Recorder = accepted
	}
	ctx, cancel := context.WithTimeout(ctx, min(v.o.TimeLimit, noLimit-grace)+grace)
	defer cancel()

	// The time is that of the run alone: garbage of earlier ones is collected before, and pricing comes after it.
	runtime.GC()
	resetPeak()
	began := time.Now()
	res, err := pipeline.Solve(ctx, in, decompose.Options{
		Method:  spec.Method,
		Scheme:  cmp.Or(spec.Scheme, decompose.Auto),
		Model:   model,
		Benders: o,
	})
	t := timedRun{elapsed: time.Since(began), peak: peakMemory(), result: res, accepted: accepted}
	if err != nil {
		return t, err
	}

	// The price of the design of a run that prices none itself is no part of the run.
	t.elapsed -= res.Pricing
	t.trace = trace.finish(res)
	return t, nil
}
