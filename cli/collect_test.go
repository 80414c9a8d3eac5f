package cli

import (
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
)

// TestStatesByProcesses trains and scores networks on states that one to three processes record, with one and two
// threads: the objects are equal, but for the file of the model.
func TestStatesByProcesses(t *testing.T) {
	folder := t.TempDir()
	o := invoke(t, t.Context(), "generate", "--family", "ufl", "--class", "10x10", "--count", "4", "-o", folder)
	if o.code != 0 {
		t.Fatal(o.stderr)
	}
	paths := strings.Fields(o.stdout)
	model := filepath.Join(t.TempDir(), "m.safetensors")
	for _, args := range [][]string{
		append([]string{"train", "-o", model, "--steps", "20"}, paths...),
		append([]string{"train", "-o", model, "--steps", "20", "--variants", "2"}, paths[:2]...),
		append([]string{"score", "--model", model}, paths[2:]...),
	} {
		want := steady(t, []byte(invoke(t, t.Context(), append(args, "--json", "--quiet")...).stdout))
		if want["status"] != "completed" {
			t.Fatalf("%v: %v", args, want)
		}
		for n := 1; n <= 3; n++ {
			threads := strconv.Itoa(1 + n%2)
			if got := bySeveral(t, n, append(args, "--threads", threads)...); !reflect.DeepEqual(got, want) {
				t.Errorf("%d processes, %s threads: %v\nwant %v", n, threads, got, want)
			}
		}
	}
}

// TestStatesOfAnotherInstance gives a worker the hash of another instance, and jobs that are damaged: all are refused.
func TestStatesOfAnotherInstance(t *testing.T) {
	path := makeClass(t, "ufl", "6x6")
	a := &app{known: Families(), ctx: t.Context(), flags: solveFlags{timeLimit: 1 << 62}}
	in, err := a.readAssigned(readTerms{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	own := &stateRecorder{
		options: proxy.DefaultStatesOptions(),
		open:    func(int) (families.Instance, error) { return in, nil },
	}
	if _, err := own.Work(t.Context(), nil, stateJob(0, in.Hash())); err != nil {
		t.Error(err)
	}
	for _, payload := range [][]byte{stateJob(0, "of another one"), stateJob(0, in.Hash())[:3], nil} {
		if _, err := own.Work(t.Context(), nil, payload); err == nil {
			t.Errorf("a job of %d bytes is done", len(payload))
		}
	}
}

// TestStateMessages sends states through bytes.
func TestStateMessages(t *testing.T) {
	want := []benders.State{{Y: []float64{0, 0.5}}, {Y: []float64{1, 1}, Integer: true, Infeasible: true}}
	states, took, err := decodeStates(encodeStates(want, time.Second))
	if err != nil || took != time.Second || !reflect.DeepEqual(states, want) {
		t.Errorf("%v, %v, %v", states, took, err)
	}
	if _, _, err := decodeStates(encodeStates(want, time.Second)[:20]); err == nil {
		t.Error("half a message is read")
	}
}
