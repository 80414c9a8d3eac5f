package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/digest"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// EvalOptions steer Evaluate. Start from DefaultEvalOptions.
type EvalOptions struct {
	Jobs
	Specs []Spec

	// Held-out instances a shape at most; 0 for all.
	Limit int

	// Limits of a run, and the seed of everything random in it.
	TimeLimit time.Duration
	Gap       float64
	Seed      uint64

	// Times that a run of under a second is repeated, for its time.
	Repeats int

	// The version of the program, for the records.
	Version string
}

// DefaultEvalOptions returns the defaults: the four methods at gap 1e-4 under an hour (paper, section 5.1).
func DefaultEvalOptions() EvalOptions {
	return EvalOptions{Jobs: allJobs, Specs: DefaultSpecs, TimeLimit: time.Hour, Gap: 1e-4, Seed: 1, Repeats: 3}
}

// Evaluate solves the held-out instances of the shard by every method and appends a record each. What has a record
// without an error in any file of the folder, by the same model, is skipped. A run whose context is cancelled
// leaves no record; Evaluate then returns the context's error.
func (e *Experiment) Evaluate(ctx context.Context, o EvalOptions) error {
	dir, err := e.folder("results")
	if err != nil {
		return err
	}

	// Each shard has a file of its own, which only this process appends to.
	v := evaluation{Experiment: e, o: o, path: filepath.Join(dir, o.Shard.file("eval", "jsonl")),
		models: map[modelKey]*loaded{}}
	v.host, _ = os.Hostname()

	// The lock keeps a second process from the same shard. The file is there for the lock alone, and stays empty.
	held, err := openLocked(v.path + ".lock")
	if err != nil {
		return err
	}
	defer held.Close()

	// The plan reads all files of the folder, so that runs of other shards are not repeated.
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

// evaluation is a running Evaluate.
type evaluation struct {
	*Experiment
	o EvalOptions

	// The file of the shard, and the name of the machine.
	path string
	host string

	jobs   []evalJob
	models map[modelKey]*loaded
	ev     Event // what has been done so far
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
	hash    string  // SHA-256 of the file
	seconds float64 // that loading took
}

// key identifies a run, which is not repeated.
type key struct{ id, hash, method, model string }

// plan lists the jobs.
func (v *evaluation) plan() error {
	records, _, err := v.Records()
	if err != nil {
		return err
	}

	// Runs that ended in an error are done again.
	done := map[key]bool{}
	for k := range records {
		if r := &records[k]; r.Status != "error" {
			done[key{r.ID, r.Hash, r.Method, r.Model}] = true
		}
	}

	// The k-th instance belongs to one shard. The limit counts the instances of a shape, whoever does them.
	perShape := map[Shape]int{}
	for k, in := range v.Manifest.Entries(v.o.Shapes, Test) {
		shape := Shape{in.Family, in.Shape}
		perShape[shape]++
		number := perShape[shape]
		beyond := v.o.Limit > 0 && number > v.o.Limit
		if beyond || !v.o.Shard.owns(k) {
			continue
		}

		// The order of the methods rotates, so that each one runs first, with cold caches, on some instances.
		job := evalJob{entry: in}
		for i := range v.o.Specs {
			s := v.o.Specs[(i+number-1)%len(v.o.Specs)]
			// The model is part of what identifies a run: a new network is a new run.
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

	v.o.report(&v.ev, "eval: %d runs to do, %d are there", v.ev.Total, v.ev.Skipped)
	return nil
}

// model loads the model of a shape once, if the method needs one, and makes its control.
func (v *evaluation) model(s Shape, spec Spec) (*loaded, error) {
	if !spec.learned() {
		// An empty model has an empty hash.
		return &loaded{}, nil
	}

	at := modelKey{s, spec.preset(), spec.Control}
	if m := v.models[at]; m != nil {
		return m, nil
	}

	// A control is made of the trained model, which is loaded once for all of them.
	var m *loaded
	var err error
	if spec.Control == proxy.Trained {
		m, err = v.load(s, spec.preset())
	} else {
		m, err = v.control(s, spec)
	}

	// A model that could not be loaded is tried again for the next instance.
	if err == nil {
		v.models[at] = m
	}
	return m, err
}

// control makes a control of the model of a shape.
func (v *evaluation) control(s Shape, spec Spec) (*loaded, error) {
	// The hash and the time of loading are those of the trained model.
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
	// The hash of the file goes into each record of the model.
	hash, err := digest.File(path)
	for _, other := range families.Presets[1:] {
		// Only the default preset may be replaced, since a run of the paper needs the paper's network.
		if errors.Is(err, os.ErrNotExist) && p == families.Presets[0] {
			path = v.modelPath(s, other, ".safetensors")
			hash, err = digest.File(path)
		}
	}

	// Without any model the stage train has not been run.
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
	// An instance whose runs are all there need not be made.
	if len(job.specs) == 0 {
		return nil
	}

	// The instance is made again from its base and its seed.
	in, err := v.Instance(job.entry)
	if err != nil {
		return err
	}

	for _, spec := range job.specs {
		m, err := v.model(Shape{job.entry.Family, job.entry.Shape}, spec)
		// A missing model ends the stage, since it would be missing for every instance.
		if err != nil {
			return err
		}
		r, err := v.run(ctx, in, job.entry, spec, m)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, decompose.ErrUnsupported):
			// The method does not exist in the family, such as a start in one without heuristics.
			v.ev.Skipped++
			v.o.report(&v.ev, "%s %s: %v", job.entry.ID, spec, err)
			continue
		}

		// Other errors are results: the record has them.
		if err := jsonl.Append(v.path, r); err != nil {
			return err
		}
		v.ev.Done++
		text := fmt.Sprintf("%s %s: %s, cost %.6g, %.2fs, %d cuts", r.ID, r.Method, r.Status, float64(r.TrueCost),
			float64(r.Seconds), r.Cuts.Total())
		if r.Message != "" {
			text += ": " + r.Message
		}
		v.o.report(&v.ev, "%s", text)
	}
	return nil
}

// Records reads the records of all files of the folder, by file name and then in their order.
func (e *Experiment) Records() (records []Record, broken int, err error) {
	paths, err := filepath.Glob(filepath.Join(globQuote(e.Dir), "results", "*.jsonl"))
	if err != nil {
		return nil, 0, err
	}

	// The order of the files decides which of two records of a run is the later one.
	slices.Sort(paths)
	for _, path := range paths {
		// The file is opened within the folder, so that no link leads out of it.
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
