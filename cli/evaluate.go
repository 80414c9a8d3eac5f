package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// evaluateFlags are the flags of proxybd evaluate.
type evaluateFlags struct {
	// The family and the options that say how the instance is read.
	family string
	file   families.ReadOptions

	// The confidence of the interval, and the probability that the tail of the costs lies beyond.
	level, alpha float64

	// The CSV file of the costs by scenario, "" for none.
	costs string

	// Who prices the design.
	crew crewFlags
}

// evaluateReport is the object of proxybd evaluate. The objective is the expected cost.
type evaluateReport struct {
	report
	Family     string          `json:"family"`
	Hash       string          `json:"hash"`
	First      number          `json:"first_stage"` // its part of the cost
	Scenarios  int             `json:"scenarios"`
	Infeasible int             `json:"infeasible_scenarios"`
	Interval   *intervalReport `json:"interval"`
	Risk       *riskReport     `json:"tail"`
	Worst      *worstReport    `json:"worst"`
	Members    []memberReport  `json:"members,omitempty"`
}

// intervalReport is a confidence interval, or the reason why there is none.
type intervalReport struct {
	Mean      number `json:"mean"`
	Low       number `json:"low"`
	High      number `json:"high"`
	Deviation number `json:"deviation"`
	Count     int    `json:"count"`
	Level     number `json:"level"`
	Reason    string `json:"reason,omitempty"`
}

// reportInterval is an interval as a report has it; reason says why there is none.
func reportInterval(i assess.Interval, reason string) *intervalReport {
	return &intervalReport{
		Mean:      number(i.Mean),
		Low:       number(i.Low),
		High:      number(i.High),
		Deviation: number(i.Deviation),
		Count:     i.Count,
		Level:     number(i.Level),
		Reason:    reason,
	}
}

// show shows the interval, or why there is none.
func (i *intervalReport) show() string {
	// The ends of an interval without a sample are NaN.
	if i.Reason != "" {
		return "none: " + i.Reason
	}
	return fmt.Sprintf("%s to %s at %g%%", showExact(float64(i.Low)), showExact(float64(i.High)), 100*float64(i.Level))
}

// newEvaluate makes the command proxybd evaluate.
func newEvaluate(a *app) *cobra.Command {
	var f evaluateFlags
	c := &cobra.Command{
		Use:   "evaluate INSTANCE DESIGN",
		Short: "Price a design in every scenario of a program",
		Long: `Price a design in every scenario of a program with scenarios, which need not be those that it was made for.
DESIGN is a solution file (solve --write-sol), or the object that solve --json prints; - is standard input.

The objective is the expected cost. Where the scenarios are equally likely they are taken as a sample, and the
interval is that of Student's distribution for the expectation behind it; scenarios of different probabilities are
taken as the distribution itself. The tail has the cost that is not exceeded with the probability --tail, and the mean of
the costs beyond it. The status is infeasible (exit 3) where a scenario has no recourse; the field
infeasible_scenarios says how many.

Ranges of scenarios are priced by --threads goroutines and, with --cluster, by several processes, with the same result.`,
		Example: `  proxybd solve r04.1.dow --scenarios r04-0-16.scen --write-sol r04.sol
  proxybd evaluate r04.1.dow r04.sol --scenarios r04-0-1000.scen --scenario-costs costs.csv
  proxybd solve f10-c10-s5.json --json | proxybd evaluate f10-c10-s25.json - --json`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error { return a.evaluate(c.Context(), args[0], args[1], f) },
	}
	a.flags.addOutput(c)
	// There is no --time-limit: pricing a design takes one linear program a scenario.
	a.flags.timeLimit = math.MaxInt64
	a.addFamily(c, &f.family, &f.file)

	c.Flags().Float64Var(&f.level, "level", 0.95, "confidence of the interval")
	c.Flags().Float64Var(&f.alpha, "tail", 0.95, "probability that the costs of the tail are beyond")
	addScenarioCosts(c, &f.costs)
	f.crew.add(c, "ranges of scenarios")
	return c
}

// evaluate runs the command: read the program and the design, price the design in every scenario, report.
func (a *app) evaluate(ctx context.Context, path, design string, f evaluateFlags) (err error) {
	// The interval has no quantile at confidence 1, and the tail beyond probability 1 is empty.
	levelOK := f.level > 0 && f.level < 1
	tailOK := f.alpha >= 0 && f.alpha < 1
	if !levelOK || !tailOK {
		return badInput(fmt.Errorf("--level %g --tail %g: probabilities below 1", f.level, f.alpha))
	}
	if err := checkTarget(f.costs); err != nil {
		return err
	}

	// Another process than the first one of several works until the command has ended.
	terms := trialTerms{readTerms: readTerms{Path: path, Family: f.family, Set: f.file.Set, Scenarios: true}}
	crew, err := a.gatherTrials(ctx, f.crew, 1, terms)
	if crew == nil || err != nil {
		return err
	}
	defer func() {
		_, failed := crew.leave()
		err = errors.Join(err, failed)
	}()
	_, in, err := a.openInstance(f.family, path, f.file)
	if err != nil {
		return err
	}

	// Only a program with scenarios can be evaluated.
	own, err := newTrials(in, terms)
	if err != nil {
		return err
	}
	p := own.program

	// The values of a file are rounded to a design of the first stage, which they must be near.
	values, err := a.readDesign(design, p)
	if err != nil {
		return badInput(err)
	}
	y, err := assess.RoundDesign(p, values)
	if err != nil {
		return badInput(fmt.Errorf("%s: %w", design, err))
	}

	a.log.printf("%s", in.Label().Title)

	// The recourse of each scenario is a linear program of its own; ranges of them are priced independently.
	if err := crew.begin(ctx, own); err != nil {
		return err
	}
	list, err := crewSteps{crew, own}.Price(ctx, 0, 0, [][]float64{y})
	if err != nil {
		return err
	}
	costs := list[0]
	members, err := crew.leave()
	if err != nil {
		return err
	}

	// One scenario without a recourse makes the design infeasible for the program.
	status := lp.Optimal
	if costs.Infeasible > 0 {
		status = lp.Infeasible
	}

	// The result is printed also where the file of the costs could not be written.
	out := a.evaluated(path, in, p, costs, f, status)
	out.Members = members
	err = writeCosts(a.writeFile, f.costs, p, costs)
	out.fault(err, a.args)
	a.finish(status, &out, []item{{"status", out.Status}, {"objective", showExact(float64(out.Objective))},
		{"interval", out.Interval.show()}, {"value at risk", showExact(float64(out.Risk.Quantile))},
		{"CVaR", showExact(float64(out.Risk.Tail))},
		{"worst", out.Worst.Scenario + ": " + showExact(float64(out.Worst.Cost))},
		{"scenarios", fmt.Sprintf("%d, %d without a recourse", out.Scenarios, out.Infeasible)},
		{"time", out.took()}})
	return err
}

// evaluated is the report of the costs of a design.
func (a *app) evaluated(path string, in families.Instance, p *stoch.Program, c *assess.Costs, f evaluateFlags,
	status lp.Status) evaluateReport {
	// The mean is NaN or infinite where a scenario has no recourse, and then null in the object.
	mean := c.Mean()
	out := evaluateReport{
		report:     a.report("evaluate", path, status, mean, math.NaN()),
		Family:     in.Label().Family,
		Hash:       in.Hash(),
		First:      number(c.First),
		Scenarios:  len(c.Scenario),
		Infeasible: c.Infeasible,
		Risk:       tail(p, c, f.alpha),
	}
	if out.Status = "evaluated"; status == lp.Infeasible {
		out.Status = status.String()
	}

	// The worst scenario is the most expensive one, or the least profitable of a maximisation.
	k := c.Worst(p.Core.Maximize)
	out.Worst = &worstReport{p.ScenarioName(k), number(c.Scenario[k])}

	// Only equally likely scenarios are a sample, which has a confidence interval.
	none := assess.Sample(nil, f.level)
	switch {
	case c.Infeasible > 0:
		out.Interval = reportInterval(none, fmt.Sprintf("%d of %d scenarios have no recourse", c.Infeasible, len(c.Scenario)))
	case !c.Equal():
		out.Interval = reportInterval(none, "the scenarios are not equally likely: they are the distribution, not a sample")
	case len(c.Scenario) < 2:
		out.Interval = reportInterval(none, "there is one scenario")
	default:
		out.Interval = reportInterval(assess.Sample(c.Scenario, f.level), "")
	}
	return out
}

// readDesign reads a solution file or the object of a solve. A program without scenarios stands for a model and its
// first columns.
func (a *app) readDesign(path string, p *stoch.Program) ([]float64, error) {
	text, err := readFile(a, path, func(r io.Reader, _ string) ([]byte, error) { return io.ReadAll(r) })
	if err != nil {
		return nil, err
	}

	// Messages about the text name standard input by words.
	if path == standard {
		path = standardInput
	}

	// An object of JSON begins with a brace, which no solution file does.
	if t := bytes.TrimSpace(text); len(t) > 0 && t[0] == '{' {
		y, err := readOpen(t, p)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return y, nil
	}

	// Without scenarios the file may be of the whole model, whose first columns are the design.
	if len(p.Scenarios) == 0 {
		y, err := mps.ReadSol(bytes.NewReader(text), path, p.Core)
		// The file may also be of the first stage alone, and so have fewer values than the model has columns.
		return y[:min(p.First, len(y))], err
	}

	// With scenarios the file is read against a model of the first stage, under the names of the core.
	first := &lp.Model{Cols: make([]lp.Col, p.First)}
	for j := range first.Cols {
		first.Cols[j] = p.Core.Cols[j]
		// A column without a name is read by the name that the core gives it by its number.
		first.Cols[j].Name = p.Core.ColName(lp.Var(j))
	}
	return mps.ReadSol(bytes.NewReader(withoutRecourse(text, p)), path, first)
}

// withoutRecourse empties the lines of a solution file that give columns of the recourse their values, which the
// extensive form names by the column and the number of the scenario: the design may be that of other scenarios.
func withoutRecourse(text []byte, p *stoch.Program) []byte {
	copied := recourseNames(p)
	lines := bytes.Split(text, []byte("\n"))
	for k, line := range lines {
		// SCIP adds the cost of the column in parentheses.
		line = bytes.TrimSpace(line)
		if at := bytes.LastIndex(line, []byte("(obj:")); at > 0 && bytes.HasSuffix(line, []byte(")")) {
			line = bytes.TrimSpace(line[:at])
		}

		// A line is a name and a value; the name is what precedes the last blank.
		if copied(string(bytes.TrimSpace(line[:max(0, bytes.LastIndexAny(line, " \t"))]))) {
			lines[k] = nil
		}
	}
	return bytes.Join(lines, []byte("\n"))
}

// recourseNames returns a function that reports whether a name is that of a recourse column in the extensive form.
func recourseNames(p *stoch.Program) func(name string) bool {
	// The columns of the core after the first stage are those of the recourse.
	first, recourse := map[string]bool{}, map[string]bool{}
	for j := range p.Core.Cols {
		name := p.Core.ColName(lp.Var(j))
		if j < p.First {
			first[name] = true
		} else {
			recourse[name] = true
		}
	}

	// The extensive form names a recourse column NAME_S, S being the number of the scenario from 1. Where that is a
	// column of the first stage, one more number makes the names different.
	return func(name string) bool {
		base, ok := unnumbered(name)
		if !ok || first[name] {
			return false
		}
		column, numbered := unnumbered(base)
		return recourse[base] || first[base] && numbered && recourse[column]
	}
}

// unnumbered takes an underscore and a number from 1 on off the end of a name; ok is false where there is none.
func unnumbered(name string) (base string, ok bool) {
	at := strings.LastIndexByte(name, '_')
	if at < 0 {
		return "", false
	}
	n, err := strconv.Atoi(name[at+1:])
	return name[:at], err == nil && n >= 1
}

// readOpen takes the design from the field open of the object of a solve: numbers of 0-1 columns, or names of them.
func readOpen(text []byte, p *stoch.Program) ([]float64, error) {
	// Other fields of the object are ignored; a field open that is null counts as absent.
	var object struct {
		Open      *[]any          `json:"open"`
		Objective json.RawMessage `json:"objective"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if object.Open == nil {
		return nil, errors.New("the object has no field open")
	}

	// A run that has found no design says so by its objective. One that lists columns has a design, which may have no
	// objective, as that of saa where other scenarios have no recourse.
	if len(*object.Open) == 0 && string(object.Objective) == "null" {
		return nil, errors.New("the run has found no design: its objective is null and nothing is open")
	}

	// The field lists what is open, and so says the values of 0-1 columns alone.
	byName := map[string]int{}
	for j := range p.First {
		c := &p.Core.Cols[j]
		if !c.Integer || c.Lower < 0 || c.Upper > 1 {
			return nil, fmt.Errorf("the column %s is not 0-1, and the field open does not say its value: use solve --write-sol",
				p.Core.ColName(lp.Var(j)))
		}
		byName[p.Core.ColName(lp.Var(j))] = j
	}

	// What the field does not list is closed.
	y := make([]float64, p.First)
	for _, v := range *object.Open {
		var j int
		var ok bool
		// Facilities and arcs are listed by numbers from 0, columns of models by their names.
		switch v := v.(type) {
		case float64:
			j = int(v)
			// JSON has only floating-point numbers, and a fraction is no column.
			whole := float64(j) == v
			ok = whole && j >= 0 && j < p.First
		case string:
			j, ok = byName[v]
		}
		if !ok {
			return nil, fmt.Errorf("%v in the field open is no column of the first stage", v)
		}
		y[j] = 1
	}
	return y, nil
}
