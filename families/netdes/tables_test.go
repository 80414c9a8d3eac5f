package netdes_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/familytest"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
)

// roads is a table file whose arcs are not in the order of the adjacency matrix, and whose scenarios differ in one
// number of each kind.
const roads = `problem,netdes
arc,from,to,fixed_cost,cost,capacity
long,A,C,9,4,10
first,A,B,3,1,6
last,B,C,4,2,
scenario,probability
wet,0.25
dry,0.75
scenario,node,supply
dry,A,5
dry,C,-5
wet,A,8
wet,C,-8
costs,long
wet,7
capacities,last
dry,5
wet,6
`

// opened reads a file, which may have no warnings.
func opened(t testing.TB, path string) *netdes.Instance {
	t.Helper()
	return familytest.Open[*netdes.Instance](t, netdes.Family, path)
}

// TestTablesAreRead compares the data of a table file with the numbers in it.
func TestTablesAreRead(t *testing.T) {
	in := opened(t, familytest.Write(t, "mine.csv", roads))
	d := in.Data

	// Nodes are numbered in the order of the arcs: A, C, B. The arcs are A to C, A to B, B to C.
	want := &netdes.Data{
		Name:  "mine",
		Nodes: 3,
		Tail:  []int32{0, 0, 2},
		Head:  []int32{1, 2, 1},
		Fixed: []float64{9, 3, 4},
		Scenarios: []netdes.Scenario{
			{
				Name:        "wet",
				Probability: 0.25,
				Cost:        []float64{7, 1, 2},
				Capacity:    []float64{10, 6, 6},
				Demand:      []float64{8, -8, 0},
			},
			{
				Name:        "dry",
				Probability: 0.75,
				Cost:        []float64{4, 1, 2},
				Capacity:    []float64{10, 6, 5},
				Demand:      []float64{5, -5, 0},
			},
		},
		Labels: d.Labels,
	}
	if !reflect.DeepEqual(d, want) {
		t.Errorf("%+v, want %+v", d, want)
	}
	if !slices.Equal(d.Labels.Arcs, []string{"long", "first", "last"}) ||
		!slices.Equal(d.Labels.Nodes, []string{"A", "C", "B"}) || in.OpenID(2) != "last" {
		t.Errorf("labels %+v", d.Labels)
	}

	// The optimum is that of branch and cut on the problem as stated.
	best, err := bnb.Solve(context.Background(), textbook(d), bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil || best.Status != lp.Optimal {
		t.Fatal(best.Status, err)
	}
	o := decompose.DefaultOptions()
	o.Benders.Gap = 1e-8
	got, err := pipeline.Solve(context.Background(), in, o)
	if err != nil || got.Status != lp.Optimal || !(math.Abs(got.Objective-best.Objective) <= 1e-6*best.Objective) {
		t.Errorf("%v %.10g, %v; want %.10g", got.Status, got.Objective, err, best.Objective)
	}
}

// TestTablesWithoutScenarios reads a network whose numbers are known: one scenario, with the supplies of the nodes.
func TestTablesWithoutScenarios(t *testing.T) {
	in := opened(t, familytest.Write(t, "x.csv", "problem,netdes\nname,known\nnode,supply,x,y\nB,,1,0\nA,5,0,0\nC,-5,2,1\n"+
		"arc,from,to,fixed_cost,cost,capacity\n1,B,C,1,2,9\n2,A,B,3,4,7\n"))
	d := in.Data
	want := []netdes.Scenario{{
		Probability: 1,
		Cost:        []float64{2, 4},
		Capacity:    []float64{9, 7},
		Demand:      []float64{0, 5, -5},
	}}
	if d.Name != "known" || !reflect.DeepEqual(d.Scenarios, want) || d.Labels.Arcs != nil || len(d.Labels.Places) != 3 {
		t.Errorf("%+v with %+v", d, d.Labels)
	}
	o := decompose.DefaultOptions()
	r, err := pipeline.Solve(context.Background(), in, o)
	if err != nil || r.Status != lp.Optimal || math.Abs(r.Objective-(1+3+5*(2+4))) > 1e-6 {
		t.Errorf("%v %g, %v", r.Status, r.Objective, err)
	}
}

// TestTablesAreReadBack writes instances as tables and as the family's own files, and reads the same.
func TestTablesAreReadBack(t *testing.T) {
	for _, in := range []*netdes.Instance{
		generate(t, "6x3-H", 2),
		generate(t, "5x1-L", 3),
		opened(t, familytest.Write(t, "x.csv", roads)),
		opened(t, familytest.Write(t, "y.csv", "problem;netdes\narc;from;to;fixed_cost;cost;capacity\n1;1;2;1;2;9\nnode;supply\n1;4\n2;-4\n")),
	} {
		own := filepath.Join(t.TempDir(), "own.dat")
		if err := pipeline.Write(own, in); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{familytest.Export(t, in, "x.csv"), familytest.Export(t, in, "x.json"), own} {
			back := opened(t, path)
			if back.Hash() != in.Hash() {
				t.Errorf("%s as %s is another instance", in.Label().Name, filepath.Base(path))
			}
			if in.Data.Labels != nil && path != own && !reflect.DeepEqual(back.Data.Labels, in.Data.Labels) {
				t.Errorf("%s as %s: %+v, want %+v", in.Label().Name, filepath.Base(path), back.Data.Labels, in.Data.Labels)
			}
		}
	}
}

// TestTablesOfWeights reads probabilities that do not sum to one, and a scenario that cannot occur: its supplies do not
// count, and the others keep their names.
func TestTablesOfWeights(t *testing.T) {
	var lines []string
	path := familytest.Write(t, "x.csv", strings.Replace(roads, "wet,0.25\ndry,0.75", "none,0\nwet,1\ndry,3", 1)+
		"none,5\n")
	in, err := netdes.Family.Read(path, families.ReadOptions{Warn: func(line string) { lines = append(lines, line) }})
	if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "sum to 4") {
		t.Fatalf("%v, %q", err, lines)
	}
	want := opened(t, familytest.Write(t, "y.csv", roads))
	if got := in.(*netdes.Instance).Data; !reflect.DeepEqual(got.Scenarios, want.Data.Scenarios) {
		t.Errorf("%+v, want %+v", got.Scenarios, want.Data.Scenarios)
	}
}

// TestBadTablesAreRefused checks that errors name the line and the field.
func TestBadTablesAreRefused(t *testing.T) {
	for _, c := range [][3]string{
		{"dry,5\n", "", `line 5, field 1 (arc): not a sound table file: no capacity of arc "last" in scenario "dry": neither here nor in the capacities`},
		{"last,B,C,4,2,", "last,B,B,4,2,", `line 5, field 3 (to): not a sound table file: it leads from node "B" to itself`},
		{"last,B,C,4,2,", "last,A,C,4,2,", `line 5, field 3 (to): not a sound table file: the second arc from node "A" to node "C"`},
		{"last,B,C,4,2,", "long,B,C,4,2,", `line 5, field 1 (arc): not a sound table file: arc "long" comes a second time`},
		{"first,A,B,3", "first,A,B,x", `line 4, field 4 (fixed_cost): not a sound table file: want a number, have "x"`},
		{"first,A,B,3,1", "first,A,B,3,-1", "line 4, field 5 (cost): not a sound table file: cost is negative"},
		{"wet,A,8\n", "wet,A,8\nwet,A,8\n", `line 13, field 3 (supply): not a sound table file: the second supply of node "A" in scenario "wet"`},
		{"wet,A,8", "wet,D,8", `line 12, field 2 (node): not a sound table file: no node is called "D"`},
		{"wet,A,8", "wte,A,8", `line 12, field 1 (scenario): not a sound table file: no scenario is called "wte"`},
		{"wet,A,8", "wet,A,9", `the supplies of scenario "wet" sum to 1, not to 0`},
		{"costs,long", "costs,lang", `line 15, field 2 (arc): not a sound table file: no arc is called "lang"`},
		{"scenario,probability\nwet,0.25\ndry,0.75\n", "", "line 7, field 1 (scenario): not a sound table file: costs of scenarios, and no table of the scenarios"},
		{"wet,0.25\ndry,0.75", "wet,0\ndry,0", "the probabilities sum to 0"},
		{"wet,0.25", "dry,0.25", `line 8, field 1 (scenario): not a sound table file: scenario "dry" comes a second time`},
		{"problem,netdes\n", "problem,netdes\nnode\nA\nC\n", `line 7, field 3 (to): not a sound table file: no node is called "B"`},
		{"9,4,10", "1e101,4,10", "fixed cost of arc"},
	} {
		text := strings.Replace(roads, c[0], c[1], 1)
		if c[0] == "scenario,probability\nwet,0.25\ndry,0.75\n" {
			text = strings.Replace(text, "scenario,node,supply\ndry,A,5\ndry,C,-5\nwet,A,8\nwet,C,-8\n", "", 1)
		}
		_, err := netdes.Family.Read(familytest.Write(t, "mine.csv", text), families.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c[2]) || !strings.Contains(err.Error(), "mine.csv: ") {
			t.Errorf("%q for %q: %v, want %q", c[1], c[0], err, c[2])
		}
	}

	// A number that is missing without scenarios has no scenario in its error.
	_, err := netdes.Family.Read(familytest.Write(t, "mine.csv", "problem,netdes\narc,from,to,fixed_cost\n1,A,B,3\n"), families.ReadOptions{})
	if err == nil || !strings.HasSuffix(err.Error(), `line 3, field 1 (arc): not a sound table file: no cost of arc "1"`) {
		t.Errorf("%v", err)
	}
}

// TestInfeasibleTablesAreExplained expects the names of the file in the reason.
func TestInfeasibleTablesAreExplained(t *testing.T) {
	in := opened(t, familytest.Write(t, "x.csv", strings.NewReplacer("wet,A,8", "wet,A,80", "wet,C,-8", "wet,C,-80").Replace(roads)))
	why, err := in.Infeasibility(context.Background())
	if err != nil || !strings.Contains(why, "80 must") || !strings.Contains(why, "{A}") || !strings.Contains(why, "in scenario wet") {
		t.Errorf("%q, %v", why, err)
	}
}

// TestPublishedInstancesAsTables turns a published instance into tables, which are the same.
func TestPublishedInstancesAsTables(t *testing.T) {
	for _, name := range []string{"network-10-10-L-01.dat", "network-10-20-H-02.dat", "network-30-10-L-03.dat.gz"} {
		path := filepath.Join("../../../shared/data/stoch/netdes", name)
		if _, err := os.Stat(path); err != nil {
			t.Skip("no ../shared/data")
		}
		own := opened(t, path)
		if in := opened(t, familytest.Export(t, own, "x.csv.gz")); in.Hash() != own.Hash() {
			t.Errorf("%s: another instance", name)
		}
	}
}
