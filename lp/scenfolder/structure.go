package scenfolder

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Names of antares-xpansion's files.
const (
	structureFile = "structure.txt"
	optionsFile   = "options.json"
	masterName    = "master"
)

// IsStructure reports whether a path is a decomposed problem of antares-xpansion: a folder with a file structure.txt,
// such a file under any name that begins with structure, or the JSON of its options, which names one.
func IsStructure(path string) bool {
	info, err := os.Stat(path)
	if err != nil {
		return false
	}
	name := strings.ToLower(filepath.Base(path))
	switch {
	case info.IsDir():
		_, err := os.Stat(filepath.Join(path, structureFile))
		return err == nil
	case strings.HasSuffix(name, ".txt"):
		return strings.HasPrefix(name, "structure")
	case strings.HasSuffix(name, ".json") && info.Size() < 1<<20:
		o, err := readOptions(path)
		return err == nil && o.Structure != ""
	}
	return false
}

// options are those of antares-xpansion's Benders program that say what the problem is; the others steer its solvers.
type options struct {
	Structure string      `json:"STRUCTURE_FILE"`
	Master    string      `json:"MASTER_NAME"`
	Folder    string      `json:"INPUTROOT"`
	Weight    string      `json:"SLAVE_WEIGHT"`
	Divisor   json.Number `json:"SLAVE_WEIGHT_VALUE"`
}

// readOptions reads the JSON of options.
func readOptions(path string) (o options, err error) {
	text, err := unpack.File(path)
	if err != nil {
		return o, fmt.Errorf("scenfolder: %w", err)
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, fmt.Errorf("scenfolder: %s: %w: %w", path, ErrFolder, err)
	}
	return o, nil
}

// ReadStructure reads a decomposed problem of antares-xpansion: the models of a master and of its subproblems, and a
// file with a line for each column that they share,
//
//	problem column index
//
// that is the file of the problem, the column by its name in the master, and its position in the problem, from 0. A
// subproblem's bounds of a shared column are ignored, since it gets the master's value. The objective is that of the
// master and the weighted sum of those of the subproblems; the weights are those of the options, given or in a file
// options.json beside the structure, and else 1.
//
// Subproblems whose rows and columns agree by position are the scenarios of a program, kept as differences from the
// first one. Of others the whole model is returned in its place, with the names of the master's columns. warn is called
// with what the readers of the models had to interpret; it may be nil.
func ReadStructure(path string, warn func(line string)) (
	p *stoch.Program, whole *lp.Model, first []string, err error) {
	d, err := newDecomposed(path)
	if err != nil {
		return nil, nil, nil, err
	}
	defer func() {
		if err == nil {
			d.models.pass(warn)
		}
	}()
	if err := d.readMaster(); err != nil {
		return nil, nil, nil, err
	}
	for j := range d.master.Cols {
		first = append(first, d.master.ColName(lp.Var(j)))
	}

	// One subproblem is in memory at a time, beside the skeleton and the differences.
	f := &folder{}
	for k, problem := range d.order {
		m, err := d.extended(problem)
		if err != nil {
			return nil, nil, nil, err
		}
		s := stoch.Scenario{Name: unpack.Stem(problem), Probability: d.weights[k] / d.sum}
		file := filepath.Join(d.folder, problem)
		if k == 0 {
			if err := f.skeleton(m, d.path, file, first); err != nil {
				return nil, nil, nil, err
			}
		} else {
			if !d.alike(&f.b.Model, m) {
				whole, err := d.whole()
				return nil, whole, first, err
			}
			f.rename(m)
			if s.Changes, err = f.differences(m, file); err != nil {
				return nil, nil, nil, err
			}
		}
		f.scens = append(f.scens, s)
	}
	f.given = len(f.scens)
	p, err = f.program(d.name)
	return p, nil, first, err
}

// decomposed is a problem that is being read.
type decomposed struct {
	path   string // of the structure
	folder string // of the models
	name   string

	models  models
	problem string                    // of the master
	shared  map[string]map[int]string // of each problem: the names of shared columns by position
	order   []string                  // the subproblems, as the structure lists them

	weights []float64 // of the subproblems
	sum     float64   // of the weights
	master  *lp.Model
}

// newDecomposed reads the structure and the weights.
func newDecomposed(path string) (*decomposed, error) {
	d := &decomposed{path: path, folder: filepath.Dir(path), problem: masterName}
	o := options{Weight: "CONSTANT"}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}

	// The options name the structure, or lie beside it.
	beside := ""
	switch {
	case info.IsDir():
		d.folder = path
		d.path = filepath.Join(path, structureFile)
		beside = filepath.Join(path, optionsFile)
	case strings.HasSuffix(strings.ToLower(path), ".json"):
		beside = path
	default:
		beside = filepath.Join(d.folder, optionsFile)
	}
	if _, err := os.Stat(beside); err == nil {
		if o, err = readOptions(beside); err != nil {
			return nil, err
		}
	}

	// The options may name another folder, structure and master than the usual ones.
	if beside == path {
		d.folder = filepath.Join(d.folder, o.Folder)
		d.path = filepath.Join(d.folder, o.Structure)
	}
	if o.Master != "" {
		d.problem = o.Master
	}

	// The name is that of the folder, which for a path such as . is found in its absolute form.
	d.name = filepath.Base(d.folder)
	if absolute, err := filepath.Abs(d.folder); err == nil {
		d.name = filepath.Base(absolute)
	}
	if err := d.readStructure(); err != nil {
		return nil, err
	}
	return d, d.weigh(o)
}

// stem is a problem's name without the ending that the structure may give it.
func stem(problem string) string { return strings.TrimSuffix(unpack.Plain(problem), ".mps") }

// readStructure reads the lines of the structure.
func (d *decomposed) readStructure() error {
	text, err := unpack.File(d.path)
	if err != nil {
		return fmt.Errorf("scenfolder: %w", err)
	}
	d.shared = make(map[string]map[int]string)
	for k, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		fail := func(format string, args ...any) error {
			return fmt.Errorf("scenfolder: %s:%d: %w: %s", d.path, k+1, ErrFolder, fmt.Sprintf(format, args...))
		}
		if len(words) != 3 {
			return fail("%q is not a problem, a column and its position", strings.TrimSpace(line))
		}
		at, err := strconv.Atoi(words[2])
		if err != nil || at < 0 {
			return fail("the position %q is no number from 0 on", words[2])
		}

		// A position or a column has one partner in a problem.
		problem := words[0]
		if d.shared[problem] == nil {
			d.shared[problem] = make(map[int]string)
			if stem(problem) != stem(d.problem) {
				d.order = append(d.order, problem)
			}
		}
		if other, twice := d.shared[problem][at]; twice {
			return fail("position %d of %s is the column %s already", at, problem, other)
		}
		for other, name := range d.shared[problem] {
			if name == words[1] {
				return fail("the column %s of %s is at position %d already", name, problem, other)
			}
		}
		d.shared[problem][at] = words[1]
	}
	if len(d.order) == 0 {
		return fmt.Errorf("scenfolder: %s: %w: it has no subproblem beside the master %s", d.path, ErrFolder, d.problem)
	}
	return nil
}

// weigh computes the weights of the subproblems, and leaves out those of weight 0.
func (d *decomposed) weigh(o options) error {
	of := func(string) float64 { return 1 / float64(len(d.order)) }

	// The word CONSTANT has a divisor, and a word that is no keyword is a file.
	switch o.Weight {
	case "UNIFORM":
	case "CONSTANT", "":
		divisor := 1.0
		if o.Divisor != "" {
			v, err := o.Divisor.Float64()
			if err != nil || !(v > 0) || math.IsInf(v, 0) {
				return fmt.Errorf("scenfolder: %s: %w: SLAVE_WEIGHT_VALUE %s is not positive", d.folder, ErrFolder, o.Divisor)
			}
			divisor = v
		}
		of = func(string) float64 { return 1 / divisor }
	default:
		table, err := d.readWeights(filepath.Join(d.folder, o.Weight))
		if err != nil {
			return err
		}
		of = func(problem string) float64 { return table[stem(problem)] }
	}

	var kept []string
	for _, problem := range d.order {
		if w := of(problem); w > 0 {
			kept = append(kept, problem)
			d.weights = append(d.weights, w)
			d.sum += w
		}
	}
	if d.order = kept; len(kept) == 0 {
		return fmt.Errorf("scenfolder: %s: %w: no subproblem has a positive weight", d.path, ErrFolder)
	}
	return nil
}

// readWeights reads a file with the weight of each subproblem, and, in a line WEIGHT_SUM, what all are divided by.
func (d *decomposed) readWeights(path string) (map[string]float64, error) {
	text, err := unpack.File(path)
	if err != nil {
		return nil, fmt.Errorf("scenfolder: %w", err)
	}

	// A line is a problem and its weight; that of the word WEIGHT_SUM is what all are divided by.
	table := make(map[string]float64)
	divisor := 1.0
	for k, line := range strings.Split(string(text), "\n") {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}

		// A line has exactly two words, and the weight is finite and not negative.
		var v float64
		if len(words) == 2 {
			v, err = strconv.ParseFloat(words[1], 64)
		}
		isWeight := err == nil && v >= 0 && !math.IsInf(v, 0)
		if len(words) != 2 || !isWeight {
			return nil, fmt.Errorf("scenfolder: %s:%d: %w: %q is not a problem and its weight, at least 0", path, k+1, ErrFolder,
				strings.TrimSpace(line))
		}

		// The sum may stand on any line, so that the division comes after the last line.
		if words[0] != "WEIGHT_SUM" {
			table[stem(words[0])] = v
		} else if divisor = v; v == 0 {
			return nil, fmt.Errorf("scenfolder: %s:%d: %w: WEIGHT_SUM is 0", path, k+1, ErrFolder)
		}
	}
	for problem := range table {
		table[problem] /= divisor
	}
	return table, nil
}

// open reads the model of a problem.
func (d *decomposed) open(problem string) (*lp.Model, string, error) {
	file := filepath.Join(d.folder, stem(problem)+".mps")
	if _, err := os.Stat(file); err != nil {
		file = filepath.Join(d.folder, problem)
	}
	m, err := d.models.read(file)
	return m, file, err
}

// readMaster reads the master, and compares its shared columns with those that the structure lists.
func (d *decomposed) readMaster() error {
	m, file, err := d.open(d.problem)
	if err != nil {
		return err
	}
	d.master = m
	names := make(map[string]bool)
	for j := range m.Cols {
		names[m.ColName(lp.Var(j))] = true
	}
	for _, problem := range d.order {
		for _, name := range d.shared[problem] {
			if !names[name] {
				return fmt.Errorf("scenfolder: %s: %w: %s shares the column %s, which %s has not", d.path, ErrFolder, problem,
					name, file)
			}
		}
	}
	return nil
}

// extended returns the model of one scenario: the master, with the columns and rows of a subproblem after its own. The
// costs of the subproblem are multiplied by the sum of all weights, whose share is the scenario's probability.
func (d *decomposed) extended(problem string) (*lp.Model, error) {
	m := d.master.Clone()
	return m, d.attach(m, takenNames(m), problem, d.sum, "")
}

// attach adds a subproblem to a model that begins with the master and has the names in taken. Its costs are multiplied
// by a weight, and its own rows and columns get an ending.
func (d *decomposed) attach(m *lp.Model, taken names, problem string, weight float64, ending string) error {
	sub, file, err := d.open(problem)
	if err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return fmt.Errorf("scenfolder: %s: %w: %s", file, ErrFolder, fmt.Sprintf(format, args...))
	}
	if sub.Maximize != m.Maximize {
		return wrong("the sense of the objective is not that of the master")
	}

	// The columns of the master are found by their names. Every shared position must be one of the subproblem.
	at := make(map[string]lp.Var, len(d.master.Cols))
	for j := range d.master.Cols {
		at[d.master.ColName(lp.Var(j))] = lp.Var(j)
	}
	for position, name := range d.shared[problem] {
		if position >= len(sub.Cols) {
			return wrong("position %d of the column %s, and it has %d columns", position, name, len(sub.Cols))
		}
	}

	// A name that the model has already gets an ending: scenarios are compared by the names of their rows and columns.
	col := make([]lp.Var, len(sub.Cols))
	for j, c := range sub.Cols {
		// A shared column is that of the master, and its costs are added.
		if name, shared := d.shared[problem][j]; shared {
			col[j] = at[name]
			m.Cols[at[name]].Cost += weight * c.Cost
			continue
		}

		c.Name = take(taken.cols, sub.ColName(lp.Var(j))+ending, "_"+stem(problem))
		c.Cost *= weight
		col[j] = m.AddCol(c)
	}

	// The rows follow, with the column numbers of the whole model.
	m.Offset += weight * sub.Offset
	a, err := sub.Matrix()
	if err != nil {
		return fmt.Errorf("scenfolder: %w", err)
	}
	byRow := a.Transpose()
	for i, r := range sub.Rows {
		index, value := byRow.Vec(i)
		own := make([]int32, len(index))
		for e, j := range index {
			own[e] = int32(col[j])
		}
		r.Name = take(taken.rows, sub.RowName(lp.Con(i))+ending, "_"+stem(problem))
		m.AddRow(r, own, value)
	}
	return nil
}

// names are those that the columns and the rows of a model have.
type names struct{ cols, rows map[string]bool }

// takenNames returns the names of a model.
func takenNames(m *lp.Model) names {
	n := names{cols: colNames(m), rows: make(map[string]bool, len(m.Rows))}
	for i := range m.Rows {
		n.rows[m.RowName(lp.Con(i))] = true
	}
	return n
}

// colNames returns the names of the columns of a model.
func colNames(m *lp.Model) map[string]bool {
	list := make(map[string]bool, len(m.Cols))
	for j := range m.Cols {
		list[m.ColName(lp.Var(j))] = true
	}
	return list
}

// take adds a name to those that are taken and returns it, with the ending as often as it takes to make it a new one.
func take(taken map[string]bool, name, ending string) string {
	for taken[name] {
		name += ending
	}
	taken[name] = true
	return name
}

// alike reports whether two models of scenarios differ in numbers alone. The constant of the objective, the costs of
// the first columns and what is integer are the same in all scenarios of a program.
func (d *decomposed) alike(a, b *lp.Model) bool {
	if len(a.Cols) != len(b.Cols) || len(a.Rows) != len(b.Rows) || a.Offset != b.Offset {
		return false
	}
	for j := range a.Cols {
		first := j < len(d.master.Cols)
		if a.Cols[j].Integer != b.Cols[j].Integer || first && a.Cols[j].Cost != b.Cols[j].Cost {
			return false
		}
	}
	return true
}

// rename gives the rows and columns of a model the names of the skeleton's at the same positions.
func (f *folder) rename(m *lp.Model) {
	for j := range m.Cols {
		m.Cols[j].Name = f.b.Model.ColName(lp.Var(j))
	}
	for i := range m.Rows {
		m.Rows[i].Name = f.b.Model.RowName(lp.Con(i))
	}
}

// whole returns the master with all subproblems in one model.
func (d *decomposed) whole() (*lp.Model, error) {
	m := d.master.Clone()
	m.Name = d.name
	taken := takenNames(m)
	for k, problem := range d.order {
		if err := d.attach(m, taken, problem, d.weights[k], "_"+stem(problem)); err != nil {
			return nil, err
		}
	}
	return m, nil
}
