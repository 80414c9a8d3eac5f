package families

import (
	"context"
	"fmt"
	"io"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// Solve solves an instance.
func Solve(ctx context.Context, in Instance, o decompose.Options) (*benders.Result, error) {
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	return decompose.Solve(ctx, p, o)
}

// Record solves an instance and keeps the cuts that prove the result, so that package verify can do so again.
func Record(ctx context.Context, in Instance, o decompose.Options) (*benders.Result, *record.Record, error) {
	in, err := Listed(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, nil, err
	}
	s, ok := in.(equivalent)
	if ok && (o.Method == decompose.Proxy || o.Method == decompose.Hybrid) {
		return nil, nil, fmt.Errorf("families: %w: a run with a trained model is recorded of programs without scenarios "+
			"alone", ErrUnsupported)
	}
	if ok && p.Record.Subject == nil {
		plain, err := s.Equivalent()
		if err != nil {
			return nil, nil, err
		}
		in = plain
		if p, err = in.Program(); err != nil {
			return nil, nil, err
		}
	}
	label := in.Label()
	return decompose.Record(ctx, p, o, prove.Label{Family: label.Family, Name: label.Name, Hash: in.Hash()})
}

// equivalent is an instance with scenarios, whose records may be of its deterministic equivalent.
type equivalent interface{ Equivalent() (*Plain, error) }

// Data returns the instance in each of the layouts that its records may have: a record.Facilities, Network,
// ScenarioNetwork or Model.
func Data(in Instance) (list []any, err error) {
	in, err = Listed(in)
	if err != nil {
		return nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	if p.Record.Data != nil {
		list = append(list, p.Record.Data())
	}
	if s, ok := in.(equivalent); ok {
		plain, err := s.Equivalent()
		if err != nil {
			return nil, err
		}
		list = append(list, plain.Record())
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("families: %w: runs of the family %s cannot be recorded", ErrUnsupported, in.Label().Family)
	}
	return list, nil
}

// Price returns the exact two-stage cost of a design, and false if it has no feasible recourse.
func Price(ctx context.Context, in Instance, y []float64) (cost float64, feasible bool, err error) {
	in, err = Listed(in)
	if err != nil {
		return 0, false, err
	}
	p, err := in.Program()
	if err != nil {
		return 0, false, err
	}
	return p.Price(ctx, y)
}

// Master returns the first-stage model: the columns y, and the rows that only they appear in.
func Master(in Instance) (*lp.Model, error) {
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	return p.Model.Master(), nil
}

// Compact returns the whole problem as one model, whose first columns are those of Master. It minimises or maximises as
// the instance was given; the value of the instance is the model's.
func Compact(in Instance) (*lp.Model, error) {
	in, err := Listed(in)
	if err != nil {
		return nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, err
	}

	m := p.Model.Compact()
	if p.Model.Maximize {
		m.Negate()
	}
	return m, nil
}

// Write writes an instance to a file, whole or not at all, gzipped if the path ends in .gz.
func Write(path string, in Instance) error {
	return WriteFile(path, func(w io.Writer) error { return in.Encode(w) })
}
