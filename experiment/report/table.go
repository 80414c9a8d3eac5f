package report

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/proxybd/proxybd/internal/sheet"
)

// Table is a table of a report.
type Table struct {
	// The name of files and links.
	ID string

	Title   string
	Caption string
	Columns []Column
	Rows    []Row
	Notes   []string // below the table
}

// Column is a column's heading. Neighbours of one group share a heading above theirs.
type Column struct {
	Group, Name string
	Left        bool // text, not a figure
}

// left are columns of text.
func left(names ...string) []Column {
	list := make([]Column, len(names))
	for k, name := range names {
		list[k] = Column{Name: name, Left: true}
	}
	return list
}

// right are columns of figures of a group, "" for none.
func right(group string, names ...string) []Column {
	list := make([]Column, len(names))
	for k, name := range names {
		list[k] = Column{Group: group, Name: name}
	}
	return list
}

// Row is a row. A quiet one quotes the paper; a rule goes above the first row of a shape.
type Row struct {
	Cells []Cell
	Quiet bool
	Rule  bool
}

// Cell is a text for readers, and the value with all digits for CSV.
type Cell struct {
	Text  string
	Value string // not empty
	Good  bool   // shown in bold
}

// notKnown is the value in CSV of a cell that has none, as R and pandas read it. An empty field would be taken for a
// text by some readers and for zero by others.
const notKnown = "NA"

// blank is a cell of what is not known, or does not exist.
func blank() Cell { return Cell{Text: "–", Value: notKnown} }

// word is a cell of text.
func word(s string) Cell {
	if s == "" {
		return blank()
	}
	return Cell{Text: s, Value: s}
}

// whole is a cell of a count.
func whole(n int) Cell { return word(strconv.Itoa(n)) }

// figure is a cell of a float shown with a format.
func figure(show func(float64) string, v float64) Cell {
	switch {
	case math.IsNaN(v):
		return blank()
	case math.IsInf(v, 1):
		return Cell{Text: "∞", Value: "Inf"}
	case math.IsInf(v, -1):
		return Cell{Text: "−∞", Value: "-Inf"}
	}
	return Cell{Text: show(v), Value: strconv.FormatFloat(v, 'g', -1, 64)}
}

// percent shows per cent, with three decimals where two would say little.
func percent(v float64) string {
	// Below 5e-4 a third decimal would round to zero, too.
	if a := math.Abs(v); a >= 5e-4 && a < 0.1 {
		return strconv.FormatFloat(v, 'f', 3, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// significant shows three significant digits, and two of very small values.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}

	// The limits are where rounding to three digits adds a digit before the point.
	for decimals, limit := range []float64{99.95, 9.995, 0.9995, 0.0995, 0.00095} {
		if math.Abs(v) >= limit {
			return strconv.FormatFloat(v, 'f', decimals, 64)
		}
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// ratio shows a speedup.
func ratio(v float64) string { return significant(v) + "×" }

// rounded shows a count or a median of counts.
func rounded(v float64) string {
	// A median of an even number of counts may be a half.
	if v == math.Trunc(v) {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'f', 1, 64)
}

// heading is a column's name with that of its group.
func (c Column) heading() string {
	if c.Group == "" {
		return c.Name
	}
	return c.Group + " " + c.Name
}

// writeCSV writes headings and values in full. Every row has all of its fields, the names of its shape and method among
// them, so that rows can be sorted, filtered and joined.
func (t *Table) writeCSV(w io.Writer) error {
	// The writer keeps its first error, which is returned at the end.
	out := csv.NewWriter(w)
	var line []string
	// A group has no line of its own in CSV: its name precedes those of its columns.
	for _, c := range t.Columns {
		line = append(line, c.heading())
	}
	out.Write(line)
	for _, r := range t.Rows {
		line = line[:0]
		for _, c := range r.Cells {
			// A text that begins like a formula is guarded against spreadsheets.
			line = append(line, sheet.Guard(c.Value))
		}
		out.Write(line)
	}
	out.Flush()
	return out.Error()
}

// writeText writes the table in columns of fixed width.
func (t *Table) writeText(w io.Writer) error {
	// A column is as wide as its longest text.
	width := make([]int, len(t.Columns))
	for k, c := range t.Columns {
		width[k] = utf8.RuneCountInString(c.Name)
		for _, r := range t.Rows {
			width[k] = max(width[k], utf8.RuneCountInString(r.Cells[k].Text))
		}
	}

	// The text is made in memory and written at once.
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", t.Title)
	t.textGroups(&b, width)
	t.textLine(&b, width, func(k int) string { return t.Columns[k].Name })
	for _, r := range t.Rows {
		// A rule divides the shapes.
		if r.Rule {
			b.WriteString(strings.Repeat("-", total(width)) + "\n")
		}
		t.textLine(&b, width, func(k int) string { return r.Cells[k].Text })
	}
	for _, n := range t.Notes {
		fmt.Fprintf(&b, "  %s\n", n)
	}
	b.WriteString("\n\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// total is the width of columns with the two blanks in front of each.
func total(width []int) (n int) {
	for _, w := range width {
		n += w + 2
	}
	return n
}

// textGroups writes the headings of groups over the middle of their columns and widens narrow ones.
func (t *Table) textGroups(b *strings.Builder, width []int) {
	// The line of the groups is left out where no column has one.
	line := ""
	some := false
	for k := 0; k < len(t.Columns); {
		n := t.span(k)
		room := total(width[k : k+n])
		if g := t.Columns[k].Group; g != "" {
			some = true
			// A group that is wider than its columns widens the first of them.
			if need := utf8.RuneCountInString(g) + 2; need > room {
				width[k] += need - room
				room = need
			}

			// The name ends where the last of its columns ends.
			line += strings.Repeat(" ", room-utf8.RuneCountInString(g)) + g
		} else {
			line += strings.Repeat(" ", room)
		}
		k += n
	}
	if some {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// span is how many columns from k on have the group of k.
func (t *Table) span(k int) int {
	// Columns without a group stand alone.
	n := 1
	for t.Columns[k].Group != "" && k+n < len(t.Columns) && t.Columns[k+n].Group == t.Columns[k].Group {
		n++
	}
	return n
}

// textLine writes a row, text at the left of its column and figures at the right.
func (t *Table) textLine(b *strings.Builder, width []int, text func(int) string) {
	var line strings.Builder
	for k, c := range t.Columns {
		s := text(k)
		// The width counts characters, not bytes: texts have dashes and signs beyond ASCII.
		pad := strings.Repeat(" ", max(0, width[k]-utf8.RuneCountInString(s)))
		if c.Left {
			line.WriteString("  " + s + pad)
		} else {
			line.WriteString("  " + pad + s)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}
