package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// generateFlags are the flags of proxybd generate and perturb.
type generateFlags struct {
	family, class string
	file          families.ReadOptions
	sigma         float64
	count         int
	seed          uint64
	out           string
}

// add adds the flags that generate and perturb share.
func (f *generateFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.count, "count", 1, "how many instances to make; the seeds count up")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the first instance")
	c.Flags().StringVarP(&f.out, "output", "o", ".", "`FOLDER` to write to; it is made if it is missing")
}

// check reports values that make no instances.
func (f *generateFlags) check() error {
	if f.count < 1 {
		// A count of 0 would be a command without an effect.
		return badInput(fmt.Errorf("--count %d: at least one instance is made", f.count))
	}

	// The folder is made before the instances, so that a bad path is reported first.
	return badPath(f.out, os.MkdirAll(f.out, 0o777))
}

// newGenerate makes the command proxybd generate.
func newGenerate(a *app) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "generate --family FAMILY --class CLASS",
		Short: "Generate instances of a family",
		Long: `Generate instances of a class: a shape, or a name that the family knows. Files are in a layout that solve
reads, gzipped; the same seed makes the same file.
` + a.known.classHelp(),
		Example: `  proxybd generate --family ufl --class MP --count 8 -o instances
  proxybd generate --family ufl --class 80x60 --seed 7
  proxybd generate --family cap --class 50x16:1.5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.generate(c.Context(), f) },
	}
	f.add(c)
	// The family of the demonstration is the default.
	c.Flags().StringVar(&f.family, "family", demoFamily.Name, strings.ReplaceAll(a.known.joined(), ", ", "|"))
	c.Flags().StringVar(&f.class, "class", "", "class or shape, such as those above")
	return c
}

// classHelp lists the classes of every family.
func (known catalogue) classHelp() string {
	var b strings.Builder
	for _, f := range known {
		fmt.Fprintf(&b, "\n  %-6s %s: %s", f.Name, f.About, someClasses(f))
	}
	return b.String()
}

// someClasses names the classes of a family, of many the first and the last.
func someClasses(f families.Family) string {
	const maxShown = 8
	names := f.Classes
	// The first classes show how names are made, and the last how far they go.
	if n := len(names); n > maxShown {
		names = append(slices.Clone(names[:maxShown-1]), "... "+names[n-1])
	}
	return strings.Join(names, ", ")
}

// generate writes the instances that the flags ask for.
func (a *app) generate(ctx context.Context, f generateFlags) error {
	family, err := a.known.find(f.family)
	if err != nil {
		return err
	}
	if f.class == "" {
		return badInput(errors.New("what size? --class, such as " + someClasses(family)))
	}
	if err := f.check(); err != nil {
		return err
	}

	// The k-th instance has the k-th seed after the first one, so that a set can be continued later.
	for k := range f.count {
		in, err := await(ctx, func() (families.Instance, error) { return family.Generate(f.class, f.seed+uint64(k)) })
		if err != nil {
			return badInput(err)
		}
		if err := a.writeInstance(f.out, in); err != nil {
			return err
		}
	}
	return nil
}

// newPerturb makes the command proxybd perturb.
func newPerturb(a *app) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "perturb INSTANCE...",
		Short: "Make perturbed variants of instances",
		Long: `Multiply every fixed cost, cost and capacity by an independent lognormal factor exp(sigma Z) (paper,
section 5.2). Where the capacities no longer suffice, all of them are raised by one factor, which is
printed on standard error. Files are in a layout that solve reads, gzipped; the same seed makes the same file.`,
		Example: `  proxybd perturb MP1.gz MP2.gz --count 5 --sigma 0.1 -o variants`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return a.perturb(c.Context(), args, f) },
	}
	f.add(c)
	a.addFamily(c, &f.family, &f.file)
	c.Flags().Float64Var(&f.sigma, "sigma", 0.1, "standard deviation of the logarithm of a factor")
	return c
}

// perturb writes the variants of every instance.
func (a *app) perturb(ctx context.Context, paths []string, f generateFlags) error {
	if err := f.check(); err != nil {
		return err
	}

	// Every instance has variants of the same seeds.
	for _, path := range paths {
		_, base, err := a.openInstance(f.family, path, f.file)
		if err != nil {
			return err
		}

		// A variant whose capacities had to be raised so that they suffice is named on standard error.
		for k := range f.count {
			// The factor by which the capacities were raised, 1 for none.
			raised := 1.0
			in, err := await(ctx, func() (in families.Instance, err error) {
				in, raised, err = variant(base, f.sigma, f.seed+uint64(k))
				return in, err
			})
			if err != nil {
				return badInput(err)
			}
			if raised != 1 {
				fmt.Fprintf(a.stderr, "proxybd: %s: capacities raised by the factor %g\n", in.Label().Name, raised)
			}

			if err := a.writeInstance(f.out, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// variant perturbs an instance; the name is that of the base and the seed.
func variant(base families.Instance, sigma float64, seed uint64) (families.Instance, float64, error) {
	// The name has the seed in it, so that variants of one base have different names.
	return base.Perturb(fmt.Sprintf("%s-p%d", base.Label().Name, seed), sigma, seed)
}

// writeInstance writes an instance to a file of its name in the folder and prints the path.
func (a *app) writeInstance(folder string, in families.Instance) error {
	label := in.Label()
	// A name may contain the path separator, which a file name cannot.
	path := filepath.Join(folder, strings.ReplaceAll(label.Name, string(filepath.Separator), "_")+label.Ext+".gz")
	// The instance is written by its own family, gzipped.
	if err := pipeline.Write(path, in); err != nil {
		return plainError(path, err)
	}
	_, err := fmt.Fprintln(a.stdout, path)
	return err
}
