package cli

import (
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// report holds the fields that the objects of all commands begin with. A command embeds it.
type report struct {
	Schema  int    `json:"schema"`
	Command string `json:"command,omitempty"`
	Model   string `json:"model,omitempty"` // the file that was read
	Status  string `json:"status"`

	// In the sense of the instance: of a maximisation the bound is above the objective.
	Objective number `json:"objective"`
	Bound     number `json:"bound"`
	Gap       number `json:"gap"` // a fraction

	Seconds  number   `json:"seconds"` // since the start of the command
	Message  string   `json:"message,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// newReport returns a report without numbers, for a command that began at the given time.
func newReport(status string, began time.Time) report {
	// Numbers that are not known are null in JSON, which NaN stands for.
	nan := number(math.NaN())
	return report{
		Schema:    schemaVersion,
		Status:    status,
		Objective: nan,
		Bound:     nan,
		Gap:       nan,
		Seconds:   number(time.Since(began).Seconds()),
	}
}

// report fills the common fields of a finished solve. An unbounded model has no objective and no bound.
func (a *app) report(command, path string, status lp.Status, objective, bound float64) report {
	r := newReport(status.String(), a.began)
	// The command and its file identify the object.
	r.Command = command
	r.Model = path
	r.Warnings = slices.Clone(a.warnings)
	// The objective of the last point of an unbounded model is arbitrary.
	if status == lp.Unbounded {
		return r
	}
	r.Objective = number(objective)
	r.Bound = number(bound)
	r.Gap = number(lp.RelativeGap(objective, bound))
	return r
}

// fault notes an error in the message of a report of the command line args; nil leaves it alone.
func (r *report) fault(err error, args []string) {
	if err != nil {
		r.Message = oneLine(err, args)
	}
}

// items are the summary lines of the common fields.
func (r *report) items() []item {
	list := []item{
		{"status", r.Status},
		{"objective", showExact(float64(r.Objective))},
		{"bound", showExact(float64(r.Bound))},
	}

	// Without a design or a bound there is no gap.
	if g := float64(r.Gap); !math.IsNaN(g) && !math.IsInf(g, 0) {
		list = append(list, item{"gap", showGap(float64(r.Gap))})
	}
	return append(list, item{"time", r.took()})
}

// took shows the time of the command.
func (r *report) took() string {
	return showSeconds(time.Duration(float64(r.Seconds) * float64(time.Second)))
}

// finish reports a finished solve: the object with --json, the summary, and the exit code of the status.
func (a *app) finish(status lp.Status, object any, summary []item) {
	// An object that cannot be written leaves a script without a result, and so is a failure.
	a.summarise(summary)
	a.code = statusCode(status)
	if a.printObject(object) != nil {
		a.code = exitFailure
	}
}

// itemWidth is the width of the names in a summary.
const itemWidth = 14

// summarise writes a summary as the result of a command.
func (a *app) summarise(summary []item) {
	// The names of the lines have a column of their own.
	var lines []string
	for _, it := range summary {
		line := fmt.Sprintf("%-*s%s", itemWidth, it.name, it.value)
		lines = append(lines, a.log.fold(line, itemWidth)...)
	}

	// An empty line divides the summary from the log.
	a.log.printf("")
	a.conclude(lines...)
}

// conclude writes the result of a command to the a.log. With --quiet and without --json it goes to standard output all
// the same.
func (a *app) conclude(lines ...string) {
	// Where the log goes to standard output, a second copy would double the lines.
	quiet := &solverLog{w: io.Discard}
	if a.flags.quiet && !a.flags.json {
		// A file that is standard output must not have a summary in it.
		if quiet.w = a.stdout; a.claimed {
			quiet.w = a.stderr
		}
	}
	for _, line := range lines {
		a.log.printf("%s", line)
		quiet.printf("%s", line)
	}
}
