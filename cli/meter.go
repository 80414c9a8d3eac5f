package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/proxybd/proxybd/experiment"
)

// meter shows how far a long command is: a bar on a terminal, below lines that scroll by; elsewhere lines that each
// say how many jobs are done and when the last one may be.
type meter struct {
	log   *solverLog
	began time.Time // the pace of the jobs is counted from here

	// The terminal, nil where there is none, and the bar that it shows, without a line end.
	terminal io.Writer
	bar      string

	// Of a worker, what passes its events and lines to the process above; nil of any other process.
	above func(workerLine)
}

// newMeter opens a meter on standard error if that is a terminal.
func (a *app) newMeter() *meter {
	// Without a terminal the meter writes lines of the log.
	m := &meter{log: a.log, began: time.Now()}
	// A bar that is written to a file or a pipe would be of no use, and a dumb terminal cannot erase a line.
	f, isFile := a.stderr.(*os.File)
	wanted := isFile && !a.flags.quiet && os.Getenv("TERM") != "dumb"
	if wanted && isTerminal(f) {
		m.terminal = f
	}
	return m
}

// isTerminal reports whether a file is a terminal.
func isTerminal(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }

// event is an experiment's Notify.
func (m *meter) event(e experiment.Event) {
	// A worker passes its events on, since the process above has those of all workers.
	if m.above != nil {
		m.above(workerLine{Event: &e})
		return
	}
	text := e.Text
	switch {
	case m.terminal == nil && e.Done > 0:
		// Without a bar each line says itself how far the command is.
		text += fmt.Sprintf("  [%d of %d, %s so far, ETA %s]", e.Done, e.Total, time.Since(m.began).Round(time.Second),
			m.left(e))
	case m.terminal != nil && e.Total > 0:
		// The bar fills from the left. It is drawn below the line of the event.
		const width = 40
		done := width * e.Done / e.Total
		m.bar = fmt.Sprintf("%d of %d [%s%s] %d %%  %s left", e.Done, e.Total, strings.Repeat("=", done),
			strings.Repeat("-", width-done), 100*e.Done/e.Total, m.left(e))
	}
	m.line(text)
}

// left is the time that the rest takes at the pace so far.
func (m *meter) left(e experiment.Event) string {
	// Before the first job is done there is no pace.
	if e.Done == 0 {
		return "?"
	}

	// All jobs are taken to be of the same length.
	left := float64(time.Since(m.began)) / float64(e.Done) * float64(e.Total-e.Done)
	return time.Duration(left).Round(time.Second).String()
}

// line writes a line of the log, above the bar.
func (m *meter) line(text string) {
	if m.above != nil {
		m.above(workerLine{Line: text})
		return
	}
	text = wrap(text)
	if m.terminal == nil {
		m.log.printf("%s", text)
		return
	}
	const clear = "\r\x1b[K" // the line that the cursor is in
	// The bar is erased, the line takes its place, and the bar follows below.
	fmt.Fprintf(m.terminal, "%s%s\n%s", clear, text, m.bar)
	// The terminal has been written to without the log, whose file has the line, too.
	if m.log.copy != nil {
		fmt.Fprintln(m.log.copy, text)
	}
}

// close leaves the bar as it is.
func (m *meter) close() {
	// The next prompt of the shell begins on a line of its own.
	if m.bar != "" {
		fmt.Fprintln(m.terminal)
	}
}
