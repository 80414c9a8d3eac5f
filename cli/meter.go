package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/proxybd/proxybd/experiment"
)

// meter shows how far a long command is: a bar on a terminal, below lines that scroll by; elsewhere lines that each
// say how many jobs are done and when the last one may be.
type meter struct {
	log      *solverLog
	began    time.Time
	terminal io.Writer        // nil where there is none
	bar      string           // what is shown, without a line end
	above    func(workerLine) // of a worker: who shows it
}

// newMeter opens a meter on standard error if that is a terminal.
func (a *app) newMeter(log *solverLog) *meter {
	m := &meter{log: log, began: time.Now()}
	f, ok := a.stderr.(*os.File)
	if !ok || a.flags.quiet {
		return m
	}
	if isTerminal(f) && os.Getenv("TERM") != "dumb" {
		m.terminal = f
	}
	return m
}

// isTerminal reports whether a file is a device of characters, and not the one that swallows them.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, null)
}

// event is an experiment's Notify.
func (m *meter) event(e experiment.Event) {
	if m.above != nil {
		m.above(workerLine{Event: &e})
		return
	}
	if m.terminal == nil {
		text := e.Text
		if e.Done > 0 {
			text += fmt.Sprintf("  [%d of %d, %s so far, ETA %s]", e.Done, e.Total, time.Since(m.began).Round(time.Second),
				m.left(e))
		}
		m.log.printf("%s", wrap(text))
		return
	}
	if e.Total > 0 {
		const width = 40
		done := width * e.Done / e.Total
		m.bar = fmt.Sprintf("%d of %d [%s%s] %d %%  %s left", e.Done, e.Total, strings.Repeat("=", done),
			strings.Repeat("-", width-done), 100*e.Done/e.Total, m.left(e))
	}
	m.line(e.Text)
}

// left is the time that the rest takes at the pace so far.
func (m *meter) left(e experiment.Event) string {
	if e.Done == 0 {
		return "?"
	}
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
	fmt.Fprintf(m.terminal, "%s%s\n%s", clear, text, m.bar)
	if m.log.copy != nil {
		fmt.Fprintln(m.log.copy, text)
	}
}

// close leaves the bar as it is.
func (m *meter) close() {
	if m.bar != "" {
		fmt.Fprintln(m.terminal)
	}
}
