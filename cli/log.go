package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// solverLog is the log that people read. Writing to it never fails a solve.
type solverLog struct {
	w      io.Writer
	file   *os.File  // of --log
	copy   *stream   // what goes there, nil without one
	failed error     // of the file, once it is closed
	began  time.Time // of the command
	last   *table    // that the last line belongs to, nil where it belongs to none
}

// close ends the log file. It may be called again.
func (l *solverLog) close() {
	if l.file != nil {
		l.failed = errors.Join(l.copy.failed(), l.file.Close())
		l.file = nil
	}
}

// printf writes a line.
func (l *solverLog) printf(format string, args ...any) {
	fmt.Fprintf(l.w, format+"\n", args...)
	l.last = nil
}

// warn writes the warnings of a reader.
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
	rows     int
}

// repeatHeadings is how many rows go by between two lines of headings.
const repeatHeadings = 40

func (t *table) row(mark string, cells ...string) {
	if t.rows%repeatHeadings == 0 || t.log.last != t {
		t.rows = 0
		t.head()
	}
	t.rows++
	var b strings.Builder
	fmt.Fprintf(&b, "%-2s", mark)
	for k, h := range t.headings {
		fmt.Fprintf(&b, " %*s", h.width, cells[k])
	}
	t.log.printf("%s", b.String())
	t.log.last = t
}

// clock is the time since the command began. The parts of a run each have a clock of their own.
func (t *table) clock() string { return showTime(time.Since(t.log.began)) }

func (t *table) head() {
	var b strings.Builder
	b.WriteString("  ")
	for _, h := range t.headings {
		fmt.Fprintf(&b, " %*s", h.width, h.title)
	}
	t.log.printf("")
	t.log.printf("%s", b.String())
}

// parts writes the statistics of a search by component: own time, and what LPs on its behalf took.
func (l *solverLog) parts(list []mipPart) {
	t := table{log: l, headings: []heading{{"part", -18}, {"calls", 9}, {"time", 9}, {"LP time", 9}, {"LP iter", 10},
		{"incumbents", 11}}}
	for _, p := range list {
		t.row("", p.Name, strconv.Itoa(p.Calls), fmt.Sprintf("%.2fs", p.Seconds), fmt.Sprintf("%.2fs", p.LPSeconds),
			strconv.Itoa(p.LPIterations), strconv.Itoa(p.Found))
	}
}

// showValue shows an objective or bound in nine digits, -- for none.
func showValue(v float64) string {
	switch {
	case math.IsNaN(v):
		return "--"
	case math.IsInf(v, 0):
		return strings.ToLower(strconv.FormatFloat(v, 'g', 3, 64))
	case v != 0 && (math.Abs(v) >= 1e12 || math.Abs(v) < 1e-4):
		return strconv.FormatFloat(v, 'e', 6, 64)
	case v == math.Trunc(v) && math.Abs(v) < 1e9:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	digits := 8 - int(math.Floor(math.Log10(math.Max(1, math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', max(0, min(6, digits)), 64)
}

// showGap shows a fraction in per cent.
func showGap(g float64) string {
	switch {
	case math.IsNaN(g) || math.IsInf(g, 0):
		return "--"
	case g >= 100:
		return "large"
	}
	return strconv.FormatFloat(100*g, 'f', 2, 64) + "%"
}

// showTime shows seconds with one decimal; in a summary, showSeconds has two.
func showTime(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s" }

func showSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 2, 64) + " s" }

// showExact shows a value in full, -- for none.
func showExact(v float64) string {
	if math.IsNaN(v) {
		return "--"
	}
	return strings.ToLower(strconv.FormatFloat(v, 'g', 12, 64))
}
