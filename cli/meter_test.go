package cli

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/experiment"
)

// TestMeterKeepsTheBarBelow checks that every line of the log is above the bar, which is there once at the end.
func TestMeterKeepsTheBarBelow(t *testing.T) {
	var out bytes.Buffer
	m := &meter{log: &solverLog{}, began: time.Now().Add(-10 * time.Second), terminal: &out}
	m.line("begin")
	m.event(experiment.Event{Text: "4 to do", Total: 4})
	m.event(experiment.Event{Text: "first", Done: 1, Total: 4})
	m.line("a note")
	m.event(experiment.Event{Text: "last", Done: 4, Total: 4})
	m.close()
	var screen []string // what a terminal shows: a return and a clear take the last line away
	for _, line := range strings.Split(out.String(), "\n") {
		if at := strings.LastIndex(line, "\r\x1b[K"); at >= 0 {
			line = line[at+len("\r\x1b[K"):]
		}
		screen = append(screen, line)
	}
	want := []string{"begin", "4 to do", "first", "a note", "last",
		"4 of 4 [" + strings.Repeat("=", 40) + "] 100 %  0s left", ""}
	if got := strings.Join(screen, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the terminal shows\n%s", got)
	}
	if !strings.Contains(out.String(), "1 of 4 [==========------------------------------] 25 %  30s left") {
		t.Errorf("no bar after the first of four jobs:\n%q", out.String())
	}
}

// TestNullIsNoTerminal sends standard error to where nobody reads: the lines belong in the log.
func TestNullIsNoTerminal(t *testing.T) {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if isTerminal(f) {
		t.Error("a terminal")
	}
}
