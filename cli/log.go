package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

// solverLog is the log that people read. Writing to it never fails a solve.
type solverLog struct {
	mu sync.Mutex // guards the lines: rows are repeated by a goroutine of their own
	w  io.Writer  // all that the log goes to

	// The file of --log, "" and nil without one, and the stream that keeps its first error.
	path string
	file *os.File
	copy *stream

	// The start of the command, which the clock of a table counts from.
	began time.Time

	// The table that the last line belongs to, nil where it belongs to none.
	last *table

	// The width of the terminal, 0 where the log goes elsewhere.
	width int
}

// narrow is the width of a log that is not on a terminal, and the least that tables are made for.
const narrow = 80

// columns is the width that lines have room for.
func (l *solverLog) columns() int {
	if l.width == 0 {
		return narrow
	}
	return max(narrow, l.width)
}

// close closes the log file, and returns the first error of it.
func (l *solverLog) close() error {
	if l.file == nil {
		return nil
	}

	// An error of the stream is one of writing, and comes before that of closing.
	return errors.Join(l.copy.failed(), l.file.Close())
}

// printf writes a line, which on a terminal goes on below where it is too long.
func (l *solverLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines(fmt.Sprintf(format, args...))
}

// lines writes a text of one or more lines. The caller holds the lock.
func (l *solverLog) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		for _, part := range l.fold(line, 2) {
			fmt.Fprintln(l.w, part)
		}
	}

	// The next row of a table repeats the headings, since another line stands between.
	l.last = nil
}

// fold divides a line that is too long for the terminal. In files and pipes, where programs look for lines, it stays as
// it is.
func (l *solverLog) fold(line string, indent int) []string {
	if l.width == 0 {
		return []string{line}
	}
	return folded(line, l.columns(), indent)
}

// folded divides a line at blanks into lines of at most a width, as far as its words are no longer. All but the first
// are indented.
func folded(line string, width, indent int) (list []string) {
	for len(line) > width {
		// The last blank that leaves a line of the width, behind the indentation.
		k := strings.LastIndexByte(line[:width+1], ' ')
		if k <= indent {
			if k = strings.IndexByte(line[min(indent, len(line)):], ' '); k < 0 {
				break
			}
			k += indent
		}
		list = append(list, strings.TrimRight(line[:k], " "))
		line = strings.Repeat(" ", indent) + strings.TrimLeft(line[k:], " ")
	}
	return append(list, line)
}

// warn writes warnings as lines of the log.
func (l *solverLog) warn(warnings []string) {
	for _, w := range warnings {
		l.printf("warning: %s", w)
	}
}

// item is a line of the summary at the end of a log.
type item struct{ name, value string }

// heading is a column of a table: its title and width.
type heading struct {
	title string
	width int
}

// table writes rows under headings, which are repeated every now and then and after other lines. A row begins with a
// mark.
type table struct {
	log      *solverLog
	headings []heading

	// The rows below the last line of headings.
	rows int
}

// newTable returns a table with the columns given and, of further ones, as many as the log has room for.
func newTable(l *solverLog, headings []heading, further ...heading) table {
	room := l.columns() - 2 // the mark
	for _, h := range headings {
		room -= 1 + h.width
	}
	for _, h := range further {
		if room -= 1 + h.width; room < 0 {
			break
		}
		headings = append(headings, h)
	}
	return table{log: l, headings: headings}
}

// repeatHeadings is how many rows go by between two lines of headings.
const repeatHeadings = 40

// row writes a row. Cells of further columns that have no room are left out.
func (t *table) row(mark string, cells ...string) {
	t.log.mu.Lock()
	defer t.log.mu.Unlock()

	// Headings are repeated after a fixed number of rows, and after a line that is no row of this table.
	if t.rows%repeatHeadings == 0 || t.log.last != t {
		t.rows = 0
		t.head()
	}
	t.rows++
	// The mark has a column of two characters, without a heading.
	var b strings.Builder
	fmt.Fprintf(&b, "%-2s", mark)
	for k, h := range t.headings {
		fmt.Fprintf(&b, " %*s", h.width, cells[k])
	}
	t.log.lines(b.String())
	// lines has reset what the last line belongs to.
	t.log.last = t
}

// clock is the time since the command began. The parts of a run each have a clock of their own.
func (t *table) clock() string { return showTime(time.Since(t.log.began)) }

// head writes an empty line and the headings.
func (t *table) head() {
	// The two blanks are the column of the marks.
	var b strings.Builder
	b.WriteString("  ")
	for _, h := range t.headings {
		fmt.Fprintf(&b, " %*s", h.width, h.title)
	}
	t.log.lines("\n" + b.String())
}

// parts writes the statistics of a search by component: own time, and what LPs on its behalf took.
func (l *solverLog) parts(list []mipPart) {
	// A negative width is flush left.
	// Each component of the search has a row.
	t := table{log: l, headings: []heading{{"part", -18}, {"calls", 9}, {"time", 9}, {"LP time", 9}, {"LP iter", 10},
		{"incumbents", 11}}}
	for _, p := range list {
		t.row("",
			p.Name,
			strconv.Itoa(p.Calls),
			fmt.Sprintf("%.2fs", p.Seconds),
			fmt.Sprintf("%.2fs", p.LPSeconds),
			strconv.Itoa(p.LPIterations),
			strconv.Itoa(p.Found))
	}
}

// showValue shows an objective or bound in nine digits, -- for none.
func showValue(v float64) string {
	switch {
	case math.IsNaN(v):
		// The value is not known.
		return "--"
	case math.IsInf(v, 0):
		return strings.ToLower(strconv.FormatFloat(v, 'g', 3, 64))
	case v != 0 && (math.Abs(v) >= 1e12 || math.Abs(v) < 1e-4):
		// Very large and very small values would not fit in a column as decimals.
		return strconv.FormatFloat(v, 'e', 6, 64)
	case v == math.Trunc(v) && math.Abs(v) < 1e9:
		// A whole number has no decimal point.
		return strconv.FormatFloat(v, 'f', 0, 64)
	}

	// Nine digits in all: the more before the point, the fewer after it, and six at most.
	digits := 8 - int(math.Floor(math.Log10(math.Max(1, math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', max(0, min(6, digits)), 64)
}

// showGap shows a fraction in per cent.
func showGap(g float64) string {
	switch {
	case math.IsNaN(g) || math.IsInf(g, 0):
		// There is no design or no bound.
		return "--"
	case g >= 100:
		// In per cent, the gap would not fit in its column.
		return "large"
	}
	return strconv.FormatFloat(100*g, 'f', 2, 64) + "%"
}

// showTime shows seconds with one decimal; in a summary, showSeconds has two.
func showTime(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s" }

// showSeconds shows seconds with two decimals.
func showSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s" }

// showExact shows a value in full, -- for none.
func showExact(v float64) string {
	if math.IsNaN(v) {
		// An objective without a solution is NaN.
		return "--"
	}

	// Twelve digits show what doubles of a sum of many terms can be compared by.
	return strings.ToLower(strconv.FormatFloat(v, 'g', 12, 64))
}

// alignColumns joins the cells of each line, filled to the widths of their columns. The first left columns are flush
// left, the others flush right.
func alignColumns(lines [][]string, left int) (list []string) {
	// The first line has the headings, and so all columns.
	width := make([]int, len(lines[0]))
	for _, line := range lines {
		for k, cell := range line {
			width[k] = max(width[k], len(cell))
		}
	}

	// A negative width of %*s is flush left.
	for k := range left {
		width[k] = -width[k]
	}
	for _, line := range lines {
		var b strings.Builder
		for k, cell := range line {
			fmt.Fprintf(&b, "%*s  ", width[k], cell)
		}

		// The last cell of a line has no blanks after it.
		list = append(list, strings.TrimRight(b.String(), " "))
	}
	return list
}
