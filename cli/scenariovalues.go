package cli

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/internal/sheet"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// scenarioFlags are the flags of proxybd solve about values and risk measures of programs with scenarios.
type scenarioFlags struct {
	// Whether the values of information and of the stochastic solution are computed.
	evpi, vss bool

	// The level of the conditional value at risk, and its weight in the objective.
	cvar, cvarWeight float64

	// The CSV file of the costs by scenario, "" for none.
	costs string
}

// add adds the flags.
func (f *scenarioFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.evpi, "evpi", false,
		"the expected value of perfect information: solves every scenario alone, too")
	c.Flags().BoolVar(&f.vss, "vss", false,
		"the value of the stochastic solution: prices the design of the mean scenario, too")
	// A measure of risk replaces the objective.
	c.Flags().Float64Var(&f.cvar, "cvar", 0,
		"minimise the mean of the worst 1 - `LEVEL` of the costs, such as 0.95, in place of the expectation")
	c.Flags().Float64Var(&f.cvarWeight, "cvar-weight", 1,
		"share of --cvar in the objective; the rest is the expectation")
	addScenarioCosts(c, &f.costs)
}

// addScenarioCosts adds the flag of the costs by scenario.
func addScenarioCosts(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "scenario-costs", "", "write what the design costs in every scenario to this CSV `FILE`")
}

// check reports flags that do not go together.
func (f *scenarioFlags) check(flags *pflag.FlagSet) error {
	// The level 0 is the expectation, and a legal value: whether the flag was given is what counts.
	if !flags.Changed("cvar") {
		if flags.Changed("cvar-weight") {
			return unused("cvar-weight", "is that of --cvar")
		}
		return nil
	}

	// Both values compare expected costs, and a record proves the objective of the instance.
	if name, ok := firstGiven(flags, "evpi", "vss", "record"); ok {
		return unused(name, "is about the expectation, and --cvar is another objective")
	}

	// The comparisons are such that NaN fails.
	levelOK := f.cvar >= 0 && f.cvar < 1
	weightOK := f.cvarWeight > 0 && f.cvarWeight <= 1
	if !levelOK || !weightOK {
		return badInput(fmt.Errorf("--cvar %g --cvar-weight %g: a level is from 0 to below 1, a weight above 0 and at most "+
			"1", f.cvar, f.cvarWeight))
	}
	return nil
}

// scenarioValues computes the values that the flags ask for.
type scenarioValues struct {
	f       scenarioFlags
	program *stoch.Program

	// The objective is that of --cvar.
	risk bool

	// Writes a file, or standard output.
	write func(path string, write func(io.Writer) error) error
}

// newScenarioValues returns the values to compute, nil if the flags ask for none, and the instance to solve: with
// --cvar one with another objective, else the given one.
func newScenarioValues(path string, in families.Instance, f scenarioFlags, flags *pflag.FlagSet,
	write func(string, func(io.Writer) error) error) (*scenarioValues, families.Instance, error) {
	risk := flags.Changed("cvar")
	// Most runs ask for none of these values.
	if asked := f.evpi || f.vss || f.costs != ""; !asked && !risk {
		return nil, in, nil
	}

	// An instance of several periods is opened without its scenarios.
	listed, err := withScenarios(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := program(path, listed)
	if err != nil {
		return nil, nil, err
	}
	s := &scenarioValues{f: f, program: p, risk: risk, write: write}
	// Without --cvar the instance that was opened is the one to solve, with its own family's methods.
	if !risk {
		return s, in, nil
	}

	// The conditional value at risk becomes columns and rows of a program that is solved like any other.
	q, err := assess.CVaR(p, f.cvar, f.cvarWeight)
	if err != nil {
		return nil, nil, err
	}
	label := in.Label()
	// The program with the other objective is solved by the methods for general programs.
	averse, err := generic.NewScenarios(label.Family, q)
	if err != nil {
		return nil, nil, err
	}

	// The title says that the objective is not the expectation.
	title := fmt.Sprintf("%s, CVaR at level %g with weight %g", label.Title, f.cvar, f.cvarWeight)
	return s, averse.WithLabel(label.Shape, title, label.Ext), nil
}

// scenarioReport has the fields of these values in the object of proxybd solve.
type scenarioReport struct {
	Expected   *number      `json:"expected,omitempty"` // cost of the design
	Risk       *riskReport  `json:"cvar,omitempty"`
	Worst      *worstReport `json:"worst,omitempty"`
	EVPI       *valueReport `json:"evpi,omitempty"`
	WaitAndSee *valueReport `json:"wait_and_see,omitempty"`
	VSS        *valueReport `json:"vss,omitempty"`
	Mean       *valueReport `json:"mean_design_cost,omitempty"` // expected cost of the design of the mean scenario
	Relaxation string       `json:"relaxation,omitempty"`       // says that the recourse had its integrality dropped
}

// worstReport is the scenario with the worst cost of a design.
type worstReport struct {
	Scenario string `json:"scenario"`
	Cost     number `json:"cost"` // null where it has no recourse
}

// riskReport has the risk measures of a design: the value at risk and the conditional value at risk (CVaR).
type riskReport struct {
	Level    number `json:"level"`
	Weight   number `json:"weight,omitempty"`
	Quantile number `json:"value_at_risk"`
	Scenario string `json:"scenario"` // one that has this cost
	Tail     number `json:"conditional"`
}

// valueReport is a value that may be known as a range only, or not at all for a reason.
type valueReport struct {
	Value  number `json:"value"`
	Low    number `json:"low"`
	High   number `json:"high"`
	Reason string `json:"reason,omitempty"`
}

// reportValue is a value as a report has it. scale says how small a range may count as one number.
func reportValue(v assess.Value, scale float64) *valueReport {
	// A range that is small against the objective counts as one number, its middle, and a number that is only rounding
	// of the objective as 0.
	middle := v.Middle(scale)
	const rounding = 1e-9
	if math.Abs(middle) <= rounding*math.Abs(scale) {
		middle = 0
	}
	return &valueReport{number(middle), number(v.Low), number(v.High), v.Reason}
}

// show shows the value, its range, or why it is not known.
func (v *valueReport) show() string {
	// A reason is given where there is neither a value nor a range.
	switch {
	case v.Reason != "":
		return "not known: " + v.Reason
	case !math.IsNaN(float64(v.Value)):
		return showExact(float64(v.Value))
	}
	return "between " + showExact(float64(v.Low)) + " and " + showExact(float64(v.High))
}

// compute computes the values once the program is solved, and returns their lines of the summary.
func (s *scenarioValues) compute(ctx context.Context, r *benders.Result, o decompose.Options,
	out *scenarioReport) ([]item, error) {
	if r.Design == nil {
		s.withoutDesign(out)
		return nil, nil
	}

	// With --cvar a design has more columns than the program, which are its last ones.
	items, err := s.price(ctx, r.Design[:s.program.First], out)
	if err != nil {
		return nil, err
	}

	// The optimum is known as the range between the bound and the objective.
	optimum := assess.Range{Low: r.Bound, High: r.Objective}
	// Of a maximisation the objective is the lower end.
	if s.program.Core.Maximize {
		optimum = assess.Range{Low: r.Objective, High: r.Bound}
	}

	// Each scenario is solved by branch and cut, to the gap of the run.
	options := bnb.DefaultOptions()
	options.Gap = o.Benders.Gap
	options.Seed = o.Benders.Seed

	// The expected value of perfect information is the optimum less the wait-and-see value.
	if s.f.evpi {
		wait, err := assess.WaitAndSee(ctx, s.program, options)
		if err != nil {
			return nil, err
		}
		out.WaitAndSee = reportValue(wait, r.Objective)
		out.EVPI = reportValue(assess.PerfectInformation(s.program, optimum, wait), r.Objective)
		items = append(items, item{"wait and see", out.WaitAndSee.show()}, item{"EVPI", out.EVPI.show()})
	}

	// The value of the stochastic solution is the expected cost of the mean scenario's design less the optimum.
	if s.f.vss {
		mean, err := assess.SolveMean(ctx, s.program, options)
		if err != nil {
			return nil, err
		}
		out.Mean = reportValue(mean.Cost, r.Objective)
		out.VSS = reportValue(assess.StochasticSolution(s.program, optimum, mean), r.Objective)
		items = append(items, item{"mean design", out.Mean.show()}, item{"VSS", out.VSS.show()})
	}
	return items, nil
}

// withoutDesign reports the values of a run that has found no design.
func (s *scenarioValues) withoutDesign(out *scenarioReport) {
	// The same object stands for both values.
	nan := number(math.NaN())
	none := &valueReport{Value: nan, Low: nan, High: nan, Reason: "there is no design"}
	if s.f.evpi {
		out.EVPI = none
	}
	if s.f.vss {
		out.VSS = none
	}
}

// price prices a design in every scenario, if that is asked for: it writes the costs and reports the tail.
func (s *scenarioValues) price(ctx context.Context, design []float64, out *scenarioReport) ([]item, error) {
	if s.f.costs == "" && !s.risk {
		return nil, nil
	}
	p := s.program
	// This takes one linear program for each scenario. A design is priced also after the time limit or an interrupt, as
	// it is for a file of the solution.
	c, err := assess.Evaluate(context.WithoutCancel(ctx), p, design)
	if err != nil {
		return nil, err
	}

	// The object has the mean also where it is infinite, as null.
	mean := number(c.Mean())
	out.Expected = &mean
	k := c.Worst(p.Core.Maximize)
	out.Worst = &worstReport{p.ScenarioName(k), number(c.Scenario[k])}
	items := []item{{"expected", showExact(c.Mean())}, {"worst", out.Worst.Scenario + ": " + showExact(c.Scenario[k])}}

	// Without --cvar the tail has no level.
	if s.risk {
		out.Risk = tail(p, c, s.f.cvar)
		out.Risk.Weight = number(s.f.cvarWeight)
		items = append(items, item{"value at risk", showExact(float64(out.Risk.Quantile))},
			item{"CVaR", showExact(float64(out.Risk.Tail))})
	}
	return items, writeCosts(s.write, s.f.costs, p, c)
}

// tail reports the worst costs at a level.
func tail(p *stoch.Program, c *assess.Costs, level float64) *riskReport {
	// The quantile is the value at risk, and the conditional mean that of the costs beyond it.
	quantile, k, conditional := c.Tail(level, p.Core.Maximize)
	out := &riskReport{Level: number(level), Quantile: number(quantile), Tail: number(conditional)}
	// No scenario has the cost of the quantile where a scenario has no recourse.
	if k >= 0 {
		out.Scenario = p.ScenarioName(k)
	}
	return out
}

// writeCosts writes the cost by scenario as CSV, if there is a path.
func writeCosts(writeFile func(string, func(io.Writer) error) error, path string, p *stoch.Program,
	c *assess.Costs) error {
	// Numbers are written in full, so that they can be read back without loss.
	number := func(v float64) string {
		if math.IsNaN(v) {
			return "" // the scenario has no recourse
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}

	return writeFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		// The costs are written as a table with a header.
		out := csv.NewWriter(b)
		if err := out.Write([]string{"scenario", "probability", "cost", "recourse"}); err != nil {
			return err
		}

		// A name is guarded against spreadsheets, which would read one that begins with = as a formula.
		for k, v := range c.Scenario {
			if err := out.Write([]string{sheet.Guard(p.ScenarioName(k)), number(c.Probability[k]), number(v),
				number(v - c.First)}); err != nil {
				return err
			}
		}

		out.Flush()
		return errors.Join(out.Error(), b.Flush())
	})
}

// within bounds a context by what is left of the time limit, and by a millisecond where nothing is left.
func (a *app) within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(a.remaining(), time.Millisecond))
}

// firstStage returns the columns of the design, and their values, of a master: with --cvar it has more columns, which
// are the last ones. The values may be nil.
func (s *scenarioValues) firstStage(m *lp.Model, values []float64) (*lp.Model, []float64) {
	if s == nil || !s.risk {
		return m, values
	}

	// The model is shared with the run, so that the columns are cut off a copy.
	m = m.Clone()
	m.Cols = m.Cols[:s.program.First]
	// A run without a design has no values.
	if values != nil {
		values = values[:s.program.First]
	}
	return m, values
}
