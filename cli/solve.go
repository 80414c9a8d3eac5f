package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/runstats"
	"github.com/proxybd/proxybd/lp"
)

// solveOptions are the flags of proxybd solve beside the common ones.
type solveOptions struct {
	family, method, scheme, model string
	control, cuts                 string
	inOut                         float64
	fractional                    string
	noHeuristic, noTrueCost       bool
	nodeLimit, iterationLimit     int
	stallNodes                    int
	logEvery                      time.Duration
	file                          families.ReadOptions
	record, checkpoint, start     string
	threads                       int
	surround                      surroundFlags
	flags                         *pflag.FlagSet
}

// solveReport is the object of proxybd solve.
type solveReport struct {
	report
	Family       string           `json:"family"`
	Hash         string           `json:"hash"` // of the program: what solves it does not change it
	Method       string           `json:"method"`
	Scheme       string           `json:"scheme"`
	Nodes        int              `json:"nodes"`
	Iterations   int              `json:"iterations"`
	LPIterations int              `json:"lp_iterations"`
	Cuts         runstats.Cuts    `json:"cuts"`
	Visited      int              `json:"visited"`
	Projected    int              `json:"projected"`
	Separations  *uses            `json:"separations,omitempty"`
	Scenarios    *priced          `json:"scenarios,omitempty"`
	Phases       []runstats.Phase `json:"phases,omitempty"`
	Terminal     number           `json:"terminal"`
	// numbers of facilities or arcs, from 0; of a model the names of columns that are not 0
	Open   []any          `json:"open"`
	Parts  runstats.Parts `json:"seconds_by_part"`
	Proven *claims        `json:"proven,omitempty"` // what the record proves
	surroundReport
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

func newSolve(a *app) *cobra.Command {
	var f solveOptions
	def := benders.DefaultOptions()
	c := &cobra.Command{
		Use:   "solve INSTANCE",
		Short: "Solve a two-stage instance by Benders decomposition",
		Long: `Solve a two-stage instance by Benders decomposition, exactly or with a certified proxy.

Without flags the run is exact and ends with a proven gap of at most 0.01%. It prints the best design,
its cost and a lower bound.

Topics: proxybd help methods, schemes, scenarios, records, solutions, formats, json, exit-codes.`,
		Example: `  proxybd solve MP1.gz
  proxybd solve capa.txt.gz --capacity 8000
  proxybd solve MP1.gz --gap 1e-6 --time-limit 60s --json | jq '.objective, .open'
  proxybd solve MP1.gz --method proxy
  proxybd solve cap41.txt --record cap41.record
  proxybd solve r04.1.dow --scenarios r04-0-16.scen --evpi --vss
  proxybd solve f10-c10-s25.json --cvar 0.9 --scenario-costs costs.csv
  proxybd solve cap41.txt --solution cap41.csv --svg cap41.svg
  proxybd solve r01.1.dow -q --solution - | jq '.flows[] | select(.commodity == 3)'
  proxybd solve r04.9.dow --scenarios r04-0-64.scen --checkpoint r04.ckpt --time-limit 1h
  proxybd solve MP1.gz --method hybrid --model mp.safetensors`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := errors.Join(checkSolve(c.Flags(), decompose.Method(f.method), decompose.Scheme(f.scheme)),
				f.surround.check(c.Flags())); err != nil {
				return err
			}
			f.flags = c.Flags()
			return a.solve(c.Context(), args[0], f)
		},
	}
	a.flags.addSolve(c)
	a.flags.addGap(c)
	a.flags.addPicture(c)
	a.addFamily(c, &f.family, &f.file)
	c.Flags().StringVar(&f.method, "method", string(decompose.Methods[0]), join(decompose.Methods))
	c.Flags().StringVar(&f.scheme, "scheme", string(decompose.Schemes[0]),
		join(decompose.Schemes)+": how the master is solved, see proxybd help schemes")
	c.Flags().StringVar(&f.model, "model", "", "trained proxy `FILE` (safetensors); without it a shipped one that fits")
	c.Flags().StringVar(&f.cuts, "cuts", "",
		join(decompose.CutsChoices)+": of a proxy run, one cut on the sum or one for every part of the recourse, "+
			"such as every client; without it what the family does")
	c.Flags().Float64Var(&f.inOut, "in-out", 0,
		"weight of the master's point in stabilised separation, up to 1 for none; 0 for the family's or the "+
			"scheme's")
	c.Flags().StringVar(&f.control, "control", "",
		join(proxy.Controls)+": in place of the network's predictions those of weights of zero or random ones or, of "+
			"programs with scenarios, multipliers reused (proxybd score), to see what the network is worth")
	c.Flags().StringVar(&f.record, "record", "", "write a record of the run to this `FILE`, for proxybd verify")
	c.Flags().StringVar(&f.checkpoint, "checkpoint", "", "write the state of the run to this `FILE`; if it exists, "+
		"continue from it")
	c.Flags().StringVar(&f.start, "start", "", "begin with the design of this `FILE`: a solution file, or the object of "+
		"solve --json; - is standard input")
	c.Flags().StringVar(&f.fractional, "fractional", fractional[0], strings.Join(fractional,
		"|")+": where fractional points are separated")
	c.Flags().IntVar(&f.threads, "threads", 0,
		"goroutines that price scenarios, 0 for one a processor; no result depends on it. The tree of a master, or of "+
			"a whole model, is searched by one thread")
	c.Flags().BoolVar(&f.noHeuristic, "no-heuristic", false,
		"no starting design, no local search, no fixing by its cost")
	c.Flags().BoolVar(&f.noTrueCost, "no-true-cost", false,
		"return the master's last design, not the cheapest one that was visited")
	addCount(c, &f.nodeLimit, "node-limit", "stop after so many nodes of the tree")
	addCount(c, &f.stallNodes, "stall-nodes",
		"stop after so many nodes of the tree without a better design; a pure proxy run of ufl or mcndp does so by "+
			"itself, and the first phase of a hybrid run")
	f.stallNodes = 0 // not given: the family decides
	addCount(c, &f.iterationLimit, "iteration-limit", "stop after so many rounds of the outer loop")
	f.surround.add(c)
	f.logEvery = def.LogEvery
	c.Flags().Var((*durationLimit)(&f.logEvery), "log-every", "minimum time between two rows of the log")
	groupFlags(c)
	return c
}

// settings checks the flags and turns them into what a family reads.
func (f *solveOptions) settings(a *app) (decompose.Options, error) {
	if err := errors.Join(oneOf("method", f.method, decompose.Methods), oneOf("scheme", f.scheme, decompose.Schemes),
		oneOf("fractional", f.fractional, fractional), optional("control", f.control, proxy.Controls),
		optional("cuts", f.cuts, decompose.CutsChoices)); err != nil {

		return decompose.Options{}, err
	}
	o := benders.DefaultOptions()
	o.Gap, o.TimeLimit, o.Seed, o.LogEvery = a.flags.gap, a.remaining(), a.flags.seed, f.logEvery
	o.MaxNodes, o.MaxIterations = f.nodeLimit, f.iterationLimit
	given := f.stallNodes > 0 // "none" is given too
	if given {
		o.StallNodes = f.stallNodes
	}
	o.Heuristic, o.TrueCost = !f.noHeuristic, !f.noTrueCost
	o.Fractional = places[f.fractional]
	return decompose.Options{Method: decompose.Method(f.method), Scheme: decompose.Scheme(f.scheme), Benders: o,
		StallGiven: given, ProxyCuts: decompose.Cuts(f.cuts), InOut: f.inOut, Threads: f.threads}, nil
}

// byScenario reports whether anything is asked for that a program of several periods has by its scenarios alone.
func (f *solveOptions) byScenario() bool {
	return f.method != string(decompose.Exact) || f.record != "" || f.checkpoint != "" || f.start != ""
}

// showControl says what stands in for a network.
func showControl(control string) string {
	switch c := proxy.Control(control); {
	case c == proxy.Trained:
		return ""
	case slices.Contains(proxy.ReusingControls, c):
		return ", " + control + " multipliers in its place"
	}
	return " with " + control + " weights"
}

// places are the values of --fractional, the first one is the default.
var (
	fractional = []string{"nodes", "root", "never"}
	places     = map[string]benders.Fractional{"never": benders.Never, "root": benders.AtRoot, "nodes": benders.AtNodes}
)

// solve is the whole command: read, solve, report.
func (a *app) solve(ctx context.Context, path string, f solveOptions) error {
	if err := errors.Join(a.checkOutputs(), checkTarget(f.record), checkTarget(f.checkpoint),
		checkTarget(f.surround.costs)); err != nil {
		return err
	}
	s, err := f.settings(a)
	if err != nil {
		return err
	}
	fam, in, err := a.openAny(f.family, path, f.file)
	if err == nil && f.byScenario() {
		in, err = withScenarios(in)
	}
	if err != nil {
		return err
	}
	relaxation := ""
	if s := in.Capabilities().Relaxed; s != nil {
		relaxation = s.Relaxation()
	}
	given := in
	f.surround.write = a.writeFile
	around, in, err := newSurround(path, in, f.surround, f.flags)
	if err != nil {
		return err
	}
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	log.printf("%s", in.Label().Title)
	log.printf("method %s, scheme %s, gap %g", s.Method, s.Scheme, s.Benders.Gap)
	rows := newBendersLog(log, s.Method != decompose.Proxy && s.Method != decompose.Hybrid)
	s.Benders.Progress, s.Log = rows.progress, func(line string) { log.printf("%s", line) }
	if s.Method == decompose.Proxy || s.Method == decompose.Hybrid {
		var name string
		if s.Model, name, err = openModel(fam, in, f.model); err != nil {
			return err
		}
		if s.Model, err = s.Model.Control(proxy.Control(f.control), a.flags.seed); err != nil {
			return badInput(err)
		}
		log.printf("model %s%s", name, showControl(f.control))
	}
	kept, err := a.begin(in, f, &s, log)
	if err != nil {
		return err
	}
	var r *benders.Result
	var proven *claims
	if f.record != "" {
		r, proven, err = a.recorded(ctx, in, s, f.record, log)
	} else {
		r, err = pipeline.Solve(ctx, in, s)
	}
	if r == nil {
		return err
	}
	object := a.solveReport(path, in, s, r)
	object.Proven = proven
	rows.result(r, &object.report)
	master, bad := pipeline.Master(in)
	if bad != nil {
		return bad
	}
	master, design := around.own(master, r.Design)
	object.Open = opened(in.Label().Family, master, design)
	unwritten := errors.Join(err, kept.err, a.present(ctx, given, r, master, design, in == given, &object))
	var items []item
	if object.Relaxation = relaxation; relaxation != "" {
		items = append(items, item{"relaxation", relaxation})
	}
	if around != nil {
		within, cancel := a.within(ctx)
		defer cancel()
		more, bad := around.after(within, r, s, &object.surroundReport)
		unwritten, items = errors.Join(unwritten, bad), append(items, more...)
	}
	object.fault(unwritten)
	if proven != nil {
		items = append(items, proven.item(r))
	}
	if n := object.Scenarios; n != nil {
		items = append(items, item{"scenarios", fmt.Sprintf("%d by LP (%d without a pivot), %d by pool, %d skipped, "+
			"%d points refuted", n.LP, n.Bunched, n.Pool, n.Skipped, n.Refuted)})
	}
	object.clock(a.began, &r.Parts)
	a.finish(log, r.Status, &object, append(append(object.items(), items...),
		item{"open", showOpen(given, object.Open)},
		item{"nodes", strconv.Itoa(r.Nodes)},
		item{"cuts", fmt.Sprintf("%d optimality, %d feasibility, %d user", r.Cuts.Optimality, r.Cuts.Feasibility,
			r.Cuts.User)},
		item{"time by part", showParts(&r.Parts)}))
	return unwritten
}

func (a *app) solveReport(path string, in families.Instance, s decompose.Options, r *benders.Result) solveReport {
	out := solveReport{report: a.report("solve", path, r.Status, r.Objective, r.Bound), Family: in.Label().Family,
		Hash: in.Hash(), Method: string(s.Method), Scheme: string(s.Scheme),
		Nodes: r.Nodes, Iterations: r.Iterations, LPIterations: r.LPIterations, Visited: r.Visited, Projected: r.Projected,
		Cuts:     runstats.CutsOf(r.Cuts),
		Terminal: number(r.Terminal), Phases: runstats.PhasesOf(r.Phases)}
	out.Gap = number(r.Gap)
	if u := r.Uses; u != (benders.Uses{}) {
		out.Separations = &uses{u.Quick, u.Thorough, u.QuickCuts, u.ThoroughCuts}
	}
	if n := r.Scenarios; n != (benders.Scenarios{}) {
		out.Scenarios = &priced{n.LPs, n.Bunched, n.Pool, n.Skipped, n.Refuted}
	}
	return out
}

// clock says how long the command has taken, and where the time went.
func (r *solveReport) clock(began time.Time, p *benders.Parts) {
	took := time.Since(began)
	r.Seconds = number(took.Seconds())
	p.Fill(took)
	r.Parts = runstats.PartsOf(*p)
}

// opened lists what a design opens. The columns of a model may be of any kind: what is not 0 counts, and its name says
// what it is.
func opened(family string, master *lp.Model, design []float64) []any {
	open := []any{}
	model := family == mpsmodel.Family.Name
	for j, v := range design {
		switch {
		case model && math.Abs(v) > noise && !master.Cols[j].Hidden:
			open = append(open, master.ColName(lp.Var(j)))
		case !model && v > 0.5:
			open = append(open, j)
		}
	}
	return open
}

// noise is what the value of a continuous column may differ from 0 by, and still be 0 to those who read it.
const noise = 1e-9

// showOpen lists what is open, the first few of many, by the names or numbers of the instance's file.
func showOpen(in families.Instance, open []any) string {
	const maxShown = 20
	file := in.Capabilities().Numbered
	var b strings.Builder
	fmt.Fprintf(&b, "%d:", len(open))
	for k, j := range open {
		if k == maxShown {
			b.WriteString(" ...")
			break
		}
		if k, ok := j.(int); ok && file != nil {
			j = file.OpenID(k)
		}
		fmt.Fprintf(&b, " %v", j)
	}
	return b.String()
}

// showParts shows where the time went, what separation took in brackets. A part of less than a millisecond counts with
// the others.
func showParts(p *benders.Parts) string {
	other := p.Other
	var list []string
	for _, t := range []struct {
		name string
		d    time.Duration
		of   []item
	}{{"presolve", p.Presolve, nil}, {"master LP", p.Master, nil}, {"separation", p.Separation, []item{
		{"prediction", showBrief(p.Prediction)}, {"completion", showBrief(p.Completion)}}}, {"recourse", p.Recourse, nil},
		{"heuristic", p.Heuristic, nil}} {
		if t.d < time.Millisecond {
			other += t.d
			continue
		}
		text := t.name + " " + showSeconds(t.d)
		var within []string
		for _, w := range t.of {
			if w.value != "" {
				within = append(within, w.name+" "+w.value)
			}
		}
		if within != nil {
			text += " (" + strings.Join(within, ", ") + ")"
		}
		list = append(list, text)
	}
	return strings.Join(append(list, "other "+showSeconds(other)), ", ")
}

// showBrief shows a time of a millisecond or more.
func showBrief(d time.Duration) string {
	if d < time.Millisecond {
		return ""
	}
	return showSeconds(d)
}
