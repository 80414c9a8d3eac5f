package cli

import (
	"fmt"
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
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// models is the whole command.
func (a *app) models(args []string, asJSON bool) error {
	out := modelsReport{Schema: schemaVersion, Command: "models", Status: "completed", Models: a.known.shippedModels()}
	if len(args) == 0 {
		args = []string{"."}
	}
	for _, arg := range args {
		paths := []string{arg}
		if info, err := os.Stat(arg); err != nil {
			return badInput(plainError(arg, err))
		} else if info.IsDir() {
			list, err := fs.Glob(os.DirFS(arg), "*.safetensors")
			if err != nil {
				return err
			}
			paths = nil
			for _, name := range list {
				paths = append(paths, filepath.Join(arg, name))
			}
		}
		for _, path := range paths {
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
	}
	if asJSON {
		return writeJSON(a.stdout, out)
	}
	lines := [][]string{{"model", "family", "fits", "share", "zero", "random", "bases"}}
	for _, m := range out.Models {
		name := m.Name
		if m.Shipped {
			name += " (shipped)"
		}
		lines = append(lines, []string{name, m.Family, m.Fits, percent(m.Share), percent(m.Zero), percent(m.Random),
			strconv.Itoa(m.Bases)})
	}
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, cell := range line {
			width[k] = max(width[k], len(cell))
		}
	}
	for _, line := range lines {
		var b strings.Builder
		for k, cell := range line {
			if k < 3 {
				cell += strings.Repeat(" ", width[k]-len(cell))
			} else {
				cell = strings.Repeat(" ", width[k]-len(cell)) + cell
			}
			b.WriteString(cell + "  ")
		}
		fmt.Fprintln(a.stdout, strings.TrimRight(b.String(), " "))
	}
	return nil
}

// percent shows a share.
func percent(v number) string {
	if math.IsNaN(float64(v)) {
		return "--"
	}
	return strconv.FormatFloat(100*float64(v), 'f', 2, 64)
}

// shippedModels lists the proxies of the program.
func (known catalogue) shippedModels() (list []modelRow) {
	for _, name := range models.Names() {
		t, err := models.Tensors(name)
		if err != nil {
			continue
		}
		if row, err := known.rowOf(name, t); err == nil {
			row.Shipped = true
			list = append(list, row)
		}
	}
	return list
}

// rowOf says what the tensors of a file are.
func (known catalogue) rowOf(name string, t *nn.Tensors) (modelRow, error) {
	_, meta, err := t.MLP()
	if err != nil {
		return modelRow{}, err
	}
	f, err := known.find(meta["family"])
	if err != nil {
		return modelRow{}, fmt.Errorf("%s: %w", name, err)
	}
	m, err := pipeline.TensorModel(f, t)
	if err != nil {
		return modelRow{}, err
	}
	row := modelRow{Name: name, Family: f.Name, Fits: fits(m), Preset: meta["preset"], Share: share(meta["share"]),
		Zero: share(meta["share_zero"]), Random: share(meta["share_random"])}
	row.Bases, _ = strconv.Atoi(meta["held_out_bases"]) // 0 where there was no score
	return row, nil
}

// fits says what instances a proxy is for.
func fits(m *proxy.Model) string {
	if m.Form().AnySize {
		return "any size"
	}
	d := maps.Clone(m.Describe())
	delete(d, "family")
	if d["clients"] != "" && d["facilities"] != "" {
		return d["clients"] + "x" + d["facilities"]
	}
	var list []string
	for _, key := range slices.Sorted(maps.Keys(d)) {
		if text := key + " " + d[key]; len(text) < 40 {
			list = append(list, text)
		}
	}
	return strings.Join(list, ", ")
}

// share reads the first number of a share of the metadata, that of runs; NaN if there is none.
func share(text string) number {
	first, _, _ := strings.Cut(text, " ")
	v, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return number(math.NaN())
	}
	return number(v)
}

// makeModel says how a proxy for the instance is made.
func makeModel(f families.Family, in families.Instance) string {
	shape := in.Label().Shape
	return fmt.Sprintf("give one with --model FILE; proxybd train INSTANCE... -o %s-%s.safetensors makes it of "+
		"instances of the shape %s", f.Name, shape, shape)
}
