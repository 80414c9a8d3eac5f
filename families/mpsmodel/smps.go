package mpsmodel

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/lp/scenfolder"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Names of the options of stochastic programs.
const (
	// timeFile and stochFile are paths, for files that do not lie beside the core file under its name.
	timeFile  = "time"
	stochFile = "stoch"
	// scenarioSeed is the seed by which scenarios are drawn.
	scenarioSeed = "scenario-seed"
	// relax drops the integrality of the columns after the first period.
	relax = "relax-recourse"
)

// readOptions are the options of reading: without periods the first stage, with them the other files and the sample.
var readOptions = append([]families.Option{firstStage(), generic.ScenarioOption}, stochasticOptions(
	families.Option{Name: timeFile, Help: "time `FILE` of a stochastic program whose core file is the instance; else " +
		"the one beside it"},
	families.Option{Name: stochFile, Help: "stoch `FILE` of a stochastic program; else the one beside the core file"},
	families.Option{Name: scenarioSeed, Kind: families.Uint64, Help: "seed of the drawing of --scenarios (default 1)"},
	families.Option{Name: relax, Kind: families.Bool, Help: "drop the integrality of the recourse of a stochastic " +
		"program; the result " +
		"is a bound of that relaxation"})...)

// firstStage is the option for the first stage, which files with periods do not need.
func firstStage() families.Option {
	o := generic.FirstStage
	o.Unused = func(path string) string {
		if isStochastic(path) {
			return "is for models without periods: the time file has the first stage"
		}
		return ""
	}
	return o
}

// stochasticOptions marks options as those of stochastic programs.
func stochasticOptions(list ...families.Option) []families.Option {
	for k := range list {
		if list[k].For == "" {
			list[k].For = "is for stochastic programs (SMPS)"
		}
		list[k].Unused = func(path string) string {
			if isStochastic(path) {
				return ""
			}
			return list[k].For
		}
	}
	return list
}

// readAny reads a model, or a stochastic program in SMPS files.
func readAny(path string, o families.ReadOptions) (families.Instance, error) {
	if isStochastic(path) {
		return readStochastic(path, o)
	}

	// A folder has a model for each scenario.
	if scenfolder.Is(path) {
		p, err := scenfolder.Read(path, o.Warn)
		if err != nil {
			return nil, err
		}
		return families.As(generic.NewScenarios(name, p))
	}

	// antares-xpansion's structure names a master and its subproblems, which are scenarios where they are alike.
	if scenfolder.IsStructure(path) {
		p, m, first, err := scenfolder.ReadStructure(path, o.Warn)
		switch {
		case err != nil:
			return nil, err
		case p != nil:
			return families.As(generic.NewScenarios(name, p))
		}
		return families.As(generic.NewPlain(name, m, first))
	}

	// SCIP's Benders files name a master and its subproblems.
	if scenfolder.IsBlocks(path) {
		m, first, err := scenfolder.ReadBlocks(path, o.Warn)
		if err != nil {
			return nil, err
		}
		return families.As(generic.NewPlain(name, m, first))
	}

	// A model has its scenarios, if any, in a table.
	first := o.Set[generic.FirstStage.Name]
	switch table := o.Set[generic.ScenarioOption.Name]; {
	case table == "":
		return families.As(generic.ReadPlain(name, path, first, o.Warn))
	case isCount(table):
		return nil, fmt.Errorf("mps: %s: %w: --scenarios %s draws scenarios of a stochastic program (SMPS); those of a "+
			"model are in a CSV file", path, families.ErrOptions, table)
	default:
		return families.As(generic.ReadTable(name, path, first, table, o.Warn))
	}
}

// isCount reports whether the value of --scenarios is how many to draw.
func isCount(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// isStochastic reports whether a path names the files of a stochastic program: one of the three, X.smps, or their
// common stem.
func isStochastic(path string) bool { return smps.Names(path) }

// sample returns how scenarios are drawn; a sample of none is all of them.
func sample(o families.ReadOptions) (so smps.Options, err error) {
	so = smps.DefaultOptions()
	if so.Sample, err = o.Int(generic.ScenarioOption.Name); err != nil {
		return so, err
	}
	if so.Sample < 0 {
		return so, fmt.Errorf("%w: --%s %d: a negative number", families.ErrOptions, generic.ScenarioOption.Name, so.Sample)
	}
	seed, err := o.Uint64(scenarioSeed)
	if seed != 0 {
		so.Seed = seed
	}
	return so, err
}

// readStochastic reads SMPS files. The columns of the first period are the first stage; integer columns after it can be
// relaxed. A program of three or more periods whose columns are continuous is solved period by
// period.
func readStochastic(path string, o families.ReadOptions) (families.Instance, error) {
	relaxed, err := o.Bool(relax)
	if err != nil {
		return nil, err
	}
	p, err := readFiles(path, o)
	if err != nil {
		return nil, err
	}
	if !p.drawn() && len(p.Periods) > 2 && continuous(p.Program, relaxed) {
		return p.byPeriods(relaxed)
	}
	return families.As(p.listed(relaxed))
}

// program is the content of SMPS files, and the options of drawing scenarios.
type program struct {
	*smps.Program
	// files are the paths, for errors.
	files smps.Files
	// options say whether scenarios are drawn or enumerated.
	options smps.Options
}

// drawn reports whether the scenarios are a random sample.
func (p *program) drawn() bool { return p.options.Sample > 0 }

// continuous reports whether all columns of a program are continuous, as nested decomposition needs. relaxed drops the
// integrality of those after the first period.
func continuous(p *smps.Program, relaxed bool) bool {
	for j, t := range p.ColPeriod {
		// Integer columns of the first period cannot be relaxed by the option.
		if p.Core.Cols[j].Integer && (t == 0 || !relaxed) {
			return false
		}
	}
	return true
}

// byPeriods makes an instance of several periods.
func (p *program) byPeriods(relaxed bool) (families.Instance, error) {
	// The program itself keeps its integer columns, since listed relaxes those of its own copy.
	own := *p.Program
	dropped := false
	own.Core = p.Core.Clone()
	for j := range own.Core.Cols {
		dropped = dropped || own.Core.Cols[j].Integer
		own.Core.Cols[j].Integer = false
	}
	m, err := own.Multistage(p.options)
	if err != nil { // too large, or not a valid program
		return nil, fmt.Errorf("%s: %w", p.files.Stoch, err)
	}
	in, err := generic.NewPeriods(name, m, func() (*generic.Scenarios, error) { return p.listed(relaxed) })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.files.Core, err)
	}
	if dropped {
		in.WithRelaxation()
	}
	return in, nil
}

// listed makes an instance of two stages with all scenarios, or those drawn.
func (p *program) listed(relaxed bool) (*generic.Scenarios, error) {
	two, draw, err := p.twoStage()
	if err != nil {
		return nil, err
	}

	dropped := relaxed && two.IntegerRecourse()
	if dropped {
		two = two.ContinuousRecourse()
	}
	in, err := generic.NewScenarios(name, two)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.files.Core, err)
	}

	// Programs drawn later are relaxed like this one.
	if dropped {
		in.WithRelaxation()
	}
	if draw != nil {
		in.WithSampler(func(n int, seed uint64) (*stoch.Program, error) {
			p, err := draw(n, seed)
			if err == nil && dropped {
				p = p.ContinuousRecourse()
			}
			return p, err
		})
	}
	return in, nil
}

// readFiles reads the three files.
func readFiles(path string, o families.ReadOptions) (*program, error) {
	so, err := sample(o)
	if err != nil {
		return nil, err
	}
	files, err := smps.Find(path, smps.Files{Time: o.Set[timeFile], Stoch: o.Set[stochFile]})
	if err != nil {
		return nil, fmt.Errorf("mps: %w", err)
	}
	p, warnings, err := smps.ReadFiles(files)
	if err != nil {
		return nil, err
	}
	if o.Warn != nil {
		for _, w := range warnings {
			o.Warn(w)
		}
	}
	return &program{p, files, so}, nil
}

// twoStage returns a program of two stages, and a function that draws programs from its distributions (nil if the
// scenarios are listed).
func (p *program) twoStage() (two *stoch.Program, draw assess.Sampler, err error) {
	two, err = p.TwoStage(p.options)
	canDraw := p.Parts != nil && len(p.Periods) == 2
	if errors.Is(err, smps.ErrTooLarge) && !p.drawn() && canDraw {
		return nil, nil, fmt.Errorf("%s: %w: draw some with --scenarios N", p.files.Stoch, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", p.files.Stoch, err)
	}

	// A program whose scenarios are listed has nothing to draw from.
	if canDraw {
		draw = func(n int, seed uint64) (*stoch.Program, error) {
			return p.TwoStage(smps.Options{MaxNodes: max(n, p.options.MaxNodes), Sample: n, Seed: seed})
		}
	}
	return two, draw, nil
}
