package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/families"
)

// splitFlags are the flags of proxybd split.
type splitFlags struct {
	o experiment.SplitOptions

	// The shapes to include, and the folder to make.
	shapes []string
	out    string
}

// newSplit makes the command proxybd split.
func newSplit(a *app) *cobra.Command {
	f := splitFlags{o: experiment.DefaultSplitOptions()}
	c := &cobra.Command{
		Use:   "split --shape FAMILY:SHAPE... -o FOLDER [BASE...]",
		Short: "Make an experiment: base instances, their parts, and perturbed variants",
		Long: `Draw from the base instances of every shape a half for training, a quarter for validation and a quarter for
testing, and plan perturbed variants of each (paper, section 5.2). No base has variants in two parts. A shape with
fewer bases than --bases gets generated ones. BASE is a file of a family, FILE@VALUE where the file leaves
something open, such as its capacities; bases of shapes that are not asked for are passed over.

The folder gets the bases and manifest.json, which says how to make every instance again, bit for bit: hashes,
seeds, sigma, and the factors by which capacities were raised. The other stages read it:

  proxybd states FOLDER    the exact oracle on the training and validation instances
  proxybd train FOLDER     a proxy for each shape
  proxybd eval FOLDER      every method on the held-out instances
  proxybd report FOLDER    tables and figures`,
		Example: `  proxybd split --shape cap:50x16 --shape ufl:200x200 --test 12 -o small data/cap/cap*.txt data/ufl/m/*.gz
  proxybd split --shape cap:1000x100 -o large capa.txt.gz@8000 capa.txt.gz@10000 capb.txt.gz@5000`,
		RunE: func(c *cobra.Command, args []string) error { return a.split(c.Context(), args, f) },
	}
	a.flags.addOutput(c)
	// The shapes, and where the experiment is put.
	addShapes(c, &f.shapes, "`FAMILY:SHAPE` to include, such as cap:50x16 (clients x facilities) or mcndp:10x35x50 "+
		"(nodes, arcs, commodities); may be repeated")
	c.Flags().StringVarP(&f.out, "output", "o", "", "`FOLDER` of the experiment; it is made if it is missing")
	// How many bases and variants there are of each shape.
	c.Flags().IntVar(&f.o.MinBases, "bases", f.o.MinBases, "minimum number of bases a shape")
	c.Flags().IntVar(&f.o.Train, "train", f.o.Train, "variants a shape for training")
	c.Flags().IntVar(&f.o.Validation, "validation", f.o.Validation, "variants a shape for validation")
	c.Flags().IntVar(&f.o.Test, "test", f.o.Test, "variants a shape held out for testing")
	c.Flags().Float64Var(&f.o.Sigma, "sigma", f.o.Sigma, "standard deviation of the logarithm of a factor")
	c.Flags().Uint64Var(&f.o.Seed, "seed", f.o.Seed, "seed of everything random")
	return c
}

// split runs the command: read the bases, make the folder.
func (a *app) split(ctx context.Context, paths []string, f splitFlags) error {
	// There is no default for the folder, since an experiment is a folder to keep.
	if f.out == "" {
		return badInput(fmt.Errorf("--output is missing: which folder?"))
	}

	// The files are read one after the other, and an interrupt need not wait for a large one.
	var bases []families.Instance
	for _, arg := range paths {
		in, err := await(ctx, func() (families.Instance, error) { return a.known.openBase(arg) })
		if err != nil {
			return err
		}
		bases = append(bases, in)
	}

	// Instances that cannot be bases are excluded, with the reason.
	// Shapes without a base in the files get generated ones.
	f.o.Shapes = parseShapes(f.shapes)
	f.o.Notify = func(line string) { a.log.printf("%s", line) }
	e, err := experiment.Split(ctx, f.out, a.known, bases, f.o)
	if err != nil {
		// A folder that exists already, or a shape that no family has, is the user's to repair.
		return splitError(err)
	}

	// The log says which bases were left out, and why.
	for _, x := range e.Manifest.Excluded {
		a.log.printf("left out: %s: %s", x.Source, x.Reason)
	}
	a.log.printf("%s: %d bases, %d instances", f.out, len(e.Manifest.Bases), len(e.Manifest.Instances))
	return a.printObject(splitReport{newStageReport("split", a.began), f.out, len(e.Manifest.Bases),
		len(e.Manifest.Instances), len(e.Manifest.Excluded)})
}

// splitReport is the object of proxybd split.
type splitReport struct {
	stageReport
	Folder    string `json:"folder"`
	Bases     int    `json:"bases"`
	Instances int    `json:"instances"`
	Excluded  int    `json:"excluded"`
}

// splitError marks what the user can repair, unlike a disk that fails, as bad input.
func splitError(err error) error {
	if path, _ := pathOf(err); path != "" {
		return badPath("", err)
	}
	return stageError(err)
}

// openBase reads FILE, or FILE@VALUE with the value of what the file leaves open.
func (known catalogue) openBase(arg string) (families.Instance, error) {
	// A file of this very name comes first, also where it has an @ in it.
	_, in, err := known.open("", arg, families.ReadOptions{})
	k := strings.LastIndexByte(arg, '@')
	if k <= 0 || !errors.Is(err, fs.ErrNotExist) {
		return in, err
	}

	// What follows the last @ is the value.
	path := arg[:k]
	value := arg[k+1:]
	// Without the value the file says which option it leaves open.
	_, in, err = known.open("", path, families.ReadOptions{})
	var missing families.Missing
	switch {
	case errors.As(err, &missing):
		// The file is read once more, with the option.
		_, in, err = known.open("", path, families.ReadOptions{Set: map[string]string{missing.Option: value}})
	case err == nil:
		err = badInput(fmt.Errorf("%s: %s leaves nothing open that @%s could be", arg, path, value))
	}
	return in, err
}
