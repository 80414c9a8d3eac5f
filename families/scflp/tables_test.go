package scflp_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/familytest"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/lp"
)

// sites is a table file whose customers are those of the costs.
const sites = `problem,scflp
facility,capacity,fixed_cost
north,9,20
2,14,25
south,8,12
costs,2,north,south
a,2,1,4
b,1,3,2
c,3,5,1
scenario,probability
low,0.25
high,0.75
demands,c,a,b
high,5,6,4
low,2,3,1
`

// opened reads a file, which may have no warnings.
func opened(t testing.TB, path string) *scflp.Instance {
	t.Helper()
	return familytest.Open[*scflp.Instance](t, scflp.Family, path)
}

// TestTablesAreRead compares the data of a table file with the numbers in it, whose columns are in other orders.
func TestTablesAreRead(t *testing.T) {
	in := opened(t, familytest.Write(t, "mine.csv", sites))
	d := in.Data
	want := &scflp.Data{
		Facilities:  3,
		Customers:   3,
		Scenarios:   2,
		Capacity:    []float64{9, 14, 8},
		Fixed:       []float64{20, 25, 12},
		Cost:        [][]float64{{1, 3, 5}, {2, 1, 3}, {4, 2, 1}},
		Demand:      [][]float64{{3, 1, 2}, {6, 4, 5}},
		Probability: []float64{0.25, 0.75},
		Names:       []string{"low", "high"},
		Labels:      d.Labels,
	}
	if !reflect.DeepEqual(d, want) || in.Label().Name != "mine" {
		t.Errorf("%+v, want %+v", d, want)
	}
	if !reflect.DeepEqual(d.Labels.Facilities, []string{"north", "2", "south"}) ||
		!reflect.DeepEqual(d.Labels.Clients, []string{"a", "b", "c"}) || in.OpenID(1) != "2" {
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

// TestTablesAreReadBack writes instances as tables and as the family's own files, and reads the same.
func TestTablesAreReadBack(t *testing.T) {
	drawn, err := scflp.Generate("4x3:5", 2)
	if err != nil {
		t.Fatal(err)
	}
	single := sites + "setting,value\nsingle_sourcing,yes\n"
	list := []*scflp.Instance{
		drawn,
		opened(t, familytest.Write(t, "x.csv", sites)),
		opened(t, familytest.Write(t, "single.csv", single)),
		opened(t, familytest.Write(t, "places.csv", strings.NewReplacer("fixed_cost", "fixed_cost,x,y", ",20\n", ",20,1,2\n",
			",25\n", ",25,3,4\n", ",12\n", ",12,5,-6\n", "costs", "customer,x,y\na,0,0\nb,1,1\nc,2,0\ncosts").Replace(sites))),
	}
	for _, in := range list {
		own := filepath.Join(t.TempDir(), "own.json")
		if err := pipeline.Write(own, in); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{familytest.Export(t, in, "x.csv"), familytest.Export(t, in, "x.json"), own} {
			back := opened(t, path)
			if back.Hash() != in.Hash() || back.Data.Single != in.Data.Single {
				t.Errorf("%s as %s is another instance", in.Label().Name, filepath.Base(path))
			}
			if in.Data.Labels != nil && path != own && !reflect.DeepEqual(back.Data, in.Data) {
				t.Errorf("%s as %s: %+v, want %+v", in.Label().Name, filepath.Base(path), back.Data, in.Data)
			}
		}
	}
	if !list[2].Data.Single || list[3].Data.Labels.Places == nil {
		t.Error("the settings or places were not read")
	}
}

// TestProbabilitiesAreWeights reads probabilities that do not sum to one, and a scenario that cannot occur.
func TestProbabilitiesAreWeights(t *testing.T) {
	for _, path := range []string{
		familytest.Write(t, "x.csv", strings.NewReplacer("low,0.25\nhigh,0.75", "none,0\nlow,1\nhigh,3", "low,2,3,1", "low,2,3,1\nnone,9,9,9").Replace(sites)),
		familytest.Write(t, "x.json", `{"n_facilities":3,"n_customers":3,"n_scenarios":3,"capacities":[9,14,8],"fixed_costs":[20,25,12],
			"costs":[[1,3,5],[2,1,3],[4,2,1]],"demands":[[9,9,9],[3,1,2],[6,4,5]],"probabilities":[0,1,3]}`),
	} {
		var lines []string
		in, err := scflp.Family.Read(path, families.ReadOptions{Warn: func(line string) { lines = append(lines, line) }})
		if err != nil || len(lines) != 2 || !strings.Contains(lines[0], "sum to 4") {
			t.Fatalf("%v, %q", err, lines)
		}
		if want := opened(t, familytest.Write(t, "y.csv", sites)); in.Hash() != want.Hash() {
			t.Errorf("%+v, want %+v", in.(*scflp.Instance).Data, want.Data)
		}
	}

	// Equal probabilities need not be written.
	in := opened(t, familytest.Write(t, "x.csv", strings.NewReplacer("low,0.25", "low,0.5", "high,0.75", "high,0.5").Replace(sites)))
	if in.Data.Probability != nil {
		t.Errorf("probabilities %v", in.Data.Probability)
	}
}

// TestBadTablesAreRefused checks that errors name the line and the field.
func TestBadTablesAreRefused(t *testing.T) {
	for _, c := range [][3]string{
		{"c,3,5,1\n", "c,3,5\n", `mine.csv: not a sound table file: no cost of customer "c" at facility "south"`},
		{"costs,2", "costs,two", `line 7, field 2 (facility): not a sound table file: no facility is called "two"`},
		{"low,2,3,1\n", "", `no demand of customer "a" in scenario "low"`},
		{"low,2,3,1\n", "low,2,3,1\nlow,1,1,1\n", `line 16, field 2 (demand): not a sound table file: the second demand of customer "c" in scenario "low"`},
		{"demands,c", "demands,k", `line 14, field 2 (customer): not a sound table file: no customer is called "k"`},
		{"high,5", "hgih,5", `line 14, field 1 (scenario): not a sound table file: no scenario is called "hgih"`},
		{"high,5,6,4", "high,5,-6,4", "line 14, field 3 (demand): not a sound table file: demand is negative"},
		{"north,9", "north,x", `line 3, field 2 (capacity): not a sound table file: want a number, have "x"`},
		{"south,8,12", "north,8,12", `line 5, field 1 (facility): not a sound table file: facility "north" comes a second time`},
		{"low,0.25\nhigh,0.75", "low,0\nhigh,0", "the probabilities sum to 0"},
		{"low,2,3,1\n", "low,2,3,1\nsetting,value\nsingle,yes\n", `line 17, field 1 (setting): not a sound table file: no setting is called "single"`},
		{"low,2,3,1\n", "low,2,3,1\nsetting,value\nsingle_sourcing,1\n", `line 17, field 2 (value): not a sound table file: single_sourcing is yes or no, not "1"`},
		{"low,2,3,1\n", "low,2,3,1e200\n", "demands: number 2 of row 1 is 1e+200"},
	} {
		_, err := scflp.Family.Read(familytest.Write(t, "mine.csv", strings.Replace(sites, c[0], c[1], 1)), families.ReadOptions{})
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q for %q: %v, want %q", c[1], c[0], err, c[2])
		}
	}
}

// TestPublishedInstancesAsTables turns a published instance into tables, and solves these.
func TestPublishedInstancesAsTables(t *testing.T) {
	path := "../../../shared/data/stoch/scflp/f10-c10-s5-r3-1.json"
	if _, err := os.Stat(path); err != nil {
		t.Skip("no ../shared/data")
	}
	own := opened(t, path)
	in := opened(t, familytest.Export(t, own, "x.csv"))
	if in.Hash() != own.Hash() {
		t.Error("another instance")
	}
	o := decompose.DefaultOptions()
	o.Benders.Gap = 1e-8
	const want = 13988.33058451
	r, err := pipeline.Solve(context.Background(), in, o)
	if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want) <= 1e-7*want) {
		t.Errorf("%v %.12g, %v; want %.12g", r.Status, r.Objective, err, want)
	}
}
