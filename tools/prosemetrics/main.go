// Command prosemetrics measures how a Go program reads: whether long functions are divided into paragraphs, how much is
// said in comments, how much is put on one line, and which exported names no other package uses.
//
//	go run ./tools/prosemetrics                                     # this module
//	go run ./tools/prosemetrics . $(go env GOROOT)/src/math/big     # this module next to a package of Go
//	go run ./tools/prosemetrics -per-package                        # a line for each package
//	go run ./tools/prosemetrics -list conditions,parallel ./bnb     # where they are
//	go run ./tools/prosemetrics -exports                            # exported names, and who uses them (about 15 s)
//	go run ./tools/prosemetrics -subjects 38c05f4                   # subjects of the commits since a revision
//
// Each argument is a folder, which is read with its subfolders. Tests, testdata, hidden folders, vendor, generated
// files for one processor and the folder tools of the module are left out. The rules of counting are in the
// documentation of [Figures].
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prosemetrics:", err)
		os.Exit(2)
	}
}

// run is the command: it measures what the arguments name and prints tables.
func run(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("prosemetrics", flag.ContinueOnError)
	perPackage := flags.Bool("per-package", false, "a line for each package instead of a column for each folder")
	list := flags.String("list", "", "print the places of these kinds, separated by commas: "+strings.Join(kinds, ", "))
	exports := flags.Bool("exports", false, "count the exported names of the module in the current folder and their users")
	since := flags.String("subjects", "", "measure the subjects of the commits after this `revision`")
	if err := flags.Parse(args); err != nil {
		return err
	}

	wanted, err := parseKinds(*list)
	if err != nil {
		return err
	}

	// The two questions about a whole module or its history are answered alone.
	if *since != "" {
		return reportSubjects(out, *since, slices.Contains(wanted, "subjects"))
	}
	if *exports || slices.Contains(wanted, "exports") {
		return reportExports(out, ".", *perPackage, slices.Contains(wanted, "exports"))
	}

	folders := flags.Args()
	if len(folders) == 0 {
		folders = []string{"."}
	}
	measured := make([]map[string]*Figures, len(folders))
	for k, folder := range folders {
		if measured[k], err = measureFolder(folder); err != nil {
			return err
		}
	}

	switch {
	case len(wanted) > 0:
		printPlaces(out, measured, wanted)
	case *perPackage:
		printPackages(out, measured)
	default:
		printFolders(out, folders, measured)
	}
	return nil
}

// parseKinds splits the value of -list and checks it.
func parseKinds(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	wanted := strings.Split(list, ",")
	for _, kind := range wanted {
		if !slices.Contains(kinds, kind) {
			return nil, fmt.Errorf("-list %s: the kinds are %s", kind, strings.Join(kinds, ", "))
		}
	}
	return wanted, nil
}

// rows are the lines of the table of folders, and the columns of the table of packages.
var rows = []struct {
	head, short string
	value       func(f *Figures) string
}{
	{"statements (all nodes, blocks too)", "stmts", func(f *Figures) string { return fmt.Sprint(f.Statements) }},
	{"functions of 25 lines or more", "long", func(f *Figures) string { return fmt.Sprint(f.Long) }},
	{"  of them with a blank line inside", "blank", func(f *Figures) string { return percent(f.LongBlank, f.Long) }},
	{"  of them with a comment inside", "comment", func(f *Figures) string { return percent(f.LongComment, f.Long) }},
	{"lines of comment, of all with text", "comments", func(f *Figures) string {
		return percent(f.CommentLines, f.TextLines)
	}},
	{"parallel assignments", "parallel", func(f *Figures) string { return percent(f.Parallel, f.Assignments) }},
	{"conditions of four operands or more", "if4", func(f *Figures) string { return fmt.Sprint(f.Conditions) }},
	{"the same in case, return and assignments", "expr4", func(f *Figures) string { return fmt.Sprint(f.Expressions) }},
	{"statements a line of bodies", "st/line", func(f *Figures) string { return ratio(f.BodyStatements, f.BodyLines) }},
	{"  without blanks and comments", "st/code", func(f *Figures) string { return ratio(f.BodyStatements, f.BodyCode) }},
}

// printFolders prints a line for each figure and a column for each folder.
func printFolders(out io.Writer, folders []string, measured []map[string]*Figures) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, folder := range folders {
		fmt.Fprintf(w, "\t%s", shortName(folder))
	}
	fmt.Fprint(w, "\t\n")
	for _, row := range rows {
		fmt.Fprintf(w, "%-48s", row.head)
		for _, packages := range measured {
			fmt.Fprintf(w, "\t%s", row.value(total(packages)))
		}
		fmt.Fprint(w, "\t\n")
	}
	w.Flush()
}

// shortName is the end of a path, which names a package well enough at the head of a column.
func shortName(folder string) string {
	parts := strings.Split(filepath.ToSlash(filepath.Clean(folder)), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/")
}

// printPackages prints a line for each package and a column for each figure.
func printPackages(out io.Writer, measured []map[string]*Figures) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		fmt.Fprintf(w, "%s\t", row.short)
	}
	fmt.Fprintln(w, "  package")
	line := func(name string, f *Figures) {
		for _, row := range rows {
			fmt.Fprintf(w, "%s\t", row.value(f))
		}
		fmt.Fprintf(w, "  %s\n", name)
	}
	for _, packages := range measured {
		for _, name := range sortedKeys(packages) {
			line(name, packages[name])
		}
		line("all", total(packages))
	}
	w.Flush()
}

// printPlaces prints the places of the kinds asked for, in the order of the files.
func printPlaces(out io.Writer, measured []map[string]*Figures, wanted []string) {
	for _, packages := range measured {
		for _, name := range sortedKeys(packages) {
			for _, p := range packages[name].Places {
				if slices.Contains(wanted, p.Kind) {
					fmt.Fprintf(out, "%s:%d: %s: %s\n", p.Position.Filename, p.Position.Line, p.Kind, p.Text)
				}
			}
		}
	}
}

// total is the sum of the figures of all packages.
func total(packages map[string]*Figures) *Figures {
	sum := &Figures{}
	for _, f := range packages {
		sum.add(f)
	}
	return sum
}

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

func ratio(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(part)/float64(whole))
}
