package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// family is what the commands know of a family of two-stage problems.
type family struct {
	name  string
	about string
	open  func(path string, f fileFlags) (instance, error)

	// foreign reports whether an error of open says that the file belongs to another family, rather than
	// that it is broken.
	foreign func(error) bool
}

// known lists the families in the order in which a file is tried. A new family adds a line.
var known = []family{uflFamily, capFamily}

// fileFlags say what a file leaves open.
type fileFlags struct {
	capacity float64 // in place of the word capacity in OR-Library's capa, capb and capc; 0 for none
}

// instance is an open instance of a family.
type instance interface {
	// title says name and size on one line.
	title() string
	// firstStage returns the model of the design columns, for writing a design with its names.
	firstStage() *lp.Model
	// solve runs a Benders decomposition; log takes lines for people.
	solve(ctx context.Context, s settings, log *solverLog) (*benders.Result, error)
}

// settings are the flags of proxybd solve that a family reads.
type settings struct {
	method  string // exact, aggregated or proxy
	scheme  string // one of schemes
	model   string // file of a trained proxy
	options benders.Options
}

// methods and schemes, the default first.
var (
	methods    = []string{"exact", "aggregated", "proxy"}
	schemes    = []string{"auto", "bbc", "outer", "dual"}
	fractional = []string{"nodes", "root", "never"}
)

// openInstance opens an instance of the named family, or of the one that its content says.
func openInstance(name, path string, flags fileFlags) (family, instance, error) {
	var last error
	for _, f := range known {
		if name != "" && name != f.name {
			continue
		}
		in, err := f.open(path, flags)
		if err == nil {
			return f, in, nil
		}
		last = badInput(err)
		if name != "" || !f.foreign(err) {
			return f, nil, last
		}
	}
	if last == nil {
		return family{}, nil, badInput(fmt.Errorf("unknown family %q (known: %s)", name, familyNames()))
	}
	return family{}, nil, fmt.Errorf("%w (families of this version: %s)", last, familyNames())
}

func familyNames() string {
	var names []string
	for _, f := range known {
		names = append(names, f.name)
	}
	return strings.Join(names, ", ")
}

// oneOf checks a flag with a fixed set of values.
func oneOf(flag, value string, allowed []string) error {
	for _, v := range allowed {
		if v == value {
			return nil
		}
	}
	return badInput(fmt.Errorf("--%s %s: it is one of %s", flag, value, strings.Join(allowed, ", ")))
}
