package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/lp"
)

var uflFamily = family{
	name:    "ufl",
	about:   "uncapacitated facility location (UflLib, both layouts)",
	open:    openUFL,
	foreign: func(err error) bool { return errors.Is(err, ufl.ErrCapacitated) },
}

func openUFL(path string) (instance, error) {
	in, err := readUFL(path)
	if err != nil {
		return nil, err
	}
	return uflInstance{in}, nil
}

// readUFL reads an instance; an error is bad input.
func readUFL(path string) (*ufl.Instance, error) {
	in, err := ufl.Read(path)
	if err == nil {
		return in, nil
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = plainError(path, err)
	}
	return nil, badInput(err)
}

type uflInstance struct{ *ufl.Instance }

func (u uflInstance) title() string {
	return fmt.Sprintf("%s: uncapacitated facility location, %d clients, %d facilities", u.Name, u.Clients, u.Facilities)
}

func (u uflInstance) firstStage() *lp.Model { return u.Master() }

func (u uflInstance) solve(ctx context.Context, s settings, log *solverLog) (*benders.Result, error) {
	o := ufl.DefaultSolveOptions()
	o.Benders = s.options
	if s.scheme == "outer" {
		o.Scheme = ufl.Outer
	}
	o.Prepared = func(p ufl.Prepared) {
		log.printf("start: a design of cost %s, Lagrangian bound %s, %d of %d facilities settled in %s", showValue(p.Design.Cost),
			showValue(p.Bound), len(p.Fixing.Closed)+len(p.Fixing.Opened), u.Facilities, showTime(p.Elapsed))
	}
	if s.method != "proxy" {
		return ufl.Solve(ctx, u.Instance, s.method == "aggregated", ufl.ExactSeparator(s.method == "aggregated"), o)
	}
	m, err := loadUFLModel(s.model)
	if err != nil {
		return nil, err
	}
	if err := m.Fits(u.Instance); err != nil {
		return nil, badInput(err)
	}
	o.Reduce = !m.Shaped()
	return ufl.Solve(ctx, u.Instance, true, func(in *ufl.Instance) (benders.Separator, error) { return m.Separator(in, true) }, o)
}

func loadUFLModel(path string) (*ufl.Model, error) {
	if path == "" {
		return nil, badInput(errors.New("--method proxy needs a trained model: --model FILE (proxybd train makes one)"))
	}
	m, err := ufl.LoadModel(path)
	if err == nil {
		return m, nil
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = plainError(path, err)
	}
	return nil, badInput(err)
}
