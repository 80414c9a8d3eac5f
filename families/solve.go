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

// Record solves an instance and keeps every cut, so that package verify can prove the result again.
func Record(ctx context.Context, in Instance, o decompose.Options) (*benders.Result, *record.Record, error) {
	in, err := recorded(in)
	if err != nil {
		return nil, nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, nil, err
	}
	label := in.Label()
	return decompose.Record(ctx, p, o, prove.Label{Family: label.Family, Name: label.Name, Hash: in.Hash()})
}

// Data returns the instance as a record holds it: a record.Facilities, Network or Model.
func Data(in Instance) (any, error) {
	in, err := recorded(in)
	if err != nil {
		return nil, err
	}
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	if p.Data == nil {
		return nil, fmt.Errorf("families: %w: runs of the family %s cannot be recorded", ErrUnsupported, in.Label().Family)
	}
	return p.Data(), nil
}

// Price returns the exact two-stage cost of a design, and false if it has no feasible recourse.
func Price(ctx context.Context, in Instance, y []float64) (cost float64, feasible bool, err error) {
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
	return p.Master(), nil
}

// Compact returns the whole problem as one minimisation, whose first columns are those of Master.
func Compact(in Instance) (*lp.Model, error) {
	p, err := in.Program()
	if err != nil {
		return nil, err
	}
	return p.Compact(), nil
}

// Write writes an instance to a file, whole or not at all, gzipped if the path ends in .gz.
func Write(path string, in Instance) error {
	return WriteFile(path, func(w io.Writer) error { return in.Encode(w) })
}
