package main

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/cli"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
)

// TestFamilyOnTheCommandLine takes an instance of the family through the commands: it is generated, solved and recorded,
// its record is proven, its design priced, the model exported and a file without --family refused by no family. The
// optimum is that of the linear programs of all designs.
func TestFamilyOnTheCommandLine(t *testing.T) {
	dir := t.TempDir()
	at := func(file string) string { return filepath.Join(dir, file) }
	proxybd := func(want int, args ...string) {
		t.Helper()
		if code := cli.Main(args, append(cli.Families(), fctp)...); code != want {
			t.Fatalf("%v: exit code %d, want %d", args, code, want)
		}
	}
	instance := at("fctp4x5-1.mps.gz")
	proxybd(0, "generate", "--family", "fctp", "--class", "4x5", "-o", dir)
	proxybd(0, "solve", instance, "--family", "fctp", "--method", "exact", "--quiet", "--record", at("run.record"),
		"--solution", at("costs.json"))
	proxybd(0, "verify", at("run.record"), "--instance", instance, "--family", "fctp", "--quiet")
	proxybd(0, "export", instance, "--family", "fctp", "-o", at("model.mps"))
	proxybd(2, "solve", instance, "--family", "fctq")

	want := enumerate(t, model(4, 5, 1))
	text, err := os.ReadFile(at("costs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var costs struct {
		Family string
		Cost   struct{ Total float64 }
	}
	if err := json.Unmarshal(text, &costs); err != nil || costs.Family != "fctp" {
		t.Fatalf("%v\n%s", err, text)
	}
	if math.Abs(costs.Cost.Total-want) > 1e-6*want {
		t.Errorf("the design costs %g, the best of all designs %g", costs.Cost.Total, want)
	}

	exported, _, err := mps.ReadFile(at("model.mps"))
	if err != nil {
		t.Fatal(err)
	}
	if got := enumerate(t, exported); math.Abs(got-want) > 1e-6*want {
		t.Errorf("the optimum of the exported model is %g, want %g", got, want)
	}
}

// enumerate returns the least cost of all designs, each by the linear program of its flows.
func enumerate(t *testing.T, m *lp.Model) float64 {
	t.Helper()
	var binary []int
	for j, c := range m.Cols {
		if c.Integer {
			binary = append(binary, j)
		}
	}

	best := math.Inf(1)
	for design := range 1 << len(binary) {
		for k, j := range binary {
			value := float64(design >> k & 1)
			m.Cols[j].Lower = value
			m.Cols[j].Upper = value
		}
		r, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if r.Status == lp.Optimal {
			best = min(best, r.Objective)
		}
	}
	return best
}

// TestGuideShowsThisProgram holds the program of the guide against this folder.
func TestGuideShowsThisProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join("..", "..", "docs", "family.md"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(guide), "```go\n"+string(program)+"```\n") {
		t.Error("docs/family.md does not have the program of examples/fctp")
	}
}
