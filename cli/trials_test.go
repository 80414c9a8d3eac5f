package cli

import (
	"bytes"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
)

// bySeveral runs a command by n processes, and returns the object of the first one without times. All end without an
// error.
func bySeveral(t *testing.T, n int, args ...string) map[string]any {
	t.Helper()
	ranks := launch(t, n, append(args, "--json", "--quiet")...)
	for k, r := range ranks {
		if err := r.Wait(); err != nil {
			t.Errorf("rank %d of %d: %v: %s", k, n, err, r.stderr.String())
		}
		if k > 0 && r.stdout.Len() > 0 {
			t.Errorf("rank %d of %d prints %s", k, n, r.stdout.String())
		}
	}
	text := ranks[0].stdout.Bytes()
	if bytes.Count(text, []byte(`"present":`)) != n {
		t.Errorf("not %d members in %.2000s", n, text)
	}
	return steady(t, text)
}

// TestTrialsOfProcesses evaluates designs and estimates gaps by one to four processes, with one and two threads, of
// programs with linear and with integer recourse: the objects are equal.
func TestTrialsOfProcesses(t *testing.T) {
	linear := makeClass(t, "scflp", "10x12:300")
	integer := makeClass(t, "sslp", "3x6:8")
	design := func(path string) string {
		out := filepath.Join(t.TempDir(), "design.json")
		o := invoke(t, t.Context(), "solve", path, "--json", "--gap", "1e-3")
		if o.code != 0 {
			t.Fatal(o.stderr)
		}
		put(t, out, o.stdout)
		return out
	}
	// A program whose samples come from distributions.
	drawn := t.TempDir()
	put(t, filepath.Join(drawn, "p.cor"), profitCore)
	put(t, filepath.Join(drawn, "p.tim"), profitTwo)
	put(t, filepath.Join(drawn, "p.sto"), profitStoch)
	for _, args := range [][]string{
		{"saa", filepath.Join(drawn, "p.cor"), "--replications", "9", "--size", "40", "--evaluation", "500"},
		{"evaluate", linear, design(linear)},
		{"evaluate", integer, design(integer)},
		{"saa", linear, "--replications", "6", "--size", "6", "--evaluation", "300"},
		{"saa", integer, "--replications", "3", "--size", "2", "--evaluation", "5"},
	} {
		t.Run(args[0], func(t *testing.T) {
			want := steady(t, []byte(invoke(t, t.Context(), append(args, "--json", "--quiet", "--threads", "1")...).stdout))
			if s := want["status"]; s != "evaluated" && s != "estimated" {
				t.Fatalf("%v", want)
			}
			for n := 1; n <= 4; n++ {
				threads := strconv.Itoa(1 + n%2)
				if got := bySeveral(t, n, append(args, "--threads", threads)...); !reflect.DeepEqual(got, want) {
					t.Errorf("%d processes, %s threads: %v\nwant %v", n, threads, got, want)
				}
			}
			o := invoke(t, t.Context(), append(args, "--json", "--quiet", "--threads", "3")...)
			if got := steady(t, []byte(o.stdout)); !reflect.DeepEqual(got, want) {
				t.Errorf("3 threads: %v\nwant %v", got, want)
			}
		})
	}
}

// TestTrialsOutliveAProcess kills one of three processes while they work: the estimate is that of one process.
func TestTrialsOutliveAProcess(t *testing.T) {
	path := makeClass(t, "scflp", "12x16:200")
	args := []string{"saa", path, "--replications", "12", "--size", "25", "--evaluation", "500", "--json", "-q", "--threads", "1"}
	want := steady(t, []byte(invoke(t, t.Context(), args...).stdout))
	ranks := launch(t, 3, args...)
	time.Sleep(600 * time.Millisecond)
	ranks[2].Process.Kill()
	if err := ranks[0].Wait(); err != nil {
		t.Fatalf("%v: %s", err, ranks[0].stderr.String())
	}
	if got := steady(t, ranks[0].stdout.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if err := ranks[2].Wait(); err == nil || ranks[2].ProcessState.ExitCode() == 0 {
		t.Error("the process was over before it was killed")
	}
}

// TestProcessesThatCannotWork starts workers that find another instance than the coordinator's, or none: they end with
// an error, and the result is that of one process.
func TestProcessesThatCannotWork(t *testing.T) {
	path := makeClass(t, "scflp", "8x10:200")
	other := makeClass(t, "scflp", "8x10:201")
	want := steady(t, []byte(invoke(t, t.Context(), "saa", path, "--replications", "4", "--size", "4", "--json", "-q").stdout))

	// The workload of another instance refuses its identity.
	terms := trialTerms{readTerms: readTerms{Path: other, Scenarios: true}, Sampled: true, Gap: 1e-4, Seed: 1}
	a := &app{known: Families(), ctx: t.Context(), flags: solveFlags{timeLimit: 1 << 62}}
	in, err := a.readAssigned(terms.readTerms)
	if err != nil {
		t.Fatal(err)
	}
	w, err := newTrials(in, terms)
	if err != nil {
		t.Fatal(err)
	}
	if m := (&member{workload: w}); m.compare("another hash") == nil || m.compare(w.Identity()) != nil {
		t.Error("instances are not compared")
	}
	if _, err := a.openWorkload(assignment{Kind: "magic"}); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("work of another kind: %v", err)
	}

	// A process that may read less than the instance has ends alone.
	args := []string{"saa", path, "--replications", "4", "--size", "4", "--json", "-q"}
	ranks := launchEach(t, [][]string{args, append(slices.Clone(args), "--max-input", "10B"), args})
	for k, r := range ranks {
		err := r.Wait()
		if fails := k == 1; (err != nil) != fails {
			t.Errorf("rank %d: %v: %s", k, err, r.stderr.String())
		}
	}
	if got := steady(t, ranks[0].stdout.Bytes()); !reflect.DeepEqual(got, want) {
		t.Errorf("%v\nwant %v", got, want)
	}
	if text := ranks[1].stderr.String(); !strings.Contains(text, "max-input") {
		t.Errorf("rank 1 ends with %s", text)
	}
}

// TestTrialMessages sends jobs and answers through bytes.
func TestTrialMessages(t *testing.T) {
	want := trial{of: sample{50, 1<<34 + 3}, priced: true, part: 7, design: []float64{0, 1, 0.5}}
	var got trial
	if err := got.decode(want.encode()); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	solved := &assess.Solved{Status: lp.Optimal, Objective: 1.5, Bound: 1.25, Maximize: true, Design: []float64{1, 0}}
	if back, err := decodeSolved(encodeSolved(solved)); err != nil || !reflect.DeepEqual(back, solved) {
		t.Errorf("%+v, %v", back, err)
	}
}

// FuzzTrial gives jobs and answers any bytes.
func FuzzTrial(f *testing.F) {
	f.Add((&trial{of: sample{3, 4}, design: []float64{1}}).encode())
	f.Add(encodeSolved(&assess.Solved{Design: []float64{1, 2}}))
	f.Fuzz(func(t *testing.T, text []byte) {
		var j trial
		if err := j.decode(text); err == nil {
			again := trial{}
			if err := again.decode(j.encode()); err != nil {
				t.Errorf("%+v: %v", j, err)
			}
		}
		if r, err := decodeSolved(text); err == nil && len(r.Design) > len(text) {
			t.Errorf("%d bytes are a design of %d columns", len(text), len(r.Design))
		}
		(&wire.Reader{Bytes: text}).Floats()
	})
}
