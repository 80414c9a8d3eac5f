// Package runstats has the counts and the times of a Benders run as objects of JSON: what solve --json prints of a run
// is what an experiment records of it. Times are in seconds; infinities and NaN are null.
package runstats

import (
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// Cuts are the cuts that the master accepted.
type Cuts struct {
	Optimality  int `json:"optimality"`
	Feasibility int `json:"feasibility"`
	User        int `json:"user"`

	// CutSets are those of the feasibility cuts that are inequalities on cut sets, and not cuts of the recourse.
	CutSets int `json:"cut_sets,omitempty"`
}

// CutsOf returns the counts of a run or of a phase.
func CutsOf(c benders.Counts) Cuts { return Cuts{c.Optimality, c.Feasibility, c.User, c.CutSets} }

// Total is the number of all cuts.
func (c Cuts) Total() int { return c.Optimality + c.Feasibility + c.User }

// Phase is a phase of a hybrid run. Objective and bound are those that were known at its end.
type Phase struct {
	Name      string       `json:"name"`
	Status    string       `json:"status"`
	Seconds   jsonl.Number `json:"seconds"`
	Objective jsonl.Number `json:"objective"`
	Bound     jsonl.Number `json:"bound"`
	Nodes     int          `json:"nodes"`
	Cuts      Cuts         `json:"cuts"`
}

// PhasesOf returns the phases of a run in their order, nil for a run without phases.
func PhasesOf(phases []benders.Phase) (list []Phase) {
	for _, p := range phases {
		list = append(list, Phase{
			Name:      p.Name,
			Status:    p.Status.String(),
			Seconds:   Seconds(p.Elapsed),
			Objective: jsonl.Number(p.Objective),
			Bound:     jsonl.Number(p.Bound),
			Nodes:     p.Nodes,
			Cuts:      CutsOf(p.Cuts),
		})
	}
	return list
}

// Parts are the times of the parts of a run. All but Prediction and Completion, which are of Separation, add up to the
// time of the run.
type Parts struct {
	Master     jsonl.Number `json:"master"`
	Separation jsonl.Number `json:"separation"`
	Prediction jsonl.Number `json:"prediction"`
	Completion jsonl.Number `json:"completion"`
	Recourse   jsonl.Number `json:"recourse"`
	Heuristic  jsonl.Number `json:"heuristic"`
	Presolve   jsonl.Number `json:"presolve"`
	Other      jsonl.Number `json:"other"`
}

// PartsOf returns the times of a run.
func PartsOf(p benders.Parts) Parts {
	return Parts{Seconds(p.Master), Seconds(p.Separation), Seconds(p.Prediction), Seconds(p.Completion),
		Seconds(p.Recourse), Seconds(p.Heuristic), Seconds(p.Presolve), Seconds(p.Other)}
}

// Seconds is a time as a number of JSON.
func Seconds(d time.Duration) jsonl.Number { return jsonl.Number(d.Seconds()) }
