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
	shard  string
	shapes []string
	jobs   int
	worker bool // one of the processes of --jobs
}

func (f *stageFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.shard, "shard", "1/1",
		"the share of the jobs to do, `I/N` with 1 <= I <= N; every share may run on another machine")
	c.Flags().IntVar(&f.jobs, "jobs", 1,
		"processes that do the share at the same time, each on one core (GOMAXPROCS=1 where that is not set); 0 for "+
			"one a processor")
	c.Flags().BoolVar(&f.worker, "worker", false, "")
	c.Flags().MarkHidden("worker")
	addShapes(c, &f.shapes, "only this `FAMILY:SHAPE` or FAMILY, such as cap:50x16; may be repeated")
}

func addShapes(c *cobra.Command, list *[]string, usage string) {
	c.Flags().StringArrayVar(list, "shape", nil, usage)
}

// parse reads the flags.
func (f *stageFlags) parse() (experiment.Shard, []experiment.Shape, error) {
	shard, err := experiment.ParseShard(f.shard)
	if err != nil {
		return shard, nil, badInput(err)
	}
	return shard, parseShapes(f.shapes), nil
}

// parseShapes reads FAMILY:SHAPE or FAMILY.
func parseShapes(list []string) []experiment.Shape {
	var out []experiment.Shape
	for _, s := range list {
		family, shape, _ := strings.Cut(s, ":")
		out = append(out, experiment.Shape{Family: family, Shape: shape})
	}
	return out
}

// openExperiment opens a folder; a missing manifest is bad input.
func (known catalogue) openExperiment(dir string) (*experiment.Experiment, error) {
	e, err := experiment.Open(dir, known)
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

// stage runs a stage of an experiment with a log and a meter, and notes its time.
func (a *app) stage(ctx context.Context, name, dir string, f stageFlags, run func(ctx context.Context,
	e *experiment.Experiment, m *meter) error) error {
	shard, err := experiment.ParseShard(f.shard)
	if err != nil {
		return badInput(err)
	}
	switch {
	case f.jobs < 0:
		return badInput(fmt.Errorf("--jobs %d: a negative count", f.jobs))
	case f.jobs == 0:
		f.jobs = runtime.NumCPU()
	}
	if f.jobs > 1 {
		return a.parallel(ctx, name, dir, f, shard.Split(f.jobs))
	}
	e, err := a.known.openExperiment(dir)
	if err != nil {
		return err
	}
	a.flags.quiet = a.flags.quiet || f.worker
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	m := a.newMeter(log)
	if f.worker {
		var done context.CancelFunc
		ctx, done = a.heedInput(ctx)
		defer done()
		m = a.tellAbove()
	}
	err = run(ctx, e, m)
	m.close()
	interrupted := ctx.Err() != nil && errors.Is(err, ctx.Err())
	switch {
	case err != nil && !interrupted:
		return stageError(err)
	case err == nil:
		t := stageTime{schemaVersion, name, f.shard, a.began.UTC().Format(time.RFC3339), time.Since(a.began).Seconds()}
		if err := jsonl.Append(filepath.Join(dir, stagesFile), t); err != nil {
			return err
		}
	}
	return a.stageDone(interrupted, log, name, f)
}

// stageDone is the end of a stage: done, or interrupted.
func (a *app) stageDone(interrupted bool, log *solverLog, name string, f stageFlags) error {
	r := newStageReport(name, a.began)
	took := showTime(time.Since(a.began))
	if !interrupted {
		log.printf("%s: done in %s", name, took)
	} else {
		log.printf("%s: interrupted after %s; what is finished is kept, and the same command goes on", name, took)
		a.code, r.Status = exitLimit, lp.Interrupted.String()
	}
	return a.finishStage(stageEnd{r, name, f.shard})
}

// stageReport holds the fields that the objects of the commands on experiments begin with.
type stageReport struct {
	Schema  int    `json:"schema"`
	Command string `json:"command"`
	Status  string `json:"status"` // completed or interrupted
	Started string `json:"started"`
	Seconds number `json:"seconds"`
}

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

// finishStage prints an object where the flags ask for one.
func (a *app) finishStage(object any) error {
	a.reported = true
	if a.flags.json {
		return writeJSON(a.stdout, object)
	}
	return nil
}

// stageError tells the user's errors from others.
func stageError(err error) error {
	for _, e := range []error{experiment.ErrManifest, experiment.ErrMissing, experiment.ErrOptions, experiment.ErrStates,
		experiment.ErrBusy} {
		if errors.Is(err, e) {
			return badInput(err)
		}
	}
	return err
}

// stageTimes adds up the times of the stages of a folder.
func stageTimes(dir string) ([]tables.Stage, error) {
	f, err := os.OpenInRoot(dir, stagesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []tables.Stage
	_, err = jsonl.Read(f, func(line []byte) error {
		var s stageTime
		if err := json.Unmarshal(line, &s); err != nil {
			return err
		}
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
