package cli

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSeveralProcesses solves a program by a coordinator and workers that join by an address file, and compares the
// object with that of one process: nothing but times and processes differs.
func TestSeveralProcesses(t *testing.T) {
	path := makeClass(t, "scflp", "10x10:150")
	want := invoke(t, t.Context(), "solve", path, "--json", "--quiet", "--gap", "1e-6").object(t)

	address := filepath.Join(t.TempDir(), "run")
	var wait sync.WaitGroup
	workers := make([]outcome, 2)
	for k := range workers {
		wait.Go(func() { workers[k] = invoke(t, t.Context(), "worker", "--cluster", "file:"+address, "--quiet") })
	}
	// The workers wait for the address file, so that they may come first.
	time.Sleep(50 * time.Millisecond)
	o := invoke(t, t.Context(), "solve", path, "--json", "--quiet", "--gap", "1e-6", "--cluster", "file:"+address)
	wait.Wait()
	got := o.object(t)
	if o.code != 0 || len(got["members"].([]any)) < 1 {
		t.Fatalf("%d: %s %v", o.code, o.stderr, got)
	}
	for k, w := range workers {
		if w.code != 0 {
			t.Errorf("worker %d: %d %s", k, w.code, w.stderr)
		}
	}
	if _, err := os.Stat(address); err == nil {
		t.Error("the address file is left")
	}
	for _, object := range []map[string]any{got, want} {
		for _, key := range []string{"seconds", "seconds_by_part", "trace", "members"} {
			delete(object, key)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
}

// TestClusterErrors holds messages for what cannot be spread, and for places that are none.
func TestClusterErrors(t *testing.T) {
	path := makeClass(t, "ufl", "5x4")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"solve", path, "--cluster", "file:" + filepath.Join(t.TempDir(), "a")}, "scenarios"},
		{[]string{"solve", path, "--cluster", "everywhere"}, "everywhere"},
		{[]string{"solve", path, "--cluster", "slurm"}, "SLURM"},
		{[]string{"worker", "--cluster", "auto"}, "--cluster auto"},
		{[]string{"worker"}, "--cluster"},
	} {
		o := invoke(t, t.Context(), c.args...)
		if o.code != 2 || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, o.code, o.stderr)
		}
	}
}
