package cli

import (
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/models"
	"github.com/proxybd/proxybd/nn"
)

// modelsReport is the object of proxybd models.
type modelsReport struct {
	Schema  int        `json:"schema"`
	Command string     `json:"command"`
	Status  string     `json:"status"`
	Models  []modelRow `json:"models"`
}

// modelRow is a proxy and what its metadata says.
type modelRow struct {
	Name    string `json:"name"`
	Family  string `json:"family"`
	Fits    string `json:"fits"`
	Shipped bool   `json:"shipped"`
	Preset  string `json:"preset,omitempty"`
	Share   number `json:"share"`
	Zero    number `json:"zero"`
	Random  number `json:"random"`
	Bases   int    `json:"bases"`
}

// newModels makes the command proxybd models.
func newModels(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "models [FILE|FOLDER...]",
		Short: "List trained proxies, what instances they fit and what they scored",
		Long: `List the proxies that are shipped with the program, and those in the files and folders (*.safetensors), the
working folder if there are none. The share is that of the exact recourse cost that runs certify, on bases that
training has not seen, in per cent, beside those of weights of zero and of random ones (see proxybd score); -- where the
file holds no score. solve takes a shipped proxy that fits by itself, one of a file with --model.`,
		Example: "  proxybd models\n  proxybd models my/proxies --json | jq '.models[] | select(.family == \"cap\")'",
		RunE:    func(_ *cobra.Command, args []string) error { return a.models(args, asJSON) },
	}

	// The command has no log, and so none of the flags of one.
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// models runs the command: list the proxies that are shipped and those of files and folders.
func (a *app) models(args []string, asJSON bool) error {
	// The shipped models come first.
	out := modelsReport{Schema: schemaVersion, Command: "models", Status: "completed", Models: a.known.shippedModels()}
	if len(args) == 0 {
		args = []string{"."}
	}

	// Files that are no trained proxy are an error, also in a folder.
	paths, err := modelFiles(args)
	if err != nil {
		return err
	}
	for _, path := range paths {
		// No instance is needed: the metadata of the file say what it fits.
		t, err := nn.ReadTensors(path)
		if err != nil {
			return badInput(err)
		}
		row, err := a.known.rowOf(path, t)
		if err != nil {
			return badInput(err)
		}
		out.Models = append(out.Models, row)
	}

	if asJSON {
		return writeJSON(a.stdout, out)
	}
	writeModels(a.stdout, out.Models)
	return nil
}

// modelFiles lists the files that arguments name, and those of the folders that they name.
func modelFiles(args []string) (paths []string, err error) {
	for _, arg := range args {
		// A file or folder of the command line must exist.
		info, err := os.Stat(arg)
		if err != nil {
			return nil, badInput(plainError(arg, err))
		}
		if !info.IsDir() {
			paths = append(paths, arg)
			continue
		}
		// The pattern is well formed, which is the only thing that Glob reports.
		names, _ := fs.Glob(os.DirFS(arg), "*.safetensors")
		for _, name := range names {
			paths = append(paths, filepath.Join(arg, name))
		}
	}
	return paths, nil
}

// writeModels writes a table of proxies: three columns of text, and numbers.
func writeModels(w io.Writer, list []modelRow) {
	// The first line has the headings.
	lines := [][]string{{"model", "family", "fits", "share", "zero", "random", "bases"}}
	for _, m := range list {
		// Shipped models are named without a path.
		name := m.Name
		if m.Shipped {
			name += " (shipped)"
		}
		lines = append(lines, []string{name, m.Family, m.Fits, percent(m.Share), percent(m.Zero), percent(m.Random),
			strconv.Itoa(m.Bases)})
	}

	for _, line := range alignColumns(lines, 3) {
		fmt.Fprintln(w, line)
	}
}

// percent shows a share.
func percent(v number) string {
	// A share that was not measured is NaN.
	if math.IsNaN(float64(v)) {
		return "--"
	}
	return strconv.FormatFloat(100*float64(v), 'f', 2, 64)
}

// shippedModels lists the proxies of the program.
func (known catalogue) shippedModels() (list []modelRow) {
	for _, name := range models.Names() {
		// A model that this version cannot read is left out: the command lists what can be used.
		t, err := models.Tensors(name)
		if err != nil {
			continue
		}

		// A program with families of its own may lack the family of a shipped model.
		if row, err := known.rowOf(name, t); err == nil {
			row.Shipped = true
			list = append(list, row)
		}
	}
	return list
}

// rowOf says what the tensors of a file are.
func (known catalogue) rowOf(name string, t *nn.Tensors) (modelRow, error) {
	// The metadata say which family the network is for.
	_, meta, err := t.MLP()
	if err != nil {
		return modelRow{}, err
	}
	f, err := known.find(meta["family"])
	if err != nil {
		return modelRow{}, fmt.Errorf("%s: %w", name, err)
	}

	// The family checks that the network has the form of its models.
	m, err := pipeline.TensorModel(f, t)
	if err != nil {
		return modelRow{}, err
	}
	row := modelRow{
		Name:   name,
		Family: f.Name,
		Fits:   fits(m),
		Preset: meta["preset"],
		Share:  share(meta["share"]),
		Zero:   share(meta["share_zero"]),
		Random: share(meta["share_random"]),
	}
	row.Bases, _ = strconv.Atoi(meta["held_out_bases"]) // 0 where there was no score
	return row, nil
}

// fits says what instances a proxy is for.
func fits(m *proxy.Model) string {
	// Networks that work row by row fit instances of any size.
	if m.Form().AnySize {
		return "any size"
	}

	// The family has a column of its own.
	d := maps.Clone(m.Describe())
	delete(d, "family")
	// The shape of a location problem is short.
	if d["clients"] != "" && d["facilities"] != "" {
		return d["clients"] + "x" + d["facilities"]
	}

	// Any other model is described by what its instances must have, in alphabetical order.
	var list []string
	for _, key := range slices.Sorted(maps.Keys(d)) {
		// Long values, such as hashes, are of no use in a table.
		if text := key + " " + d[key]; len(text) < 40 {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// share reads the first number of a share of the metadata, that of runs; NaN if there is none.
func share(text string) number {
	// The metadata have two shares: of runs, and of the prediction alone.
	first, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return number(math.NaN())
	}
	return number(v)
}

// makeModel says how a proxy for the instance is made.
func makeModel(f families.Family, in families.Instance) string {
	// Instances of the same shape have models of the same form.
	shape := in.Label().Shape
	return fmt.Sprintf("give one with --model FILE; proxybd train INSTANCE... -o %s-%s.safetensors makes it of "+
		"instances of the shape %s", f.Name, shape, shape)
}
