package smps

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// ErrWrite is wrapped by the error of Write on a program that SMPS cannot express.
var ErrWrite = errors.New("the program cannot be written as SMPS")

// Write writes a program of two stages as its three files: the skeleton as the core, whose rows of the first stage come
// first, the two periods, and every scenario with its differences in a section SCENARIOS. Names that the files cannot
// hold are changed, and rows without a finite side left out. A range whose sides differ between scenarios becomes two
// rows, which SMPS can change one by one. A side or bound that is finite in one scenario and infinite in another cannot
// be written.
func Write(p *stoch.Program, core, time, sto io.Writer) error {
	if err := p.Validate(); err != nil {
		return prefixed(err)
	}
	o := &output{p: p}
	if err := o.layOut(); err != nil {
		return err
	}
	if err := mps.Write(core, o.core); err != nil {
		return prefixed(err)
	}
	return errors.Join(o.time(time), o.scenarios(sto))
}

// output is a program as the files hold it.
type output struct {
	p *stoch.Program
	// core is the model of the core file.
	core *lp.Model
	// firstRows is the number of rows of the first stage, which come first in core.
	firstRows int
	// rowAt is, by row of the skeleton, its row in core and the second one of a split range; -1 for none.
	rowAt [][2]int32
	// kind is, by row of the skeleton, how its sides change between scenarios.
	kind []rowKind
	// rows and cols are the names of core in the files.
	rows, cols []string
}

// rowKind is how the sides of a row may change. The zero value is a row whose sides are the same in all scenarios.
type rowKind uint8

const (
	_ rowKind = iota
	// equation: both sides change together and stay equal.
	equation
	// oneSided: the only finite side changes.
	oneSided
	// split: each side changes by itself, so that the row is written as two.
	split
)

// layOut orders and names the rows of the core.
func (o *output) layOut() error {
	p := o.p
	if err := o.classify(); err != nil {
		return err
	}

	// A program that is valid has a matrix, on which FirstRows rests too.
	first, _ := p.FirstRows()
	a, _ := p.Core.Matrix()

	// A column must not have a name that means something else in the stoch file.
	o.core = &lp.Model{
		Name:      p.Name,
		Objective: p.Core.Objective,
		Maximize:  p.Core.Maximize,
		Offset:    p.Core.Offset,
		Cols:      slices.Clone(p.Core.Cols),
	}
	for j := range o.core.Cols {
		if name := o.core.ColName(lp.Var(j)); reserved(name) {
			o.core.Cols[j].Name = name + "_"
		}
	}

	// The rows of the first stage come first. Free rows say nothing and are left out.
	o.rowAt = make([][2]int32, len(first))
	for _, stage := range [2]bool{true, false} {
		for i, r := range p.Core.Rows {
			if math.IsInf(r.Lower, -1) && math.IsInf(r.Upper, 1) {
				o.rowAt[i] = [2]int32{-1, -1}
			} else if first[i] == stage {
				r.Name = p.Core.RowName(lp.Con(i))
				o.addRow(i, r)
			}
		}
		if stage {
			o.firstRows = len(o.core.Rows)
		}
	}

	// A coefficient of a split row is in both of its rows.
	for j := range p.Core.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			for _, at := range o.rowAt[i] {
				if at >= 0 {
					o.core.AddEntry(lp.Con(at), lp.Var(j), value[k])
				}
			}
		}
	}
	o.core.Objective, o.rows, o.cols = mps.Names(o.core)
	return nil
}

// addRow adds a row of the skeleton to the core, or two for one whose sides change each by itself.
func (o *output) addRow(i int, r lp.Row) {
	o.rowAt[i] = [2]int32{int32(len(o.core.Rows)), -1}

	// The second row has the upper side alone, and the first one loses it.
	if o.kind[i] == split {
		upper := lp.Row{Name: r.Name + "_upper", Lower: math.Inf(-1), Upper: r.Upper}
		o.rowAt[i][1] = int32(len(o.core.Rows) + 1)
		r.Upper = lp.Inf
		o.core.AddRow(r, nil, nil)
		r = upper
	}
	o.core.AddRow(r, nil, nil)
}

// reserved reports whether a name means something else at the beginning of a line of a stoch file.
func reserved(name string) bool {
	return slices.ContainsFunc([]string{"UP", "LO", "FX", "RHS", "RIGHT", "SC", "BL"}, func(word string) bool {
		return strings.EqualFold(name, word)
	})
}

// classify finds how the sides of rows change, and refuses changes that the format does not have.
func (o *output) classify() error {
	p := o.p
	o.kind = make([]rowKind, len(p.Core.Rows))
	bad := func(s int, what, name string) error {
		return fmt.Errorf("smps: %w: %s of %s is finite in one scenario and infinite in another (%s)", ErrWrite, what, name,
			p.ScenarioName(s))
	}

	for s := range p.Scenarios {
		// sides are those of the rows that the scenario changes, once all its changes are made.
		sides := map[int32][2]float64{}
		for _, c := range p.Scenarios[s].Changes {
			switch c.Kind {
			case stoch.RowLower, stoch.RowUpper:
				// A side that was changed before keeps that change.
				r, known := sides[int32(c.Row)]
				if row := &p.Core.Rows[c.Row]; !known {
					r = [2]float64{row.Lower, row.Upper}
				}
				side := &r[c.Kind-stoch.RowLower]
				if math.IsInf(*side, 0) != math.IsInf(c.Value, 0) {
					return bad(s, "a side of row", p.Core.RowName(lp.Con(c.Row)))
				}
				*side = c.Value
				sides[int32(c.Row)] = r
			case stoch.ColLower, stoch.ColUpper:
				col := &p.Core.Cols[c.Col]

				// A bound changes alone, so that only its own kind matters.
				old := [2]float64{col.Lower, col.Upper}[c.Kind-stoch.ColLower]
				if math.IsInf(old, 0) != math.IsInf(c.Value, 0) {
					return bad(s, "a bound of column", p.Core.ColName(lp.Var(c.Col)))
				}
			}
		}

		// The kinds are ordered: a row that changes in two ways is split.
		for i, r := range sides {
			o.kind[i] = max(o.kind[i], kindOf(p.Core.Rows[i], r))
		}
	}
	return nil
}

// kindOf is the kind of a row with the given sides in a scenario.
func kindOf(row lp.Row, sides [2]float64) rowKind {
	// An equation stays one where both sides change to the same value.
	switch {
	case math.IsInf(row.Lower, -1) || math.IsInf(row.Upper, 1):
		return oneSided
	case row.Lower == row.Upper && sides[0] == sides[1]:
		return equation
	}
	return split
}

// Names of the two periods in the files.
const firstPeriod, secondPeriod = "STAGE1", "STAGE2"

// time writes the time file; the explicit form where the second period has no row to begin with.
func (o *output) time(w io.Writer) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "TIME %s\n", o.name())

	// The implicit form names the first column and row of each period.
	if o.firstRows < len(o.rows) && o.p.First < len(o.cols) {
		fmt.Fprintf(b, "PERIODS\n    %s  %s  %s\n    %s  %s  %s\nENDATA\n", o.cols[0], o.core.Objective, firstPeriod,
			o.cols[o.p.First], o.rows[o.firstRows], secondPeriod)
		return b.Flush()
	}

	// Every row and column with its period.
	fmt.Fprintf(b, "PERIODS EXPLICIT\n    %s\n    %s\n", firstPeriod, secondPeriod)
	list := func(section string, names []string, first int) {
		fmt.Fprintln(b, section)
		for k, n := range names {
			// The first ones of each list belong to the first period.
			period := firstPeriod
			if k >= first {
				period = secondPeriod
			}
			fmt.Fprintf(b, "    %s  %s\n", n, period)
		}
	}
	list("ROWS", o.rows, o.firstRows)
	list("COLUMNS", o.cols, o.p.First)
	b.WriteString("ENDATA\n")
	return b.Flush()
}

// name is the program's, as one word.
func (o *output) name() string { return strings.Join(strings.Fields(o.p.Name), "_") }

// scenarios writes the stoch file.
func (o *output) scenarios(w io.Writer) error {
	b := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(b, "STOCH %s\nSCENARIOS DISCRETE REPLACE\n", o.name())

	// Names are one word each in the file, and all different.
	used := map[string]bool{}
	for s := range o.p.Scenarios {
		name := strings.Join(strings.Fields(o.p.ScenarioName(s)), "_")
		for n := s + 1; used[name] || name == ""; n++ {
			name = fmt.Sprintf("%s_%d", name, n)
		}
		used[name] = true
		fmt.Fprintf(b, " SC %s  ROOT  %s  %s\n", name, number(o.p.Scenarios[s].Probability), secondPeriod)
		for _, c := range o.p.Scenarios[s].Changes {
			o.change(b, c)
		}
	}
	b.WriteString("ENDATA\n")
	return b.Flush()
}

// number is the shortest decimal that gives the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// change writes the line, or for a coefficient of a split row the two lines, of a change.
func (o *output) change(b *bufio.Writer, c stoch.Change) {
	line := func(words ...string) { fmt.Fprintf(b, "    %s\n", strings.Join(words, "  ")) }

	// Every change is the new value: the section is in the mode REPLACE.
	switch c.Kind {
	case stoch.Cost:
		line(o.cols[c.Col], o.core.Objective, number(c.Value))
	case stoch.Entry:
		for _, at := range o.rowAt[c.Row] {
			if at >= 0 {
				line(o.cols[c.Col], o.rows[at], number(c.Value))
			}
		}
	case stoch.ColLower, stoch.ColUpper:
		line([2]string{"LO", "UP"}[c.Kind-stoch.ColLower], "BND", o.cols[c.Col], number(c.Value))
	default:
		// The lower side of an equation gives both, and an infinite side stays as it is.
		kind := o.kind[c.Row]
		at := o.rowAt[c.Row][0]
		if kind == split && c.Kind == stoch.RowUpper {
			at = o.rowAt[c.Row][1]
		}
		given := kind == equation && c.Kind == stoch.RowUpper
		if !given && !math.IsInf(c.Value, 0) {
			line("RHS", o.rows[at], number(c.Value))
		}
	}
}
