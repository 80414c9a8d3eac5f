package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/iis"
	"github.com/proxybd/proxybd/lp"
)

// iisFlags say whether an infeasible model is explained.
type iisFlags struct {
	find  bool
	write string // file of the subsystem, "" for none
}

// add adds the flags to a command.
func (f *iisFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.find, "iis", false,
		"if the model is infeasible, find an irreducible infeasible subsystem: sides of rows and bounds that exclude each "+
			"other, of which none can be left out")
	c.Flags().StringVar(&f.write, "write-iis", "", "write the subsystem to this `FILE` (.lp, .mps or .nl); implies --iis")
}

// check reports a file of the subsystem that could not be written: its ending must be that of a model.
func (f *iisFlags) check() error {
	if f.write == "" {
		return nil
	}
	_, err := modelWriter(f.write)
	return errors.Join(err, checkTarget(f.write))
}

// wanted reports whether a subsystem is asked for.
func (f *iisFlags) wanted() bool { return f.find || f.write != "" }

// iisReport is an infeasible subsystem in JSON.
type iisReport struct {
	Irreducible bool      `json:"irreducible"`
	Rows        []iisSide `json:"rows"`
	Bounds      []iisSide `json:"bounds"`
	Seconds     number    `json:"seconds"`
	Solves      int       `json:"solves"`
}

// iisSide is a side of a row or a bound of a column.
type iisSide struct {
	Name  string `json:"name"`
	Side  string `json:"side"` // lower, upper or both
	Lower number `json:"lower"`
	Upper number `json:"upper"`
}

// explain finds an infeasible subsystem of a model that was found infeasible, writes its file, and returns its report
// and the lines that show it; nil where it is not asked for.
func (f *iisFlags) explain(ctx context.Context, a *app, m *lp.Model, status lp.Status) (*iisReport, []string, error) {
	if !f.wanted() {
		return nil, nil, nil
	}
	if status != lp.Infeasible {
		return nil, []string{"", "no infeasible subsystem: the model was not found infeasible"}, nil
	}

	// The search has the time that the solve left, or at least a second.
	o := iis.DefaultOptions()
	if left := a.remaining(); left != math.MaxInt64 {
		o.Time = max(left, time.Second)
	}
	logged := time.Now()
	o.Progress = func(left, needed int) {
		if time.Since(logged) > time.Second {
			logged = time.Now()
			a.log.printf("infeasible subsystem: %d sides left, %d of them needed", left, needed)
		}
	}
	began := time.Now()
	set, err := iis.Find(ctx, m, o)
	if errors.Is(err, iis.ErrUnsupported) {
		err = badInput(err)
	}
	if err != nil {
		return nil, nil, err
	}

	// Both sides of a row, or both bounds of a column, are one line.
	r := &iisReport{Irreducible: set.Irreducible, Rows: []iisSide{}, Bounds: []iisSide{}, Solves: set.Solves}
	only := set.Only(m)
	var lines []string
	for k, s := range set.Sides {
		if k > 0 && set.Sides[k-1].Row == s.Row && set.Sides[k-1].Index == s.Index {
			continue
		}
		if s.Row {
			row := only.Rows[s.Index]
			name := m.RowName(lp.Con(s.Index))
			r.Rows = append(r.Rows, newSide(name, row.Lower, row.Upper))
			lines = append(lines, "  "+name+": "+between(rowText(m, s.Index), row.Lower, row.Upper))
		} else {
			col := only.Cols[s.Index]
			name := m.ColName(lp.Var(s.Index))
			r.Bounds = append(r.Bounds, newSide(name, col.Lower, col.Upper))
			lines = append(lines, "  bound: "+between(name, col.Lower, col.Upper))
		}
	}
	r.Seconds = number(time.Since(began).Seconds())

	what := "irreducible infeasible subsystem"
	if !r.Irreducible {
		what = "infeasible subsystem (not proven irreducible)"
	}
	head := fmt.Sprintf("%s: %d rows, %d bounds", what, len(r.Rows), len(r.Bounds))
	lines = append([]string{"", head}, lines...)
	return r, lines, a.writeSubsystem(f.write, only)
}

// newSide returns a side of the report.
func newSide(name string, lower, upper float64) iisSide {
	s := iisSide{Name: name, Side: "both", Lower: number(lower), Upper: number(upper)}
	if math.IsInf(lower, 0) {
		s.Side = "upper"
		s.Lower = number(math.NaN())
	} else if math.IsInf(upper, 0) {
		s.Side = "lower"
		s.Upper = number(math.NaN())
	}
	return s
}

// between writes lower <= text <= upper, without infinite ends.
func between(text string, lower, upper float64) string {
	switch {
	case lower == upper:
		return text + " = " + showExact(lower)
	case math.IsInf(lower, 0):
		return text + " <= " + showExact(upper)
	case math.IsInf(upper, 0):
		return text + " >= " + showExact(lower)
	}
	return showExact(lower) + " <= " + text + " <= " + showExact(upper)
}

// maxTerms is how many terms of a row are shown.
const maxTerms = 6

// rowText writes the terms of a row, the first ones of a long one.
func rowText(m *lp.Model, row int) string {
	a, err := m.Matrix()
	if err != nil { // the model was solved before
		return "..."
	}

	// The sign of a term stands between it and the one before.
	index, value := a.Transpose().Vec(row)
	text := ""
	for k, j := range index {
		v := value[k]
		sign := " + "
		switch {
		case k == 0 && v < 0:
			sign = "-"
		case k == 0:
			sign = ""
		case v < 0:
			sign = " - "
		}
		if k == maxTerms {
			return text + sign + fmt.Sprintf("... (%d terms)", len(index))
		}
		text += sign
		if math.Abs(v) != 1 {
			text += showExact(math.Abs(v)) + " "
		}
		text += m.ColName(lp.Var(j))
	}
	return text
}

// writeSubsystem writes the rows and columns of a subsystem as a model, "" for no file.
func (a *app) writeSubsystem(path string, only *lp.Model) error {
	if path == "" {
		return nil
	}
	write, err := modelWriter(path)
	if err != nil {
		return err
	}

	// The model has the rows and columns that are part of the subsystem, under the names of the original model.
	m := lp.Model{Name: only.Name}
	rows, err := only.Matrix()
	if err != nil {
		return err
	}
	byRow := rows.Transpose()

	// Columns that no row of the subsystem has, and that have no bound in it, are left out.
	at := make([]int32, len(only.Cols))
	used := make([]bool, len(only.Cols))
	for i, r := range only.Rows {
		if math.IsInf(r.Lower, 0) && math.IsInf(r.Upper, 0) {
			continue
		}
		index, _ := byRow.Vec(i)
		for _, j := range index {
			used[j] = true
		}
	}

	// The kept columns are numbered anew in their old order.
	for j, c := range only.Cols {
		if used[j] || !math.IsInf(c.Lower, 0) || !math.IsInf(c.Upper, 0) {
			c.Name = only.ColName(lp.Var(j))
			at[j] = int32(m.AddCol(c))
		}
	}

	// Rows without a side are left out. Every column of a row that is kept is in the written model.
	for i, r := range only.Rows {
		if math.IsInf(r.Lower, 0) && math.IsInf(r.Upper, 0) {
			continue
		}
		index, value := byRow.Vec(i)
		own := make([]int32, len(index))
		for k, j := range index {
			own[k] = at[j]
		}
		r.Name = only.RowName(lp.Con(i))
		m.AddRow(r, own, value)
	}
	return a.writeFile(path, func(w io.Writer) error { return write(w, &m) })
}

// farkasRay returns a Farkas ray by the names of the rows, without its zeros; nil where there is none.
func farkasRay(m *lp.Model, ray []float64) map[string]number {
	if len(ray) != len(m.Rows) {
		return nil
	}
	out := make(map[string]number)
	for i, v := range ray {
		if v != 0 {
			out[m.RowName(lp.Con(i))] = number(v)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
