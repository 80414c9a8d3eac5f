package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/nl"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// newExport makes the command proxybd export.
func newExport(a *app) *cobra.Command {
	var family, out string
	var file families.ReadOptions
	c := &cobra.Command{
		Use:   "export INSTANCE -o MODEL",
		Short: "Write the compact model of a two-stage instance, or any model, as MPS, LP or .nl",
		Long: `Write the whole problem of a two-stage instance as one mixed-integer program, in the strong formulation,
so that any solver can be compared with the decomposition, or turn a model file into another layout. The ending gives
the layout: .mps, .lp or .nl (AMPL's, as text, .bin.nl in binary numbers, with the names in .col and .row files beside
it), gzipped with .gz after it; - is MPS on standard output. A program with scenarios is written as its extensive form;
with the ending .smps as itself, in the three files X.cor, X.tim and X.sto (SMPS).

With the ending .csv or .json the instance is written as tables (see proxybd template), with the ending of its family's
files (.txt, .dow, .dat; of scflp and sslp .json) in their layout, so that one becomes the other.`,
		Example: `  proxybd export cap41.txt -o cap41.mps
  proxybd export r04.1.dow --scenarios r04-0-16.scen -o r04.smps
  proxybd export cap41.txt -o cap41.csv
  proxybd export --family cap --facilities f.csv --clients k.csv --costs c.csv -o all.csv
  proxybd export MP1.gz -o MP1.lp.gz
  proxybd export model.lp -o model.nl`,
		Args: instanceArgs(&file),
		RunE: func(c *cobra.Command, args []string) error {
			return a.export(c.Context(), instancePath(args, &file), out, family, file)
		},
	}

	// The family is guessed from the content where it is not given.
	a.addFamily(c, &family, &file)
	c.Flags().StringVarP(&out, "output", "o", "", "`FILE` to write")
	c.Flags().BoolVarP(&a.flags.quiet, "quiet", "q", false, "no warnings")
	return c
}

// export runs the command: the ending of the file to write says what is written.
func (a *app) export(ctx context.Context, path, out, family string, file families.ReadOptions) error {
	// The path to write is checked before the instance is read, which may take long.
	if err := checkTarget(out); err != nil {
		return err
	}

	// The three SMPS files have one stem, so that the ending .gz is taken off before .smps is looked for.
	if plain, zipped := strings.CutSuffix(out, ".gz"); strings.HasSuffix(plain, ".smps") {
		return a.exportScenarios(ctx, path, strings.TrimSuffix(plain, ".smps"), zipped, family, file)
	}
	if isInstance(out) {
		return a.exportInstance(ctx, path, out, family, file)
	}

	// What remains is the compact model in one file.
	write, err := modelWriter(out)
	if err != nil {
		return err
	}

	m, err := a.wholeModel(ctx, path, family, file)
	if err != nil {
		return err
	}
	err = a.writeFile(out, func(w io.Writer) error { return write(cancelWriter{ctx, w}, m) })
	if err != nil || !strings.HasSuffix(unpack.Plain(out), ".nl") {
		return err
	}

	// The format has no names: they are written into files beside it.
	stem := strings.TrimSuffix(unpack.Plain(out), ".nl")
	return errors.Join(
		writeFile(stem+".col", func(w io.Writer) error { return nl.WriteNames(w, m, false) }),
		writeFile(stem+".row", func(w io.Writer) error { return nl.WriteNames(w, m, true) }))
}

// wholeModel returns the model of a file as it is, which need not have two stages, or the compact model of an instance.
func (a *app) wholeModel(ctx context.Context, path, family string, file families.ReadOptions) (*lp.Model, error) {
	if isModel(path) && family == "" {
		m, warnings, err := a.readModel(path)
		for _, w := range warnings {
			if !a.flags.quiet {
				a.warn(w)
			}
		}
		return m, err
	}

	// A failure to open is passed on, since the extensive form may exist all the same.
	_, in, err := a.openInstance(family, path, file)
	if err != nil {
		return nil, err
	}
	return await(ctx, func() (*lp.Model, error) { return pipeline.Compact(in) })
}

// isModel reports whether the ending of a path is that of a model file.
func isModel(path string) bool {
	switch strings.ToLower(filepath.Ext(unpack.Plain(path))) {
	case ".mps", ".lp", ".nl":
		return true
	}
	return false
}

// exportScenarios writes the core, time and stoch files of a program with scenarios. Their names begin with a stem.
func (a *app) exportScenarios(ctx context.Context, path, stem string, zipped bool, family string,
	file families.ReadOptions) error {
	_, in, err := a.openInstance(family, path, file)
	if err != nil {
		return err
	}

	// The program is built in memory, which an interrupt need not wait for.
	p, err := await(ctx, func() (*stoch.Program, error) { return program(path, in) })
	if err != nil {
		return err
	}

	// Each of the files is there as a whole or not at all.
	open := func(ext string, write func(io.Writer) error) error {
		// Packed files have the ending .gz after that of their kind.
		name := stem + ext
		if zipped {
			name += ".gz"
		}
		return instance.WriteFile(name, func(w io.Writer) error { return write(cancelWriter{ctx, w}) })
	}

	// The files are written at the same time, in the order core, time, stoch, as smps.Write needs them.
	err = open(".cor", func(core io.Writer) error {
		return open(".tim", func(time io.Writer) error {
			return open(".sto", func(sto io.Writer) error { return smps.Write(p, core, time, sto) })
		})
	})

	// A program that SMPS cannot express is the user's to repair.
	if errors.Is(err, smps.ErrWrite) {
		return badInput(err)
	}
	return err
}

// program returns the program with scenarios that an instance is.
func program(path string, in families.Instance) (*stoch.Program, error) {
	if s := in.Capabilities().Stochastic; s != nil {
		return s.Stochastic(), nil
	}
	return nil, badInput(fmt.Errorf("%s: it has no scenarios: it is no SMPS program, .dat or .json file, nor a .dow "+
		"with --scenarios", path))
}

// modelWriter returns what writes a model in the layout that the ending of a path says, without .gz after it.
func modelWriter(path string) (func(io.Writer, *lp.Model) error, error) {
	plain := strings.TrimSuffix(path, ".gz")
	// MPS is the layout of standard output and of names that end in .mps.
	write := mps.Write
	// The ending decides, and standard output has none.
	switch {
	case path == "":
		return nil, badInput(errors.New("--output is missing: where shall the model go?"))
	case strings.HasSuffix(plain, ".lp"):
		write = mps.WriteLP
	case strings.HasSuffix(plain, ".nl"):
		inBinary := strings.HasSuffix(plain, ".bin.nl")
		write = func(w io.Writer, m *lp.Model) error { return nl.Write(w, m, inBinary) }
	case path != standard && !strings.HasSuffix(plain, ".mps"):
		return nil, badInput(fmt.Errorf("%s: the name of a model ends in .mps, .lp or .nl (or .smps), and .gz if it is "+
			"gzipped", path))
	}
	return write, nil
}
