package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
}

func (f *stageFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.shard, "shard", "1/1", "the share of the jobs to do, `I/N` with 1 <= I <= N; every share may run on another machine")
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
func openExperiment(dir string) (*experiment.Experiment, error) {
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
func (a *app) stage(ctx context.Context, name, dir, shard string, run func(e *experiment.Experiment,
	m *meter) error) error {
	e, err := openExperiment(dir)
	if err != nil {
		return err
	}
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	m := a.newMeter(log)
	err = run(e, m)
	m.close()
	switch {
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		log.printf("%s: interrupted after %s; what is finished is kept, and the same command goes on", name,
			showTime(time.Since(a.began)))
		a.code = exitLimit
		r := newStageReport(name, a.began)
		r.Status = lp.Interrupted.String()
		return a.finishStage(stageEnd{r, name, shard})
	case err != nil:
		return stageError(err)
	}
	log.printf("%s: done in %s", name, showTime(time.Since(a.began)))
	t := stageTime{schemaVersion, name, shard, a.began.UTC().Format(time.RFC3339), time.Since(a.began).Seconds()}
	if err := jsonl.Append(filepath.Join(dir, stagesFile), t); err != nil {
		return err
	}
	return a.finishStage(stageEnd{newStageReport(name, a.began), name, shard})
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
	f, err := os.Open(filepath.Join(dir, stagesFile))
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
