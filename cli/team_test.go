package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSeveralProcesses solves a program by a coordinator and workers that join by an address file, and compares the
// object with that of one process: nothing but times and processes differs.
func TestSeveralProcesses(t *testing.T) {
	path := makeClass(t, "scflp", "15x20:400")

	// What follows the run, in one process, is there as well.
	dir := t.TempDir()
	args := []string{"solve", path, "--json", "--quiet", "--gap", "1e-6", "--evpi", "--vss", "--solution"}
	want := invoke(t, t.Context(), append(args, filepath.Join(dir, "one.json"))...).object(t)

	// The workers wait for the address file, so that they may come first. Each is a process of its own.
	address := filepath.Join(dir, "run")
	var workers [2]bytes.Buffer
	var list []*exec.Cmd
	for k := range workers {
		c := child(t, "command", "worker", "--cluster", "file:"+address, "--quiet")
		c.Stderr = &workers[k]
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		list = append(list, c)
	}
	c := child(t, "command", append(args, filepath.Join(dir, "several.json"), "--cluster", "file:"+address)...)
	var stderr bytes.Buffer
	c.Stderr = &stderr
	text, err := c.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, stderr.String())
	}
	for k, c := range list {
		if err := c.Wait(); err != nil {
			t.Errorf("worker %d: %v: %s", k, err, workers[k].String())
		}
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}

	// The first member is the coordinator, and the others have done a part of the work.
	others := 0.0
	for _, m := range got["members"].([]any)[1:] {
		others += m.(map[string]any)["jobs"].(float64)
	}
	if others == 0 {
		t.Error("no worker has done anything")
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

// TestSeveralProcessesOfAnotherObjective solves a program with --cvar, and one whose family has a shortcut, by two
// processes.
func TestSeveralProcessesOfAnotherObjective(t *testing.T) {
	for _, args := range [][]string{
		{"solve", makeClass(t, "scflp", "8x10:300"), "--cvar", "0.9"},
		{"solve", makeClass(t, "mcndp", "5x10x4:300:lognormal:0.4")},
	} {
		args = append(args, "--json", "--quiet", "--gap", "1e-4")
		want := invoke(t, t.Context(), args...).object(t)
		list := launch(t, 2, args...)
		for k, r := range list {
			if err := r.Wait(); err != nil {
				t.Fatalf("%v, rank %d: %v: %s", args, k, err, r.stderr.String())
			}
		}
		var got map[string]any
		if err := json.Unmarshal(list[0].stdout.Bytes(), &got); err != nil {
			t.Fatal(err)
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
}

// TestKindsOfErrorsOfProcesses solves a program that is unbounded in one scenario by one and by several processes: the
// status, which follows from the kind of an error of a job, is the same.
func TestKindsOfErrorsOfProcesses(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "model.lp")
	table := filepath.Join(dir, "table.csv")
	files := map[string]string{model: `Minimize
 obj: 3 x + 5 w + y - z
Subject To
 first: x + w <= 1
 demand: 4 x + 2 w + y - z >= 6
 extra: y + z >= 1
Binaries
 x
 w
End
`}
	lines := "scenario,row,column,value\n"
	for s := range 40 {
		lines += fmt.Sprintf("s%d,demand,,%d\n", s, 3+s%7)
	}
	files[table] = lines + "cheap,,z,-2\n"
	for path, text := range files {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}

	args := []string{"solve", model, "--scenarios", table, "--json", "--quiet"}
	want := steady(t, []byte(invoke(t, t.Context(), args...).stdout))
	if want["status"] != "unbounded" {
		t.Fatal(want)
	}
	for n := 1; n <= 3; n++ {
		ranks := launch(t, n, args...)
		for _, r := range ranks {
			r.Wait() // the first one has the exit code of an unbounded program
		}
		if code := ranks[0].ProcessState.ExitCode(); code != exitUnbounded {
			t.Errorf("%d processes: exit code %d", n, code)
		}
		if got := steady(t, ranks[0].stdout.Bytes()); !reflect.DeepEqual(got, want) {
			t.Errorf("%d processes: %v\nwant %v", n, got, want)
		}
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

// rank is a process of a command.
type rank struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

// launch starts a command in n processes with the variables of an Indexed Job of Kubernetes.
func launch(t *testing.T, n int, args ...string) []*rank {
	t.Helper()
	return launchEach(t, slices.Repeat([][]string{args}, n))
}

// launchEach is launch with a command line for each process.
func launchEach(t *testing.T, lines [][]string) []*rank {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var list []*rank
	for k, args := range lines {
		r := &rank{Cmd: child(t, "command", append(slices.Clone(args), "--cluster", "auto")...)}
		r.Env = append(r.Env, fmt.Sprintf("JOB_COMPLETION_INDEX=%d", k), fmt.Sprintf("PROXYBD_CLUSTER_SIZE=%d", len(lines)),
			"PROXYBD_CLUSTER_HOST=localhost", fmt.Sprintf("PROXYBD_CLUSTER_PORT=%d", port),
			"PROXYBD_CLUSTER_SECRET="+strings.Repeat("secret of a test", 3))
		r.Stdout = &r.stdout
		r.Stderr = &r.stderr
		if err := r.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			r.Process.Kill()
			r.Wait()
		})
		list = append(list, r)
	}
	return list
}

// TestIntegerRecourseByProcesses solves a program with integer recourse by one to three processes, by the tree, by dual
// decomposition and with another objective: the objects are equal.
func TestIntegerRecourseByProcesses(t *testing.T) {
	path := makeClass(t, "sslp", "4x8:10")
	for _, more := range [][]string{{"--method", "exact"}, {"--method", "dual"}, {"--cvar", "0.9"}} {
		args := append([]string{"solve", path, "--gap", "1e-6"}, more...)
		want := steady(t, []byte(invoke(t, t.Context(), append(args, "--json", "--quiet")...).stdout))
		if want["status"] == nil {
			t.Fatalf("%s: no result", more)
		}
		for n := 1; n <= 3; n++ {
			if got := bySeveral(t, n, args...); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %d processes: %v\nwant %v", more, n, got, want)
			}
		}
	}
}
