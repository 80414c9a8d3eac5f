// Package pipeline does with an instance of any family what the commands do: it solves the instance, prices and
// explains designs, records runs, draws states, makes and loads models, and writes files and checkpoints.
//
// Every function asks the instance for its Program, which benders/decompose runs, and for the capabilities that it
// states (families.Capabilities); none looks at the type of the instance. A run from Go is
//
//	in, err := cap.Family.Read("cap41.txt", families.ReadOptions{})
//	result, err := pipeline.Solve(ctx, in, decompose.DefaultOptions())
//	solution, err := pipeline.Explain(ctx, in, result.Design)
//
// Solve, Record, Data, Price, Explain, Master, Compact and States are in solve.go, models of proxies in models.go, and
// what a run goes on from in checkpoint.go. The error of what an instance does not have wraps families.ErrUnsupported.
//
// Solve takes an instance of several periods as it is. The other functions take its program with all scenarios, which
// may be too large to be made.
package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// WithScenarios returns an instance of three periods or more as a program with scenarios, any other as it is.
func WithScenarios(in families.Instance) (families.Instance, error) {
	if p := in.Capabilities().MultiPeriod; p != nil {
		return p.WithScenarios()
	}
	return in, nil
}

// program returns an instance with its program, one of several periods with its scenarios.
func program(in families.Instance) (families.Instance, *decompose.Program, error) {
	in, err := WithScenarios(in)
	if err != nil {
		return nil, nil, err
	}

	// A program is made anew for every run: it keeps what the run finds.
	p, err := in.Program()
	return in, p, err
}

// Solve solves an instance.
func Solve(ctx context.Context, in families.Instance, o decompose.Options) (*benders.Result, error) {
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	return decompose.Solve(ctx, p, o)
}

// Record solves an instance and keeps the cuts that prove the result, so that package verify can do so again. Of an
// instance with scenarios whose family has no records of its own, the run is that of its deterministic equivalent.
func Record(ctx context.Context, in families.Instance, o decompose.Options) (*benders.Result, *record.Record, error) {
	in, p, err := program(in)
	if err != nil {
		return nil, nil, err
	}

	// A program with scenarios is recorded as its family says, or else as its deterministic equivalent.
	if s := in.Capabilities().Stochastic; s != nil {
		if o.Method == decompose.Proxy || o.Method == decompose.Hybrid {
			return nil, nil, fmt.Errorf("families: %w: a run with a trained model is recorded of programs without scenarios "+
				"alone", families.ErrUnsupported)
		}
		if p.Record.Subject == nil {
			if in, err = s.Equivalent(); err != nil {
				return nil, nil, err
			}
			if p, err = in.Program(); err != nil {
				return nil, nil, err
			}
		}
	}

	label := in.Label()
	return decompose.Record(ctx, p, o, prove.Label{Family: label.Family, Name: label.Name, Hash: in.Hash()})
}

// Data returns the instance in each of the layouts that its records may have: a record.Facilities, Network,
// ScenarioNetwork or Model.
func Data(in families.Instance) (list []any, err error) {
	in, p, err := program(in)
	if err != nil {
		return nil, err
	}

	// The layout of the family comes first, then that of the deterministic equivalent, as Record chooses.
	if p.Record.Data != nil {
		list = append(list, p.Record.Data())
	}
	if s := in.Capabilities().Stochastic; s != nil {
		// A program with integer recourse has no such equivalent: its own layout is the only one.
		plain, err := s.Equivalent()
		if list != nil && errors.Is(err, families.ErrUnsupported) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		layouts, err := Data(plain)
		return append(list, layouts...), err
	}
	if list == nil {
		return nil, fmt.Errorf("families: %w: runs of the family %s cannot be recorded", families.ErrUnsupported,
			in.Label().Family)
	}
	return list, nil
}

// Price returns the exact two-stage cost of a design, and false if it has no feasible recourse.
func Price(ctx context.Context, in families.Instance, y []float64) (cost float64, feasible bool, err error) {
	_, p, err := program(in)
	if err != nil {
		return 0, false, err
	}
	return p.Price(ctx, y)
}

// Explain returns a design of an instance with its recourse. Values of integer columns are rounded.
func Explain(ctx context.Context, in families.Instance, y []float64) (*families.Solution, error) {
	e := in.Capabilities().Explainer
	if e == nil {
		return nil, fmt.Errorf("families: %w: solutions of the family %s", families.ErrUnsupported, in.Label().Family)
	}
	master, err := Master(in)
	if err != nil {
		return nil, err
	}
	if len(y) != len(master.Cols) {
		return nil, fmt.Errorf("families: %w: %d values for %d columns", families.ErrDesign, len(y), len(master.Cols))
	}

	// The recourse of a design is exact only where the design is.
	y = slices.Clone(y)
	for j, c := range master.Cols {
		if c.Integer {
			y[j] = math.Round(y[j])
		}
		y[j] += 0 // -0 is 0
	}
	return e.Explain(ctx, y)
}

// Master returns the first-stage model: the columns y, and the rows that only they appear in.
func Master(in families.Instance) (*lp.Model, error) {
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	return p.Model.Master(), nil
}

// Compact returns the whole problem as one model, whose first columns are those of Master. It minimises or maximises as
// the instance was given; the value of the instance is the model's.
func Compact(in families.Instance) (*lp.Model, error) {
	_, p, err := program(in)
	if err != nil {
		return nil, err
	}

	// The compact model of a run minimises.
	m := p.Model.Compact()
	if p.Model.Maximize {
		m.Negate()
	}
	return m, nil
}

// States returns the training data of an instance; see decompose.States.
func States(ctx context.Context, in families.Instance, o proxy.StatesOptions) (
	states []benders.State, solved *benders.Result, err error) {
	_, p, err := program(in)
	if err != nil {
		return nil, nil, err
	}
	return decompose.States(ctx, p, o)
}

// Write writes an instance to a file, whole or not at all, gzipped if the path ends in .gz.
func Write(path string, in families.Instance) error { return instance.WriteFile(path, in.Encode) }
