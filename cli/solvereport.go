package cli

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/internal/runstats"
	"github.com/proxybd/proxybd/lp"
)

// solveReport is the object of proxybd solve.
type solveReport struct {
	report
	Family string `json:"family"`
	Hash   string `json:"hash"` // of the program: what solves it does not change it
	Method string `json:"method"`
	Scheme string `json:"scheme"`

	// Counts of the run.
	Nodes        int           `json:"nodes"`
	Iterations   int           `json:"iterations"`
	LPIterations int           `json:"lp_iterations"`
	Cuts         runstats.Cuts `json:"cuts"`
	Visited      int           `json:"visited"`
	Projected    int           `json:"projected"`

	// Counts that only some runs have: of hybrid runs, of programs with scenarios, of runs in phases.
	Separations *uses            `json:"separations,omitempty"`
	Scenarios   *priced          `json:"scenarios,omitempty"`
	Phases      []runstats.Phase `json:"phases,omitempty"`

	Terminal number `json:"terminal"`

	// Numbers of facilities or arcs, from 0; of a model the names of columns that are not 0.
	Open []any `json:"open"`

	// The same as the instance's file calls them.
	OpenNames []string `json:"open_names"`

	Parts runstats.Parts `json:"seconds_by_part"`

	// Why no design exists, of an infeasible instance for which a reason is found.
	Because string `json:"infeasible_because,omitempty"`

	// The options of the command line that the result depends on, of an instance of a folder.
	Options []string `json:"options,omitempty"`

	// The processes of a run of several.
	Members []memberReport `json:"members,omitempty"`

	// The objective and the bound over time.
	Trace []tracePoint `json:"trace"`

	// What the record proves, absent without one.
	Proven *claims `json:"proven,omitempty"`
	scenarioReport
}

// memberReport is what a process of a run has done, in JSON.
type memberReport struct {
	Name     string `json:"name"`
	Present  bool   `json:"present"` // at the end
	Jobs     int    `json:"jobs"`
	BytesIn  int64  `json:"bytes_in"`
	BytesOut int64  `json:"bytes_out"`
	Busy     number `json:"busy_seconds"`
	Idle     number `json:"idle_seconds"`
}

// showMembers is the line of the summary about the processes of a run.
func showMembers(list []memberReport) string {
	var parts []string
	for _, m := range list {
		parts = append(parts, fmt.Sprintf("%s %d jobs, %.1f MB, idle %.0f%%", m.Name, m.Jobs,
			float64(m.BytesIn+m.BytesOut)/1e6, 100*float64(m.Idle)/max(1e-9, float64(m.Idle+m.Busy))))
	}
	return fmt.Sprintf("%d: %s", len(list), strings.Join(parts, "; "))
}

// priced says how scenarios were priced.
type priced struct {
	LP      int `json:"lp"`
	Bunched int `json:"bunched"` // of these
	Pool    int `json:"pool"`
	Skipped int `json:"skipped"`
	Refuted int `json:"refuted"` // points
}

// uses says who answered the separations of a hybrid run in one tree.
type uses struct {
	Proxy     int `json:"proxy"`
	Exact     int `json:"exact"`
	ProxyCuts int `json:"proxy_cuts"`
	ExactCuts int `json:"exact_cuts"`
}

// object is the report of a run, but for its design and its files.
func (r *solveRun) object() solveReport {
	// The numbers are those of the run; the label is that of the instance that was solved.
	res := r.result
	label := r.solved.Label()
	out := solveReport{
		report:       r.app.report("solve", r.path, res.Status, res.Objective, res.Bound),
		Family:       label.Family,
		Hash:         r.hash,
		Method:       string(r.options.Method),
		Scheme:       string(r.options.Scheme),
		Nodes:        res.Nodes,
		Iterations:   res.Iterations,
		LPIterations: res.LPIterations,
		Visited:      res.Visited,
		Projected:    res.Projected,
		Cuts:         runstats.CutsOf(res.Cuts),
		Phases:       runstats.PhasesOf(res.Phases),
		Terminal:     number(res.Terminal),
		Proven:       r.proven,
	}

	// The run has its own gap, which it was stopped by.
	out.Gap = number(res.Gap)

	// Counts that no separation or scenario has added to are left out.
	if u := res.Uses; u != (benders.Uses{}) {
		out.Separations = &uses{u.Quick, u.Thorough, u.QuickCuts, u.ThoroughCuts}
	}
	if n := res.Scenarios; n != (benders.Scenarios{}) {
		out.Scenarios = &priced{n.LPs, n.Bunched, n.Pool, n.Skipped, n.Refuted}
	}

	// An instance of a folder has the options of all: with them its result is found again.
	if r.app.job != nil {
		out.Options = r.app.job.options
	}

	// The integrality of a recourse may have been dropped by a flag.
	if s := r.instance.Capabilities().Relaxed; s != nil {
		out.Relaxation = s.Relaxation()
	}
	return out
}

// summary lists the lines at the end of the log. values are those of a program with scenarios.
func (r *solveRun) summary(object *solveReport, values []item) []item {
	// The common lines come first, then what qualifies them.
	list := object.items()
	if object.Because != "" {
		list = append(list, item{"because", object.Because})
	}
	if object.Relaxation != "" {
		list = append(list, item{"relaxation", object.Relaxation})
	}

	// The values of scenarios belong next to the objective.
	list = append(list, values...)
	if r.proven != nil {
		list = append(list, r.proven.item(r.result))
	}
	if n := object.Scenarios; n != nil {
		list = append(list, item{"scenarios", fmt.Sprintf("%d by LP (%d without a pivot), %d by pool, %d skipped, "+
			"%d points refuted", n.LP, n.Bunched, n.Pool, n.Skipped, n.Refuted)})
	}

	if len(object.Members) > 0 {
		list = append(list, item{"processes", showMembers(object.Members)})
	}

	// The design and the effort come last.
	c := object.Cuts
	return append(list,
		item{"open", r.open},
		item{"nodes", strconv.Itoa(object.Nodes)},
		item{"cuts", fmt.Sprintf("%d optimality, %d feasibility%s, %d user", c.Optimality, c.Feasibility,
			onCutSets(c.CutSets), c.User)},
		item{"time by part", showParts(&r.result.Parts)})
}

// clock says how long the command has taken, and where the time went.
func (r *solveReport) clock(began time.Time, p *benders.Parts) {
	// The rest of the time is put into the part other, so that the parts add up.
	took := time.Since(began)
	r.Seconds = number(took.Seconds())
	p.Fill(took)
	r.Parts = runstats.PartsOf(*p)
}

// opened lists what a design opens: the names of the columns of a model that are not 0, which may be of any kind, and
// the numbers of the facilities or arcs of another instance.
func opened(family string, master *lp.Model, design []float64) []any {
	open := []any{}
	// Columns of a general model have no numbers in its file, but names.
	model := family == mpsmodel.Family.Name
	for j, v := range design {
		switch {
		case model && math.Abs(v) > zeroTolerance && !master.Cols[j].Hidden:
			// Columns that the reader has added for logic are left out.
			open = append(open, master.ColName(lp.Var(j)))
		case !model && v > 0.5:
			// Columns of a location or design problem are 0 or 1, up to rounding.
			open = append(open, j)
		}
	}
	return open
}

// zeroTolerance is the absolute value up to which a continuous column is reported as 0.
const zeroTolerance = 1e-9

// openNames lists what is open as the instance's file calls it: by its names or its numbers.
func openNames(in families.Instance, open []any) []string {
	file := in.Capabilities().Numbered
	names := make([]string, 0, len(open))
	for _, j := range open {
		if k, ok := j.(int); ok && file != nil {
			j = file.OpenID(k)
		}
		names = append(names, fmt.Sprint(j))
	}
	return names
}

// showOpen shows what is open: how many, and the first 20 of the names, with the values of columns of a model that are
// not 1.
func showOpen(names []string, master *lp.Model, design []float64) string {
	const maxShown = 20
	values := make(map[string]float64)
	for j, v := range design {
		if !master.Cols[j].Integer || master.Cols[j].Lower < 0 || master.Cols[j].Upper > 1 {
			values[master.ColName(lp.Var(j))] = v
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", len(names))
	for k, name := range names {
		// A long list ends in dots, after which the count in front still holds.
		if k == maxShown {
			b.WriteString(" ...")
			break
		}
		b.WriteString(" " + name)
		if v, ok := values[name]; ok {
			b.WriteString("=" + showExact(v))
		}
	}
	return b.String()
}

// showParts shows where the time went, and in brackets what of it separation took for predictions and their completion.
// A part of less than a millisecond counts with the others.
func showParts(p *benders.Parts) string {
	// The two parts of separation are in brackets, since their time is counted in it already.
	separation := showSeconds(p.Separation)
	var within []string
	if p.Prediction >= time.Millisecond {
		within = append(within, "prediction "+showSeconds(p.Prediction))
	}
	if p.Completion >= time.Millisecond {
		within = append(within, "completion "+showSeconds(p.Completion))
	}
	if within != nil {
		separation += " (" + strings.Join(within, ", ") + ")"
	}

	// What the others have in parts of less than a millisecond counts, so that the line adds up to the run.
	other := p.Other
	var list []string
	for _, t := range []struct {
		name string
		took time.Duration
		text string
	}{{"presolve", p.Presolve, showSeconds(p.Presolve)}, {"master LP", p.Master, showSeconds(p.Master)},
		{"separation", p.Separation, separation}, {"recourse", p.Recourse, showSeconds(p.Recourse)},
		{"heuristic", p.Heuristic, showSeconds(p.Heuristic)}} {
		// A part of less than a millisecond would read 0.00 s.
		if t.took < time.Millisecond {
			other += t.took
			continue
		}
		list = append(list, t.name+" "+t.text)
	}
	return strings.Join(append(list, "other "+showSeconds(other)), ", ")
}

// onCutSets says how many of the feasibility cuts are inequalities on cut sets.
func onCutSets(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (%d on cut sets)", n)
}

// infeasible returns the reason of an infeasible instance, empty where none is found.
func (r *solveRun) infeasible(ctx context.Context) (string, error) {
	d := r.instance.Capabilities().Diagnosed
	if r.result.Status != lp.Infeasible || d == nil {
		return "", nil
	}

	// The reason is a help, and may not be what keeps a run from ending.
	ctx, cancel := context.WithTimeout(ctx, reasonTime)
	defer cancel()
	why, err := d.Infeasibility(ctx)
	if ctx.Err() != nil {
		return "", nil
	}
	return why, err
}

// reasonTime is how long the reason of an infeasible instance is looked for.
const reasonTime = 10 * time.Second
