//go:build peers

package mps

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

const (
	libraryFiles = 100             // the smallest ones of the shared data that are taken
	librarySolve = 3 * time.Second // for one model by one solver
	limitText    = "3"             // the same as an argument
)

// peerReader is how a peer solves a file, and how its output states the optimum.
type peerReader struct {
	args    func(file string) []string
	value   *regexp.Regexp
	optimal *regexp.Regexp
}

var peerReaders = map[string]peerReader{
	"highs": {func(f string) []string { return []string{"--time_limit", limitText, "--options_file", "peer.opt", f} },
		regexp.MustCompile(`(?:Objective value\s*:|Primal bound)\s+(\S+)`), regexp.MustCompile(`(?:Model status\s*:|Status)\s+Optimal`)},
	"scip": {func(f string) []string {
		return []string{"-c", "read " + f + " set limits time " + limitText + " set limits gap 0 optimize quit"}
	},
		regexp.MustCompile(`Primal Bound\s*:\s+(\S+)`), regexp.MustCompile(`optimal solution found`)},
	"cbc": {func(f string) []string { return []string{f, "-seconds", limitText, "-ratio", "0", "-solve", "-quit"} },
		regexp.MustCompile(`(?:Objective value:\s+|Optimal objective )(\S+)`),
		regexp.MustCompile(`Optimal solution found|Optimal objective`)},
	"glpsol": {func(f string) []string {
		return []string{ending(f, "--lp", "--freemps"), f, "--tmlim", limitText, "-o", "/dev/stdout"}
	}, regexp.MustCompile(`Objective:\s+\S+ = (\S+)`), regexp.MustCompile(`Status:\s+(?:INTEGER )?OPTIMAL`)},
}

// libraryModels are the smallest files of Netlib and MIPLIB in the shared data, the smallest first.
func libraryModels(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, folder := range []string{"netlib", "miplib", "miplib/small", "miplib/2017"} {
		list, err := filepath.Glob(filepath.Join(dataDir, folder, "*.mps.gz"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, list...)
	}
	if len(files) == 0 {
		t.Skip("no shared data")
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(size(a), size(b)) })
	return files[:min(len(files), libraryFiles)]
}

// librarySolution solves a model within the time; ok is false where that is not enough.
func librarySolution(t *testing.T, m *lp.Model) (value float64, ok bool) {
	t.Helper()
	o := bnb.DefaultOptions()
	o.Gap = 1e-9
	o.TimeLimit = librarySolve
	r, err := bnb.Solve(t.Context(), m, o, bnb.Hooks{})
	return r.Objective, err == nil && r.Status == lp.Optimal
}

// TestPeerLibraries takes the smallest models of Netlib and MIPLIB through every writer that is installed, in both
// formats: what it wrote must be the model, or have its optimum. Every peer also solves our files, to the same optimum.
// A model that a solver does not finish within the time, or a file that a peer is known to read otherwise (peerLimits), is
// counted apart.
func TestPeerLibraries(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PROXYBD_PEERS")+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir := t.TempDir()
	models := libraryModels(t)
	for k, path := range models {
		full, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		models[k] = full
	}
	published := publishedOptima(t)
	t.Chdir(dir)
	if err := os.WriteFile("peer.opt", []byte("threads = 1\nparallel = off\nmip_rel_gap = 0\n"), 0o644); err != nil {
		t.Fatal(err)
	}

	counts := map[string]map[string]int{}
	for _, path := range models {
		name := strings.TrimSuffix(filepath.Base(path), ".mps.gz")
		m, _, err := ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		want, known := published[name]
		if !known {
			want, known = librarySolution(t, m)
		}
		for _, end := range []string{".mps", ".lp"} {
			in := "in" + end
			writeModel(t, in, m)
			for _, p := range peerWriters {
				if _, err := exec.LookPath(p.name); err != nil {
					continue
				}
				row := p.name + " " + end[1:]
				if counts[row] == nil {
					counts[row] = map[string]int{}
				}
				got, detail := rewritten(t, p, m, in, "out"+end, want, known)
				counts[row]["writes: "+got]++
				if got != "equal model" && got != "equal value" {
					t.Logf("%s: %s writes: %s %s", name, row, got, detail)
				}
				limited := slices.Contains(peerLimits[p.name+end], name)
				solved, detail := solvedByPeer(t, p.name, in, want, known)
				if limited && solved != "equal value" {
					solved = "read otherwise"
				}
				counts[row]["solves: "+solved]++
				if solved != "equal value" {
					t.Logf("%s: %s solves: %s %s", name, row, solved, detail)
				}
				wrong := got == "different" || got == "unreadable" || solved == "different"
				if wrong && !limited {
					t.Errorf("%s: %s: writes %s, solves %s", name, row, got, solved)
				}
			}
		}
	}
	for _, row := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%d files, %s: %v", len(models), row, counts[row])
	}
}

// writeModel writes a model in the format of the ending.
func writeModel(t *testing.T, path string, m *lp.Model) {
	t.Helper()
	write := func(w io.Writer, m *lp.Model) error { return Write(w, m) }
	if filepath.Ext(path) == ".lp" {
		write = WriteLP
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := write(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// rewritten reads what a peer writes of a file, and compares it with the model or its optimum.
func rewritten(t *testing.T, p peerWriter, m *lp.Model, in, out string, want float64, known bool) (result, detail string) {
	t.Helper()
	os.Remove(out)
	os.Remove(out + ".gz")
	ctx, cancel := context.WithTimeout(t.Context(), 3*librarySolve)
	defer cancel()
	text, _ := exec.CommandContext(ctx, p.name, p.args(in, out)...).CombinedOutput()
	if _, err := os.Stat(out); err != nil {
		out += ".gz"
		if _, err := os.Stat(out); err != nil {
			return "refused by the peer", lastLines(text)
		}
	}
	back, _, err := ReadFile(out)
	if err != nil {
		return "unreadable", err.Error()
	}
	a, errA := canonical(m)
	b, errB := canonical(back)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a == b {
		return "equal model", ""
	}
	if !known {
		return "not solved", ""
	}
	value, ok := librarySolution(t, back)
	switch {
	case !ok:
		return "not solved", ""
	case sameOptimum(value, want):
		return "equal value", ""
	}
	return "different", fmt.Sprintf("%.9g, want %.9g", value, want)
}

// sameOptimum compares a value with a published one, which may have six digits.
func sameOptimum(a, b float64) bool { return math.Abs(a-b) <= 1e-5*math.Max(1, math.Abs(b)) }

// solvedByPeer has a peer solve a file.
func solvedByPeer(t *testing.T, name, file string, want float64, known bool) (result, detail string) {
	t.Helper()
	if !known {
		return "no optimum to compare", ""
	}
	r := peerReaders[name]
	ctx, cancel := context.WithTimeout(t.Context(), 2*librarySolve)
	defer cancel()
	text, _ := exec.CommandContext(ctx, name, r.args(file)...).CombinedOutput()
	found := r.value.FindSubmatch(text)
	switch {
	case !r.optimal.Match(text) && refusal.Match(text):
		return "refused by the peer", lastLines(text)
	case !r.optimal.Match(text) || found == nil:
		return "not solved", ""
	}
	value, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	if sameOptimum(value, want) {
		return "equal value", ""
	}
	return "different", fmt.Sprintf("%.9g, want %.9g", value, want)
}

// refusal is in the output of a peer that could not read a file.
var refusal = regexp.MustCompile(`(?i)(error reading|read with \d+ errors|errors on input|syntax error|processing error|Error loading)`)

// lastLines are the last lines of an output.
func lastLines(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " / ")
}
