package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/models"
)

// known lists the families in the order in which a file is tried. A new family adds a line.
var known = []families.Family{
	mpsmodel.Family, // MPS and LP files
	mcndp.Family,    // whose files begin with a word of their own
	ufl.Family,
	cap.Family,
}

// addFamily adds the flags that say how an instance is read.
func addFamily(c *cobra.Command, name *string, o *families.ReadOptions) {
	c.Flags().StringVar(name, "family", "", "family of the instance ("+familyNames()+"); else the file says")
	c.Flags().Float64Var(&o.Capacity, "capacity", 0, "capacity of every facility whose capacity the file leaves open (OR-Library's capa, capb and capc)")
	c.Flags().StringVar(&o.FirstStage, "first-stage", "", "first-stage columns of a model: `PATTERN`,... such as 'open_*', or @FILE with one a line; else the integer ones")
	s := &o.Stochastic
	c.Flags().StringVar(&s.Time, "time", "", "time `FILE` of a stochastic program whose core file is the instance; else the one beside it")
	c.Flags().StringVar(&s.Stoch, "stoch", "", "stoch `FILE` of a stochastic program; else the one beside the core file")
	c.Flags().IntVar(&s.Scenarios, "scenarios", 0, "scenarios of a stochastic program to draw; 0 takes all that there are")
	c.Flags().Uint64Var(&s.Seed, "scenario-seed", 0, "seed of the drawing of --scenarios (default 1)")
	s.Warn = func(line string) { fmt.Fprintf(c.ErrOrStderr(), "proxybd: warning: %s\n", line) }
}

// openInstance opens an instance of the named family, or of the one that its content says.
func openInstance(name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	if name != "" {
		f, err := familyOf(name)
		if err != nil {
			return families.Family{}, nil, err
		}
		in, err := readInstance(f, path, o)
		return f, in, err
	}
	var last error
	for _, f := range known {
		in, err := readInstance(f, path, o)
		if err == nil {
			return f, in, nil
		}
		if last = err; !errors.Is(err, families.ErrForeign) {
			return families.Family{}, nil, err
		}
	}
	return families.Family{}, nil, fmt.Errorf("%w (families of this version: %s)", last, familyNames())
}

// readInstance reads a file of a family. What the options say must be what the file leaves open.
func readInstance(f families.Family, path string, o families.ReadOptions) (families.Instance, error) {
	in, err := f.Read(path, o)
	if err != nil {
		return nil, readError(path, err)
	}
	return in, checkRead(f.Name, path, o)
}

// readError is what a user is told of an error of Read.
func readError(path string, err error) error {
	var pathErr *fs.PathError
	switch {
	case errors.As(err, &pathErr):
		err = plainError(path, err)
	case errors.Is(err, families.ErrCapacity):
		err = fmt.Errorf("%w: give one with --capacity, such as 8000", err)
	}
	return badInput(err)
}

// familyOf returns the family of a name.
func familyOf(name string) (families.Family, error) {
	for _, f := range known {
		if f.Name == name {
			return f, nil
		}
	}
	return families.Family{}, badInput(fmt.Errorf("unknown family %q (known: %s)", name, familyNames()))
}

func familyNames() string {
	var names []string
	for _, f := range known {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// openModel reads a trained proxy of the family from a file, or takes a shipped one that fits the instance. It
// returns the name to show, too.
func openModel(f families.Family, in families.Instance, path string) (*proxy.Model, string, error) {
	if path == "" {
		m, name, err := models.For(f, in)
		if err != nil {
			return nil, "", badInput(fmt.Errorf("%w: give one with --model FILE (proxybd train makes one)", err))
		}
		return m, name + " (shipped)", nil
	}
	m, err := families.LoadModel(f, path)
	if err == nil {
		err = m.Fits(in)
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = plainError(path, err)
	}
	return m, path, badInput(err)
}

// oneOf checks a flag with a fixed set of values.
func oneOf[S ~string](flag, value string, allowed []S) error {
	for _, v := range allowed {
		if string(v) == value {
			return nil
		}
	}
	return badInput(fmt.Errorf("--%s %s: it is one of %s", flag, value, strings.ReplaceAll(join(allowed), "|", ", ")))
}

// join lists the values of a flag for its usage.
func join[S ~string](values []S) string {
	var list []string
	for _, v := range values {
		list = append(list, string(v))
	}
	return strings.Join(list, "|")
}
