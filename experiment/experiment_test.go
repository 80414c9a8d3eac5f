package experiment_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/internal/runstats"
	"github.com/proxybd/proxybd/nn"
)

var all = []families.Family{cap.Family, ufl.Family}

var shapes = []experiment.Shape{{Family: "cap", Shape: "12x6"}, {Family: "ufl", Shape: "12x10"}}

func splitOptions() experiment.SplitOptions {
	o := experiment.DefaultSplitOptions()
	o.Shapes, o.MinBases, o.Train, o.Validation, o.Test = shapes, 5, 4, 2, 3
	return o
}

func statesOptions() experiment.StatesOptions {
	o := experiment.DefaultStatesOptions(families.Fast)
	o.States.Recorded, o.States.Designs = 20, 10
	return o
}

func trainOptions() experiment.TrainOptions {
	o := experiment.DefaultTrainOptions()
	o.Steps = 40
	return o
}

func evalOptions() experiment.EvalOptions {
	o := experiment.DefaultEvalOptions()
	o.TimeLimit, o.Repeats, o.Specs = time.Minute, 1, nil
	for _, text := range []string{"exact", "start", "proxy", "proxy+zero/plain", "hybrid"} {
		s, err := experiment.ParseSpec(text)
		if err != nil {
			panic(err)
		}
		o.Specs = append(o.Specs, s)
	}
	return o
}

// small makes an experiment of a few tiny instances.
func small(t *testing.T) *experiment.Experiment {
	t.Helper()
	e, err := experiment.Split(context.Background(), t.TempDir(), all, nil, splitOptions())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// run does all stages after the split, in shards.
func run(t *testing.T, e *experiment.Experiment, shards int) {
	t.Helper()
	stage := func(f func(s experiment.Shard) error) {
		t.Helper()
		for k := range shards {
			if err := f(experiment.Shard{Index: k + 1, Count: shards}); err != nil {
				t.Fatal(err)
			}
		}
	}
	stage(func(s experiment.Shard) error {
		o := statesOptions()
		o.Shard = s
		return e.CollectStates(t.Context(), o)
	})
	stage(func(s experiment.Shard) error {
		o := trainOptions()
		o.Shard = s
		return e.Train(t.Context(), o)
	})
	stage(func(s experiment.Shard) error {
		o := evalOptions()
		o.Shard = s
		return e.Evaluate(t.Context(), o)
	})
}

// outcome is all that must not depend on shards, interruptions and the time of day.
type outcome struct {
	states  map[string]string
	models  map[string]string
	records map[string]string
}

func outcomeOf(t *testing.T, e *experiment.Experiment) outcome {
	t.Helper()
	out := outcome{map[string]string{}, map[string]string{}, map[string]string{}}

	// Records of states belong to the outcome in full, except for the time that they took.
	files, err := filepath.Glob(filepath.Join(e.Dir, "states", "*.states"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		f, err := experiment.ReadStates(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range f.Records {
			if out.states[r.Meta.ID] != "" {
				t.Errorf("the states of %s are there twice", r.Meta.ID)
			}
			r.Meta.Seconds = 0
			out.states[r.Meta.ID] = fmt.Sprintf("%+v %x %v", r.Meta, r.Instance, r.States)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}

	// So do the results of trainings.
	trainings, err := e.Trainings()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range trainings {
		r.Seconds, r.Collecting = 0, 0
		for k := range r.History {
			r.History[k].Seconds = 0
		}
		out.models[r.Family+r.Shape] = fmt.Sprintf("%+v", r)
	}

	records, _, err := e.Records()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		at := r.ID + " " + r.Method

		// The parts of the time of a run add up to it.
		p := r.Parts
		sum := float64(p.Presolve + p.Master + p.Separation + p.Recourse + p.Heuristic + p.Other)
		if r.Status != "error" && math.Abs(sum-float64(r.Seconds)) > 1e-6 {
			t.Errorf("%s: the parts take %v s, the run %v", at, sum, float64(r.Seconds))
		}
		if out.records[at] != "" {
			t.Errorf("%s is there twice", at)
		}

		// Times, memory, the host and the trace differ from run to run.
		r.Seconds, r.LoadSeconds, r.Parts, r.PeakMemory, r.Trace, r.Started, r.Host, r.Repair.Seconds = 0, 0, runstats.Parts{}, 0, nil, "", "", 0
		for k := range r.Phases {
			r.Phases[k].Seconds = 0
		}

		text, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		out.records[at] = string(text)
	}
	return out
}

func (o outcome) equal(t *testing.T, want outcome, what string) {
	t.Helper()
	for _, p := range []struct {
		name      string
		got, want map[string]string
	}{{"states", o.states, want.states}, {"models", o.models, want.models}, {"records", o.records, want.records}} {
		if len(p.got) != len(p.want) {
			t.Errorf("%s: %d %s, want %d", what, len(p.got), p.name, len(p.want))
		}
		for k, v := range p.want {
			if p.got[k] != v {
				t.Errorf("%s: %s of %s differ:\n%.600s\nwant\n%.600s", what, p.name, k, p.got[k], v)
				break
			}
		}
	}
}

// TestPipeline runs every stage and checks what must hold of the results: the same in one run, in shards and after
// a repetition; exact designs are optimal; bounds are valid.
func TestPipeline(t *testing.T) {
	whole := small(t)
	run(t, whole, 1)
	want := outcomeOf(t, whole)
	if len(want.states) != 2*(4+2+2) || len(want.models) != 2 || len(want.records) != 2*3*5 {
		t.Fatalf("%d states, %d models, %d records", len(want.states), len(want.models), len(want.records))
	}

	// Stages that are done leave the results as they are when they are started again.
	run(t, whole, 1)
	outcomeOf(t, whole).equal(t, want, "started again")

	sharded := small(t)
	run(t, sharded, 3)
	outcomeOf(t, sharded).equal(t, want, "in shards")

	records, broken, err := whole.Records()
	if err != nil || broken != 0 {
		t.Fatal(broken, err)
	}
	trainings, err := whole.Trainings()
	if err != nil {
		t.Fatal(err)
	}

	// The score is of one variant for each of the two held-out bases.
	for _, r := range trainings {
		if s := r.Score; s.Bases != 2 || s.Trained[0] == s.Zero[0] || s.Trained[0]-s.Zero[0]-s.OverZero[0] > 1e-12 {
			t.Errorf("%s %s: score %+v", r.Family, r.Shape, s)
		}
	}

	// An exact run that is optimal gives the optimum of its instance.
	best := map[string]float64{}
	for _, r := range records {
		if r.Method == "exact" {
			if r.Status != "optimal" || math.Abs(float64(r.Objective-r.TrueCost)) > 1e-6*float64(r.TrueCost) {
				t.Errorf("%s: exact ended %s at %v, its design costs %v", r.ID, r.Status, r.Objective, r.TrueCost)
			}
			best[r.ID] = float64(r.TrueCost)
		}
	}

	// No bound may be above that optimum, and no design may cost less.
	for _, r := range records {
		if r.Status == "error" || !r.Feasible {
			t.Errorf("%s %s: %s %s, feasible %v", r.ID, r.Method, r.Status, r.Message, r.Feasible)
		}
		if !(float64(r.Bound) <= best[r.ID]*(1+1e-6)) || !(float64(r.TrueCost) >= best[r.ID]*(1-2e-4)) {
			t.Errorf("%s %s: bound %v, cost %v, optimum %v", r.ID, r.Method, r.Bound, r.TrueCost, best[r.ID])
		}
		if len(r.Trace) == 0 && r.Method != "start" {
			t.Errorf("%s %s has no trace", r.ID, r.Method)
		}
	}
}

// TestSplit checks the parts of a split, and that the manifest makes every instance again.
func TestSplit(t *testing.T) {
	e := small(t)

	// Bases of the same content are in the same part.
	part := map[string]experiment.Part{}
	for _, b := range e.Manifest.Bases {
		if old, ok := part[b.Hash]; ok && old != b.Part {
			t.Errorf("base %s is in two parts", b.ID)
		}
		part[b.Hash] = b.Part
	}

	for _, s := range shapes {
		for p, want := range map[experiment.Part]int{experiment.Train: 4, experiment.Validation: 2, experiment.Test: 3} {
			if got := len(e.Manifest.Entries([]experiment.Shape{s}, p)); got != want {
				t.Errorf("%s: %d instances to %s, want %d", s, got, p, want)
			}
		}
	}

	// Every instance can be made from the manifest, and all of them differ.
	hashes := map[string]bool{}
	for _, entry := range e.Manifest.Instances {
		in, err := e.Instance(entry)
		if err != nil {
			t.Fatal(err)
		}
		if hashes[in.Hash()] {
			t.Errorf("%s is there twice", entry.ID)
		}
		hashes[in.Hash()] = true
	}

	// The same options may be given again for a folder, others may not.
	if _, err := experiment.Split(context.Background(), e.Dir, all, nil, splitOptions()); err != nil {
		t.Errorf("the same split again: %v", err)
	}
	o := splitOptions()
	o.Seed = 2
	if _, err := experiment.Split(context.Background(), e.Dir, all, nil, o); !errors.Is(err, experiment.ErrManifest) {
		t.Errorf("another split into the same folder: %v", err)
	}

	// In another folder they make the same manifest.
	again, err := experiment.Split(context.Background(), t.TempDir(), all, nil, splitOptions())
	if err != nil || !reflect.DeepEqual(again.Manifest, e.Manifest) {
		t.Errorf("the same options make another manifest, %v", err)
	}
}

// TestSplitOfBases gives real bases beside the generated ones.
func TestSplitOfBases(t *testing.T) {
	var bases []families.Instance
	for seed := range uint64(6) {
		in, err := ufl.Family.Generate("12x10", 1000+seed)
		if err != nil {
			t.Fatal(err)
		}
		bases = append(bases, in)
	}
	bases = append(bases, bases[0])
	o := splitOptions()
	o.Shapes, o.MinBases = shapes[1:], 8
	e, err := experiment.Split(context.Background(), t.TempDir(), all, bases, o)
	if err != nil {
		t.Fatal(err)
	}
	generated := 0
	for _, b := range e.Manifest.Bases {
		if b.Source == "generated" {
			generated++
		}
	}
	if len(e.Manifest.Bases) != 8 || generated != 2 || len(e.Manifest.Excluded) != 1 {
		t.Errorf("%d bases, %d generated, %d excluded; want 8, 2, 1", len(e.Manifest.Bases), generated, len(e.Manifest.Excluded))
	}
}

// TestCutOffFiles cuts the files of all stages at random places, as a crash may leave them, and goes on.
func TestCutOffFiles(t *testing.T) {
	whole := small(t)
	run(t, whole, 1)
	want := outcomeOf(t, whole)
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 3))
		e := small(t)

		// The file that matches the pattern keeps a random part of its beginning.
		cut := func(pattern string) {
			paths, err := filepath.Glob(filepath.Join(e.Dir, pattern))
			if err != nil || len(paths) != 1 {
				t.Fatal(paths, err)
			}
			info, err := os.Stat(paths[0])
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(paths[0], rng.Int64N(info.Size())); err != nil {
				t.Fatal(err)
			}
		}

		if err := e.CollectStates(t.Context(), statesOptions()); err != nil {
			t.Fatal(err)
		}
		cut("states/*.states")
		run(t, e, 1)
		cut("results/*.jsonl")
		run(t, e, 1)
		outcomeOf(t, e).equal(t, want, fmt.Sprintf("seed %d", seed))
	}
}

// TestCancellation stops every stage after a few jobs; what is finished stays, the error is the context's.
func TestCancellation(t *testing.T) {
	whole := small(t)
	run(t, whole, 1)
	want := outcomeOf(t, whole)

	// Each attempt is cancelled when a stage has done two jobs; in later ones these are done, and the last ends.
	e := small(t)
	for range 30 {
		ctx, cancel := context.WithCancel(t.Context())
		stop := func(ev experiment.Event) {
			if ev.Done == 2 {
				cancel()
			}
		}

		so, to, eo := statesOptions(), trainOptions(), evalOptions()
		so.Notify, to.Notify, eo.Notify = stop, stop, stop
		err := e.CollectStates(ctx, so)
		if err == nil {
			err = e.Train(ctx, to)
		}
		if err == nil {
			err = e.Evaluate(ctx, eo)
		}
		cancel()

		// Without an error all stages are complete, and the outcome is that of a run without interruptions.
		if err == nil {
			outcomeOf(t, e).equal(t, want, "after interruptions")
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	t.Error("no end")
}

func TestMissingStages(t *testing.T) {
	e := small(t)
	if err := e.Train(t.Context(), trainOptions()); !errors.Is(err, experiment.ErrMissing) {
		t.Errorf("training without states: %v", err)
	}
	if err := e.Evaluate(t.Context(), evalOptions()); !errors.Is(err, experiment.ErrMissing) {
		t.Errorf("evaluation without models: %v", err)
	}
	so, to := statesOptions(), trainOptions()
	so.Shard = experiment.Shard{Index: 1, Count: 2}
	to.Model.Hidden = []int{5}
	if err := e.CollectStates(t.Context(), so); err != nil {
		t.Fatal(err)
	}
	if err := e.Train(t.Context(), to); !errors.Is(err, experiment.ErrMissing) {
		t.Errorf("training with half of the states: %v", err)
	}
	to.Partial = true
	if err := e.Train(t.Context(), to); err != nil {
		t.Errorf("training with half of the states, as asked: %v", err)
	}
}

// TestResumedWithOtherStates interrupts a training of half of the instances: with the states of the others it must not go
// on, since its record would name data that the first steps have not had, and with its own states it must.
func TestResumedWithOtherStates(t *testing.T) {
	e := small(t)
	so := statesOptions()
	so.Shard = experiment.Shard{Index: 1, Count: 2}
	if err := e.CollectStates(t.Context(), so); err != nil {
		t.Fatal(err)
	}

	// The first check ends the training of the first shape.
	to := trainOptions()
	to.Partial = true
	to.Shapes = shapes[:1]
	to.Steps = 600
	ctx, cancel := context.WithCancel(t.Context())
	to.Progress = func(experiment.Shape, nn.Progress) { cancel() }
	if err := e.Train(ctx, to); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}

	// The other half of the states is kept in a file of its own, and is taken away again after the attempt.
	so.Shard = experiment.Shard{Index: 2, Count: 2}
	if err := e.CollectStates(t.Context(), so); err != nil {
		t.Fatal(err)
	}
	to.Progress = func(experiment.Shape, nn.Progress) {}
	if err := e.Train(t.Context(), to); !errors.Is(err, nn.ErrFormat) || !strings.Contains(err.Error(), "other data") {
		t.Errorf("with more states: %v", err)
	}
	added, err := filepath.Glob(filepath.Join(e.Dir, "states", "*2*2*.states"))
	if err != nil || len(added) != 1 {
		t.Fatal(added, err)
	}
	if err := os.Remove(added[0]); err != nil {
		t.Fatal(err)
	}
	if err := e.Train(t.Context(), to); err != nil {
		t.Errorf("with the same states: %v", err)
	}
}

// TestProgressWithoutCheckpoint trains where an earlier training has left its progress, of a million seconds, but no
// checkpoint: it is not part of the new one, whose time limit is an hour.
func TestProgressWithoutCheckpoint(t *testing.T) {
	e := small(t)
	so := statesOptions()
	so.Shapes = shapes[:1]
	if err := e.CollectStates(t.Context(), so); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(e.Dir, "models"), 0o777); err != nil {
		t.Fatal(err)
	}
	line := []byte(`{"step":10,"loss":1,"validation":1,"rate":0.001,"seconds":1000000}` + "\n")
	if err := os.WriteFile(filepath.Join(e.Dir, "models", "cap-12x6.progress.jsonl"), line, 0o666); err != nil {
		t.Fatal(err)
	}

	to := trainOptions()
	to.Shapes = shapes[:1]
	to.TimeLimit = time.Hour
	if err := e.Train(t.Context(), to); err != nil {
		t.Fatal(err)
	}
	trainings, err := e.Trainings()
	if err != nil || len(trainings) != 1 {
		t.Fatal(trainings, err)
	}
	if r := trainings[0]; r.Status != "completed" || r.Seconds > 3600 {
		t.Errorf("%s after %v s", r.Status, r.Seconds)
	}
}

// TestManifestGuards changes what a manifest relies on.
func TestManifestGuards(t *testing.T) {
	e := small(t)
	entry := e.Manifest.Instances[0]
	other := entry
	other.Seed++
	if _, err := e.Instance(other); !errors.Is(err, experiment.ErrManifest) {
		t.Errorf("another seed: %v", err)
	}
	a, b := e.Manifest.Bases[0].File, e.Manifest.Bases[1].File
	data, err := os.ReadFile(filepath.Join(e.Dir, b))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, a), data, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Instance(entry); !errors.Is(err, experiment.ErrManifest) {
		t.Errorf("another base: %v", err)
	}
}

func TestSpecs(t *testing.T) {
	for _, text := range []string{"exact", "exact/bbc", "proxy/plain", "aggregated/outer/plain", "start",
		"proxy+zero", "hybrid+random/bbc/plain", "proxy/paper", "proxy+zero/classic"} {
		s, err := experiment.ParseSpec(text)
		if err != nil || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "best", "exact/", "exact/fast", "exact/plain/bbc", "exact/bbc/outer", "exact+zero", "proxy+",
		"proxy+one", "start/plain"} {
		if _, err := experiment.ParseSpec(text); !errors.Is(err, experiment.ErrOptions) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestShards(t *testing.T) {
	for _, text := range []string{"", "1", "0/2", "3/2", "1/0", "a/b", "-1/2"} {
		if _, err := experiment.ParseShard(text); !errors.Is(err, experiment.ErrOptions) {
			t.Errorf("%q: %v", text, err)
		}
	}
	owned := map[int]int{}
	for i := 1; i <= 4; i++ {
		s, err := experiment.ParseShard(fmt.Sprintf("%d/4", i))
		if err != nil {
			t.Fatal(err)
		}
		for k := range 10 {
			if s.Owns(k) {
				owned[k]++
			}
		}
	}
	for k := range 10 {
		if owned[k] != 1 {
			t.Errorf("job %d has %d shards", k, owned[k])
		}
	}
}

// record makes a record of states with a given number of columns.
func record(rng *rand.Rand, id string, states, columns int) *experiment.StateRecord {
	r := &experiment.StateRecord{Meta: experiment.StateMeta{Schema: experiment.Schema, ID: id, Hash: strings.Repeat("ab", 32)}, Instance: make([]byte, rng.IntN(50))}
	for range states {
		s := benders.State{Y: make([]float64, columns), Integer: rng.IntN(2) == 0, Infeasible: rng.IntN(3) == 0}
		for j := range s.Y {
			s.Y[j] = rng.NormFloat64()
		}
		r.States = append(r.States, s)
	}
	return r
}

// TestStateFile writes records, reads them back, and damages the file at every kind of place.
func TestStateFile(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	path := filepath.Join(t.TempDir(), "a.states")
	var want []*experiment.StateRecord

	// Each record is appended by a writer of its own.
	for k := range 5 {
		w, err := experiment.AppendStates(path)
		if err != nil || w.Cut != 0 {
			t.Fatal(err, w)
		}
		r := record(rng, fmt.Sprint("in", k), []int{3, 0, 1, 7, 2}[k], 1+k)
		want = append(want, r)
		if err := w.Append(r); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}

	// The file must hold the first n of the records.
	check := func(n int) {
		t.Helper()
		f, err := experiment.ReadStates(path)
		if err != nil || len(f.Records) != n {
			t.Fatalf("%v, %d records, want %d", err, len(f.Records), n)
		}
		for k, r := range f.Records {
			if r.Meta.ID != want[k].Meta.ID || !bytes.Equal(r.Instance, want[k].Instance) || !slices.EqualFunc(r.States, want[k].States, func(a, b benders.State) bool {
				return a.Integer == b.Integer && a.Infeasible == b.Infeasible && slices.Equal(a.Y, b.Y)
			}) {
				t.Errorf("record %d is read back as another one", k)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}

	check(5)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	for at := 0; at < len(data); at += 5 { // a crash anywhere: whole records are kept, and the next writer goes on
		if err := os.WriteFile(path, data[:at], 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := experiment.ReadStates(path)
		if err != nil {
			t.Fatalf("cut off at %d: %v", at, err)
		}
		n := len(f.Records)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}

		// The next writer appends the first record that is missing.
		w, err := experiment.AppendStates(path)
		if err != nil {
			t.Fatalf("cut off at %d: %v", at, err)
		}
		if err := w.Append(want[n]); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		check(n + 1)
	}

	// A file of the version before is read, one of a later version is not.
	for version, fits := range map[uint32]bool{1: true, 3: false} {
		header := binary.LittleEndian.AppendUint32([]byte("PBDSTATE"), version)
		header = binary.LittleEndian.AppendUint32(header, crc32.Checksum(header, crc32.MakeTable(crc32.Castagnoli)))
		if err := os.WriteFile(path, append(header, data[len(header):]...), 0o666); err != nil {
			t.Fatal(err)
		}
		if fits {
			check(5)
		} else if _, err := experiment.ReadStates(path); !errors.Is(err, experiment.ErrStates) {
			t.Errorf("a file of version %d: %v", version, err)
		}
	}

	changed := slices.Clone(data)
	changed[60] ^= 1 // in the body of the first record, and others follow
	if err := os.WriteFile(path, changed, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.ReadStates(path); !errors.Is(err, experiment.ErrStates) {
		t.Errorf("a damaged record: %v", err)
	}

	// No record is appended to a file of another kind.
	if err := os.WriteFile(path, []byte("a letter to nobody in particular"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := experiment.AppendStates(path); !errors.Is(err, experiment.ErrStates) {
		t.Errorf("another kind of file: %v", err)
	}
}

// FuzzStateFile opens a file with one record of arbitrary sizes and content: an error or records, never a panic. With
// sound the checksums fit, so that what is behind them is reached.
func FuzzStateFile(f *testing.F) {
	table := crc32.MakeTable(crc32.Castagnoli)
	meta := []byte(`{"id":"a"}`)

	f.Add(uint32(10), uint32(1), uint32(2), uint32(1), append(append(meta, make([]byte, 6)...), make([]byte, 32)...), true)
	f.Add(uint32(10), uint32(0), uint32(1<<27), uint32(1<<27), meta, true)
	f.Add(uint32(0), uint32(0), uint32(0), uint32(0), []byte{}, false)

	f.Fuzz(func(t *testing.T, metaBytes, dataBytes, states, columns uint32, body []byte, sound bool) {
		sum := func(b []byte) []byte { return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, table)) }
		file := sum(binary.LittleEndian.AppendUint32([]byte("PBDSTATE"), 1))

		// With sound, the header of the record has the right check sums, whatever sizes it states.
		if sound {
			var head []byte
			for _, v := range []uint32{metaBytes, dataBytes, states, columns, crc32.Checksum(body, table)} {
				head = binary.LittleEndian.AppendUint32(head, v)
			}
			file = append(file, sum(head)...)
		}

		path := filepath.Join(t.TempDir(), "x.states")
		if err := os.WriteFile(path, append(file, body...), 0o666); err != nil {
			t.Fatal(err)
		}
		s, err := experiment.ReadStates(path)
		if err != nil {
			return
		}

		// Every float that was read has its eight bytes in the body.
		n := 0
		for _, r := range s.Records {
			for _, st := range r.States {
				n += len(st.Y)
			}
		}
		if 8*n > len(body) {
			t.Errorf("%d floats from %d bytes", n, len(body))
		}

		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// FuzzManifest reads arbitrary manifests.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(`{"schema":1,"bases":[{"id":"a","family":"cap","shape":"1x1","part":"test","file":"bases/a"}],"instances":[{"id":"x","base":"a","family":"cap","shape":"1x1","part":"test"}]}`))
	f.Add([]byte(`{"schema":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), data, 0o666); err != nil {
			t.Fatal(err)
		}
		e, err := experiment.Open(dir, all)
		if err != nil {
			return
		}
		for _, in := range e.Manifest.Instances {
			if _, err := e.Instance(in); err == nil {
				t.Error("an instance from nothing")
			}
		}
	})
}
