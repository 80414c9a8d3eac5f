package mpsmodel

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Names of the options of stochastic programs.
const (
	timeFile     = "time"
	stochFile    = "stoch"
	scenarioSeed = "scenario-seed"
	relax        = "relax-recourse"
)

// readOptions are what the files leave open: without periods the first stage, with them the other files and the sample.
var readOptions = append([]families.Option{firstStage()}, stochasticOptions(
	families.Option{Name: timeFile, Help: "time `FILE` of a stochastic program whose core file is the instance; else " +
		"the one beside it"},
	families.Option{Name: stochFile, Help: "stoch `FILE` of a stochastic program; else the one beside the core file"},
	families.ScenarioOption,
	families.Option{Name: scenarioSeed, Kind: families.Uint64, Help: "seed of the drawing of --scenarios (default 1)"},
	families.Option{Name: relax, Kind: families.Bool, Help: "drop the integrality of the recourse of a stochastic " +
		"program; the result " +
		"is a bound of that relaxation"})...)

func firstStage() families.Option {
	o := families.FirstStage
	o.Unused = func(path string) string {
		if isStochastic(path) {
			return "is for models without periods: the time file says what the first stage is"
		}
		return ""
	}
	return o
}

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
		return families.As(readStochastic(path, o))
	}
	return families.As(families.ReadPlain(name, path, o.Set[families.FirstStage.Name]))
}

// isStochastic reports whether a path names the files of a stochastic program: one of the three, X.smps, or their
// common stem.
func isStochastic(path string) bool { return smps.Names(path) }

// sample returns how scenarios are drawn, and whether none were asked for.
func sample(o families.ReadOptions) (so smps.Options, all bool, err error) {
	so = smps.DefaultOptions()
	if so.Sample, err = o.Int(families.ScenarioOption.Name); err != nil {
		return so, false, err
	}
	seed, err := o.Uint64(scenarioSeed)
	if seed != 0 {
		so.Seed = seed
	}
	return so, so.Sample == 0, err
}

// readStochastic reads SMPS files. The columns of the first period are the first stage; integer columns after it are
// refused, unless they are to be relaxed.
func readStochastic(path string, o families.ReadOptions) (*families.Scenarios, error) {
	relaxed, err := o.Bool(relax)
	if err != nil {
		return nil, err
	}
	two, draw, core, err := readProgram(path, o)
	if err != nil {
		return nil, err
	}
	dropped := relaxed && families.RelaxRecourse(two)
	in, err := families.NewScenarios(name, two)
	if err != nil && !relaxed && errors.Is(err, twostage.ErrProblem) {
		return nil, fmt.Errorf("%s: %w (--relax-recourse drops the integrality and gives a bound)", core, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", core, err)
	}
	if dropped {
		in.WithRelaxation()
	}
	if draw != nil {
		in.WithSampler(func(n int, seed uint64) (*stoch.Program, error) {
			p, err := draw(n, seed)
			if err == nil && dropped {
				families.RelaxRecourse(p)
			}
			return p, err
		})
	}
	return in, nil
}

// ReadProgram reads SMPS files as a program of two stages, whose recourse may have integer columns: no instance, but an
// extensive form.
func ReadProgram(path string, o families.ReadOptions) (*stoch.Program, error) {
	p, _, _, err := readProgram(path, o)
	return p, err
}

// readProgram returns a program, what draws programs from its distributions (nil where the scenarios are listed), and
// the path of the core file.
func readProgram(path string, o families.ReadOptions) (two *stoch.Program, draw assess.Sampler, core string,
	err error) {
	so, all, err := sample(o)
	if err != nil {
		return nil, nil, "", err
	}
	files, err := smps.Find(path, smps.Files{Time: o.Set[timeFile], Stoch: o.Set[stochFile]})
	if err != nil {
		return nil, nil, "", fmt.Errorf("mps: %w", err)
	}
	p, warnings, err := smps.Read(files)
	if err != nil {
		return nil, nil, "", err
	}
	if o.Warn != nil {
		for _, w := range warnings {
			o.Warn(w)
		}
	}
	two, err = p.TwoStage(so)
	if errors.Is(err, smps.ErrTooLarge) && all && p.Parts != nil && len(p.Periods) == 2 {
		return nil, nil, "", fmt.Errorf("%s: %w: draw some with --scenarios N", files.Stoch, err)
	}
	if err != nil {
		return nil, nil, "", fmt.Errorf("%s: %w", files.Stoch, err)
	}
	if p.Parts != nil && len(p.Periods) == 2 {
		draw = func(n int, seed uint64) (*stoch.Program, error) {
			return p.TwoStage(smps.Options{MaxNodes: max(n, so.MaxNodes), Sample: n, Seed: seed})
		}
	}
	return two, draw, files.Core, nil
}
