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
// what shards leave. A worker is the same command with the hidden flag --worker: it writes its events as lines of JSON
// to standard output, and stops as an interrupted command does when its standard input ends. That is also what happens
// to it when the process above ends.

// workerLine is a line that a worker prints: an event of the stage, or a line of the log without one.
type workerLine struct {
	// One of the two is set.
	Event *experiment.Event `json:"event,omitempty"`
	Line  string            `json:"line,omitempty"`
}

// cancelAtInputEnd returns a context that ends with standard input.
func (a *app) cancelAtInputEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		// The input of a worker is a pipe, which has no data and ends with the process above.
		io.Copy(io.Discard, a.stdin)
		cancel()
	}()
	return ctx, cancel
}

// worker is a process that does a share of a stage.
type worker struct {
	// The share as --shard has it, for messages.
	name string

	// The process, its standard input, whose end stops it, and the lines that it prints.
	cmd   *exec.Cmd
	input io.WriteCloser
	lines *bufio.Scanner

	// What it has written to standard error, the last event that it sent, and the error that it ended with.
	said  bytes.Buffer
	event experiment.Event
	err   error
}

// share makes the process of a share.
func (a *app) share(s experiment.Shard) (*worker, error) {
	// A worker runs the same program, also where that is not on the path.
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}

	// Its flags follow those of the command line, and so replace them. What comes after -- is no flag.
	w := &worker{name: fmt.Sprintf("%d/%d", s.Index, s.Count)}
	own := []string{"--jobs=1", "--worker", "--quiet", "--json=false", "--log=", "--shard=" + w.name}
	args := a.args
	k := slices.Index(args, "--")
	if k < 0 {
		k = len(args)
	}

	w.cmd = exec.Command(exe, slices.Concat(args[:k], own, args[k:])...)
	w.cmd.Stderr = &w.said
	w.cmd.Env = os.Environ()
	// Unless the user says otherwise, a worker has one core, so that N workers need N cores.
	if os.Getenv("GOMAXPROCS") == "" {
		w.cmd.Env = append(w.cmd.Env, "GOMAXPROCS=1")
	}

	// An event with a long message may be longer than the default of a scanner.
	stdout, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.lines = bufio.NewScanner(stdout)
	w.lines.Buffer(nil, 1<<20)
	// The pipe stays open as long as the worker may run.
	if w.input, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return w, w.cmd.Start()
}

// failure is the error of a worker that has ended, nil if it has done its share or was interrupted.
func (w *worker) failure(interrupted bool) error {
	// Any error but an exit status means that the process could not be waited for.
	var exit *exec.ExitError
	switch {
	case w.err == nil:
		return nil
	case !errors.As(w.err, &exit):
		return w.err
	case interrupted:
		return nil
	case exit.ExitCode() == exitLimit:
		// The worker has been interrupted alone, such as by a signal to its process.
		return fmt.Errorf("share %s was interrupted; the same command goes on", w.name)
	case exit.ExitCode() < 0:
		// A negative code is that of a process which a signal has killed.
		return fmt.Errorf("the worker of share %s ended (%s); what it has finished is kept, and the same command goes on",
			w.name, exit)
	}

	// The message is the first line of the program's own error, or else all that there is, such as that of the system.
	_, text, ok := strings.Cut("\n"+w.said.String(), "\nproxybd: ")
	if !ok {
		text = strings.Join(strings.Fields(w.said.String()), " ")
	}
	line, _, _ := strings.Cut(text, "\n")
	err := fmt.Errorf("share %s: %s", w.name, line)
	// A worker's bad input is that of the whole command, since the command line is the same.
	if exit.ExitCode() == exitBadInput {
		return badInput(err)
	}
	return err
}

// parallel runs a stage by a worker for each of the shares.
func (a *app) parallel(ctx context.Context, name, dir string, f stageFlags, shares []experiment.Shard) error {
	// The folder is checked once, before any process is started.
	if _, err := a.known.openExperiment(dir); err != nil {
		return err
	}
	m := a.newMeter()
	var err error

	// Where one cannot be started the others are stopped.
	var workers []*worker
	for _, s := range shares {
		w, bad := a.share(s)
		if err = bad; err != nil {
			break
		}
		workers = append(workers, w)
	}

	// A worker stops when its standard input ends.
	stop := func() {
		for _, w := range workers {
			w.input.Close()
		}
	}

	// The workers that have been started are waited for, also where another one could not be started.
	if err != nil {
		stop()
	}

	// An interrupt of this process reaches the workers by the end of their input.
	unregister := context.AfterFunc(ctx, stop)
	defer unregister()
	relay(name, workers, m)
	m.close()

	// A worker that an interrupt ended has not failed.
	failed := []error{err}
	stopped := false
	for _, w := range workers {
		interrupted := ctx.Err() != nil && w.err != nil
		bad := w.failure(interrupted)
		if bad == nil {
			// What a worker without an error has written are warnings.
			a.stderr.Write(w.said.Bytes())
		}
		failed = append(failed, bad)
		stopped = stopped || interrupted
	}

	// The errors of all workers are reported, not only the first one.
	if err := errors.Join(failed...); err != nil {
		return err
	}
	return a.stageDone(stopped, name, f)
}

// relay shows the events of the workers, a line a job, until all workers have ended.
func relay(name string, workers []*worker, m *meter) {
	var mu sync.Mutex
	// Counts the workers that have sent their plan.
	planned := 0
	show := func(w *worker, line workerLine) {
		mu.Lock()
		defer mu.Unlock()
		// A line of the log is passed on as it is, above the bar.
		if line.Event == nil {
			m.line(line.Line)
			return
		}

		// The zero value says that this worker has sent no event before.
		first := w.event == experiment.Event{}
		w.event = *line.Event

		// The counts are the sums of those of the workers.
		sum := experiment.Event{Text: line.Event.Text}
		for _, other := range workers {
			// A worker without an event yet counts as zero.
			sum.Done += other.event.Done
			sum.Total += other.event.Total
			sum.Skipped += other.event.Skipped
		}

		// The first event of a worker has its plan. All plans are shown as one line, after the last of them.
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
			// A line that is no object of this program is left out, such as one that a library has printed.
			for w.lines.Scan() {
				var line workerLine
				if json.Unmarshal(w.lines.Bytes(), &line) == nil {
					show(w, line)
				}
			}

			// Wait is called after the last line: it closes the pipe that the lines come from.
			w.err = w.cmd.Wait()
		})
	}
	all.Wait()
}

// workerMeter returns a meter that writes for the process above.
func (a *app) workerMeter() *meter {
	// The log lines and events go to standard output, which is the pipe of the process above.
	return &meter{began: time.Now(), above: func(l workerLine) { writeJSON(a.stdout, l) }}
}
