package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain lets the test binary be a worker process: the tests start it with the path of an address file.
func TestMain(m *testing.M) {
	path := os.Getenv("CLUSTER_TEST_WORKER")
	if path == "" {
		os.Exit(m.Run())
	}
	place, err := Spec{Launcher: File, Path: path}.Locate()
	if err != nil {
		panic(err)
	}
	options := testOptions()
	options.Join = 20 * time.Second
	if err := Work(context.Background(), place.AsWorker(), options, arithmetic); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(3)
	}
	os.Exit(0)
}

func testOptions() Options {
	options := DefaultOptions()
	options.Version = "test 1"
	options.Silence = 2 * time.Second
	options.Join = 5 * time.Second
	options.Grace = 300 * time.Millisecond
	options.Handshake = 2 * time.Second
	options.MaxLosses = 1000
	options.Holding = func(key uint64) ([]byte, error) { return bytes.Repeat([]byte{byte(key)}, 10), nil }
	return options
}

// arithmetic is a program whose answers depend on the holding, the broadcasts and the payload: the sum of the holding's
// bytes, plus the sum of the broadcast values, plus the payload.
func arithmetic() Program {
	values := make(map[byte]uint64)
	return Program{
		Hold: func(_ context.Context, key uint64, data []byte) (any, error) {
			sum := uint64(0)
			for _, b := range data {
				sum += uint64(b)
			}
			return sum, nil
		},

		Jobs: map[string]Handler{
			"add": func(ctx context.Context, state any, payload []byte) ([]byte, error) {
				sum := binary.BigEndian.Uint64(payload)
				if held, ok := state.(uint64); ok {
					sum += held
				}
				for _, v := range values {
					sum += v
				}

				// Without a pause, one member could finish all jobs before another one has its first.
				time.Sleep(200 * time.Microsecond)
				return number(sum), nil
			},

			"echo": func(_ context.Context, _ any, payload []byte) ([]byte, error) { return payload, nil },
			"wait": func(ctx context.Context, _ any, _ []byte) ([]byte, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			},

			// These fail: by an error, by a panic, and by an error that has no text.
			"fail": func(_ context.Context, _ any, payload []byte) ([]byte, error) {
				return nil, fmt.Errorf("%w %s", errInfeasible, payload)
			},
			"panic": func(context.Context, any, []byte) ([]byte, error) { panic("out of range") },
			"mute":  func(context.Context, any, []byte) ([]byte, error) { return nil, errors.New("") },

			// The process ends in the middle of a job, as after a crash.
			"die": func(context.Context, any, []byte) ([]byte, error) {
				os.Exit(9)
				return nil, nil
			},

			"large": func(context.Context, any, []byte) ([]byte, error) { return make([]byte, 2<<20), nil },
		},

		Broadcasts: map[string]func(context.Context, []byte) error{
			"set": func(_ context.Context, payload []byte) error {
				values[payload[0]] = uint64(payload[1])
				return nil
			},
		},
	}
}

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

// capture is a log whose text a test reads.
type capture struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (c *capture) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(b)
}

func (c *capture) has(part string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Contains(c.text.String(), part)
}

// logged returns options that log into the capture.
func logged(options Options) (Options, *capture) {
	c := &capture{}
	options.Logger = slog.New(slog.NewTextHandler(c, nil))
	return options, c
}

// within fails the test unless the condition holds soon.
func within(t *testing.T, limit time.Duration, what string, condition func() bool) {
	t.Helper()
	for begin := time.Now(); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > limit {
			t.Fatalf("not within %v: %s", limit, what)
		}
	}
}

// coordinate starts a coordinator with an address file.
func coordinate(t *testing.T, options Options) (*Coordinator, Place) {
	t.Helper()
	place, err := Spec{Launcher: File, Path: filepath.Join(t.TempDir(), "address")}.Locate()
	if err != nil {
		t.Fatal(err)
	}
	if options.Listen == "" {
		options.Listen = "127.0.0.1:0"
	}
	c, err := Listen(t.Context(), place, options, arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c, place
}

// employ starts a worker in this process; its error comes over the channel, and stop ends it.
func employ(t *testing.T, place Place, options Options, program NewProgram) (stop context.CancelFunc, done <-chan error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	result := make(chan error, 1)
	go func() { result <- Work(ctx, place.AsWorker(), options, program) }()
	t.Cleanup(cancel)
	return cancel, result
}

// sums returns n jobs of kind add over keys 0 to keys, and their answers with a value for the broadcasts.
func sums(n, keys int, broadcast uint64) (jobs []Job, want [][]byte) {
	for k := range n {
		key := uint64(k % (keys + 1))
		jobs = append(jobs, Job{Kind: "add", Key: key, Payload: number(uint64(k))})
		want = append(want, number(uint64(k)+10*key+broadcast))
	}
	return jobs, want
}

func compare(t *testing.T, got, want [][]byte) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d answers instead of %d", len(got), len(want))
	}
	for k := range want {
		if !bytes.Equal(got[k], want[k]) {
			t.Fatalf("answer %d is %x instead of %x", k, got[k], want[k])
		}
	}
}

func mustRun(t *testing.T, c *Coordinator, jobs []Job) [][]byte {
	t.Helper()
	got, err := c.Run(t.Context(), jobs)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func mustWait(t *testing.T, c *Coordinator, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := c.Wait(ctx, n); err != nil {
		t.Fatal(err)
	}
}

// TestAnswersDoNotDependOnMembers compares the answers of one process with those of up to four.
func TestAnswersDoNotDependOnMembers(t *testing.T) {
	for workers := range 4 {
		for slots := range 2 {
			options := testOptions()
			options.Slots = slots + 1
			c, place := coordinate(t, options)
			var ends []<-chan error
			for range workers {
				_, done := employ(t, place, options, arithmetic)
				ends = append(ends, done)
			}
			mustWait(t, c, workers+1)

			jobs, want := sums(200, 7, 0)
			compare(t, mustRun(t, c, jobs), want)

			// A value that is broadcast is a part of all later answers.
			if err := c.Broadcast(t.Context(), "set", "", []byte{1, 100}); err != nil {
				t.Fatal(err)
			}
			jobs, want = sums(200, 7, 100)
			compare(t, mustRun(t, c, jobs), want)

			// Every worker has had a part of the work, each key is held once, and the end reaches all.
			keys, worked := 0, 0
			for _, s := range c.Stats() {
				keys += s.Keys
				worked += s.Jobs
				if !s.Local && (s.Jobs == 0 || s.BytesIn == 0 || s.BytesOut == 0 || s.Busy == 0 || s.Idle == 0) {
					t.Errorf("%d workers: statistics %+v", workers, s)
				}
			}
			if keys != 7 || worked != 400 {
				t.Errorf("%d workers: %d keys held instead of 7, %d jobs worked instead of 400", workers, keys, worked)
			}

			if err := c.Close(); err != nil {
				t.Error(err)
			}
			for _, done := range ends {
				if err := <-done; err != nil {
					t.Errorf("worker: %v", err)
				}
			}

			// After the end the address file is removed, and jobs are refused.
			if _, err := os.Stat(place.path); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the address file is left: %v", err)
			}
			if _, err := c.Run(t.Context(), jobs); !errors.Is(err, ErrClosed) {
				t.Errorf("run after the end: %v", err)
			}
		}
	}
}

// TestHoldingsAreSentOnce counts the calls of Holding over three runs.
func TestHoldingsAreSentOnce(t *testing.T) {
	options := testOptions()
	var calls atomic.Int64
	options.Holding = func(key uint64) ([]byte, error) {
		calls.Add(1)
		return bytes.Repeat([]byte{byte(key)}, 10), nil
	}
	c, _ := coordinate(t, options)
	jobs, want := sums(60, 5, 0)
	for range 3 {
		compare(t, mustRun(t, c, jobs), want)
	}
	if n := calls.Load(); n != 5 {
		t.Errorf("%d calls of Holding for 5 keys", n)
	}
}

// Errors of handlers; those of jobs wrap them too.
var errInfeasible, errSingular = errors.New("infeasible"), errors.New("singular")

// TestHandlerErrors shows that an error is that of the first job by index and keeps its kind, and that the next run is
// not affected.
func TestHandlerErrors(t *testing.T) {
	options := testOptions()
	options.MaxMessage = 1 << 20
	options.Errors = []error{errSingular, errInfeasible}
	c, place := coordinate(t, options)
	employ(t, place, options, arithmetic)
	mustWait(t, c, 2)

	for range 20 {
		jobs, _ := sums(50, 3, 0)
		jobs[47] = Job{Kind: "fail", Payload: []byte("late")}
		jobs[20] = Job{Kind: "fail", Key: 2, Payload: []byte("early")}
		_, err := c.Run(t.Context(), jobs)
		var failed *JobError
		if !errors.As(err, &failed) || failed.Index != 20 || failed.Text != "infeasible early" {
			t.Fatalf("error %v", err)
		}
		cause := failed.Cause()
		if cause.Error() != failed.Text || !errors.Is(cause, errInfeasible) || errors.Is(cause, errSingular) {
			t.Fatalf("cause %v of another kind", cause)
		}
	}

	// These fail for other reasons, and the error says which.
	for kind, text := range map[string]string{
		"panic": "panic: out of range", "unheard": "no handler", "large": "the answer has 2097152 bytes, more than 1048576",
		"mute": "without a text",
	} {
		_, err := c.Run(t.Context(), []Job{{Kind: kind}})
		var failed *JobError
		if !errors.As(err, &failed) || !strings.Contains(failed.Text, text) {
			t.Errorf("%s: error %v", kind, err)
		}
	}

	// No member gets these: the kind is missing or too long, or the payload is too large.
	for _, job := range []Job{{}, {Kind: strings.Repeat("k", 2000)}, {Kind: "echo", Payload: make([]byte, 2<<20)}} {
		if _, err := c.Run(t.Context(), []Job{job}); err == nil {
			t.Errorf("job of kind %.10q and %d bytes is accepted", job.Kind, len(job.Payload))
		}
	}

	jobs, want := sums(50, 3, 0)
	compare(t, mustRun(t, c, jobs), want)
}

// TestHoldingErrors shows that missing data fails the run, and that the key can be had later.
func TestHoldingErrors(t *testing.T) {
	options := testOptions()
	var broken atomic.Bool
	broken.Store(true)
	options.Holding = func(key uint64) ([]byte, error) {
		if key == 3 && broken.Load() {
			return nil, errors.New("the file has gone")
		}
		return bytes.Repeat([]byte{byte(key)}, 10), nil
	}
	c, _ := coordinate(t, options)
	jobs, want := sums(40, 4, 0)
	if _, err := c.Run(t.Context(), jobs); err == nil || !strings.Contains(err.Error(), "data of key 3: the file has gone") {
		t.Fatalf("error %v", err)
	}
	broken.Store(false)
	compare(t, mustRun(t, c, jobs), want)
}

// TestBroadcastErrors shows that the error of a broadcast is that of later jobs.
func TestBroadcastErrors(t *testing.T) {
	c, _ := coordinate(t, testOptions())
	if err := c.Broadcast(t.Context(), "unheard", "", nil); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), []Job{{Kind: "echo"}}); err == nil || !strings.Contains(err.Error(), "unheard") {
		t.Errorf("error %v", err)
	}
}

// TestLargePayloads sends holdings, payloads and answers of many chunks.
func TestLargePayloads(t *testing.T) {
	options := testOptions()
	options.Slots = 0
	c, place := coordinate(t, options)
	worker := testOptions()
	employ(t, place, worker, arithmetic)
	var jobs []Job
	var want [][]byte
	for _, size := range []int{0, 1, maxChunk - 1, maxChunk, maxChunk + 1, 5*maxChunk + 17, 40 * maxChunk} {
		payload := bytes.Repeat([]byte{byte(size), 7, 3}, size/3+1)[:size]
		jobs = append(jobs, Job{Kind: "echo", Payload: payload})
		want = append(want, payload)
	}
	compare(t, mustRun(t, c, jobs), want)
}

// TestLateMembers joins a worker after broadcasts, some of which were replaced, and takes the other members away.
func TestLateMembers(t *testing.T) {
	options := testOptions()
	options.Slots = 0
	c, place := coordinate(t, options)
	worker := testOptions()
	stop, done := employ(t, place, worker, arithmetic)
	for k := range 50 {
		if err := c.Broadcast(t.Context(), "set", "value", []byte{1, byte(k)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Broadcast(t.Context(), "set", "", []byte{2, 5}); err != nil {
		t.Fatal(err)
	}
	jobs, want := sums(100, 5, 49+5)
	compare(t, mustRun(t, c, jobs), want)
	if len(c.log) != 2 {
		t.Errorf("%d broadcasts are kept instead of 2", len(c.log))
	}

	// The run goes on with a worker that was not there when it began.
	stop()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("stopped worker: %v", err)
	}
	within(t, 5*time.Second, "the worker has left", func() bool { return !c.Stats()[0].Present })
	go func() {
		time.Sleep(100 * time.Millisecond)
		employ(t, place, worker, arithmetic)
	}()
	compare(t, mustRun(t, c, jobs), want)
	if s := c.Stats(); len(s) != 2 || s[1].Jobs != 100 {
		t.Errorf("statistics %+v", s)
	}
}

// TestLateMembersGetWork joins a worker in a run whose keys are all held by another.
func TestLateMembersGetWork(t *testing.T) {
	options := testOptions()
	c, place := coordinate(t, options)
	jobs, want := sums(4000, 40, 0)
	go func() {
		time.Sleep(100 * time.Millisecond)
		employ(t, place, options, arithmetic)
	}()
	compare(t, mustRun(t, c, jobs), want)
	s := c.Stats()
	if len(s) != 2 || s[1].Jobs < 100 || s[1].Keys < 5 {
		t.Errorf("statistics %+v", s)
	}
}

// TestCancel ends a run by its context; the members are free for the next run.
func TestCancel(t *testing.T) {
	options := testOptions()
	c, place := coordinate(t, options)
	employ(t, place, options, arithmetic)
	mustWait(t, c, 2)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	waiting := []Job{{Kind: "wait"}, {Kind: "wait"}, {Kind: "wait"}, {Kind: "wait", Key: 1}}
	if _, err := c.Run(ctx, waiting); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("error %v", err)
	}
	jobs, want := sums(50, 3, 0)
	compare(t, mustRun(t, c, jobs), want)
}

// TestCloseEndsRun closes beside a run that would never end.
func TestCloseEndsRun(t *testing.T) {
	options := testOptions()
	c, place := coordinate(t, options)
	_, done := employ(t, place, options, arithmetic)
	mustWait(t, c, 2)
	result := make(chan error, 1)
	go func() {
		_, err := c.Run(t.Context(), []Job{{Kind: "wait"}, {Kind: "wait"}})
		result <- err
	}()
	time.Sleep(50 * time.Millisecond)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-result; !errors.Is(err, ErrClosed) {
		t.Errorf("run: %v", err)
	}
	if err := <-done; err != nil {
		t.Errorf("worker: %v", err)
	}
}

// TestSlowJobs lets the first member that gets a job keep it; a second one answers.
func TestSlowJobs(t *testing.T) {
	options := testOptions()
	options.SlowAfter = 50 * time.Millisecond
	options.Slots = 0
	c, place := coordinate(t, options)

	// The first attempt of a round lasts until it is cancelled; all later ones have their answer at once.
	var first atomic.Bool
	program := func() Program {
		p := arithmetic()
		p.Jobs["once"] = func(ctx context.Context, state any, _ []byte) ([]byte, error) {
			if first.CompareAndSwap(false, true) {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return number(state.(uint64)), nil
		}
		return p
	}

	for range 2 {
		employ(t, place, testOptions(), program)
	}
	mustWait(t, c, 2)

	for round := range 3 {
		first.Store(false)
		got := mustRun(t, c, []Job{{Kind: "once", Key: 1}, {Kind: "once", Key: 1}, {Kind: "once", Key: 1}})
		compare(t, got, [][]byte{number(10), number(10), number(10)})

		// The member that answered keeps the key, and no other one has it.
		keys := 0
		for _, s := range c.Stats() {
			keys += s.Keys
		}
		if keys != 1 {
			t.Errorf("round %d: the key is held by %d members", round, keys)
		}
	}
}

// TestDefaultsAreValid holds Validate to every limit that it names.
func TestDefaultsAreValid(t *testing.T) {
	if err := DefaultOptions().Validate(); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*Options){
		"Version":    func(o *Options) { o.Version = "" },
		"MaxMessage": func(o *Options) { o.MaxMessage = 0 },
		"Handshake":  func(o *Options) { o.Handshake = 0 },
		"Silence":    func(o *Options) { o.Silence = time.Second },
		"Join":       func(o *Options) { o.Join = 0 },
		"Grace":      func(o *Options) { o.Grace = -1 },
		"Rejoin":     func(o *Options) { o.Rejoin = -1 },
		"Slots":      func(o *Options) { o.Slots = -1 },
		"Ahead":      func(o *Options) { o.Ahead = -1 },
		"SlowAfter":  func(o *Options) { o.SlowAfter = -1 },
		"MaxLosses":  func(o *Options) { o.MaxLosses = -1 },
		"Logger":     func(o *Options) { o.Logger = nil },
	} {
		options := DefaultOptions()
		change(&options)
		if err := options.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
