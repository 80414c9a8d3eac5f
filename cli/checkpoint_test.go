package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCheckpointsAreGoneOnFrom stops runs at their first node, goes on and compares with runs that were not stopped. A
// run of what is proven needs no tree.
func TestCheckpointsAreGoneOnFrom(t *testing.T) {
	for family, class := range map[string]string{"netdes": "10x5-L", "mcndp": "5x10x4:3:lognormal:0.4", "ufl": "12x10",
		"cap": "10x12"} {
		path := makeClass(t, family, class)
		want := invoke(t, t.Context(), "solve", path, "--json").object(t)
		file := filepath.Join(t.TempDir(), "run.ckpt")
		for k, limit := range []string{"1", "2", "1000000", "1"} {
			o := invoke(t, t.Context(), "solve", path, "--json", "--node-limit", limit, "--checkpoint", file)
			if o.code != 0 && o.code != exitLimit {
				t.Fatalf("%s: %d %s", family, o.code, o.stderr)
			}
			got := o.object(t)
			low, high := want["objective"].(float64)*(1-1e-4), want["objective"].(float64)*(1+1e-4)
			if got["objective"].(float64) < low || got["bound"].(float64) > high {
				t.Errorf("%s, run %d: %v and %v, the optimum is %v", family, k, got["objective"], got["bound"], want["objective"])
			}
			if k >= 2 && (got["status"] != "optimal" || got["objective"].(float64) > high) {
				t.Errorf("%s, run %d: %v %v, want %v", family, k, got["status"], got["objective"], want["objective"])
			}
			if k == 3 && got["nodes"].(float64) > 1 {
				t.Errorf("%s: %v nodes for what is proven", family, got["nodes"])
			}
		}
	}
}

// TestKilledRunsGoOn kills runs as soon as they have a checkpoint, and goes on.
func TestKilledRunsGoOn(t *testing.T) {
	// The objective of a run without interruption is the value to compare with.
	path := makeClass(t, "netdes", "10x6-L")
	want := invoke(t, t.Context(), "solve", path, "--json").object(t)
	file := filepath.Join(t.TempDir(), "run.ckpt")

	// Each run goes on from the checkpoint of the run before it, which it replaces by its own.
	var last time.Time
	for range 3 {
		c := child(t, "command", "solve", path, "--checkpoint", file, "-q")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- c.Wait() }()

		// The process is killed at the first look at which it has written the file, unless it has ended by itself.
		for ended := false; !ended; {
			select {
			case <-done:
				ended = true
			case <-time.After(5 * time.Millisecond):
				if info, err := os.Stat(file); err == nil && info.ModTime() != last {
					c.Process.Kill()
				}
			}
		}

		// A checkpoint is left behind also by a run that has ended by itself.
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		last = info.ModTime()
	}

	// The last run goes on from what is left and ends with the objective of the uninterrupted run.
	got := invoke(t, t.Context(), "solve", path, "--json", "--checkpoint", file).object(t)
	if got["status"] != "optimal" || !near(got["objective"].(float64), want["objective"].(float64), 1e-4) {
		t.Errorf("%v %v, want %v", got["status"], got["objective"], want["objective"])
	}
}

// TestOtherCheckpointsAreRefused gives a run what is no checkpoint of its own, which stays as it is.
func TestOtherCheckpointsAreRefused(t *testing.T) {
	// A finished run leaves a complete checkpoint.
	path, other := makeClass(t, "netdes", "6x3-L"), makeClass(t, "netdes", "7x3-L")
	file := filepath.Join(t.TempDir(), "run.ckpt")
	invoke(t, t.Context(), "solve", path, "--checkpoint", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}

	// The damaged copy differs in one decision of a design, so that it can be parsed and only its checksum is wrong.
	damaged := bytes.Replace(bytes.Clone(text), []byte(`"design":[0`), []byte(`"design":[1`), 1)
	if bytes.Equal(damaged, text) {
		damaged = bytes.Replace(damaged, []byte(`"design":[1`), []byte(`"design":[0`), 1)
	}

	// Every file is refused with its name and the reason.
	for _, c := range []struct {
		name, instance string
		text           []byte
		want           string
	}{
		{"another instance", other, text, "it is of the netdes instance"}, {"damaged", path, damaged, "it is damaged"},
		{"cut short", path, text[:len(text)/2], "it is damaged"}, {"empty", path, nil, "line 1 is not that of a checkpoint"},
		{"another file", path, []byte("y 1\nz 2\n"), "line 1 is not that of a checkpoint"},
		{"version", path, bytes.Replace(text, []byte("checkpoint 1 "), []byte("checkpoint 2 "), 1), "its version is 2"},
	} {
		if err := os.WriteFile(file, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		o := invoke(t, t.Context(), "solve", c.instance, "--checkpoint", file)
		if o.code != exitBadInput || !strings.Contains(o.stderr, file) || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%s: %d %s", c.name, o.code, o.stderr)
		}

		// The refused file may be of value to its owner, so it is not overwritten.
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, c.text) {
			t.Errorf("%s: the file has changed, %v", c.name, err)
		}
	}

	// A checkpoint is replaced during the run, and standard output cannot be replaced.
	if o := invoke(t, t.Context(), "solve", path, "--checkpoint", "-"); o.code != exitBadInput {
		t.Errorf("standard output: %d %s", o.code, o.stderr)
	}
}

// TestStartingDesigns begins with designs of files, good ones and such as no run can begin with.
func TestStartingDesigns(t *testing.T) {
	sol := filepath.Join(t.TempDir(), "design.sol")
	for family, class := range map[string]string{"ufl": "12x10", "netdes": "8x4-L"} {
		path := makeClass(t, family, class)
		want := invoke(t, t.Context(), "solve", path, "--json", "--write-sol", sol).object(t)
		o := invoke(t, t.Context(), "solve", path, "--json", "--start", sol, "--no-heuristic", "--node-limit", "0")
		if got := o.object(t); got["objective"] == nil || !near(got["objective"].(float64), want["objective"].(float64), 1e-9) {
			t.Errorf("%s: %v, want %v: %s", family, got["objective"], want["objective"], o.stderr)
		}
	}
	path := makeClass(t, "netdes", "8x4-L")
	for text, message := range map[string]string{
		`{"open": []}`: "", `{"open": [0.5]}`: "is no column of the first stage", "{": "unexpected end",
	} {
		if err := os.WriteFile(sol, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		o := invoke(t, t.Context(), "solve", path, "--start", sol)
		if o.code != exitBadInput || !strings.Contains(o.stderr, message) {
			t.Errorf("%s: %d %s", text, o.code, o.stderr)
		}
	}
}
