package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cflp"
	"github.com/proxybd/proxybd/lp"
)

var capFamily = family{
	name:    "cap",
	about:   "capacitated facility location (OR-Library)",
	open:    openCap,
	foreign: func(err error) bool { return errors.Is(err, cflp.ErrUncapacitated) },
}

func openCap(path string, f fileFlags) (instance, error) {
	in, err := cflp.Read(path, f.capacity)
	if err == nil {
		return capInstance{in}, nil
	}
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		err = plainError(path, err)
	case errors.Is(err, families.ErrCapacity):
		err = fmt.Errorf("%w: give one with --capacity, such as 8000", err)
	}
	return nil, badInput(err)
}

type capInstance struct{ *cflp.Instance }

func (c capInstance) title() string {
	return fmt.Sprintf("%s: capacitated facility location, %d clients, %d facilities", c.Name, c.Clients, c.Facilities)
}

func (c capInstance) firstStage() *lp.Model { return c.Master() }

// capSchemes are the names of --scheme.
var capSchemes = map[string]cflp.Scheme{"auto": cflp.MasterTree, "bbc": cflp.MasterTree, "outer": cflp.OuterLoop}

func (c capInstance) solve(ctx context.Context, s settings, log *solverLog) (*benders.Result, error) {
	scheme, ok := capSchemes[s.scheme]
	if !ok {
		return nil, badInput(fmt.Errorf("--scheme %s is not one of the cap family: auto, bbc or outer", s.scheme))
	}
	o, sep := cflp.DefaultSolveOptions(), cflp.ExactSeparation()
	if s.method == "proxy" {
		m, err := loadCapModel(s.model)
		if err != nil {
			return nil, err
		}
		if err := m.Fits(c.Instance); err != nil {
			return nil, badInput(err)
		}
		sep, o.Reduce = cflp.ProxySeparation(m), false
	}
	inOut := o.Benders.InOut
	o.Benders, o.Scheme = s.options, scheme
	o.Benders.InOut = inOut
	o.Prepared = func(p cflp.Prepared) { capPrepared(log, c.Instance, p) }
	return cflp.Solve(ctx, c.Instance, sep, o)
}

// capPrepared says what was known before the master.
func capPrepared(log *solverLog, in *cflp.Instance, p cflp.Prepared) {
	log.printf("start: a design of cost %s, bound %s, %s", showValue(p.Design.Cost), showValue(p.Bound), showTime(p.Elapsed))
	if n := len(p.Fixing.Closed) + len(p.Fixing.Opened); n > 0 {
		log.printf("%d of %d facilities are settled: %d closed, %d open", n, in.Facilities, len(p.Fixing.Closed), len(p.Fixing.Opened))
	}
}

func loadCapModel(path string) (*cflp.Model, error) {
	if path == "" {
		return nil, badInput(errors.New("--method proxy needs a trained model: --model FILE"))
	}
	m, err := cflp.LoadModel(path)
	if err == nil {
		return m, nil
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = plainError(path, err)
	}
	return nil, badInput(err)
}
