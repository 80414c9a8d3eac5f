package experiment

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/digest"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// EvalOptions steer Evaluate. Start from DefaultEvalOptions.
type EvalOptions struct {
	Shard     Shard
	Shapes    []Shape // none for all
	Specs     []Spec
	Limit     int           // held-out instances a shape at most; 0 for all
	TimeLimit time.Duration // of a run
	Gap       float64
	Seed      uint64
	Repeats   int    // times that a run of under a second is repeated, for its time
	Version   string // of the program, for the records
	Notify    func(Event)
}

// DefaultEvalOptions returns the defaults: the four methods at gap 1e-4 under an hour (paper, section 5.1).
func DefaultEvalOptions() EvalOptions {
	return EvalOptions{Shard: whole, Specs: DefaultSpecs, TimeLimit: time.Hour, Gap: 1e-4, Seed: 1, Repeats: 3,
		Notify: func(Event) {}}
}

// Evaluate solves the held-out instances of the shard by every method and appends a record each. What has a record
// without an error in any file of the folder, by the same model, is skipped. A run whose context is cancelled
// leaves no record; Evaluate then returns the context's error.
func (e *Experiment) Evaluate(ctx context.Context, o EvalOptions) error {
	dir, err := e.folder("results")
	if err != nil {
		return err
	}
	v := evaluation{Experiment: e, o: o, path: filepath.Join(dir, o.Shard.file("eval", "jsonl")),
		models: map[modelKey]*loaded{}}
	v.host, _ = os.Hostname()

	// The lock keeps a second process from the same shard.
	release, err := lockPath(v.path + ".lock")
	if err != nil {
		return err
	}
	defer release()

	if err := v.plan(); err != nil {
		return err
	}
	for _, job := range v.jobs {
		if err := v.instance(ctx, job); err != nil {
			return err
		}
	}
	return nil
}

// lockPath takes a lock file for this process.
func lockPath(path string) (release func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// evaluation is a running Evaluate.
type evaluation struct {
	*Experiment
	o      EvalOptions
	path   string
	host   string
	jobs   []evalJob
	models map[modelKey]*loaded
	ev     Event
}

// evalJob is an instance with the methods that it lacks.
type evalJob struct {
	entry Entry
	specs []Spec
}

// modelKey identifies a model in memory.
type modelKey struct {
	Shape
	preset  families.Preset
	control proxy.Control
}

// loaded is a model in memory.
type loaded struct {
	model   *proxy.Model
	hash    string
	seconds float64
}

// key identifies a run, which is not repeated.
type key struct{ id, hash, method, model string }

// plan lists the jobs.
func (v *evaluation) plan() error {
	records, _, err := v.Records()
	if err != nil {
		return err
	}
	done := map[key]bool{}
	for k := range records {
		if r := &records[k]; r.Status != "error" {
			done[key{r.ID, r.Hash, r.Method, r.Model}] = true
		}
	}

	perShape := map[Shape]int{}
	for k, in := range v.Manifest.Entries(v.o.Shapes, Test) {
		shape := Shape{in.Family, in.Shape}
		perShape[shape]++
		number := perShape[shape]
		beyond := v.o.Limit > 0 && number > v.o.Limit
		if beyond || !v.o.Shard.Owns(k) {
			continue
		}

		// The order of the methods rotates, so that each one runs first, with cold caches, on some instances.
		job := evalJob{entry: in}
		for i := range v.o.Specs {
			s := v.o.Specs[(i+number-1)%len(v.o.Specs)]
			m, err := v.model(shape, s)
			if err != nil {
				return err
			}
			if done[key{in.ID, in.Hash, s.String(), m.hash}] {
				v.ev.Skipped++
			} else {
				job.specs = append(job.specs, s)
			}
		}
		v.ev.Total += len(job.specs)
		v.jobs = append(v.jobs, job)
	}

	v.ev.Text = fmt.Sprintf("eval: %d runs to do, %d are there", v.ev.Total, v.ev.Skipped)
	v.o.Notify(v.ev)
	return nil
}

// model loads the model of a shape once, if the method needs one, and makes its control.
func (v *evaluation) model(s Shape, spec Spec) (*loaded, error) {
	if !spec.learned() {
		return &loaded{}, nil
	}

	at := modelKey{s, spec.preset(), spec.Control}
	if m := v.models[at]; m != nil {
		return m, nil
	}
	var m *loaded
	var err error
	if spec.Control == proxy.Trained {
		m, err = v.load(s, spec.preset())
	} else {
		m, err = v.control(s, spec)
	}
	if err == nil {
		v.models[at] = m
	}
	return m, err
}

// control makes a control of the model of a shape.
func (v *evaluation) control(s Shape, spec Spec) (*loaded, error) {
	of := spec
	of.Control = proxy.Trained
	trained, err := v.model(s, of)
	if err != nil {
		return nil, err
	}
	m := *trained
	m.model, err = trained.model.Control(spec.Control, v.o.Seed)
	return &m, err
}

// load reads the model of a shape: that of the preset or, where the preset is the default, of another one if there is
// no other.
func (v *evaluation) load(s Shape, p families.Preset) (*loaded, error) {
	path := v.modelPath(s, p, ".safetensors")
	hash, err := digest.File(path)
	for _, other := range families.Presets[1:] {
		if errors.Is(err, os.ErrNotExist) && p == families.Presets[0] {
			path = v.modelPath(s, other, ".safetensors")
			hash, err = digest.File(path)
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: a trained model for %s (%s)", ErrMissing, s, path)
	} else if err != nil {
		return nil, err
	}

	f, err := v.family(s.Family)
	if err != nil {
		return nil, err
	}
	// A symbolic link must not lead out of the folder.
	began := time.Now()
	if _, err := inside(v.Dir, filepath.Join("models", filepath.Base(path))); err != nil {
		return nil, err
	}
	m, err := pipeline.LoadModel(f, path)
	if err != nil {
		return nil, err
	}
	return &loaded{m, hash, time.Since(began).Seconds()}, nil
}

// instance does the runs of one instance.
func (v *evaluation) instance(ctx context.Context, job evalJob) error {
	if len(job.specs) == 0 {
		return nil
	}
	in, err := v.Instance(job.entry)
	if err != nil {
		return err
	}

	for _, spec := range job.specs {
		m, err := v.model(Shape{job.entry.Family, job.entry.Shape}, spec)
		if err != nil {
			return err
		}
		r, err := v.run(ctx, in, job.entry, spec, m)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, decompose.ErrUnsupported): // such as a start in a family without heuristics
			v.ev.Skipped++
			v.ev.Text = fmt.Sprintf("%s %s: %v", job.entry.ID, spec, err)
			v.o.Notify(v.ev)
			continue
		}

		// Other errors are results: the record has them.
		if err := jsonl.Append(v.path, r); err != nil {
			return err
		}
		v.ev.Done++
		v.ev.Text = fmt.Sprintf("%s %s: %s, cost %.6g, %.2fs, %d cuts", r.ID, r.Method, r.Status, float64(r.TrueCost),
			float64(r.Seconds), r.Cuts.Total())
		if r.Message != "" {
			v.ev.Text += ": " + r.Message
		}
		v.o.Notify(v.ev)
	}
	return nil
}

// run solves an instance by a method, several times if that takes little time, and prices the design. An error is in
// the record too.
func (v *evaluation) run(ctx context.Context, in families.Instance, entry Entry, spec Spec, m *loaded) (*Record,
	error) {
	r := &Record{Schema: Schema, Kind: "eval", ID: entry.ID, Family: entry.Family, Shape: entry.Shape, Hash: entry.Hash,
		Method: spec.String(), Model: m.hash, Version: v.o.Version, Host: v.host,
		Started: time.Now().UTC().Format(time.RFC3339), Seed: v.o.Seed,
		TimeLimit: seconds(v.o.TimeLimit), GapGoal: jsonl.Number(v.o.Gap), LoadSeconds: jsonl.Number(m.seconds)}
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
	for k := range runs {
		r.Unstable = r.Unstable || !first.same(&runs[k])
	}
	slices.SortFunc(runs, func(a, b timedRun) int { return cmp.Compare(a.elapsed, b.elapsed) })
	mid := &runs[(len(runs)-1)/2]
	mid.result.Parts.Fill(mid.elapsed)
	r.fill(mid.result)
	r.Seconds = jsonl.Number(mid.elapsed.Seconds())
	r.Repeats = len(runs)
	r.Trace = mid.trace
	r.PeakMemory = mid.peak
	if mid.result.Design == nil {
		return r, nil
	}

	cost, feasible, err := pipeline.Price(ctx, in, mid.result.Design)
	if err != nil {
		r.fail(err)
		return r, nil
	}
	r.Feasible = feasible
	if feasible {
		r.TrueCost = jsonl.Number(cost)
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
	if err != nil || !feasible {
		return err
	}
	lack := cost - a.Master.Evaluate(a.Design) - a.Certified
	part := jsonl.Number(lack / max(math.Abs(float64(r.TrueCost)), math.SmallestNonzeroFloat64))
	r.Explained = &part
	return nil
}

// fail makes the record that of a run with an error.
func (r *Record) fail(err error) {
	r.Status = "error"
	r.Message = strings.Join(strings.Fields(err.Error()), " ")
}

// timedRun is one run.
type timedRun struct {
	result  *benders.Result
	elapsed time.Duration
	trace   []TracePoint
	peak    int64

	accepted *benders.Accepted // of a proxy run by a scheme of the paper
}

// same reports whether two runs had the same results, whatever their times.
func (t *timedRun) same(u *timedRun) bool {
	a, b := t.result, u.result
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
	for len(runs) < max(1, v.o.Repeats) {
		t, err := v.once(ctx, in, spec, model)
		if err != nil {
			return nil, err
		}
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
	if v.o.TimeLimit < noLimit-grace {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, v.o.TimeLimit+grace)
		defer cancel()
	}

	// The time is that of the run alone: garbage of earlier ones is collected before, and pricing comes after it.
	runtime.GC()
	resetPeak()
	began := time.Now()
	res, err := pipeline.Solve(ctx, in, decompose.Options{Method: spec.Method, Scheme: cmp.Or(spec.Scheme, decompose.Auto),
		Model: model, Benders: o})
	t := timedRun{elapsed: time.Since(began), peak: peakMemory(), result: res, accepted: accepted}
	if err != nil {
		return t, err
	}
	t.elapsed -= res.Pricing
	t.trace = trace.finish(res)
	return t, nil
}

// Records reads the records of all files of the folder, by file name and then in their order.
func (e *Experiment) Records() (records []Record, broken int, err error) {
	paths, err := filepath.Glob(filepath.Join(globQuote(e.Dir), "results", "*.jsonl"))
	if err != nil {
		return nil, 0, err
	}
	slices.Sort(paths)
	for _, path := range paths {
		f, err := os.OpenInRoot(e.Dir, filepath.Join("results", filepath.Base(path)))
		if err != nil {
			return nil, 0, err
		}
		list, bad, err := ReadRecords(f)
		f.Close()
		if err != nil {
			return nil, 0, fmt.Errorf("%s: %w", path, err)
		}
		records = append(records, list...)
		broken += bad
	}
	return records, broken, nil
}
