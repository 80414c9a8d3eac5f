package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// trialTerms say how a process reads a program with scenarios, and how samples of it are solved.
type trialTerms struct {
	readTerms
	Sampled bool    `json:"sampled"` // it is read to draw samples of it
	Gap     float64 `json:"gap"`
	Seed    uint64  `json:"seed"`
}

// trials is a program whose designs are priced by ranges of scenarios, and whose samples are drawn and solved. It
// implements workload.
type trials struct {
	keyless
	hash    string
	program *stoch.Program
	draw    assess.Sampler
	solve   assess.Solver

	drawing sync.Mutex // held while a sample is drawn: samples share the skeleton
	mu      sync.Mutex // of what follows
	pricers map[sample]func() (*assess.Pricer, error)
}

// sample names the scenarios that designs are priced on: n drawn from a seed, or those of the program where n is 0.
type sample struct {
	n    int
	seed uint64
}

// openTrials opens the workload of evaluate and saa.
func (a *app) openTrials(text json.RawMessage) (workload, error) {
	var terms trialTerms
	if err := json.Unmarshal(text, &terms); err != nil {
		return nil, err
	}
	var in families.Instance
	var err error
	if terms.Sampled {
		in, err = a.openSampled(terms.Path, terms.Family, families.ReadOptions{
			Set:   terms.Set,
			Stdin: strings.NewReader(""),
			Warn:  func(string) {}, // the first process has the warnings
		})
	} else {
		in, err = a.readAssigned(terms.readTerms)
	}
	if err != nil {
		return nil, err
	}
	return newTrials(in, terms)
}

// newTrials returns the workload of an instance.
func newTrials(in families.Instance, terms trialTerms) (*trials, error) {
	p, err := program(terms.Path, in)
	if err != nil {
		return nil, err
	}

	// The matrix is made here, as the first use makes it and goroutines share the skeleton.
	if _, err := p.Core.Matrix(); err != nil {
		return nil, err
	}

	// Without distributions the scenarios of the file are drawn with replacement.
	draw := assess.Resample(p)
	if s := in.Capabilities().Sampled; s != nil {
		draw = s.Sampler()
	}
	return &trials{
		hash:    in.Hash(),
		program: p,
		draw:    draw,
		solve:   sampleSolver(in.Label().Family, terms.Gap, terms.Seed),
		pricers: map[sample]func() (*assess.Pricer, error){},
	}, nil
}

// Identity implements workload.
func (t *trials) Identity() string { return t.hash }

// drawn returns the program of a sample.
func (t *trials) drawn(n int, seed uint64) (*stoch.Program, error) {
	if n == 0 {
		return t.program, nil
	}
	t.drawing.Lock()
	defer t.drawing.Unlock()
	return t.draw(n, seed)
}

// pricer returns what prices designs on a sample. It is made once, and kept.
func (t *trials) pricer(of sample) (*assess.Pricer, error) {
	t.mu.Lock()
	build := t.pricers[of]
	if build == nil {
		build = sync.OnceValues(func() (*assess.Pricer, error) {
			p, err := t.drawn(of.n, of.seed)
			if err != nil {
				return nil, err
			}
			return assess.NewPricer(p)
		})
		t.pricers[of] = build
	}
	t.mu.Unlock()
	return build()
}

// trial is a job: a sample to be solved, or a design to be priced in a range of one.
type trial struct {
	of     sample
	priced bool
	part   int // the range
	design []float64
}

// encode is the payload of a job.
func (j *trial) encode() []byte {
	var w wire.Writer
	w.Int(j.of.n)
	w.Int(int(j.of.seed))
	w.Bool(j.priced)
	w.Int(j.part)
	w.Floats(j.design)
	return w.Bytes
}

// decode is the inverse of encode.
func (j *trial) decode(text []byte) error {
	r := &wire.Reader{Bytes: text}
	j.of.n = r.Int()
	j.of.seed = uint64(r.Int())
	j.priced = r.Bool()
	j.part = r.Int()
	j.design = r.Floats()
	return r.End()
}

// Work implements workload.
func (t *trials) Work(ctx context.Context, _ any, payload []byte) ([]byte, error) {
	var j trial
	if err := j.decode(payload); err != nil {
		return nil, fmt.Errorf("a job that cannot be read: %w", err)
	}
	if j.priced {
		pricer, err := t.pricer(j.of)
		if err != nil {
			return nil, err
		}
		costs, err := pricer.Price(ctx, j.design, j.part)
		if err != nil {
			return nil, err
		}
		var w wire.Writer
		w.Floats(costs)
		return w.Bytes, nil
	}

	r, err := assess.SolveSample(ctx, t.drawn, t.solve, j.of.n, j.of.seed)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err() // the bound of a run that was stopped may be far off
	case err != nil:
		return nil, err
	}
	return encodeSolved(r), nil
}

// encodeSolved is the answer of a sample that was solved.
func encodeSolved(r *assess.Solved) []byte {
	var w wire.Writer
	w.Int(int(r.Status))
	w.Float(r.Objective)
	w.Float(r.Bound)
	w.Bool(r.Maximize)
	w.Floats(r.Design)
	return w.Bytes
}

// decodeSolved is the inverse of encodeSolved.
func decodeSolved(text []byte) (*assess.Solved, error) {
	r := &wire.Reader{Bytes: text}
	out := &assess.Solved{
		Status:    lp.Status(r.Int()),
		Objective: r.Float(),
		Bound:     r.Float(),
		Maximize:  r.Bool(),
		Design:    r.Floats(),
	}
	return out, r.End()
}

// crewSteps has trials worked by a crew. It implements assess.Steps.
type crewSteps struct {
	crew *crew
	own  *trials // of this process
}

// Solve implements assess.Steps.
func (s crewSteps) Solve(ctx context.Context, n int, seeds []uint64, report func(k int, r *assess.Solved)) (
	[]*assess.Solved, error) {
	payloads := make([][]byte, len(seeds))
	for k, seed := range seeds {
		payloads[k] = (&trial{of: sample{n, seed}}).encode()
	}

	out := make([]*assess.Solved, len(seeds))
	failed := make([]error, len(seeds))
	err := s.crew.each(ctx, payloads, func(k int, answer []byte, err error) {
		var r *assess.Solved
		if err == nil {
			r, err = decodeSolved(answer)
		}
		if failed[k] = err; err == nil {
			out[k] = r
			report(k, r)
		}
	})

	// Where the time has ended, those that were solved before count.
	if ctx.Err() != nil {
		return out, nil
	}
	return out, cmp.Or(append(failed, err)...) // the first one
}

// Price implements assess.Steps.
func (s crewSteps) Price(ctx context.Context, n int, seed uint64, designs [][]float64) ([]*assess.Costs, error) {
	pricer, err := s.own.pricer(sample{n, seed})
	if err != nil {
		return nil, err
	}
	parts := pricer.Ranges()
	var payloads [][]byte
	for _, y := range designs {
		for k := range parts {
			payloads = append(payloads, (&trial{of: sample{n, seed}, priced: true, part: k, design: y}).encode())
		}
	}
	answers, err := s.crew.run(ctx, payloads)
	if err != nil {
		return nil, err
	}

	// The answers are in the order of the jobs: all ranges of a design, then those of the next one.
	costs := make([][]float64, len(answers))
	for k, text := range answers {
		r := &wire.Reader{Bytes: text}
		costs[k] = r.Floats()
		if err := r.End(); err != nil {
			return nil, err
		}
	}
	out := make([]*assess.Costs, len(designs))
	for k, y := range designs {
		if out[k], err = pricer.Costs(y, costs[k*parts:(k+1)*parts]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// gatherTrials makes the crew of evaluate or saa, nil in a process that has worked for another one. ahead is as in
// crewOptions.
func (a *app) gatherTrials(ctx context.Context, f crewFlags, ahead int, terms trialTerms) (*crew, error) {
	if f.cluster != "" && terms.Path == standard {
		return nil, errSharedInput
	}
	o := crewOptions{where: f.cluster, threads: f.threads, ahead: ahead, slowAfter: slowRound}
	return a.gather(ctx, o, trialWork, terms)
}

// errSharedInput is the error of an instance that only the first of several processes could read.
var errSharedInput = badInput(errors.New("--cluster: the other processes cannot read the standard input of this one"))
