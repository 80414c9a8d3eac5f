package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/sheet"
)

// templates are table files that solve takes as they are, by family, and with scenarios.
//
//go:embed templates/*.csv templates/*.json templates/*.lp
var templates embed.FS

// templateFlags are the flags of proxybd template.
type templateFlags struct {
	format    string // csv or json
	scenarios bool   // the template with scenarios
	out       string // the file to write, "" for standard output
}

// newTemplate makes the command proxybd template.
func newTemplate(a *app) *cobra.Command {
	var f templateFlags
	c := &cobra.Command{
		Use:   "template FAMILY",
		Short: "Print a small table file of a family to put data of one's own into",
		Long: `Print a small instance as tables, with comments that say what the tables and columns are. solve takes it as it is;
put your own data in the place of its rows. Families: ` + strings.Join(a.known.templated(), ", ") + `.

CSV files have several tables, each below its header; JSON files an object with a list of records for each. Names of
facilities, clients, nodes and so on are kept: --solution and --svg show them. Other instances of these families are
turned into tables by proxybd export.

template stochastic -o NAME writes a model with a table of its scenarios, NAME.lp and NAME.csv: any model with
uncertain numbers is given that way.`,
		Example: `  proxybd template cap > mine.csv
  proxybd template mcndp --scenarios --format json -o mine.json
  proxybd solve mine.csv --solution - --svg mine.svg
  proxybd template stochastic -o farmer
  proxybd export cap41.txt -o cap41.csv`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.template(args[0], f) },
	}

	// The families with a template are completed by the shell.
	c.ValidArgs = append(a.known.templated(), stochasticTemplate)
	// The two layouts have the same tables.
	// The layout, the kind of example, and where it goes.
	c.Flags().StringVar(&f.format, "format", "csv", "csv|json")
	c.Flags().BoolVar(&f.scenarios, "scenarios", false,
		"with scenarios of the demands (mcndp; netdes and scflp always have them)")
	c.Flags().StringVarP(&f.out, "output", "o", "", "write to this `FILE`")
	return c
}

// templated lists the families that have a template.
func (known catalogue) templated() (list []string) {
	for _, f := range known {
		// Every template is there as CSV and as JSON.
		if _, err := templates.ReadFile("templates/" + f.Name + ".csv"); err == nil {
			list = append(list, f.Name)
		}
	}
	return list
}

// template runs the command: write the example of a family.
func (a *app) template(family string, f templateFlags) error {
	if family == stochasticTemplate {
		return a.templateStochastic(f)
	}

	// A wrong layout is reported before a wrong family.
	if f.format != "csv" && f.format != "json" {
		return badInput(fmt.Errorf("--format %s: csv or json", f.format))
	}
	name := family
	if f.scenarios {
		name += "-scenarios"
	}

	// The files are part of the program. The only template of some families has scenarios.
	text, err := templates.ReadFile("templates/" + name + "." + f.format)
	if err != nil && a.known.alwaysUncertain(family) {
		text, err = templates.ReadFile("templates/" + family + "." + f.format)
	}
	if err != nil {
		return a.known.withoutTemplate(family, f.scenarios)
	}

	// Without a file the template goes to standard output.
	if f.out == "" {
		f.out = standard
	}
	if err := checkTarget(f.out); err != nil {
		return err
	}
	return a.writeFile(f.out, func(w io.Writer) error { _, err := w.Write(text); return err })
}

// alwaysUncertain reports whether a family is one of programs with scenarios whose table files need no others: it has
// tables of scenarios, and one template.
func (known catalogue) alwaysUncertain(family string) bool {
	f, err := known.find(family)
	if err != nil || f.Tables == nil {
		return false
	}
	_, err = templates.ReadFile("templates/" + family + "-scenarios.csv")
	return err != nil && slices.ContainsFunc(f.Tables.Tables, func(t sheet.Table) bool { return t.Name == "scenarios" })
}

// stochasticTemplate is the name of the template that is a model with a table of scenarios.
const stochasticTemplate = "stochastic"

// templateStochastic writes the two files of a model with scenarios, and says how they are solved.
func (a *app) templateStochastic(f templateFlags) error {
	switch {
	case f.scenarios || f.format != "csv":
		return badInput(errors.New("template stochastic has its scenarios in a CSV file"))
	case f.out == "" || f.out == standard:
		return badInput(errors.New("template stochastic needs -o NAME: it writes NAME.lp and NAME.csv"))
	}

	// Both files are tried, so that the error names each that could not be written.
	stem := strings.TrimSuffix(strings.TrimSuffix(f.out, ".lp"), ".csv")
	var failed error
	for _, ext := range []string{".lp", ".csv"} {
		text, err := templates.ReadFile("templates/" + stochasticTemplate + ext)
		if err == nil {
			err = checkTarget(stem + ext)
		}
		if err == nil {
			err = a.writeFile(stem+ext, func(w io.Writer) error { _, err := w.Write(text); return err })
		}
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return failed
	}

	fmt.Fprintf(a.stdout, "proxybd solve %s.lp --scenarios %s.csv --first-stage 'acres_*'\n", stem, stem)
	return nil
}

// withoutTemplate is the error for a family that has no such example.
func (known catalogue) withoutTemplate(family string, scenarios bool) error {
	// An unknown family is a different mistake than one without tables.
	f, err := known.find(family)
	if err != nil {
		return err
	}
	have := known.templated()
	// The family has a template, but none with scenarios.
	if scenarios && slices.Contains(have, family) {
		return badInput(fmt.Errorf("%s has no scenarios: mcndp, netdes and scflp have", family))
	}
	return badInput(fmt.Errorf("%s has no tables of its own (%s have): proxybd generate --family %s --class %s makes "+
		"an example of its files", family, strings.Join(have, ", "), family, f.Classes[0]))
}

// tablesOf returns an instance as tables.
func (known catalogue) tablesOf(in families.Instance) (*sheet.Document, error) {
	// General models and networks with a format of their own have no tables.
	t := in.Capabilities().Tabled
	if t == nil {
		return nil, badInput(fmt.Errorf("instances of the family %s have no tables: %s have", in.Label().Family,
			strings.Join(known.templated(), ", ")))
	}
	return t.Tables()
}

// instanceWriter returns what writes an instance as a table file, or in the layout of its family's files.
func (known catalogue) instanceWriter(in families.Instance, out string) (func(io.Writer) error, error) {
	// The ending .json is that of tables, but for a family whose own files have it.
	ext := filepath.Ext(strings.TrimSuffix(out, ".gz"))
	if ext == in.Label().Ext {
		return in.Encode, nil
	}
	d, err := known.tablesOf(in)
	if err != nil {
		return nil, err
	}

	// Any other ending is a mistake: neither tables nor the family's own layout have it.
	switch ext {
	case ".csv":
		return d.WriteCSV, nil
	case ".json":
		return d.WriteJSON, nil
	}
	endings := ".csv, .json and " + in.Label().Ext
	if in.Label().Ext == ".json" {
		endings = ".csv (tables) and .json (its own layout)"
	}
	return nil, badInput(fmt.Errorf("%s: instances of the family %s are written to %s", out, in.Label().Family, endings))
}

// isInstance reports whether the ending of a path is that of an instance, not of a model.
func isInstance(path string) bool {
	// These are the endings of tables and of the files of families.
	switch strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz"))) {
	case ".csv", ".json", ".txt", ".dow", ".dat":
		return true
	}
	return false
}

// exportInstance writes an instance in another layout.
func (a *app) exportInstance(ctx context.Context, path, out, family string, file families.ReadOptions) error {
	// The instance is read with all of its scenarios.
	_, in, err := a.openInstance(family, path, file)
	if err != nil {
		return err
	}
	write, err := a.known.instanceWriter(in, out)
	if err != nil {
		return err
	}

	// The file is removed where an interrupt ends the writing.
	return writeFile(out, func(w io.Writer) error { return write(cancelWriter{ctx, w}) })
}

// errUnknownFile is the error of a file that no family can read. Its hint lists the formats.
type errUnknownFile struct {
	err   error
	known catalogue // whose formats the hint lists
}

// Error is the text of the error.
func (e errUnknownFile) Error() string { return e.err.Error() }
func (e errUnknownFile) Unwrap() error { return e.err }

// Hint lists the formats that are known and what each looks like.
func (e errUnknownFile) Hint() string {
	var b strings.Builder
	// The hint begins with the flag that makes the error of one family visible.
	b.WriteString("Files of instances look like this (--family NAME says more about what is wrong with one of a " +
		"family):\n")
	for _, f := range e.known {
		for _, format := range f.Formats {
			// The first lines of a file show most of its layout.
			fmt.Fprintf(&b, "\n%s: %s\n", f.Name, format.Name)
			for _, line := range format.Head {
				fmt.Fprintf(&b, "    %s\n", line)
			}
		}
	}
	return b.String()
}

// unknownFile is the error for a file that no family can read.
func (known catalogue) unknownFile(path string) error {
	// A table file says which problem it is of, so that the message can be about that.
	if problem := sheet.Sniff(path); problem != "" {
		return badInput(fmt.Errorf("%s: unknown problem %q: tables are of %s", path, problem,
			strings.Join(known.templated(), ", ")))
	}

	if known.untitled(path) {
		return badInput(fmt.Errorf("%s: tables without a first line that says of which problem, such as problem,cap; "+
			"--family says it too (%s)", path, strings.Join(known.templated(), ", ")))
	}
	return badInput(errUnknownFile{fmt.Errorf("%s: none of the families of this version reads it (%s)", path,
		known.joined()), known})
}

// untitled reports whether the first line of a file is the header of a table of some family.
func (known catalogue) untitled(path string) bool {
	return slices.ContainsFunc(known, func(f families.Family) bool {
		return f.Tables != nil && sheet.Untitled(path, f.Tables)
	})
}

// hint is the text that follows the line of an error, "" for none.
func hint(err error) string {
	var h errUnknownFile
	if errors.As(err, &h) {
		return h.Hint()
	}
	return ""
}
