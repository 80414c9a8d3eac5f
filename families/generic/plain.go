// Package generic has the instances that need nothing but a model: Plain is a two-stage model, Scenarios a program
// with scenarios, Periods one of three periods or more. A family with models makes them as they are; a family that has
// better methods embeds one of them and replaces what it does better.
//
// What they have in common:
//
//   - A hash covers the numbers of the model and the differences of scenarios, but no names (content.go).
//   - Encode writes MPS, of scenarios and periods the deterministic equivalent, with the names of the first-stage
//     columns in comment lines where these are not the integer columns.
//   - Perturb multiplies costs by lognormal factors, which leaves what is feasible so; Plain also varies the sides of
//     inequalities.
//   - Explain gives tables of columns and rows as the model was stated (explain.go), by scenario where there are
//     scenarios (outcomes.go).
//
// Scenarios may have integer recourse (package benders/integer); Plain and Periods refuse it. Where its integrality was
// dropped, the results are marked as bounds of that relaxation.
package generic

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/nl"
	"github.com/proxybd/proxybd/lp/scenfolder"
	"github.com/proxybd/proxybd/lp/stoch"
)

// FirstStage is the option of families whose files are models: what ReadPlain is given as first.
var FirstStage = families.Option{
	Name: "first-stage",
	For:  "is for models (MPS, LP)",
	Help: "first-stage columns of a model: `PATTERN`,... such as 'open_*', or @FILE (one a line, or a .dec " +
		"partition); else the integer ones",
}

// Plain is an instance that consists of its model alone. It has every method, record, states and proxies from
// benders/twostage. A family that gives no more than models makes these; one that declares more embeds it and overrides
// methods.
type Plain struct {
	*twostage.Problem
	// family is the name of the family, for labels.
	family string
	// model is the model as it was given; the Problem has its columns in another order.
	model *lp.Model
	// first are the first-stage columns of model, nil for the integer ones.
	first []lp.Var
}

// NewPlain splits a model of a family; patterns of twostage.Match name its first-stage columns, none for the integer
// columns.
func NewPlain(family string, m *lp.Model, patterns []string) (in *Plain, err error) {
	// An integer column is in the first stage without a pattern.
	var first []lp.Var
	if len(patterns) > 0 {
		if first, err = twostage.Match(m, patterns); err != nil {
			return nil, err
		}
	}
	return splitPlain(family, m, first)
}

// splitPlain splits a model of a family by its first-stage columns, nil for the integer ones.
func splitPlain(family string, m *lp.Model, first []lp.Var) (in *Plain, err error) {
	in = &Plain{family: family, model: m, first: first}
	in.Problem, err = twostage.New(m, first, twostage.Options{})
	return in, err
}

// Model returns the model as it was given. It must not be changed.
func (in *Plain) Model() *lp.Model { return in.model }

// Capabilities implements families.Instance.
func (in *Plain) Capabilities() families.Capabilities {
	return families.Capabilities{Explainer: in, TwoStage: in, Diagnosed: in}
}

// TwoStage implements families.TwoStage, and is what variants.Architecture looks for.
func (in *Plain) TwoStage() *twostage.Problem { return in.Problem }

// Program implements Instance.
func (in *Plain) Program() (*decompose.Program, error) { return in.Problem.Program(), nil }

// Hash implements Instance: it is that of the program as a record holds it.
func (in *Plain) Hash() string {
	program := in.Record()
	return program.Hash()
}

// Label implements Instance. The shape is first-stage columns x recourse columns x rows.
func (in *Plain) Label() families.Label {
	p := in.Problem

	// The compact model has the columns of both stages.
	recourse := len(p.Compact.Cols) - p.First
	rows := len(p.Compact.Rows)
	return families.Label{
		Family: in.family,
		Name:   in.model.Name,
		Ext:    ".mps",
		Shape:  families.FormatShape(p.First, recourse, rows),
		Title: fmt.Sprintf("%s: two-stage model, %d first-stage and %d recourse columns, %d rows, %d independent recourse "+
			"parts", in.model.Name, p.First, recourse, rows, p.Components()),
	}
}

// firstStage marks the comment line of a written file that lists first-stage columns, one a line.
const firstStage = "* first-stage "

// ReadPlain reads an MPS, LP or .nl file. first is a comma-separated list of patterns, or @FILE with one a line or with
// a partition of the rows (.dec); where it is empty, the file's own comment lines that Encode wrote list the first
// stage, else it is the integer columns. The error of a file that is no model at all wraps ErrForeign. warn is called
// with what the reader had to interpret; it may be nil.
func ReadPlain(family, path, first string, warn func(line string)) (*Plain, error) {
	m, patterns, err := readModel(path, first, warn)
	if err != nil {
		return nil, err
	}
	in, err := NewPlain(family, m, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

// readModel reads a model and the patterns of its first stage, none for the integer columns.
func readModel(path, first string, warn func(line string)) (m *lp.Model, patterns []string, err error) {
	// A file of another family is recognised before the parser could refuse it.
	head, err := sniff(path)
	if err != nil {
		return nil, nil, err
	}
	if m, err = parseModel(path, warn); err != nil {
		return nil, nil, fmt.Errorf("families: %w", err)
	}
	if m.Name == "" {
		m.Name = unpack.Stem(path)
	}

	// A decomposition works on rows alone.
	if m, err = m.Explicit(); err != nil {
		return nil, nil, fmt.Errorf("families: %s: %w", path, errname.Without(err, "lp"))
	}

	// What the caller says goes before what the file says. A partition of the rows says it for all columns.
	if file, ok := strings.CutPrefix(first, "@"); ok && strings.HasSuffix(strings.ToLower(unpack.Plain(file)), ".dec") {
		patterns, err = scenfolder.ReadPartition(file, m)
		return m, patterns, err
	}
	patterns, err = parsePatterns(first)
	if err == nil && len(patterns) == 0 {
		patterns = head
	}
	return m, patterns, err
}

// parseModel reads the model of a file, by its ending as .nl, or else as MPS or LP, and passes on the warnings.
func parseModel(path string, warn func(line string)) (m *lp.Model, err error) {
	var warnings []string
	if isNL(path) {
		p, err := nl.ReadFile(path, 1)
		if err != nil {
			return nil, err
		}
		m = p.Model
		warnings = p.Warnings
	} else if m, warnings, err = mps.ReadFile(path); err != nil {
		return nil, err
	}

	if warn != nil {
		for _, line := range warnings {
			warn(line)
		}
	}
	return m, nil
}

// isNL reports whether a path has the ending of the format of AMPL.
func isNL(path string) bool { return strings.HasSuffix(strings.ToLower(unpack.Plain(path)), ".nl") }

// ReadTable reads a model as ReadPlain does, and the table of its scenarios (stoch.Builder.ReadTable).
func ReadTable(family, path, first, file string, warn func(line string)) (*Scenarios, error) {
	m, patterns, err := readModel(path, first, warn)
	if err != nil {
		return nil, err
	}
	if m.HasLogic() {
		return nil, fmt.Errorf("families: %s: %w: special ordered sets, semi-continuous columns or indicators in a model "+
			"with scenarios", path, families.ErrUnsupported)
	}

	// The first stage: the columns of the patterns, or the integer ones.
	b := stoch.Builder{Model: *m}
	columns, err := twostage.Match(m, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for j, c := range m.Cols {
		if len(patterns) == 0 && c.Integer {
			columns = append(columns, lp.Var(j))
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: %w: there is no integer column: --first-stage says which columns are decided before the "+
			"scenario is known", path, families.ErrOptions)
	}
	for _, v := range columns {
		b.First(v)
	}

	text, err := unpack.File(file)
	if err != nil {
		return nil, fmt.Errorf("families: the scenarios: %w", err)
	}
	if err := b.ReadTable(bytes.NewReader(text), file); err != nil {
		return nil, err
	}
	p, err := b.Program()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return NewScenarios(family, p)
}

// parsePatterns splits a list of patterns, or reads it from the file after an @.
func parsePatterns(list string) (patterns []string, err error) {
	names := strings.Split(list, ",")
	file, fromFile := strings.CutPrefix(list, "@")
	if fromFile {
		data, err := unpack.File(file)
		if err != nil {
			return nil, fmt.Errorf("families: the first-stage columns: %w", err)
		}
		names = strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
	}

	// Lines of the file that begin with # are comments.
	for _, n := range names {
		n = strings.TrimSpace(n)
		if n != "" && !(fromFile && n[0] == '#') {
			patterns = append(patterns, n)
		}
	}
	if fromFile && patterns == nil {
		return nil, fmt.Errorf("families: %w: %s names no column", families.ErrOptions, file)
	}
	return patterns, nil
}

// sniff looks at the first lines of a file: a name that ends in .mps or .lp, or a first line that begins a model, makes
// it a model. sniff returns the first-stage columns that comment lines name.
func sniff(path string) (first []string, err error) {
	if isNL(path) {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("families: %w", err)
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return nil, families.Foreign(fmt.Sprintf("families: %s: %v", path, err))
	}

	// The ending decides; without a known one the first line that is not a comment does.
	name := strings.ToLower(unpack.Plain(path))
	known := strings.HasSuffix(name, ".mps") || strings.HasSuffix(name, ".lp")

	// The comment lines come first; the line after them decides the layout.
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if c, ok := strings.CutPrefix(line, firstStage); ok {
			first = append(first, c)
		} else if layout, decided := mps.LayoutOf([]byte(line)); decided {
			known = known || layout != mps.Unknown
			break
		}
	}
	if !known {
		return nil, families.Foreign(fmt.Sprintf("families: %s: neither MPS nor LP", path))
	}
	return first, nil
}

// Encode implements Instance: it writes the model as MPS, with its first stage where that is not the integer columns.
func (in *Plain) Encode(w io.Writer) error {
	b := bufio.NewWriter(w)

	// A comment line for each first-stage column, which ReadPlain reads back. The name is that in the file.
	_, _, names := mps.Names(in.model)
	for _, v := range in.first {
		fmt.Fprintf(b, "%s%s\n", firstStage, names[v])
	}
	if err := mps.Write(b, in.model); err != nil {
		return err
	}
	return b.Flush()
}

// Perturb implements Instance: it multiplies the costs and the sides of the inequalities with a recourse column by
// lognormal factors, hidden rows apart. Equations keep their right-hand side, which balances others; the two sides of a
// range move together.
func (in *Plain) Perturb(name string, sigma float64, seed uint64) (families.Instance, float64, error) {
	// A factor is drawn for every column and every row, so that none depends on which rows keep their sides.
	m := in.model.Clone()
	m.Name = name
	factor := slices.Repeat([]float64{1}, len(m.Cols)+len(m.Rows))
	if err := instance.Lognormal(sigma, seed, 0x6e4e7a1, factor); err != nil {
		return nil, 0, err
	}
	for j := range m.Cols {
		m.Cols[j].Cost *= factor[j]
	}

	recourse := in.RecourseRows()
	for i, f := range factor[len(m.Cols):] {
		r := &m.Rows[i]
		if recourse[i] && !r.Hidden && r.Lower != r.Upper {
			r.Lower *= f
			r.Upper *= f
		}
	}
	out, err := splitPlain(in.family, m, in.first)
	return out, 1, err
}
