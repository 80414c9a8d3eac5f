package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/experiment"
	tables "github.com/proxybd/proxybd/experiment/report"
	"github.com/proxybd/proxybd/internal/jsonl"
	"github.com/proxybd/proxybd/lp"
)

// stageFlags are the flags of the commands that work on the folder of an experiment.
type stageFlags struct {
	// The share of the jobs to do, as I/N, and the shapes to do it for, nil for all.
	shard  string
	shapes []string

	// How many processes do it, and whether this is one of them.
	jobs   int
	worker bool
}

// add adds the flags.
func (f *stageFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.shard, "shard", "1/1",
		"the share of the jobs to do, `I/N` with 1 <= I <= N; every share may run on another machine")
	c.Flags().IntVar(&f.jobs, "jobs", 1,
		"processes that do the share at the same time, each on one core (GOMAXPROCS=1 where that is not set); 0 for "+
			"one a processor")
	c.Flags().BoolVar(&f.worker, "worker", false, "")
	// The flag is of no use on a command line: a process gives it to its workers.
	c.Flags().MarkHidden("worker")
	addShapes(c, &f.shapes, "only this `FAMILY:SHAPE` or FAMILY, such as cap:50x16; may be repeated")
}

// addShapes adds the flag that chooses shapes.
func addShapes(c *cobra.Command, list *[]string, usage string) {
	c.Flags().StringArrayVar(list, "shape", nil, usage)
}

// parseShapes reads FAMILY:SHAPE or FAMILY.
func parseShapes(list []string) []experiment.Shape {
	var out []experiment.Shape
	for _, s := range list {
		// Without a colon the shape is empty, and all shapes of the family are meant.
		family, shape, _ := strings.Cut(s, ":")
		out = append(out, experiment.Shape{Family: family, Shape: shape})
	}
	return out
}

// openExperiment opens a folder; a missing manifest is bad input.
func (known catalogue) openExperiment(dir string) (*experiment.Experiment, error) {
	e, err := experiment.Open(dir, known)
	// Other errors are about a manifest that is there.
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: no experiment there: proxybd split makes one", dir)
	}
	return e, badInput(err)
}

// stageTime is a line of stages.jsonl: how long a stage took in one invocation that came to its end.
type stageTime struct {
	Schema  int     `json:"schema"`
	Stage   string  `json:"stage"`
	Shard   string  `json:"shard"`
	Started string  `json:"started"`
	Seconds float64 `json:"seconds"`
}

// stagesFile is the file of stage times in the folder of an experiment.
const stagesFile = "stages.jsonl"

// stage runs a stage of an experiment with a log and a meter, and notes its time. The jobs are those of this process.
func (a *app) stage(ctx context.Context, name, dir string, f stageFlags, run func(ctx context.Context,
	e *experiment.Experiment, m *meter, jobs experiment.Jobs) error) error {
	// The share is that of this invocation, and its workers divide it among them.
	shard, err := experiment.ParseShard(f.shard)
	if err != nil {
		return badInput(err)
	}
	switch {
	case f.jobs < 0:
		return badInput(fmt.Errorf("--jobs %d: a negative count", f.jobs))
	case f.jobs == 0:
		// A count of 0 takes all processors.
		f.jobs = runtime.NumCPU()
	}
	if f.jobs > 1 {
		// The workers open the folder themselves.
		return a.parallel(ctx, name, dir, f, shard.Split(f.jobs))
	}

	e, err := a.known.openExperiment(dir)
	if err != nil {
		return err
	}

	m := a.newMeter()
	// A worker has no log of its own: its lines go to the process above.
	if f.worker {
		var done context.CancelFunc
		ctx, done = a.cancelAtInputEnd(ctx)
		defer done()
		m = a.workerMeter()
	}

	// The stage ends in good order when its context ends. Only one that came to its end has its time recorded.
	err = run(ctx, e, m, experiment.Jobs{Shard: shard, Shapes: parseShapes(f.shapes), Notify: m.event})
	m.close()
	// The error of a context is no failure of the stage.
	interrupted := ctx.Err() != nil && errors.Is(err, ctx.Err())
	switch {
	case err != nil && !interrupted:
		return stageError(err)
	case err == nil:
		// Times are appended, a line an invocation, so that the report can add them up.
		t := stageTime{schemaVersion, name, f.shard, a.began.UTC().Format(time.RFC3339), time.Since(a.began).Seconds()}
		if err := jsonl.Append(filepath.Join(dir, stagesFile), t); err != nil {
			return err
		}
	}
	return a.stageDone(interrupted, name, f)
}

// stageDone is the end of a stage: done, or interrupted.
func (a *app) stageDone(interrupted bool, name string, f stageFlags) error {
	r := newStageReport(name, a.began)
	took := showTime(time.Since(a.began))
	if !interrupted {
		// The stage may have had nothing to do, and is done then, too.
		a.log.printf("%s: done in %s", name, took)
	} else {
		// The exit code says that the stage is not complete.
		a.log.printf("%s: interrupted after %s; what is finished is kept, and the same command goes on", name, took)
		a.code = exitLimit
		r.Status = lp.Interrupted.String()
	}
	return a.printObject(stageEnd{r, name, f.shard})
}

// stageReport holds the fields that the objects of the commands on experiments begin with.
type stageReport struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Status  string `json:"status"` // completed or interrupted
	Started string `json:"started"`
	Seconds number `json:"seconds"`
}

// newStageReport returns the report of a command that is completed.
func newStageReport(command string, began time.Time) stageReport {
	return stageReport{schemaVersion, command, "completed", began.UTC().Format(time.RFC3339),
		number(time.Since(began).Seconds())}
}

// stageEnd is the object of a stage.
type stageEnd struct {
	stageReport
	Stage string `json:"stage"`
	Shard string `json:"shard"`
}

// printObject prints the object of a command that has no status of a solve, where the flags ask for one.
func (a *app) printObject(object any) error {
	a.reported = true
	if a.flags.json {
		return writeJSON(a.stdout, object)
	}
	return nil
}

// stageError marks errors of an experiment that are the user's to repair as bad input.
func stageError(err error) error {
	// All other errors are failures of the disk or of a solve.
	if isAny(err, experiment.ErrManifest, experiment.ErrMissing, experiment.ErrOptions, experiment.ErrStates,
		experiment.ErrBusy) {
		return badInput(err)
	}
	return err
}

// stageTimes adds up the times of the stages of a folder.
func stageTimes(dir string) ([]tables.Stage, error) {
	// The file is opened within the folder, so that no link leads out of it.
	f, err := os.OpenInRoot(dir, stagesFile)
	if errors.Is(err, fs.ErrNotExist) {
		// A stage that has never come to its end has left no times.
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()

	// A stage has a line for each invocation.
	var out []tables.Stage
	// A line that was cut off by a kill is passed over.
	_, err = jsonl.Read(f, func(line []byte) error {
		var s stageTime
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}

		// The times of all shares and of all invocations are added.
		for k := range out {
			if out[k].Name == s.Stage {
				out[k].Seconds += s.Seconds
				return nil
			}
		}
		out = append(out, tables.Stage{Name: s.Stage, Seconds: s.Seconds})
		return nil
	})
	return out, err
}
