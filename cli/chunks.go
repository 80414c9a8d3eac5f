package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/families"
)

// readTerms say how a process reads the instance of a command.
type readTerms struct {
	Path      string            `json:"path"`
	Family    string            `json:"family"`
	Set       map[string]string `json:"set"`       // options of reading
	Scenarios bool              `json:"scenarios"` // a program of several periods is read as one of two stages
}

// readAssigned reads the instance that another process has assigned.
func (a *app) readAssigned(t readTerms) (families.Instance, error) {
	open := a.openAny
	if t.Scenarios {
		open = a.openInstance
	}
	_, in, err := open(t.Family, t.Path, families.ReadOptions{
		Set:   t.Set,
		Stdin: strings.NewReader(""),
		Warn:  func(string) {}, // the first process has the warnings
	})
	return in, err
}

// chunkTerms are a program with scenarios as other processes get it: they read no file.
type chunkTerms struct {
	Hash    string `json:"hash"`    // of the instance
	Outline []byte `json:"outline"` // scenario.Problem.MarshalOutline
}

// chunks are the scenarios of an instance, in chunks. It implements workload.
type chunks struct {
	*scenario.Worker
	hash    string
	problem *scenario.Problem // nil in other processes than the first one
}

// Identity implements workload.
func (c chunks) Identity() string { return c.hash }

// Data implements workload: the scenarios of a chunk.
func (c chunks) Data(key uint64) ([]byte, error) { return c.problem.MarshalChunk(key) }

// openChunks opens the workload of a run of solve.
func (a *app) openChunks(text json.RawMessage) (workload, error) {
	var terms chunkTerms
	if err := json.Unmarshal(text, &terms); err != nil {
		return nil, err
	}
	w, err := scenario.NewOutlineWorker(terms.Outline, a.restoreShortcut)
	if err != nil {
		return nil, err
	}
	return chunks{Worker: w, hash: terms.Hash}, nil
}

// restoreShortcut makes what prices scenarios of a family faster than a linear program.
func (a *app) restoreShortcut(family string, common []byte) (scenario.RangeShortcut, error) {
	f, err := a.known.find(family)
	if err != nil {
		return nil, err
	}
	if f.Shortcut == nil {
		return nil, fmt.Errorf("the family %s makes no shortcuts", family)
	}
	return f.Shortcut(common)
}

// spread returns the problem of an instance whose scenarios can be worked by other processes.
func spread(in families.Instance) (*scenario.Problem, error) {
	s := in.Capabilities().Stochastic
	if s == nil || s.ByScenario() == nil {
		return nil, errors.New("--cluster: only programs with scenarios whose recourse is linear have several processes")
	}
	return s.ByScenario(), nil
}

// chunkTeam has the chunks of a run in the processes of a crew. It implements scenario.Team.
type chunkTeam struct{ *team }

// Run implements scenario.Team.
func (t chunkTeam) Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error) {
	return t.run(ctx, keys, payloads)
}

// gather makes the run one of several processes, where that is asked for. In another process than the first one it
// works until the run has ended, and returns true.
func (r *solveRun) gather(ctx context.Context) (worked bool, err error) {
	f := &r.flags
	if f.cluster == "" {
		return false, nil
	}
	if r.path == standard {
		return false, errSharedInput
	}
	o := crewOptions{where: f.cluster, threads: f.threads, ahead: 1, slowAfter: slowRound}
	r.crew, err = r.app.join(ctx, o)
	return r.crew == nil, err
}

// spread has the scenarios of the instance worked by the processes of the run.
func (r *solveRun) spread(ctx context.Context) error {
	if r.crew == nil {
		return nil
	}
	p, err := spread(r.solved)
	if err != nil {
		return badInput(err)
	}

	// The other processes get the program from here, without its scenarios; those follow with the chunks.
	outline, err := p.MarshalOutline()
	if err != nil {
		return err
	}
	if err := r.crew.assign(ctx, chunkWork, chunkTerms{r.hash, outline}); err != nil {
		return err
	}
	if err := r.crew.begin(ctx, chunks{scenario.NewWorker(p), r.hash, p}); err != nil {
		return err
	}
	p.WithTeam(chunkTeam{r.crew.team})
	return nil
}

// leave ends the processes of the run, and returns what they have done. What follows the run, such as the tables of its
// solution, is computed in this process.
func (r *solveRun) leave() ([]memberReport, error) {
	if r.crew == nil || r.crew.team == nil {
		return nil, nil
	}
	if r.crew.own != nil {
		if p, err := spread(r.solved); err == nil {
			p.WithTeam(nil)
		}
	}
	return r.crew.leave()
}
