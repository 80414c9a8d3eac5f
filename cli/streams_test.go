package cli

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullDisk is an output that takes a given number of bytes.
type fullDisk int

func (d *fullDisk) Write(p []byte) (int, error) {
	if n := int(*d); n < len(p) {
		*d = 0
		return n, syscall.ENOSPC
	}
	*d -= fullDisk(len(p))
	return len(p), nil
}

// TestUnwrittenOutput gives commands a standard output that is full: each says so on standard error and exits with 1.
func TestUnwrittenOutput(t *testing.T) {
	dir := t.TempDir()
	path := generated(t, "1")[0]
	for _, room := range []fullDisk{0, 20} {
		for _, args := range [][]string{
			{"solve", path}, {"solve", path, "--json"}, {"solve", path, "-q"}, {"solve", path, "--json", "-q"},
			{"mip", "testdata/knapsack.mps"}, {"mip", "testdata/knapsack.mps", "--json"}, {"lp", "testdata/knapsack.mps", "-q"},
			{"lp", "testdata/infeasible.mps", "--json"}, {"version", "--json"}, {"help"}, {"solve", "--help"},
			{"generate", "--family", "cap", "--class", "50x16", "-o", filepath.Join(dir, "a folder of some length")}, {"export", path, "-o", "-"},
			{"split", "--shape", "cap:8x5", "-o", filepath.Join(dir, "x")},
			{"demo", "--facilities", "8", "--train", "1", "--test", "1", "--steps", "5"},
		} {
			full := room
			var stderr bytes.Buffer
			code := run(t.Context(), Families(), args, strings.NewReader(""), &full, &stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if last := lines[len(lines)-1]; code != exitFailure || !strings.HasPrefix(last, "proxybd: ") || !strings.Contains(last, syscall.ENOSPC.Error()) {
				t.Errorf("%v: exit code %d, standard error %q", args, code, stderr.String())
			}
		}
	}
}

// TestUnwrittenFiles writes to a device that is full.
func TestUnwrittenFiles(t *testing.T) {
	const full = "/dev/full"
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	path := generated(t, "1")[0]
	for _, args := range [][]string{
		{"solve", path, "--log", full}, {"mip", "testdata/knapsack.mps", "--log", full, "-q"}, {"lp", "testdata/knapsack.mps", "--log", full},
		{"solve", path, "--write-sol", full}, {"solve", path, "--record", full}, {"lp", "testdata/product_mix.mps", "--write-basis", full},
	} {
		o := invoke(t, t.Context(), append(args, "--json")...)
		if got := o.object(t); o.code != exitFailure || got["status"] != "optimal" || !strings.Contains(o.stderr, "proxybd: /dev/full: no space") {
			t.Errorf("%v: exit code %d, %v, standard error %q: the result stands, and the file is lost", args, o.code, got, o.stderr)
		}
	}
	args := []string{"demo", "--facilities", "8", "--train", "1", "--test", "1", "--steps", "5", "--save-model", full}
	if o := invoke(t, t.Context(), args...); o.code != exitFailure || !strings.Contains(o.stderr, "proxybd: /dev/full: no space") {
		t.Errorf("%v: exit code %d, standard error %q", args, o.code, o.stderr)
	}
}

// TestBadPath checks that the errors of an impossible path and of a full disk differ.
func TestBadPath(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
	}{
		{&os.PathError{Op: "mkdir", Path: "x/y", Err: syscall.ENOSPC}, exitFailure}, {&os.PathError{Op: "mkdir", Path: "x/y", Err: syscall.EIO}, exitFailure},
		{&os.PathError{Op: "mkdir", Path: "x/y", Err: syscall.ENOTDIR}, exitBadInput}, {&os.LinkError{Op: "rename", Old: "t", New: "x/y", Err: syscall.ENOSPC}, exitFailure},
		{&os.PathError{Op: "open", Path: "x/y", Err: syscall.ENOENT}, exitBadInput},
	} {
		if err := badPath("", c.err); errorCode(err) != c.code || !strings.HasPrefix(err.Error(), "x/y: ") {
			t.Errorf("%v: exit code %d, want %d", err, errorCode(err), c.code)
		}
	}
	if badPath("x", nil) != nil {
		t.Error("an error of nothing")
	}
}

// TestInterruptedCommands runs commands whose context ends before they begin or soon after: exit code 5, and no files
// left behind.
func TestInterruptedCommands(t *testing.T) {
	dir := t.TempDir()
	paths := generated(t, "2")
	for _, args := range [][]string{
		{"generate", "--family", "ufl", "--class", "1500x1500", "--count", "1000", "-o", dir}, {"perturb", paths[0], "--count", "1000000", "-o", dir},
		{"export", paths[0], "-o", filepath.Join(dir, "m.lp")}, {"split", "--shape", "ufl:300x300", "--bases", "1000", "-o", filepath.Join(dir, "x")},
		{"train", paths[0], paths[1], "--steps", "1000000", "-o", filepath.Join(dir, "m")}, {"demo", "--steps", "1000000"},
	} {
		for _, after := range []time.Duration{0, 60 * time.Millisecond} {
			if after > 0 && args[0] == "export" {
				continue // it is done by then
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(after, cancel)
			if after == 0 {
				cancel()
			}
			o := invoke(t, ctx, args...)
			if o.code != exitLimit || !strings.Contains(o.stderr, "proxybd: interrupted") {
				t.Errorf("%v after %v: exit code %d, standard error %q", args, after, o.code, o.stderr)
			}
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestAwait ends with its work or with its context, and passes a panic on.
func TestAwait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if v, err := await(ctx, func() (int, error) { return 3, io.EOF }); v != 3 || !errors.Is(err, io.EOF) {
		t.Errorf("%d, %v", v, err)
	}
	func() {
		defer func() {
			if p := recover(); p != "no" {
				t.Errorf("panic %v", p)
			}
		}()
		await(ctx, func() (int, error) { panic("no") })
	}()
	stop := make(chan bool)
	defer close(stop)
	cancel()
	if _, err := await(ctx, func() (int, error) { <-stop; return 0, nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if _, err := (cancelWriter{ctx, io.Discard}).Write([]byte("x")); !errors.Is(err, context.Canceled) {
		t.Errorf("a writer whose context has ended: %v", err)
	}
}

// TestInterruptedTraining keeps the best weights of a training that is interrupted after its first validation.
func TestInterruptedTraining(t *testing.T) {
	paths := generated(t, "2")
	model := filepath.Join(t.TempDir(), "m.safetensors")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stdout bytes.Buffer
	watch := &watcher{of: "validation", after: 2, then: cancel}
	code := run(ctx, Families(), []string{"train", paths[0], paths[1], "--steps", "100000000", "--hidden", "4", "--json", "-o", model}, strings.NewReader(""), &stdout, watch)
	if _, err := os.Stat(model); code == exitLimit && err != nil && watch.rows > watch.after {
		t.Errorf("exit code %d, %v", code, err)
	}
	if code != exitLimit || !strings.Contains(stdout.String(), `"status":"interrupted"`) {
		t.Errorf("exit code %d, %s", code, stdout.String())
	}
}

// watcher calls a function once a given number of lines of a table have been written after its headings.
type watcher struct {
	of    string
	after int
	then  func()
	seen  bool
	rows  int
}

func (w *watcher) Write(p []byte) (int, error) {
	w.seen = w.seen || bytes.Contains(p, []byte(w.of))
	if w.seen {
		if w.rows++; w.rows == w.after {
			w.then()
		}
	}
	return len(p), nil
}
