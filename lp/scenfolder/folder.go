// Package scenfolder reads programs that are several model files. One is a stochastic program as a folder with a model
// for each scenario, as mpi-sppy's option --mps-files-directory takes it:
//
//	NAME.lp or NAME.mps        the model of a scenario, packed or not
//	NAME_nonants.json          its probability, and the names of the columns that are decided before it is known
//
// The first scenario by name is the skeleton, and the others become the numbers in which they differ from it, so that
// memory is that of one model and the differences. antares-xpansion's folders have a master and subproblems by file,
// and a structure that says which columns they share (structure.go); SCIP's Benders file names a master and its
// subproblems too (blocks.go).
package scenfolder

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// ErrFolder is wrapped by the errors about a folder that is no program; they name the file.
var ErrFolder = errors.New("not a folder of scenarios")

// suffix ends the names of the files that say what is decided first.
const suffix = "_nonants.json"

// Is reports whether a path is such a folder.
func Is(path string) bool {
	list, _ := descriptions(path)
	return len(list) > 0
}

// descriptions returns the paths of the files of suffix in a folder. The folder may have any name, such as one with
// brackets, which would have a meaning in a pattern.
func descriptions(dir string) (list []string, err error) {
	// A pipe, which could be opened once only, is not opened.
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), suffix) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	return list, err
}

// description is the content of a file of suffix. Other keys are for mpi-sppy alone.
type description struct {
	ScenarioData struct {
		Name     string
		ScenProb *float64
	}
	TreeData struct {
		Nodes map[string]struct{ NonAnts []string }
	}
}

// Read reads a folder. A tree of more than two stages is an error, since its file does not say which columns are of
// which stage in a way that other scenarios must agree with. warn is called with what the readers of the models had to
// interpret; it may be nil.
func Read(dir string, warn func(line string)) (*stoch.Program, error) {
	list, err := descriptions(dir)
	if err != nil || len(list) == 0 {
		return nil, fmt.Errorf("scenfolder: %s: %w: it has no file *%s", dir, ErrFolder, suffix)
	}
	slices.SortFunc(list, byNumber)

	f := &folder{}
	for _, path := range list {
		if err := f.add(path); err != nil {
			return nil, err
		}
	}
	f.models.pass(warn)
	return f.program(filepath.Base(dir))
}

// byNumber orders names such that Scenario2 comes before Scenario10.
func byNumber(a, b string) int {
	if d := len(a) - len(b); d != 0 {
		return d
	}
	return strings.Compare(a, b)
}

// folder is a program that is being read.
type folder struct {
	models models
	b      stoch.Builder
	first  []string // names of the first-stage columns

	rows    map[string]lp.Con
	cols    map[string]lp.Var
	entries map[[2]int32]float64 // of the skeleton, by row and column
	file    string               // of the skeleton
	scens   []stoch.Scenario
	given   int // scenarios with a probability
}

// add reads a scenario.
func (f *folder) add(path string) error {
	text, err := unpack.File(path)
	if err != nil {
		return fmt.Errorf("scenfolder: %w", err)
	}
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return fmt.Errorf("scenfolder: %s: %w: %w", path, ErrFolder, err)
	}

	// Only the root may have columns that are decided before the scenario is known.
	root, ok := d.TreeData.Nodes["ROOT"]
	if !ok || len(d.TreeData.Nodes) != 1 || len(root.NonAnts) == 0 {
		return fmt.Errorf("scenfolder: %s: %w: treeData.nodes has not the node ROOT alone, with its nonAnts", path, ErrFolder)
	}
	stem := strings.TrimSuffix(path, suffix)
	file, m, err := f.model(stem)
	if err != nil {
		return err
	}

	// Its probability, if there is one, and its differences from the first scenario, which is the skeleton.
	s := stoch.Scenario{Name: filepath.Base(stem), Probability: math.NaN()}
	if p := d.ScenarioData.ScenProb; p != nil {
		if !(*p >= 0 && *p <= 1) {
			return fmt.Errorf("scenfolder: %s: %w: scenProb %g", path, ErrFolder, *p)
		}
		s.Probability = *p
		f.given++
	}
	if f.cols == nil {
		if err := f.skeleton(m, path, file, root.NonAnts); err != nil {
			return err
		}
	} else {
		if !slices.Equal(sorted(root.NonAnts), f.first) {
			return fmt.Errorf("scenfolder: %s: %w: its nonAnts are not those of %s", path, ErrFolder, f.file)
		}
		if s.Changes, err = f.differences(m, file); err != nil {
			return err
		}
	}
	f.scens = append(f.scens, s)
	return nil
}

// model reads the model of a scenario.
func (f *folder) model(stem string) (file string, m *lp.Model, err error) {
	for _, ext := range []string{".lp", ".mps"} {
		for _, packed := range []string{"", ".gz", ".bz2", ".zst"} {
			file = stem + ext + packed
			if _, err := os.Stat(file); err != nil {
				continue
			}
			m, err = f.models.read(file)
			return file, m, err
		}
	}
	name := filepath.Base(stem)
	return "", nil, fmt.Errorf("scenfolder: %s: %w: there is no file %s.lp or .mps beside %s", filepath.Dir(stem),
		ErrFolder, name, name+suffix)
}

func sorted(names []string) []string {
	out := slices.Clone(names)
	slices.Sort(out)
	return out
}

// skeleton takes the first scenario as the model.
func (f *folder) skeleton(m *lp.Model, path, file string, first []string) error {
	f.b.Model = *m
	f.file = file
	f.rows = make(map[string]lp.Con, len(m.Rows))
	f.cols = make(map[string]lp.Var, len(m.Cols))
	for i := range m.Rows {
		f.rows[m.RowName(lp.Con(i))] = lp.Con(i)
	}
	for j := range m.Cols {
		f.cols[m.ColName(lp.Var(j))] = lp.Var(j)
	}
	for _, name := range first {
		j, ok := f.cols[name]
		if !ok {
			return fmt.Errorf("scenfolder: %s: %w: nonAnts: %s has no column %s", path, ErrFolder, file, name)
		}
		f.b.First(j)
	}
	f.first = sorted(first)
	var err error
	f.entries, err = entries(m)
	return err
}

// entries returns the coefficients of a model by row and column.
func entries(m *lp.Model) (map[[2]int32]float64, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}
	out := make(map[[2]int32]float64, m.NumEntries())
	for j := range m.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			out[[2]int32{i, int32(j)}] = value[k]
		}
	}
	return out, nil
}

// differences compares the model of a scenario with the skeleton, by the names of rows and columns.
func (f *folder) differences(m *lp.Model, file string) ([]stoch.Change, error) {
	core := &f.b.Model
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("scenfolder: %s: %w: %s", file, ErrFolder, fmt.Sprintf(format, args...))
	}
	if len(m.Rows) != len(core.Rows) || len(m.Cols) != len(core.Cols) {
		return nil, wrong("%d rows and %d columns, and %s has %d and %d", len(m.Rows), len(m.Cols), f.file, len(core.Rows),
			len(core.Cols))
	}
	if m.Maximize != core.Maximize || m.Offset != core.Offset {
		return nil, wrong("another sense or constant of the objective than %s", f.file)
	}

	// Rows and columns may come in another order.
	var list []stoch.Change
	col := make([]lp.Var, len(m.Cols))
	for k, c := range m.Cols {
		j, ok := f.cols[m.ColName(lp.Var(k))]
		if !ok {
			return nil, wrong("the column %s, which %s has not", m.ColName(lp.Var(k)), f.file)
		}

		// A cost or a bound that differs is a change of the scenario.
		col[k] = j
		own := core.Cols[j]
		before := len(list)
		if c.Cost != own.Cost {
			list = append(list, stoch.SetCost(j, c.Cost))
		}
		if c.Lower != own.Lower {
			list = append(list, stoch.SetColLower(j, c.Lower))
		}
		if c.Upper != own.Upper {
			list = append(list, stoch.SetColUpper(j, c.Upper))
		}

		// A scenario cannot change integrality, nor the cost or bounds of a column that is decided before
		// the scenario is known.
		if c.Integer != own.Integer {
			return nil, wrong("the column %s is integer in one of this file and %s", core.ColName(j), f.file)
		}
		if _, fixed := slices.BinarySearch(f.first, core.ColName(j)); fixed && len(list) > before {
			return nil, wrong("the column %s is decided first, and its cost or bounds are not those of %s", core.ColName(j),
				f.file)
		}
	}

	// A side of a row may differ too, and is compared under the number that the row has in the skeleton.
	row := make([]lp.Con, len(m.Rows))
	for k, r := range m.Rows {
		i, ok := f.rows[m.RowName(lp.Con(k))]
		if !ok {
			return nil, wrong("the row %s, which %s has not", m.RowName(lp.Con(k)), f.file)
		}
		row[k] = i
		if own := core.Rows[i]; r.Lower != own.Lower {
			list = append(list, stoch.SetRowLower(i, r.Lower))
		}
		if own := core.Rows[i]; r.Upper != own.Upper {
			list = append(list, stoch.SetRowUpper(i, r.Upper))
		}
	}

	// The coefficients are compared last, because they need the numbers of both rows and columns.
	return f.coefficients(m, row, col, list)
}

// coefficients adds the coefficients that differ; one that the scenario lacks is 0 there.
func (f *folder) coefficients(m *lp.Model, row []lp.Con, col []lp.Var, list []stoch.Change) ([]stoch.Change, error) {
	own, err := entries(m)
	if err != nil {
		return nil, err
	}
	here := make(map[[2]int32]float64, len(own))
	for at, v := range own {
		here[[2]int32{int32(row[at[0]]), int32(col[at[1]])}] = v
	}
	var places [][2]int32
	for at, v := range here {
		if f.entries[at] != v {
			places = append(places, at)
		}
	}
	for at, v := range f.entries {
		if _, has := here[at]; !has && v != 0 {
			places = append(places, at)
		}
	}

	// A map has no order, and the program must have one.
	slices.SortFunc(places, func(a, b [2]int32) int { return slices.Compare(a[:], b[:]) })
	for _, at := range places {
		list = append(list, stoch.SetEntry(lp.Con(at[0]), lp.Var(at[1]), here[at]))
	}
	return list, nil
}

// program returns the program. Scenarios without probabilities are as likely.
func (f *folder) program(name string) (*stoch.Program, error) {
	if f.given != 0 && f.given != len(f.scens) {
		return nil, fmt.Errorf("scenfolder: %s: %w: %d of %d scenarios have a scenProb", name, ErrFolder, f.given,
			len(f.scens))
	}
	for _, s := range f.scens {
		if f.given == 0 {
			s.Probability = 1 / float64(len(f.scens))
		}
		f.b.Scenario(s.Name, s.Probability, s.Changes...)
	}
	f.b.Name = name
	p, err := f.b.Program()
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %s: %w", name, err)
	}
	return p, nil
}
