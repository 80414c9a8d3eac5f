package cli

import (
	"bufio"
	"os"
	"strings"
	"syscall"
	"testing"
)

// TestJobs runs every stage by one process and by three, the second time through an interruption of the process above
// alone, and compares what they leave.
func TestJobs(t *testing.T) {
	shapes := []string{"ufl:20x20", "cap:20x10"}
	one, three := tinyExperiment(t, shapes...), tinyExperiment(t, shapes...)
	t.Setenv(childEnv, "command") // what a stage starts is this binary
	for _, stage := range []string{"states", "train", "eval"} {
		if o := invoke(t, t.Context(), stageArgs(one)[stage]...); o.code != 0 {
			t.Fatalf("%s: %s", stage, o.stderr)
		}
		args := append(stageArgs(three)[stage], "--jobs", "3")
		if stage != "train" {
			interruptJobs(t, args)
		}
		o := invoke(t, t.Context(), append(args, "--json")...)
		if got := o.object(t); o.code != 0 || got["status"] != "completed" || got["stage"] != stage {
			t.Fatalf("%s with jobs: %d %v %s", stage, o.code, got, o.stderr)
		}
		if !strings.Contains(o.stderr, stage+": ") || !strings.Contains(o.stderr, "3 workers") || strings.Count(o.stderr, " of ") < 2 {
			t.Errorf("%s: the log has no line a job:\n%s", stage, o.stderr)
		}
	}
	want, got := stageContent(t, one), stageContent(t, three)
	for key, v := range want {
		if got[key] != v {
			t.Errorf("%s differs:\n%.400s\nby one process:\n%.400s", key, got[key], v)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d states, models and results by three processes, want %d", len(got), len(want))
	}
	// An error of the workers is that of the command.
	if o := invoke(t, t.Context(), "eval", three, "--jobs", "2", "--methods", "proxy", "--shape", "ufl:1x1"); o.code != 0 {
		t.Errorf("nothing to do: %d %s", o.code, o.stderr)
	}
	if err := os.RemoveAll(three + "/models"); err != nil {
		t.Fatal(err)
	}
	o := invoke(t, t.Context(), "eval", three, "--jobs", "2", "--methods", "proxy/bbc")
	if o.code != exitBadInput || !strings.Contains(o.stderr, "share 1/2: ") || !strings.Contains(o.stderr, "trained model") {
		t.Errorf("without models: %d %s", o.code, o.stderr)
	}
	if o := invoke(t, t.Context(), "eval", three, "--jobs", "-1"); o.code != exitBadInput {
		t.Errorf("-1 jobs: %d", o.code)
	}
}

// interruptJobs starts a stage with workers and sends it a SIGTERM, which they do not get, after its first job. All have
// ended when it has: their output is closed.
func interruptJobs(t *testing.T, args []string) {
	t.Helper()
	c := child(t, "command", args...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	said := ""
	for signalled := false; lines.Scan(); {
		said += lines.Text() + "\n"
		if !signalled && strings.Contains(lines.Text(), "so far") {
			signalled = true
			if err := c.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Wait()
	if c.ProcessState.Success() && strings.Contains(said, "done in") {
		t.Logf("%v was done before the signal met it", args)
		return
	}
	if code := c.ProcessState.ExitCode(); code != exitLimit || !strings.Contains(said, "interrupted after") {
		t.Errorf("%v: exit code %d\n%s", args, code, said)
	}
}
