package main

import (
	"fmt"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/proxybd/proxybd/experiment"
)

// meter shows how far a long command is: a bar on a terminal, below lines that scroll by; elsewhere lines that each
// say how many jobs are done and when the last one may be.
type meter struct {
	log   *solverLog
	began time.Time
	bars  *mpb.Progress // nil where there is no terminal
	bar   *mpb.Bar
}

// newMeter opens a meter on standard error if that is a terminal.
func (a *app) newMeter(log *solverLog) *meter {
	m := &meter{log: log, began: time.Now()}
	f, ok := a.stderr.(*os.File)
	if !ok || a.flags.quiet {
		return m
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb" {
		m.bars = mpb.New(mpb.WithOutput(f), mpb.WithWidth(48))
	}
	return m
}

// event is an experiment's Notify.
func (m *meter) event(e experiment.Event) {
	if m.bars != nil && m.bar == nil && e.Total > 0 {
		m.bar = m.bars.AddBar(int64(e.Total), mpb.PrependDecorators(decor.CountersNoUnit("%d of %d ")),
			mpb.AppendDecorators(decor.Percentage(), decor.Name("  "), decor.AverageETA(decor.ET_STYLE_GO), decor.Name(" left")))
	}
	m.line(e.Text + m.eta(e))
	if m.bar != nil {
		m.bar.SetCurrent(int64(e.Done))
	}
}

// line writes a line of the log, above the bar.
func (m *meter) line(text string) {
	if m.bars != nil {
		fmt.Fprintln(m.bars, text)
		if m.log.copy != nil {
			fmt.Fprintln(m.log.copy, text)
		}
		return
	}
	m.log.printf("%s", text)
}

// eta is the end of a plain line.
func (m *meter) eta(e experiment.Event) string {
	if m.bars != nil || e.Done == 0 {
		return ""
	}
	spent := time.Since(m.began)
	left := time.Duration(float64(spent) / float64(e.Done) * float64(e.Total-e.Done))
	return fmt.Sprintf("  [%d of %d, %s so far, ETA %s]", e.Done, e.Total, spent.Round(time.Second),
		left.Round(time.Second))
}

// close ends the bar.
func (m *meter) close() {
	if m.bar != nil {
		m.bar.Abort(false) // leaves a whole bar as it is
	}
	if m.bars != nil {
		m.bars.Wait()
	}
}
