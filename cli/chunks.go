package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/benders/nested"
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

// chunkTerms are a program with scenarios or periods as other processes get it: they read no file.
type chunkTerms struct {
	Hash    string               `json:"hash"` // of the instance
	Kind    families.OutlineKind `json:"kind"`
	Outline []byte               `json:"outline"`
}

// chunks are the scenarios of an instance, in chunks or one by one, or the programs of its periods. It implements
// workload.
type chunks struct {
	scenario.TeamWorker
	hash string

	// What is sent to other processes; nil in these.
	outlined families.Outlined
}

// Identity implements workload.
func (c chunks) Identity() string { return c.hash }

// Data implements workload: what a process needs of a chunk.
func (c chunks) Data(key uint64) ([]byte, error) {
	if c.outlined == nil {
		return nil, nil
	}
	return c.outlined.MarshalChunk(key)
}

// openChunks opens the workload of a run of solve.
func (a *app) openChunks(text json.RawMessage) (workload, error) {
	var terms chunkTerms
	if err := json.Unmarshal(text, &terms); err != nil {
		return nil, err
	}
	w, err := a.outlineWorker(terms)
	if err != nil {
		return nil, err
	}
	return chunks{TeamWorker: w, hash: terms.Hash}, nil
}

// outlineWorker returns what works for a program that another process has sent.
func (a *app) outlineWorker(t chunkTerms) (scenario.TeamWorker, error) {
	switch t.Kind {
	case families.ByScenario:
		return scenario.NewOutlineWorker(t.Outline, a.restoreShortcut)
	case families.ByInteger:
		return integer.NewOutlineWorker(t.Outline)
	case families.ByPeriod:
		return nested.NewOutlineWorker(t.Outline)
	}
	return nil, fmt.Errorf("a program of an unknown kind %q", t.Kind)
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

	// The other processes get the program from here; what a chunk needs beside it follows with the chunk.
	kind, outlined := p.Outline()
	terms := chunkTerms{Hash: r.hash, Kind: kind}
	if terms.Outline, err = outlined.MarshalOutline(); err != nil {
		return err
	}
	own := chunks{TeamWorker: p.TeamWorker(), hash: r.hash, outlined: outlined}
	if err := r.crew.assign(ctx, chunkWork, terms, false); err != nil {
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
