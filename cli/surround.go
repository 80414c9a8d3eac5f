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

// surroundFlags are the flags of proxybd solve about what surrounds the optimum of a program with scenarios.
type surroundFlags struct {
	evpi, vss        bool
	cvar, cvarWeight float64
	costs            string
	write            func(path string, write func(io.Writer) error) error // writes the file of the costs
}

func (f *surroundFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.evpi, "evpi", false,
		"the expected value of perfect information: solves every scenario alone, too")
	c.Flags().BoolVar(&f.vss, "vss", false,
		"the value of the stochastic solution: prices the design of the mean scenario, too")
	c.Flags().Float64Var(&f.cvar, "cvar", 0,
		"minimise the mean of the worst 1 - `LEVEL` of the costs, such as 0.95, in place of the expectation")
	c.Flags().Float64Var(&f.cvarWeight, "cvar-weight", 1,
		"share of --cvar in the objective; the rest is the expectation")
	addScenarioCosts(c, &f.costs)
}

func addScenarioCosts(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "scenario-costs", "", "write what the design costs in every scenario to this CSV `FILE`")
}

// check reports flags that do not go together.
func (f *surroundFlags) check(flags *pflag.FlagSet) error {
	if !flags.Changed("cvar") {
		if flags.Changed("cvar-weight") {
			return unused("cvar-weight", "is that of --cvar")
		}
		return nil
	}
	if name, ok := firstGiven(flags, "evpi", "vss", "record"); ok {
		return unused(name, "is about the expectation, and --cvar is another objective")
	}
	if !(f.cvar >= 0 && f.cvar < 1) || !(f.cvarWeight > 0 && f.cvarWeight <= 1) {
		return badInput(fmt.Errorf("--cvar %g --cvar-weight %g: a level is from 0 to below 1, a weight above 0 and at most "+
			"1", f.cvar,
			f.cvarWeight))
	}
	return nil
}

// wanted reports whether anything is asked for.
func (f *surroundFlags) wanted(flags *pflag.FlagSet) bool {
	return f.evpi || f.vss || f.costs != "" || flags.Changed("cvar")
}

// surround is a program with what is asked of it.
type surround struct {
	f       surroundFlags
	program *stoch.Program
	risk    bool
}

// newSurround returns the instance to solve, which is another one with --cvar; nil if nothing is asked for.
func newSurround(path string, in families.Instance, f surroundFlags, flags *pflag.FlagSet) (*surround,
	families.Instance, error) {
	if !f.wanted(flags) {
		return nil, in, nil
	}
	whole, err := withScenarios(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := program(path, whole)
	if err != nil {
		return nil, nil, err
	}
	s := &surround{f: f, program: p, risk: flags.Changed("cvar")}
	if !s.risk {
		return s, in, nil
	}
	q, err := assess.CVaR(p, f.cvar, f.cvarWeight)
	if err != nil {
		return nil, nil, err
	}
	label := in.Label()
	other, err := generic.NewScenarios(label.Family, q)
	if err != nil {
		return nil, nil, err
	}
	return s, other.WithLabel(label.Shape, fmt.Sprintf("%s, CVaR at level %g with weight %g", label.Title, f.cvar,
		f.cvarWeight),
		label.Ext), nil
}

// surroundReport is what a solve says beside the optimum.
type surroundReport struct {
	Expected   *number      `json:"expected,omitempty"` // cost of the design
	Risk       *riskReport  `json:"cvar,omitempty"`
	Worst      *worstReport `json:"worst,omitempty"`
	EVPI       *valueReport `json:"evpi,omitempty"`
	WaitAndSee *valueReport `json:"wait_and_see,omitempty"`
	VSS        *valueReport `json:"vss,omitempty"`
	Mean       *valueReport `json:"mean_design_cost,omitempty"` // expected cost of the design of the mean scenario
	Relaxation string       `json:"relaxation,omitempty"`       // says that the recourse had its integrality dropped
}

type worstReport struct {
	Scenario string `json:"scenario"`
	Cost     number `json:"cost"` // null where it has no recourse
}

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

func reportValue(v assess.Value, scale float64) *valueReport {
	return &valueReport{number(v.Middle(scale)), number(v.Low), number(v.High), v.Reason}
}

func (v *valueReport) show() string {
	switch {
	case v.Reason != "":
		return "not known: " + v.Reason
	case !math.IsNaN(float64(v.Value)):
		return showExact(float64(v.Value))
	}
	return "between " + showExact(float64(v.Low)) + " and " + showExact(float64(v.High))
}

// after computes what is asked for once the program is solved.
func (s *surround) after(ctx context.Context, r *benders.Result, o decompose.Options,
	out *surroundReport) (items []item, err error) {
	if r.Design != nil {
		if items, err = s.price(ctx, r.Design[:s.program.First], out); err != nil {
			return nil, err
		}
	}
	optimum := assess.Range{Low: r.Bound, High: r.Objective}
	if s.program.Core.Maximize {
		optimum = assess.Range{Low: r.Objective, High: r.Bound}
	}
	options := bnb.DefaultOptions()
	options.Gap, options.Seed = o.Benders.Gap, o.Benders.Seed
	if r.Design == nil {
		none := &valueReport{Value: number(math.NaN()), Low: number(math.NaN()), High: number(math.NaN()),
			Reason: "there is no design"}
		if s.f.evpi {
			out.EVPI = none
		}
		if s.f.vss {
			out.VSS = none
		}
		return items, nil
	}
	if s.f.evpi {
		wait, err := assess.WaitAndSee(ctx, s.program, options)
		if err != nil {
			return nil, err
		}
		out.WaitAndSee, out.EVPI = reportValue(wait, r.Objective),
			reportValue(assess.PerfectInformation(s.program, optimum, wait), r.Objective)
		items = append(items, item{"wait and see", out.WaitAndSee.show()}, item{"EVPI", out.EVPI.show()})
	}
	if s.f.vss {
		mean, err := assess.SolveMean(ctx, s.program, options)
		if err != nil {
			return nil, err
		}
		out.Mean, out.VSS = reportValue(mean.Cost, r.Objective), reportValue(assess.StochasticSolution(s.program, optimum,
			mean), r.Objective)
		items = append(items, item{"mean design", out.Mean.show()}, item{"VSS", out.VSS.show()})
	}
	return items, nil
}

// price writes the cost by scenario and reports the tail.
func (s *surround) price(ctx context.Context, y []float64, out *surroundReport) ([]item, error) {
	if s.f.costs == "" && !s.risk {
		return nil, nil
	}
	p := s.program
	c, err := assess.Evaluate(ctx, p, y)
	if ctx.Err() != nil {
		return nil, nil // no time for it
	}
	if err != nil {
		return nil, err
	}
	mean := number(c.Mean())
	out.Expected = &mean
	k := c.Worst(p.Core.Maximize)
	out.Worst = &worstReport{p.ScenarioName(k), number(c.Scenario[k])}
	items := []item{{"expected", showExact(c.Mean())}, {"worst", out.Worst.Scenario + ": " + showExact(c.Scenario[k])}}
	if s.risk {
		out.Risk = tail(p, c, s.f.cvar)
		out.Risk.Weight = number(s.f.cvarWeight)
		items = append(items, item{"value at risk", showExact(float64(out.Risk.Quantile))},
			item{"CVaR", showExact(float64(out.Risk.Tail))})
	}
	return items, writeCosts(s.f.write, s.f.costs, p, c)
}

// tail reports the worst costs at a level.
func tail(p *stoch.Program, c *assess.Costs, level float64) *riskReport {
	quantile, k, conditional := c.Tail(level, p.Core.Maximize)
	out := &riskReport{Level: number(level), Quantile: number(quantile), Tail: number(conditional)}
	if k >= 0 {
		out.Scenario = p.ScenarioName(k)
	}
	return out
}

// writeCosts writes the cost by scenario as CSV, if there is a path.
func writeCosts(writeFile func(string, func(io.Writer) error) error, path string, p *stoch.Program,
	c *assess.Costs) error {
	if path == "" {
		return nil
	}
	return writeFile(path, func(w io.Writer) error {
		b := bufio.NewWriter(w)
		out := csv.NewWriter(b)
		if err := out.Write([]string{"scenario", "probability", "cost", "recourse"}); err != nil {
			return err
		}
		number := func(v float64) string {
			if math.IsNaN(v) {
				return "" // no recourse
			}
			return strconv.FormatFloat(v, 'g', -1, 64)
		}
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

// within bounds a context by what is left of the time limit.
func (a *app) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if left := a.remaining(); left < math.MaxInt64 {
		return context.WithTimeout(ctx, max(left, time.Millisecond))
	}
	return ctx, func() {}
}

// own returns the part of a design that the columns of a master without added ones have.
func (s *surround) own(m *lp.Model, design []float64) (*lp.Model, []float64) {
	if s == nil || !s.risk {
		return m, design
	}
	m = m.Clone()
	m.Cols = m.Cols[:s.program.First]
	if design != nil {
		design = design[:s.program.First]
	}
	return m, design
}
