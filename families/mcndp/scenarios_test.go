package mcndp

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// TestScenariosCostWhatTheirNetworksCost prices designs, and compares with the probabilities times what the networks of
// the scenarios cost.
func TestScenariosCostWhatTheirNetworksCost(t *testing.T) {
	ctx := context.Background()
	n, err := generateScenarios("5x12x4", "3:normal:0.3:0.5", 7)
	if err != nil {
		t.Fatal(err)
	}
	n.Draws[0].Probability, n.Draws[1].Probability, n.Draws[2].Probability = 0.5, 0.3, 0.2
	if n, err = newScenarios(n.Network, n.Draws); err != nil {
		t.Fatal(err)
	}
	kinds := map[bool]int{}
	for mask := range 40 {
		y := make([]float64, n.Network.arcs())
		for j := range y {
			if j >= 6 || mask>>j&1 == 0 {
				y[j] = 1
			}
		}
		want, possible := n.Network.fixedCost(y), true
		for _, d := range n.Draws {
			in := n.Network.Clone()
			in.Demand = d.Demand
			cost, feasible, err := pipeline.Price(ctx, in, y)
			if err != nil {
				t.Fatal(err)
			}
			possible = possible && feasible
			want += d.Probability * (cost - n.Network.fixedCost(y))
		}
		got, feasible, err := pipeline.Price(ctx, n, y)
		if err != nil || feasible != possible || feasible && !(math.Abs(got-want) <= 1e-7*want) {
			t.Errorf("design %b: %g %v, %v; want %g %v", mask, got, feasible, err, want, possible)
		}
		kinds[feasible]++
	}
	if kinds[true] == 0 || kinds[false] == 0 {
		t.Errorf("%v", kinds)
	}
}

// TestPeaks adds up what leaves every set of nodes in each scenario.
func TestPeaks(t *testing.T) {
	n, err := generateScenarios("6x14x5", "20:normal:0.3:0.5", 3)
	if err != nil {
		t.Fatal(err)
	}
	kept := n.peaks()
	for range 2 {
		for mask := range 1 << n.Network.Nodes {
			inside := make([]bool, n.Network.Nodes)
			for v := range inside {
				inside[v] = mask>>v&1 == 1
			}
			want := 0.0
			for _, d := range n.Draws {
				sum := 0.0
				for i, v := range d.Demand {
					if inside[n.Network.Origin[i]] && !inside[n.Network.Destination[i]] {
						sum += v
					}
				}
				want = max(want, sum)
			}
			if got := kept(inside); got != n.peak(inside) || !(math.Abs(got-want) <= 1e-12*want) {
				t.Fatalf("set %b: %g and %g, want %g", mask, got, n.peak(inside), want)
			}
		}
	}
}

// TestScenarioFilesAreReadBack writes network and scenarios into one file and reads the same.
func TestScenarioFilesAreReadBack(t *testing.T) {
	n, err := generateScenarios("5x10x4", "6:lognormal", 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), n.Label().Name+".dow.gz")
	if err := pipeline.Write(path, n); err != nil {
		t.Fatal(err)
	}
	back, err := Family.Read(path, families.ReadOptions{})
	if err != nil || back.Hash() != n.Hash() || back.Label() != n.Label() {
		t.Fatalf("%v", err)
	}
	other := families.ReadOptions{Set: map[string]string{"scenarios": path}}
	if _, err := Family.Read(path, other); err == nil || !strings.Contains(err.Error(), "scenarios of its own") {
		t.Errorf("scenarios twice: %v", err)
	}
	if v, _, err := n.Perturb("v", 0.2, 1); err != nil || v.Hash() == n.Hash() {
		t.Errorf("a variant is the same, %v", err)
	}
}

// TestScenarioFaults checks what is said of scenario files.
func TestScenarioFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	network := write("n.dow", "MULTIGEN.DAT:\n2 2 2\n1 2 1 9 5 1 1\n2 1 1 9 5 1 2\n1 2 3\n2 1 4\n")
	for text, want := range map[string]string{
		"2\n0.5 1 2\n0.5 3 4\n":        "",
		"2\n0.5 1 2\n0.75 3 -0.01\n":   "warning: the probabilities sum to 1.25; 1 demands below zero, down to -0.01, are read as 0",
		"2\n0.5 1 2\n":                 "line 3, field 1: not a .scen file of demand scenarios: the file ends before the probability of scenario 2",
		"2\n0.5 1\n0.5 3 4\n":          "line 3, field 1: not a .scen file of demand scenarios: the line of scenario 1 ends before the demand of commodity 2 of 2",
		"1\n1 3 4 5\n":                 "line 2, field 4: not a .scen file of demand scenarios: text after the last scenario",
		"2\n0.5 1 2 9\n0.5 3 4\n":      "line 2, field 4: not a .scen file of demand scenarios: text after the last demand of scenario 1",
		"2\n0.5 1 2\n0.5 3 -4\n":       "the demand of commodity 2 in scenario 2 is negative: -4",
		"2\n0.5 1 2\n-0.5 3 4\n":       "the probability of scenario 2 is negative",
		"2\n0 1 2\n0 3 4\n":            "the probabilities sum to 0",
		"99999999999\n":                "want the number of scenarios",
		"1\n1 3 x\n":                   `want the demand of commodity 2 in scenario 1, have "x"`,
		"1\n1 3 1e200\n":               "the demand of commodity 2 is too large",
		"":                             "the file ends before the number of scenarios",
		"1 1 3 4\n":                    "text after",
		"3\n0.5 1 2\n0.25 3 4\n0.25 0": "the file ends before the demand of commodity 2 in scenario 3",
	} {
		var warnings []string
		o := families.ReadOptions{Set: map[string]string{"scenarios": write("s.scen", text)},
			Warn: func(line string) { warnings = append(warnings, line) }}
		in, err := Family.Read(network, o)
		switch {
		case want == "":
			if err != nil || len(warnings) > 0 || in.Label().Shape != "2x2x2x2" || in.Label().Name != "n+s" {
				t.Errorf("%q: %v %v", text, err, warnings)
			}
		case strings.HasPrefix(want, "warning"):
			if all := strings.Join(warnings, " "); err != nil || !strings.Contains(all, "sum to 1.25") ||
				!strings.Contains(all, "1 demands below zero, down to -0.01") {
				t.Errorf("%q: %v %v", text, err, warnings)
			}
		case err == nil || !strings.Contains(err.Error(), want):
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestPublishedScenarios solves shared instances whose optimum is known.
func TestPublishedScenarios(t *testing.T) {
	const folder = "../../../shared/data/stoch/smcf/"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no ../shared/data")
	}
	for network, want := range map[string]float64{"r04.1": 24443.45953688} {
		in, err := Family.Read(folder+network+".dow", families.ReadOptions{Set: map[string]string{"scenarios": folder + "r04-0-16.scen"}})
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		r, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want) <= 1e-7*want) {
			t.Errorf("%s: %v %.12g, %v; want %.12g", network, r.Status, r.Objective, err, want)
		}
	}
	warned := 0
	_, err := Family.Read(folder+"r09.1.dow", families.ReadOptions{Set: map[string]string{"scenarios": folder + "r09-0-16.scen"},
		Warn: func(string) { warned++ }})
	if err != nil || warned != 1 {
		t.Errorf("r09: %v, %d warnings", err, warned)
	}
}

// FuzzScenarios reads scenario files of any content for a network: an error, or an instance.
func FuzzScenarios(f *testing.F) {
	f.Add([]byte("2\n0.5 1 2\n0.5 3 4\n"))
	f.Add([]byte("1\n1 1 -1e-9"))
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"n.dow": []byte("MULTIGEN.DAT:\n2 2 2\n1 2 1 9 5 1 1\n2 1 1 9 5 1 2\n1 2 3\n2 1 4\n"),
			"s.scen": text} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		in, err := Family.Read(filepath.Join(dir, "n.dow"), families.ReadOptions{Set: map[string]string{"scenarios": filepath.Join(dir,
			"s.scen")}})
		if err != nil {
			return
		}
		if err := in.(*Scenarios).Stochastic().Validate(); err != nil {
			t.Error(err)
		}
	})
}
