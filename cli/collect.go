package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/wire"
)

// The exact runs that record states for train and score are jobs of a crew, one an instance.

// stateTerms say how a process opens the instances whose states are recorded: the variants of each file, in the
// order of the files, or the files themselves where there are no variants.
type stateTerms struct {
	Files    []readTerms         `json:"files"`
	Variants int                 `json:"variants"`
	Sigma    float64             `json:"sigma"`
	Options  proxy.StatesOptions `json:"options"`
}

// addStatesCrew adds the flags of who records the states.
func (f *crewFlags) addStatesCrew(c *cobra.Command) {
	addCluster(c, &f.cluster, "have the states of the instances recorded")
	c.Flags().IntVar(&f.threads, "threads", 1, "exact runs at the same time, 0 for one a processor; like a slower "+
		"machine, more of them than processors record fewer states where runs end at their time limit")
}

// gatherStates makes the crew of a command that records states, nil in a process that has worked for another one.
func (a *app) gatherStates(ctx context.Context, f crewFlags, terms stateTerms) (*crew, error) {
	for _, file := range terms.Files {
		if f.cluster != "" && file.Path == standard {
			return nil, errSharedInput
		}
	}
	return a.gather(ctx, crewOptions{where: f.cluster, threads: f.threads, slowAfter: slowJob}, stateWork, terms)
}

// newStateTerms returns the terms of files that are read alike.
func newStateTerms(paths []string, family string, file families.ReadOptions, o proxy.StatesOptions) stateTerms {
	t := stateTerms{Options: o}
	for _, path := range paths {
		t.Files = append(t.Files, readTerms{Path: path, Family: family, Set: file.Set, Scenarios: true})
	}
	return t
}

// stateRecorder records the states of instances. It implements workload.
type stateRecorder struct {
	keyless
	options proxy.StatesOptions
	open    func(k int) (families.Instance, error)
}

// Identity implements workload. Instances are compared by the jobs.
func (*stateRecorder) Identity() string { return "" }

// openStates opens the workload of train and score.
func (a *app) openStates(text json.RawMessage) (workload, error) {
	files := &stateFiles{read: a.readAssigned}
	if err := json.Unmarshal(text, &files.terms); err != nil {
		return nil, err
	}
	return &stateRecorder{options: files.terms.Options, open: files.open}, nil
}

// stateFiles opens the instances of terms. A file is read when its first job comes, and the last one is kept.
type stateFiles struct {
	terms stateTerms
	read  func(readTerms) (families.Instance, error)

	mu   sync.Mutex
	at   int               // of the file in base
	base families.Instance // nil before the first one
}

// open returns an instance by its number.
func (f *stateFiles) open(k int) (families.Instance, error) {
	each := max(1, f.terms.Variants)
	if k < 0 || k/each >= len(f.terms.Files) {
		return nil, fmt.Errorf("instance %d of %d", k+1, each*len(f.terms.Files))
	}
	f.mu.Lock()
	defer f.mu.Unlock()

	// The variants of a file follow each other, so that most jobs find it open.
	if f.base == nil || f.at != k/each {
		in, err := f.read(f.terms.Files[k/each])
		if err != nil {
			return nil, err
		}
		f.base = in
		f.at = k / each
	}
	if f.terms.Variants == 0 {
		return f.base, nil
	}
	in, _, err := variant(f.base, f.terms.Sigma, uint64(k%each+1))
	return in, err
}

// Work implements workload: it records the states of an instance.
func (s *stateRecorder) Work(ctx context.Context, _ any, payload []byte) ([]byte, error) {
	r := &wire.Reader{Bytes: payload}
	k := r.Int()
	hash := string(r.Text())
	if err := r.End(); err != nil {
		return nil, err
	}
	in, err := s.open(k)
	if err != nil {
		return nil, err
	}
	if in.Hash() != hash {
		return nil, fmt.Errorf("%s on this machine is another instance than the first process's", in.Label().Name)
	}

	// Each instance has a seed of its own: they count up from that of the options.
	began := time.Now()
	o := s.options
	o.Seed += uint64(k)
	states, _, err := pipeline.States(ctx, in, o)
	if err == nil {
		// An interrupt leaves the states incomplete.
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return encodeStates(states, time.Since(began)), nil
}

// stateJob is the payload of a job: the number of an instance, and its hash.
func stateJob(k int, hash string) []byte {
	var w wire.Writer
	w.Int(k)
	w.Text([]byte(hash))
	return w.Bytes
}

// encodeStates returns the states of an instance, and the time that they took, as bytes.
func encodeStates(states []benders.State, took time.Duration) []byte {
	var w wire.Writer
	w.Int(int(took))
	w.Int(len(states))
	for _, s := range states {
		w.Floats(s.Y)
		w.Bool(s.Integer)
		w.Bool(s.Infeasible)
	}
	return w.Bytes
}

// decodeStates is the reverse of encodeStates.
func decodeStates(text []byte) (states []benders.State, took time.Duration, err error) {
	r := &wire.Reader{Bytes: text}
	took = time.Duration(r.Int())
	for range r.Length(3) {
		states = append(states, benders.State{Y: r.Floats(), Integer: r.Bool(), Infeasible: r.Bool()})
	}
	return states, took, r.End()
}

// collect has the states of the instances recorded by a crew.
func collect(ctx context.Context, crew *crew, list []families.Instance, o proxy.StatesOptions, log *solverLog) (
	samples []proxy.Sample, count int, err error) {
	payloads := make([][]byte, len(list))
	for k, in := range list {
		payloads[k] = stateJob(k, in.Hash())
	}
	own := &stateRecorder{options: o, open: func(k int) (families.Instance, error) { return list[k], nil }}
	if err := crew.begin(ctx, own); err != nil {
		return nil, 0, err
	}

	// A line an instance shows how far the command is. The error that counts is that of the first instance.
	samples = make([]proxy.Sample, len(list))
	failed := make([]error, len(list))
	done := 0
	err = crew.each(ctx, payloads, func(k int, answer []byte, err error) {
		var took time.Duration
		samples[k].Instance = list[k]
		if err == nil {
			samples[k].States, took, err = decodeStates(answer)
		}
		if failed[k] = err; err != nil {
			return
		}
		done++
		count += len(samples[k].States)
		log.printf("states: %d of %d instances, %s: %d states in %s", done, len(list), list[k].Label().Name,
			len(samples[k].States), showTime(took))
	})
	if ctx.Err() != nil {
		return nil, 0, fmt.Errorf("collecting states: %w", ctx.Err())
	}
	if k := slices.IndexFunc(failed, func(err error) bool { return err != nil }); k >= 0 {
		err = failed[k]
	}
	return samples, count, err
}
