package nn

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/proxybd/proxybd/autodiff"
)

// childCheckpoint, in the environment, makes TestKilledChild a training process with that checkpoint file.
const childCheckpoint = "NN_TEST_CHECKPOINT"

func killOptions(path string) Options {
	opt := testOptions()
	opt.Steps, opt.CheckpointEvery, opt.Checkpoint, opt.Resume = 1500, 7, path, true
	return opt
}

// TestKilledChild is what TestKill runs and kills.
func TestKilledChild(t *testing.T) {
	path := os.Getenv(childCheckpoint)
	if path == "" {
		t.Skip("only as a child process")
	}
	r := newRegression(t, autodiff.ReLU)
	r.onFill = func(int) error { time.Sleep(100 * time.Microsecond); return nil }
	if _, err := Train(context.Background(), r.net.Params(), r, killOptions(path)); err != nil {
		t.Fatal(err)
	}
}

// TestKill kills a training process without warning, several times, each time after it has moved its
// checkpoint, and compares the run that resumes with one that was left alone, to the bit.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "run.safetensors")
	for range 3 {
		before, _ := os.Stat(path)
		child := exec.Command(self, "-test.run=^TestKilledChild$")
		child.Env = append(os.Environ(), childCheckpoint+"="+path)
		if err := child.Start(); err != nil {
			t.Skip(err)
		}
		for range 2000 {
			now, err := os.Stat(path)
			if err == nil && (before == nil || now.ModTime().After(before.ModTime())) {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if err := child.Process.Kill(); err != nil {
			t.Logf("the child was faster: %v", err)
		}
		_ = child.Wait() // its error is that it was killed
	}
	saved, err := ReadTensors(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("killed last after step %s", saved.Meta["step"])
	killed, whole := newRegression(t, autodiff.ReLU), newRegression(t, autodiff.ReLU)
	got, err := Train(context.Background(), killed.net.Params(), killed, killOptions(path))
	if err != nil {
		t.Fatal(err)
	}
	opt := killOptions("")
	opt.Resume = false
	want, err := Train(context.Background(), whole.net.Params(), whole, opt)
	if err != nil {
		t.Fatal(err)
	}
	got.Elapsed, want.Elapsed = 0, 0
	if got != want {
		t.Errorf("result %+v, want %+v", got, want)
	}
	w, v := weights(whole.net), weights(killed.net)
	for i := range w {
		if w[i] != v[i] {
			t.Fatalf("weight %d is %v, want %v", i, v[i], w[i])
		}
	}
}
