package experiment

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/jsonl"
	"github.com/proxybd/proxybd/internal/runstats"
)

// noLimit is the time limit that stands for none.
const noLimit = time.Duration(math.MaxInt64)

// nan stands for numbers that are not known.
var nan = math.NaN()

// Record is one line of results/*.jsonl: a held-out instance solved by a method.
type Record struct {
	Schema  int    `json:"schema"`
	Kind    string `json:"kind"` // eval
	ID      string `json:"id"`
	Family  string `json:"family"`
	Shape   string `json:"shape"`
	Hash    string `json:"hash"`
	Method  string `json:"method"`          // as Spec.String gives it
	Model   string `json:"model,omitempty"` // SHA-256 of the weights
	Version string `json:"version"`
	Host    string `json:"host"`
	Started string `json:"started"` // RFC 3339

	Seed      uint64       `json:"seed"`
	TimeLimit jsonl.Number `json:"time_limit"` // seconds, null for none
	GapGoal   jsonl.Number `json:"gap_goal"`

	Status    string       `json:"status"`
	Message   string       `json:"message,omitempty"` // of an error
	Objective jsonl.Number `json:"objective"`         // as the run reports it
	Bound     jsonl.Number `json:"bound"`             // proven
	Gap       jsonl.Number `json:"gap"`               // between the two
	Feasible  bool         `json:"feasible"`          // the design has a recourse, by the exact price after the run
	TrueCost  jsonl.Number `json:"true_cost"`         // of the design, by the exact price after the run
	Terminal  jsonl.Number `json:"terminal"`          // true cost of the master's last incumbent: no true-cost selection
	Open      []int        `json:"open"`

	// Explained is, for a proxy run by a scheme of the paper, by how much its design can cost more than the bound at most,
	// as its certificates say (docs/gap.md), a part of what the design costs.
	Explained *jsonl.Number `json:"explained,omitempty"`

	Seconds     jsonl.Number   `json:"seconds"` // of the run, the model loaded: the median over Repeats runs
	Repeats     int            `json:"repeats"`
	Unstable    bool           `json:"unstable,omitempty"` // the repeated runs did not all give the same design and cuts
	LoadSeconds jsonl.Number   `json:"load_seconds"`       // of the model, not in Seconds
	Parts       runstats.Parts `json:"seconds_by_part"`
	PeakMemory  int64          `json:"peak_memory"` // bytes resident at most during the run, 0 if unknown

	Cuts         runstats.Cuts `json:"cuts"`
	Nodes        int           `json:"nodes"`
	Iterations   int           `json:"iterations"`
	LPIterations int           `json:"lp_iterations"`
	Visited      int           `json:"visited"`
	Projected    int           `json:"projected"`
	Repair       repairCounts  `json:"repair"`

	Phases []runstats.Phase `json:"phases,omitempty"` // of a hybrid run in phases
	Trace  []TracePoint     `json:"trace,omitempty"`
}

// repairCounts are benders.Repair.
type repairCounts struct {
	Designs int          `json:"designs"`
	Opened  int          `json:"opened"`
	LPs     int          `json:"lps"`
	Seconds jsonl.Number `json:"seconds"`
}

// TracePoint is the state of a run at a moment.
type TracePoint struct {
	Seconds   jsonl.Number `json:"t"`
	Cuts      int          `json:"cuts"`
	Incumbent jsonl.Number `json:"incumbent"` // true cost
	Bound     jsonl.Number `json:"bound"`
}

// Censored reports whether a limit that was set for the run, such as that on time, ended it. The time of a run that
// stalled is not censored, since it ended by its own rule.
func (r *Record) Censored() bool {
	// All other statuses are those of limits, and of runs that were given up.
	switch r.Status {
	case "optimal", "fixed_point", "stalled", "infeasible", "error":
		return false
	}
	return true
}

// Stalled reports whether the run ended because its tree had found no better design for long.
func (r *Record) Stalled() bool { return r.Status == "stalled" }

// Certified reports whether the run proved its design optimal to the gap asked for.
func (r *Record) Certified() bool { return r.Status == "optimal" }

// fill copies a result.
func (r *Record) fill(b *benders.Result) {
	// The numbers are in the sense of the instance, as the run reports them.
	r.Status = b.Status.String()
	r.Objective = jsonl.Number(b.Objective)
	r.Bound = jsonl.Number(b.Bound)
	r.Gap = jsonl.Number(b.Gap)
	r.Terminal = jsonl.Number(b.Terminal)

	// Counts of the run.
	r.Nodes = b.Nodes
	r.Iterations = b.Iterations
	r.LPIterations = b.LPIterations
	r.Visited = b.Visited
	r.Projected = b.Projected

	// Counts and times in the form that all reports share.
	r.Cuts = runstats.CutsOf(b.Cuts)
	r.Phases = runstats.PhasesOf(b.Phases)
	r.Parts = runstats.PartsOf(b.Parts)
	r.Repair = repairCounts{b.Repair.Designs, b.Repair.Opened, b.Repair.LPs, runstats.Seconds(b.Repair.Elapsed)}

	// An empty list where nothing is open, so that JSON has no null.
	r.Open = []int{}
	for j, v := range b.Design {
		if v > 0.5 {
			r.Open = append(r.Open, j)
		}
	}
}

// ReadRecords reads the result lines of a stream, such as the shards' files put one after another. Lines that a crash
// cut off are counted and left out; whole lines of another kind or schema are an error.
func ReadRecords(in io.Reader) (records []Record, broken int, err error) {
	broken, err = jsonl.Read(in, func(line []byte) error {
		// The embedded record has all fields of the present version.
		var r struct {
			Record
			Stalled bool `json:"stalled"` // of older versions, beside the status node_limit
		}
		if err := json.Unmarshal(line, &r); err != nil {
			return fmt.Errorf("%w: a result line: %w", ErrManifest, err)
		}

		// Older versions have a field of its own for what is now a status.
		if r.Stalled {
			r.Status = "stalled"
		}

		// A file of another kind is a mistake of the user, unlike a line that was cut off.
		if r.Schema != Schema || r.Kind != "eval" {
			return fmt.Errorf("%w: a line of kind %q and schema %d is no result of this version", ErrManifest, r.Kind, r.Schema)
		}

		// The names become parts of file names of the report.
		if !optional(r.Family) || !optional(r.Shape) || !optional(r.ID) {
			return fmt.Errorf("%w: a result of family %q, shape %q, instance %q: each must be a plain file name", ErrManifest,
				r.Family, r.Shape, r.ID)
		}
		records = append(records, r.Record)
		return nil
	})
	return records, broken, err
}
