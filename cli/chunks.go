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

// chunkTerms are a program with scenarios or periods as other processes get it.
type chunkTerms struct {
	Hash    string     `json:"hash"`              // of the instance
	Outline []byte     `json:"outline,omitempty"` // scenario.Problem.MarshalOutline: they read no file
	Read    *readTerms `json:"read,omitempty"`    // else they read the instance
}

// chunks are the scenarios of an instance, in chunks or one by one, or the programs of its periods. It implements
// workload.
type chunks struct {
	scenario.TeamWorker
	hash string

	// The problem whose scenarios are sent; nil in other processes, and where they read the instance.
	problem *scenario.Problem
}

// Identity implements workload.
func (c chunks) Identity() string { return c.hash }

// Data implements workload: the scenarios of a chunk.
func (c chunks) Data(key uint64) ([]byte, error) {
	if c.problem == nil {
		return nil, nil
	}
	return c.problem.MarshalChunk(key)
}

// openChunks opens the workload of a run of solve.
func (a *app) openChunks(text json.RawMessage) (workload, error) {
	var terms chunkTerms
	if err := json.Unmarshal(text, &terms); err != nil {
		return nil, err
	}
	if terms.Read == nil {
		w, err := scenario.NewOutlineWorker(terms.Outline, a.restoreShortcut)
		if err != nil {
			return nil, err
		}
		return chunks{TeamWorker: w, hash: terms.Hash}, nil
	}

	in, err := a.readAssigned(*terms.Read)
	if err != nil {
		return nil, err
	}
	p, err := spread(in)
	if err != nil {
		return nil, err
	}
	return chunks{TeamWorker: p.TeamWorker(), hash: in.Hash()}, nil
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

// spread returns an instance as one that can be worked by other processes.
func spread(in families.Instance) (families.Spread, error) {
	s := in.Capabilities().Spread
	if s == nil {
		return nil, errors.New("--cluster: only programs with scenarios have several processes")
	}
	return s, nil
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

// spread has the scenarios or periods of the instance worked by the processes of the run.
func (r *solveRun) spread(ctx context.Context) error {
	if r.crew == nil {
		return nil
	}
	p, err := spread(r.solved)
	if err != nil {
		return badInput(err)
	}

	// The other processes get the program from here, without its scenarios; those follow with the chunks. With integer
	// recourse, and of a program of several periods, they read the file.
	terms := chunkTerms{Hash: r.hash}
	own := chunks{TeamWorker: p.TeamWorker(), hash: r.hash}
	if s := r.solved.Capabilities().Stochastic; s != nil {
		own.problem = s.ByScenario()
	}
	switch {
	case own.problem != nil:
		if terms.Outline, err = own.problem.MarshalOutline(); err != nil {
			return err
		}
	case r.solved != r.instance:
		return badInput(errors.New("--cluster: with integer recourse the other processes read the file, which has no --cvar"))
	default:
		f := &r.flags
		terms.Read = &readTerms{r.path, f.family, f.file.Set, f.needsScenarios()}
	}
	if err := r.crew.assign(ctx, chunkWork, terms, terms.Read != nil); err != nil {
		return err
	}
	if err := r.crew.begin(ctx, own); err != nil {
		return err
	}
	p.SetTeam(chunkTeam{r.crew.team})
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
			p.SetTeam(nil)
		}
	}
	return r.crew.leave()
}
