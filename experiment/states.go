package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// StatesOptions steer CollectStates. Start from DefaultStatesOptions.
type StatesOptions struct {
	Jobs

	// The preset that the states are for.
	Preset families.Preset

	// How the states of an instance are collected.
	States proxy.StatesOptions
}

// DefaultStatesOptions returns the defaults of a preset: the exact oracle at gap 0 (paper, section 5.1) under ten
// minutes.
func DefaultStatesOptions(p families.Preset) StatesOptions {
	o := StatesOptions{Jobs: allJobs, Preset: p, States: p.States()}
	o.States.Gap = 0
	o.States.TimeLimit = 10 * time.Minute
	return o
}

// CollectStates runs the exact oracle on the training and validation instances of the shard, and on one variant of each
// held-out base, for the score of the model, and keeps the states at which it separated (paper, section 4.2.1, stage
// 1). Instances that are in any states file of the folder are skipped. It returns the error of a cancelled context.
func (e *Experiment) CollectStates(ctx context.Context, o StatesOptions) error {
	dir, err := e.folder("states" + o.Preset.Suffix())
	if err != nil {
		return err
	}

	// Presets have folders of their own, since their states are different ones.
	name := filepath.Join("states"+o.Preset.Suffix(), o.Shard.file("states", "states"))
	if _, err := inside(e.Dir, name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}

	// The file of the shard is held by this process alone.
	w, err := AppendStates(filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return err
	}
	defer w.Close()

	// What is in any file of the folder is not collected again.
	have, err := e.collected(o.Preset)
	if err != nil {
		return err
	}
	var jobs []Entry
	ev := Event{}
	// The number of an instance in the list decides which shard it belongs to.
	for k, in := range e.Manifest.learning(o.Shapes) {
		switch {
		case !o.Shard.owns(k):
		case have[in.ID] == in.Hash:
			ev.Skipped++
		default:
			jobs = append(jobs, in)
		}
	}
	ev.Total = len(jobs)
	text := fmt.Sprintf("states: %d instances to do, %d are there", ev.Total, ev.Skipped)
	if w.Cut > 0 {
		text += fmt.Sprintf(" (an unfinished record of %d bytes was cut off)", w.Cut)
	}
	o.report(&ev, "%s", text)

	// A record is on the disk before the next instance begins.
	for _, in := range jobs {
		r, err := e.collect(ctx, in, o.States)
		if err != nil {
			return fmt.Errorf("states of %s: %w", in.ID, err)
		}
		if err := w.Append(r); err != nil {
			return err
		}
		ev.Done++
		o.report(&ev, "%s: %d states, %s in %.1fs", in.ID, len(r.States), r.Meta.Status, float64(r.Meta.Seconds))
	}
	return w.Close()
}

// collect makes the record of one instance.
func (e *Experiment) collect(ctx context.Context, entry Entry, o proxy.StatesOptions) (*StateRecord, error) {
	in, err := e.Instance(entry)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	// The seed of the instance is that of its states, whatever shard collects them.
	o.Seed = entry.Seed
	states, solved, err := pipeline.States(ctx, in, o)
	// The states of an interrupted run are not complete.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}

	r := &StateRecord{States: states, Meta: StateMeta{
		Schema:    Schema,
		ID:        entry.ID,
		Family:    entry.Family,
		Shape:     entry.Shape,
		Part:      entry.Part,
		Hash:      entry.Hash,
		Status:    solved.Status.String(),
		Objective: jsonl.Number(solved.Objective),
		Bound:     jsonl.Number(solved.Bound),
		Seconds:   jsonl.Number(time.Since(began).Seconds()),
		TimeLimit: seconds(o.TimeLimit),
	}}

	// The record has the instance itself, so that training needs nothing but the states files.
	r.Meta.File = entry.ID + "." + strings.TrimPrefix(in.Label().Ext, ".") + ".gz"
	r.Instance, err = instanceData(in, r.Meta.File)
	return r, err
}

// instanceData returns the file that the instance writes.
func instanceData(in families.Instance, name string) ([]byte, error) {
	// Families write files, by an ending that says how.
	dir, err := os.MkdirTemp("", "proxybd")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, name)
	if err := pipeline.Write(path, in); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// sample opens the instance of a record.
func (r *StateRecord) sample(f families.Family) (proxy.Sample, error) {
	dir, err := os.MkdirTemp("", "proxybd")
	if err != nil {
		return proxy.Sample{}, err
	}
	defer os.RemoveAll(dir)
	// The name comes from a file that anyone may have made.
	if !fileName(r.Meta.File) {
		return proxy.Sample{}, fmt.Errorf("%w: instance %s: file %q is not a plain file name", ErrStates, r.Meta.ID,
			r.Meta.File)
	}

	// Families read files.
	path := filepath.Join(dir, r.Meta.File)
	if err := os.WriteFile(path, r.Instance, 0o600); err != nil {
		return proxy.Sample{}, err
	}
	in, err := f.Read(path, families.ReadOptions{})
	if err != nil {
		return proxy.Sample{}, err
	}

	// The hash shows that the data was not altered.
	if in.Hash() != r.Meta.Hash {
		return proxy.Sample{}, fmt.Errorf("%w: instance %s differs from its hash", ErrStates, r.Meta.ID)
	}
	return proxy.Sample{Instance: in, States: r.States}, nil
}

// stateFiles opens all states files of a preset.
func (e *Experiment) stateFiles(p families.Preset) ([]*stateFile, error) {
	paths, err := filepath.Glob(filepath.Join(globQuote(e.Dir), "states"+p.Suffix(), "*.states"))
	if err != nil {
		return nil, err
	}

	// The order of the files is the same on every machine.
	slices.Sort(paths)
	var out []*stateFile
	for _, path := range paths {
		// A link must not lead out of the folder.
		if _, err := inside(e.Dir, filepath.Join("states"+p.Suffix(), filepath.Base(path))); err != nil {
			closeAll(out)
			return nil, err
		}
		s, err := ReadStates(path)
		if err != nil {
			closeAll(out)
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// closeAll closes files; none of them was written to.
func closeAll(files []*stateFile) {
	for _, s := range files {
		s.Close()
	}
}

// globQuote quotes the characters that have a meaning in a pattern. On Windows, where there is no quoting, the only
// ones that paths may have are brackets.
func globQuote(path string) string {
	if os.PathSeparator == '\\' {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// collected returns the hashes of the instances whose states are there, by ID.
func (e *Experiment) collected(p families.Preset) (map[string]string, error) {
	files, err := e.stateFiles(p)
	if err != nil {
		return nil, err
	}
	defer closeAll(files)
	// Of two records of an instance the later one counts.
	have := map[string]string{}
	for _, s := range files {
		for _, r := range s.Records {
			have[r.Meta.ID] = r.Meta.Hash
		}
	}
	return have, nil
}

// seconds converts a limit; none is null.
func seconds(d time.Duration) jsonl.Number {
	if d == noLimit {
		return jsonl.Number(nan)
	}
	return jsonl.Number(d.Seconds())
}

// statesOf counts the states of samples.
func statesOf(samples []proxy.Sample) (n int) {
	for _, s := range samples {
		n += len(s.States)
	}
	return n
}
