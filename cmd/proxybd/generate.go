package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families/ufl"
)

// generateFlags are the flags of proxybd generate and perturb.
type generateFlags struct {
	class               string
	facilities, clients int
	sigma               float64
	count               int
	seed                uint64
	out                 string
}

func (f *generateFlags) add(c *cobra.Command) {
	c.Flags().IntVar(&f.count, "count", 1, "how many instances to make; the seeds count up")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of the first instance")
	c.Flags().StringVarP(&f.out, "output", "o", ".", "`FOLDER` to write to; it is made if it is missing")
}

func (f *generateFlags) check() error {
	if f.count < 1 {
		return badInput(fmt.Errorf("--count %d: at least one instance is made", f.count))
	}
	return badInput(os.MkdirAll(f.out, 0o777))
}

func newGenerate(a *app) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "generate",
		Short: "Generate instances of uncapacitated facility location",
		Long: `Generate instances of UflLib's M type: of a class (MO, MP, MQ, MR, MS, MT), or of any size. Files are in the
simple UflLib layout, gzipped; the same seed makes the same file.`,
		Example: `  proxybd generate --class MP --count 8 -o instances
  proxybd generate --facilities 60 --clients 80 --seed 7`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return a.generate(f) },
	}
	f.add(c)
	c.Flags().StringVar(&f.class, "class", "", "M class; without it --facilities and --clients")
	c.Flags().IntVar(&f.facilities, "facilities", 0, "number of facilities")
	c.Flags().IntVar(&f.clients, "clients", 0, "number of clients, that of the facilities by default")
	return c
}

// generate writes the instances that the flags ask for.
func (a *app) generate(f generateFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	if f.class == "" && f.facilities < 1 {
		return badInput(errors.New("what size? --class, or --facilities and --clients"))
	}
	if f.clients == 0 {
		f.clients = f.facilities
	}
	class := ufl.CustomClass(f.facilities, f.clients)
	if f.class != "" {
		if f.facilities != 0 {
			return badInput(fmt.Errorf("--class %s has a size of its own: leave out --facilities", f.class))
		}
		var err error
		if class, err = ufl.ClassOf(f.class); err != nil {
			return badInput(err)
		}
	}
	for k := range f.count {
		in, err := ufl.Generate(class, f.seed+uint64(k))
		if err != nil {
			return badInput(err)
		}
		if err := a.writeUFL(f.out, in); err != nil {
			return err
		}
	}
	return nil
}

func newPerturb(a *app) *cobra.Command {
	var f generateFlags
	c := &cobra.Command{
		Use:   "perturb INSTANCE...",
		Short: "Make perturbed variants of uncapacitated facility location instances",
		Long: `Multiply every fixed cost and every assignment cost by an independent lognormal factor exp(sigma Z) (paper,
section 5.2). Files are in the simple UflLib layout, gzipped; the same seed makes the same file.`,
		Example: `  proxybd perturb MP1.gz MP2.gz --count 5 --sigma 0.1 -o variants`,
		Args:    cobra.MinimumNArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.perturb(args, f) },
	}
	f.add(c)
	c.Flags().Float64Var(&f.sigma, "sigma", 0.1, "standard deviation of the logarithm of a factor")
	return c
}

// perturb writes the variants of every instance.
func (a *app) perturb(paths []string, f generateFlags) error {
	if err := f.check(); err != nil {
		return err
	}
	for _, path := range paths {
		base, err := readUFL(path)
		if err != nil {
			return err
		}
		for k := range f.count {
			seed := f.seed + uint64(k)
			in, err := ufl.Perturb(base, f.sigma, seed)
			if err != nil {
				return badInput(err)
			}
			in.Name = fmt.Sprintf("%s-p%d", base.Name, seed)
			if err := a.writeUFL(f.out, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeUFL writes an instance to a file of its name in the folder and prints the path.
func (a *app) writeUFL(folder string, in *ufl.Instance) error {
	path := filepath.Join(folder, strings.ReplaceAll(in.Name, string(filepath.Separator), "_")+".gz")
	if err := ufl.Write(path, in, ufl.Simple); err != nil {
		return err
	}
	_, err := fmt.Fprintln(a.stdout, path)
	return err
}
