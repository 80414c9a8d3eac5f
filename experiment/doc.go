// Package experiment runs the paper's experiment (sections 5 and 6) over any list of families, from base instances to
// records that experiment/report turns into tables. Everything lives in one folder:
//
//	manifest.json        bases, their parts, and the variants that belong to them, with seeds and hashes
//	bases/               the base instances, in their families' own layouts
//	states/*.states      Benders states of the instances to learn from, one file a shard; states-paper: of the preset paper
//	models/              a trained proxy for each family, shape and preset, with checkpoint, progress and record
//	results/*.jsonl      a record for each held-out instance and method, one file a shard
//
// The stages are Split, CollectStates, Train and Evaluate. Each works on a shard of its jobs, skips what is there
// and adds finished jobs one by one, so that a run that was killed is resumed by starting it again. Shards never
// write the same file, and no file needs another shard's, so they may run on different machines.
//
// Results depend on the manifest and the options only, except for times and what depends on them (limits, traces).
package experiment

import (
	"errors"
	"fmt"
)

// Schema is the version of the manifest and of all records. It changes when a field changes its meaning.
const Schema = 1

// Errors that the functions of this package wrap.
var (
	ErrManifest = errors.New("bad manifest")    // it does not describe an experiment, or not this one's files
	ErrStates   = errors.New("bad states file") // damaged elsewhere than at its end
	ErrMissing  = errors.New("missing")         // an earlier stage has not been run to its end
	ErrOptions  = errors.New("invalid options")
	ErrBusy     = errors.New("in use") // another process works on the same shard
)

// Event is reported after each finished job of a stage.
type Event struct {
	// Jobs of this shard, those of earlier runs included in neither.
	Done, Total int

	// Jobs that were there already.
	Skipped int

	// One line for people.
	Text string
}

// Jobs are the jobs of a stage to do, and the receiver of their events.
type Jobs struct {
	Shard  Shard
	Shapes []Shape // none for all
	Notify func(Event)
}

// allJobs are all jobs, without reports.
var allJobs = Jobs{Shard: whole, Notify: func(Event) {}}

// report reports an event with a text.
func (j *Jobs) report(e *Event, format string, args ...any) {
	e.Text = fmt.Sprintf(format, args...)
	j.Notify(*e)
}
