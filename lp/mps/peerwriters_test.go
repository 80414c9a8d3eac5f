//go:build peers

package mps

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// peerWriter is a solver that reads a model and writes it again, with what it is known not to keep.
type peerWriter struct {
	name       string
	args       func(in, out string) []string
	readsSense bool // OBJSENSE of MPS files; GLPK refuses it
	constants  bool // of the objective in LP files; GLPK refuses them, CBC drops them
	keepsSense bool // CBC takes a maximisation in MPS for a minimisation
	keepsUpper bool // in LP files, of a column without a lower bound: CBC adds "x Free", by which CPLEX frees both sides
	keepsTypes bool // in MPS: HiGHS puts columns without rows into the group of their neighbours, CBC drops the type of fixed ones
}

func ending(path string, ofLP, ofMPS string) string {
	if filepath.Ext(path) == ".lp" {
		return ofLP
	}
	return ofMPS
}

var peerWriters = []peerWriter{
	{"highs", func(in, out string) []string {
		return []string{"--time_limit", "5", "--write_model_file", out, in}
	}, true, true, true, true, false},
	{"scip", func(in, out string) []string {
		return []string{"-q", "-c", "read " + in + " write problem " + out + " quit"}
	},
		true, true, true, true, true},
	{"cbc", func(in, out string) []string { return []string{in, "-presolve", "off", "-export", out} }, true, false, false,
		false, false},
	{"glpsol", func(in, out string) []string {
		return []string{ending(in, "--lp", "--freemps"), in, "--check", ending(out, "--wlp", "--wfreemps"), out}
	}, false, false, true, true, true},
}

// outcome is what a round trip through a peer gave.
type outcome string

const (
	equalModel outcome = "equal model"
	equalValue outcome = "equal value"
	otherTypes outcome = "type of an empty or fixed column changed by the peer"
	refused    outcome = "refused by the peer"
	different  outcome = "different"
	unreadable outcome = "unreadable"
)

// TestPeerWriters writes random models, has every installed peer read them and write them again, in both formats from
// both formats, and reads what it wrote: an equal model, or one of the same status and value where the peer states it
// in another way (a range as two rows, a maximisation as a minimisation). PROXYBD_BULK is the number of models for each
// pair of formats; PROXYBD_PEERS is a folder of peers that are not in the path. What is different is kept in the
// folder PROXYBD_KEEP.
func TestPeerWriters(t *testing.T) {
	t.Setenv("PATH", os.Getenv("PROXYBD_PEERS")+string(os.PathListSeparator)+os.Getenv("PATH"))
	dir := t.TempDir()
	for _, p := range peerWriters {
		if _, err := exec.LookPath(p.name); err != nil {
			t.Logf("%s is not installed", p.name)
			continue
		}
		for _, from := range []string{".mps", ".lp"} {
			for _, to := range []string{".mps", ".lp"} {
				counts := map[outcome]int{}
				for seed := range bulk(t, 20) {
					m := drawModel(rand.New(rand.NewPCG(seed, 23)), false)
					in, out := filepath.Join(dir, "in"+from), filepath.Join(dir, "out"+to)
					os.Remove(out)
					os.Remove(out + ".gz")
					got, detail := throughPeer(t, p, m, in, out)
					counts[got]++
					if got != different && got != unreadable {
						continue
					}
					if counts[got] <= 3 {
						t.Errorf("%s, %s to %s, seed %d: %s: %s", p.name, from, to, seed, got, detail)
					}
					keep(t, fmt.Sprintf("%s-%d-", p.name, seed), in, out)
				}
				t.Logf("%s, %s to %s: %v", p.name, from, to, counts)
			}
		}
	}
}

// keep copies files for a look at them.
func keep(t *testing.T, prefix string, files ...string) {
	folder := os.Getenv("PROXYBD_KEEP")
	if folder == "" {
		return
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil { // CBC packs it
			file += ".gz"
			data, err = os.ReadFile(file)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, prefix+filepath.Base(file)), data, 0o644)
		}
		if err != nil {
			t.Log(err)
		}
	}
}

// throughPeer takes a model through a peer, less what the peer does not read.
func throughPeer(t *testing.T, p peerWriter, m *lp.Model, in, out string) (outcome, string) {
	if !p.readsSense {
		m.Minimize()
	}
	if !p.constants && (filepath.Ext(in) == ".lp" || filepath.Ext(out) == ".lp") {
		m.Offset = 0
	}
	for j := range m.Cols {
		if c := &m.Cols[j]; !p.keepsUpper && math.IsInf(c.Lower, -1) && !math.IsInf(c.Upper, 1) {
			c.Lower = c.Upper - 9
		}
		if c := &m.Cols[j]; !p.keepsUpper && c.Lower > c.Upper { // CBC drops an empty column, even one without a value
			c.Lower, c.Upper = c.Upper, c.Lower
		}
		if c := &m.Cols[j]; !p.keepsUpper && c.Integer && c.Lower == c.Upper { // and one whose only value is not integer
			c.Lower = math.Round(c.Lower)
			c.Upper = c.Lower
		}
	}

	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(in) == ".lp" {
		err = WriteLP(f, m)
	} else {
		err = Write(f, m)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	text, _ := exec.CommandContext(ctx, p.name, p.args(in, out)...).CombinedOutput() // exit codes are those of the solving
	if _, err := os.Stat(out); err != nil {
		if _, err := os.Stat(out + ".gz"); err != nil {
			return refused, string(text)
		}
		out += ".gz"
	}

	back, _, err := ReadFile(out)
	if err != nil {
		return unreadable, err.Error()
	}
	if !p.keepsSense && filepath.Ext(in) == ".mps" {
		back.Maximize = m.Maximize
	}
	got, detail := compare(t, m, back)
	if got != different || p.keepsTypes {
		return got, detail
	}

	// The models are compared once more with the types that columns without rows and fixed ones had.
	a, err := back.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for j := range back.Cols {
		c := &back.Cols[j]
		index, _ := a.Vec(j)
		k := slices.IndexFunc(m.Cols, func(other lp.Col) bool { return other.Name == c.Name })
		if k >= 0 && (len(index) == 0 || c.Lower == c.Upper) {
			c.Integer = m.Cols[k].Integer
		}
	}
	if again, _ := compare(t, m, back); again == equalModel || again == equalValue {
		return otherTypes, ""
	}
	return got, detail
}

// compare compares the models, and where they differ their optima as minimisations.
func compare(t *testing.T, m, back *lp.Model) (outcome, string) {
	want, err := canonical(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := canonical(back)
	if err != nil {
		t.Fatal(err)
	}
	if got == want {
		return equalModel, ""
	}
	status, value := minimum(t, m)
	other, found := minimum(t, back)
	if status == other && (status != lp.Optimal || math.Abs(value-found) <= 1e-6*math.Max(1, math.Abs(value))) {
		return equalValue, ""
	}
	return different, fmt.Sprintf("%v %.9g became %v %.9g", status, value, other, found)
}

// minimum solves a model as a minimisation.
func minimum(t *testing.T, m *lp.Model) (lp.Status, float64) {
	c := m.Clone()
	c.Minimize()
	o := bnb.DefaultOptions()
	o.MaxNodes = 5000
	r, err := bnb.Solve(t.Context(), c, o, bnb.Hooks{})
	if err != nil {
		return lp.NotSolved, math.NaN()
	}
	return r.Status, r.Objective
}
