package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"time"

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

func openUFL(path string, _ fileFlags) (instance, error) {
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
	o.Scheme = uflSchemes[s.scheme]
	if o.Scheme == ufl.DualTree {
		o.Tree.MaxNodes = s.options.MaxNodes
	}
	o.Tree.Progress = dualProgress(log, s.options.LogEvery)
	o.Prepared = func(p ufl.Prepared) { uflPrepared(log, u.Instance, p) }
	var m *ufl.Model
	if s.method == "proxy" {
		var err error
		if m, err = loadUFLModel(s.model); err != nil {
			return nil, err
		}
		if err := m.Fits(u.Instance); err != nil {
			return nil, badInput(err)
		}
		o.Reduce = !m.Shaped()
	}
	if o.Scheme == ufl.DualTree && s.method != "exact" {
		return nil, badInput(fmt.Errorf("--scheme dual has no separator: it goes with --method exact, not %s", s.method))
	}
	return ufl.Solve(ctx, u.Instance, separation(s.method, m), o)
}

// uflSchemes are the names of --scheme.
var uflSchemes = map[string]ufl.Scheme{"auto": ufl.Auto, "bbc": ufl.MasterTree, "outer": ufl.OuterLoop, "dual": ufl.DualTree}

// separation returns the separation of a method; the model is for proxy.
func separation(method string, m *ufl.Model) ufl.Separation {
	switch method {
	case "aggregated":
		return ufl.AggregatedSeparation()
	case "proxy":
		return ufl.ProxySeparation(m)
	}
	return ufl.ExactSeparation()
}

// uflPrepared says what was known before the master.
func uflPrepared(log *solverLog, in *ufl.Instance, p ufl.Prepared) {
	log.printf("start: a design of cost %s, bound %s, %s", showValue(p.Design.Cost), showValue(p.Bound), showTime(p.Elapsed))
	switch {
	case p.Tree.Complete:
		log.printf("dual tree: complete after %d nodes", p.Tree.Nodes)
		return
	case p.Tree.Nodes > 0:
		log.printf("dual tree: stopped after %d nodes", p.Tree.Nodes)
	}
	if n := len(p.Fixing.Closed) + len(p.Fixing.Opened); n > 0 {
		log.printf("%d of %d facilities are settled: %d closed, %d open", n, in.Facilities, len(p.Fixing.Closed), len(p.Fixing.Opened))
	}
}

// dualProgress writes rows of the dual tree.
func dualProgress(log *solverLog, every time.Duration) func(ufl.TreeProgress) {
	rows := &table{log: log, headings: []heading{{"dual nodes", 10}, {"depth", 6}, {"incumbent", 15}, {"root bound", 15}, {"gap", 8}, {"time", 8}}}
	began := time.Now()
	last := began
	return func(p ufl.TreeProgress) {
		now := time.Now()
		if now.Sub(last) < every {
			return
		}
		last = now
		rows.row("", strconv.Itoa(p.Nodes), strconv.Itoa(p.Depth), showValue(p.Incumbent), showValue(p.Bound),
			showGap(relativeGap(p.Incumbent, p.Bound)), showTime(now.Sub(began)))
	}
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
