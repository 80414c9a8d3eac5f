package mpsmodel

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// readAny reads a model, or a stochastic program in SMPS files.
func readAny(path string, o families.ReadOptions) (families.Instance, error) {
	if IsStochastic(path) {
		return families.As(readStochastic(path, o.Stochastic))
	}
	return families.As(families.ReadPlain(name, path, o.FirstStage))
}

// IsStochastic reports whether a path names the files of a stochastic program: one of the three, X.smps, or their common stem.
func IsStochastic(path string) bool { return smps.Names(path) }

// readStochastic reads SMPS files and makes their deterministic equivalent, whose recourse falls apart by scenarios. The columns
// of the first period are the first stage; integer columns after it are refused.
func readStochastic(path string, o families.Stochastic) (*families.Plain, error) {
	files, err := smps.Find(path, smps.Files{Time: o.Time, Stoch: o.Stoch})
	if err != nil {
		return nil, fmt.Errorf("mps: %w", err)
	}
	p, warnings, err := smps.Read(files)
	if err != nil {
		return nil, err
	}
	if o.Warn != nil {
		for _, w := range warnings {
			o.Warn(w)
		}
	}
	so := smps.DefaultOptions()
	so.Sample = o.Scenarios
	if o.Seed != 0 {
		so.Seed = o.Seed
	}
	two, err := p.TwoStage(so)
	if errors.Is(err, smps.ErrTooLarge) && o.Scenarios == 0 && p.Parts != nil && len(p.Periods) == 2 {
		return nil, fmt.Errorf("%s: %w: draw some with --scenarios N", files.Stoch, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", files.Stoch, err)
	}
	return equivalent(files.Core, two)
}

// equivalent is the deterministic equivalent of a scenario program.
func equivalent(path string, p *stoch.Program) (*families.Plain, error) {
	var first []string
	for j := range p.Core.Cols {
		switch {
		case j < p.First:
			first = append(first, p.Core.ColName(j))
		case p.Core.Cols[j].Integer:
			return nil, fmt.Errorf("%s: %w: column %s is integer and not of the first period: integer recourse is not supported",
				path, twostage.ErrProblem, p.Core.ColName(j))
		}
	}
	m, err := p.Extensive()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	in, err := families.NewPlain(name, m, first)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}
