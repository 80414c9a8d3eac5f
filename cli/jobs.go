package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/proxybd/proxybd/experiment"
)

// A stage with --jobs N is N processes, each with a share of the jobs as --shard gives it, so that what they leave is
// what shards leave. A worker is the same command with the hidden flag --worker: it tells its events as lines of JSON
// on standard output, and stops as an interrupted command does when its standard input ends, which is also how the end
// of the process above reaches it.

// workerLine is a line that a worker prints: an event of the stage, or a line of the log without one.
type workerLine struct {
	Event *experiment.Event `json:"event,omitempty"`
	Line  string            `json:"line,omitempty"`
}

// heedInput returns a context that ends with standard input.
func (a *app) heedInput(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, a.stdin)
		cancel()
	}()
	return ctx, cancel
}

// worker is a process that does a share of a stage.
type worker struct {
	name  string // of the share
	cmd   *exec.Cmd
	input io.WriteCloser
	lines *bufio.Scanner
	said  bytes.Buffer     // on standard error
	event experiment.Event // the last one
	err   error
}

// share makes the process of a share.
func (a *app) share(s experiment.Shard) (*worker, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &worker{name: fmt.Sprintf("%d/%d", s.Index, s.Count)}
	own := []string{"--jobs=1", "--worker", "--json=false", "--log=", "--shard=" + w.name}
	args := a.args
	k := slices.Index(args, "--")
	if k < 0 {
		k = len(args)
	}
	w.cmd = exec.Command(exe, slices.Concat(args[:k], own, args[k:])...)
	w.cmd.Env, w.cmd.Stderr = os.Environ(), &w.said
	if os.Getenv("GOMAXPROCS") == "" {
		w.cmd.Env = append(w.cmd.Env, "GOMAXPROCS=1")
	}
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.lines = bufio.NewScanner(stdout)
	w.lines.Buffer(nil, 1<<20)
	if w.input, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return w, w.cmd.Start()
}

// failure is the error of a worker that has ended, nil if it has done its share or was interrupted.
func (w *worker) failure(interrupted bool) error {
	var exit *exec.ExitError
	switch {
	case w.err == nil:
		return nil
	case !errors.As(w.err, &exit):
		return w.err
	case interrupted:
		return nil
	case exit.ExitCode() == exitLimit:
		return fmt.Errorf("share %s was interrupted; the same command goes on", w.name)
	case exit.ExitCode() < 0:
		return fmt.Errorf("the worker of share %s ended (%s); what it has finished is kept, and the same command goes on",
			w.name, exit)
	}
	_, text, ok := strings.Cut("\n"+w.said.String(), "\nproxybd: ")
	if !ok { // not the program's own
		text = strings.Join(strings.Fields(w.said.String()), " ")
	}
	line, _, _ := strings.Cut(text, "\n")
	err := fmt.Errorf("share %s: %s", w.name, line)
	if exit.ExitCode() == exitBadInput {
		return badInput(err)
	}
	return err
}

// parallel runs a stage by so many workers.
func (a *app) parallel(ctx context.Context, name, dir string, f stageFlags, shares []experiment.Shard) error {
	if _, err := a.known.openExperiment(dir); err != nil {
		return err
	}
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	m := a.newMeter(log)
	var workers []*worker
	for _, s := range shares {
		w, bad := a.share(s)
		if err = bad; err != nil {
			break
		}
		workers = append(workers, w)
	}
	stop := func() {
		for _, w := range workers {
			w.input.Close()
		}
	}
	if err != nil {
		stop()
	}
	unheard := context.AfterFunc(ctx, stop)
	defer unheard()
	relay(name, workers, m)
	m.close()
	failed, stopped := []error{err}, false
	for _, w := range workers {
		interrupted := ctx.Err() != nil && w.err != nil
		bad := w.failure(interrupted)
		if bad == nil {
			a.stderr.Write(w.said.Bytes()) // warnings
		}
		failed, stopped = append(failed, bad), stopped || interrupted
	}
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return a.stageDone(stopped, log, name, f)
}

// relay shows what the workers tell, a line a job, until all have ended.
func relay(name string, workers []*worker, m *meter) {
	var mu sync.Mutex
	planned := 0
	tell := func(w *worker, line workerLine) {
		mu.Lock()
		defer mu.Unlock()
		if line.Event == nil {
			m.line(line.Line)
			return
		}
		first := w.event == experiment.Event{}
		w.event = *line.Event
		sum := experiment.Event{Text: line.Event.Text}
		for _, other := range workers {
			sum.Done, sum.Total, sum.Skipped = sum.Done+other.event.Done, sum.Total+other.event.Total,
				sum.Skipped+other.event.Skipped
		}
		if first {
			if planned++; planned < len(workers) {
				return
			}
			sum.Text = fmt.Sprintf("%s: %d to do, %d are there, %d workers", name, sum.Total, sum.Skipped, len(workers))
		}
		m.event(sum)
	}
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			for w.lines.Scan() {
				var line workerLine
				if json.Unmarshal(w.lines.Bytes(), &line) == nil {
					tell(w, line)
				}
			}
			w.err = w.cmd.Wait()
		})
	}
	all.Wait()
}

// tellAbove makes a meter tell the process above.
func (a *app) tellAbove() *meter {
	return &meter{began: time.Now(), above: func(l workerLine) { writeJSON(a.stdout, l) }}
}
