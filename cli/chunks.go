package cli

import (
	"context"
	"encoding/json"
	"errors"
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

// chunks are the scenarios of an instance, in chunks or one by one. It implements workload.
type chunks struct {
	scenario.TeamWorker
	hash string
}

// Identity implements workload.
func (c chunks) Identity() string { return c.hash }

// openChunks opens the workload of a run of solve.
func (a *app) openChunks(text json.RawMessage) (workload, error) {
	var terms readTerms
	if err := json.Unmarshal(text, &terms); err != nil {
		return nil, err
	}
	in, err := a.readAssigned(terms)
	if err != nil {
		return nil, err
	}
	p, err := spread(in)
	if err != nil {
		return nil, err
	}
	return chunks{p.TeamWorker(), in.Hash()}, nil
}

// spread returns an instance as one whose scenarios can be worked by other processes.
func spread(in families.Instance) (families.Stochastic, error) {
	s := in.Capabilities().Stochastic
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
	terms := readTerms{r.path, f.family, f.file.Set, f.needsScenarios()}
	o := crewOptions{where: f.cluster, threads: f.threads, ahead: 1, slowAfter: slowRound}
	r.crew, err = r.app.gather(ctx, o, chunkWork, terms)
	return r.crew == nil, err
}

// spread has the scenarios of the instance worked by the processes of the run.
func (r *solveRun) spread(ctx context.Context) error {
	if r.crew == nil {
		return nil
	}
	p, err := spread(r.instance)
	if err != nil {
		return badInput(err)
	}
	if r.solved != r.instance {
		return badInput(errors.New("--cluster: the other processes read the file, which has no --cvar"))
	}
	if err := r.crew.begin(ctx, chunks{p.TeamWorker(), r.hash}); err != nil {
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
		if p, err := spread(r.instance); err == nil {
			p.SetTeam(nil)
		}
	}
	return r.crew.leave()
}
