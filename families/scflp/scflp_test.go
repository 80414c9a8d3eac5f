package scflp_test

import (
	"bytes"
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/lp"
)

// textbook is the extensive form as the problem is stated, with shares of the demand as columns.
func textbook(d *scflp.Data) *lp.Model {
	m := &lp.Model{}
	for _, f := range d.Fixed {
		m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true})
	}
	for s, demand := range d.Demand {
		probability := 1 / float64(d.Scenarios)
		if d.Probability != nil {
			probability = d.Probability[s]
		}
		serve := len(m.Rows)
		for range demand {
			m.AddRow(lp.Row{Lower: 1, Upper: 1}, nil, nil)
		}
		for i, s := range d.Capacity {
			row := m.AddRow(lp.Row{Lower: 0, Upper: lp.Inf}, []int32{int32(i)}, []float64{s})
			for j, v := range demand {
				x := m.AddCol(lp.Col{Cost: d.Cost[i][j] * v * probability, Upper: lp.Inf})
				m.AddEntry(lp.Con(serve+j), x, 1)
				m.AddEntry(row, x, -v)
			}
		}
	}
	return m
}

// TestOptimaAreThoseOfTheTextbookModel solves small instances and compares with branch and cut on the problem as
// stated.
func TestOptimaAreThoseOfTheTextbookModel(t *testing.T) {
	for seed := range uint64(8) {
		in, err := scflp.Generate([]string{"6x5:4", "6x5:4:lognormal:0.8:0.5"}[seed%2], seed)
		if err != nil {
			t.Fatal(err)
		}
		want, err := bnb.Solve(context.Background(), textbook(in.Data), bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil || want.Status != lp.Optimal {
			t.Fatal(want.Status, err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-7
		got, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || got.Status != lp.Optimal || !(math.Abs(got.Objective-want.Objective) <= 1.1e-4*want.Objective) {
			t.Errorf("seed %d: %v %.10g, %v; want %.10g", seed, got.Status, got.Objective, err, want.Objective)
		}
	}
}

// TestFilesAreReadBack writes an instance, plain and gzipped, and reads the same.
func TestFilesAreReadBack(t *testing.T) {
	in, err := scflp.Generate("4x3:5", 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{".json", ".json.gz"} {
		path := filepath.Join(t.TempDir(), in.Label().Name+end)
		if err := pipeline.Write(path, in); err != nil {
			t.Fatal(err)
		}
		back, err := scflp.Family.Read(path, families.ReadOptions{})
		if err != nil || back.Hash() != in.Hash() || back.Label() != in.Label() {
			t.Fatalf("%v: %v", end, err)
		}
	}
	other, _, err := in.Perturb("other", 0.3, 1)
	if err != nil || other.Hash() == in.Hash() {
		t.Errorf("a variant is the same, %v", err)
	}
}

const small = `{"n_facilities":1,"n_customers":2,"n_scenarios":1,
"capacities":[5],"demands":[[1,2]],"fixed_costs":[3],
"costs":[[4,5]]}`

// TestBadFilesAreRefused checks that every fault is named with its place.
func TestBadFilesAreRefused(t *testing.T) {
	if _, err := scflp.Decode(strings.NewReader(small), "f"); err != nil {
		t.Fatal(err)
	}
	for _, c := range [][3]string{
		{`"capacities":[5]`, `"capacities":["5"]`, "line 2: json: cannot unmarshal string into Go struct field Data.capacities"},
		{`"capacities":[5],`, ``, "capacities: 0 numbers in row 1, not 1"},
		{`[[1,2]]`, `[[1,2],[3,4]]`, "demands: 2 rows, not 1"},
		{`[[1,2]]`, `[[1,-2]]`, "demands: number 2 of row 1 is -2"},
		{`[[1,2]]`, `[[1,2e300]]`, "demands: number 2 of row 1 is 2e+300"},
		{`"n_customers":2`, `"n_customers":3`, "demands: 2 numbers in row 1, not 3"},
		{`"n_customers":2`, `"n_customers":0`, "1 facilities, 0 customers"},
		{`[[4,5]]}`, `[[4,5]]`, "line 3: unexpected EOF"},
		{`[[4,5]]}`, `[[4,5]]}}`, "line 3: text after the object"},
		{`"costs"`, `"coasts"`, `unknown field "coasts"`},
	} {
		_, err := scflp.Decode(strings.NewReader(strings.Replace(small, c[0], c[1], 1)), "f")
		if !errors.Is(err, instance.ErrFormat) || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%q for %q: %v, want %q", c[1], c[0], err, c[2])
		}
	}
	if _, err := scflp.Decode(strings.NewReader("no data\n"), "f"); !errors.Is(err, families.ErrForeign) {
		t.Errorf("another file: %v", err)
	}
}

// TestPublishedInstances solves the two instances whose optimum is known.
func TestPublishedInstances(t *testing.T) {
	for name, want := range map[string]float64{"f10-c10-s5-r3-1": 13988.33058451, "f10-c10-s25-r3-1": 10940.91703501} {
		files, _ := filepath.Glob("../../../shared/data/stoch/scflp/" + name + ".json")
		if len(files) == 0 {
			t.Skip("no ../shared/data")
		}
		in, err := scflp.Read(files[0])
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		o.Benders.Gap = 1e-8
		r, err := pipeline.Solve(context.Background(), in, o)
		if err != nil || r.Status != lp.Optimal || !(math.Abs(r.Objective-want) <= 1e-7*want) {
			t.Errorf("%s: %v %.12g, %v; want %.12g", name, r.Status, r.Objective, err, want)
		}
	}
}

// FuzzDecode reads files of any content: an error, or data that is written and read back as the same.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(small))
	f.Add([]byte("\x1f\x8b"))
	f.Add([]byte(strings.Replace(small, "[[4,5]]", `[[4,5]],"probabilities":[2]`, 1)))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := scflp.Decode(bytes.NewReader(data), "f")
		if err != nil {
			return
		}
		in, err := scflp.New("f", d)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := in.Encode(&out); err != nil {
			t.Fatal(err)
		}
		if d, err = scflp.Decode(&out, "f"); err != nil {
			t.Fatal(err)
		}
		if back, err := scflp.New("f", d); err != nil || back.Hash() != in.Hash() {
			t.Errorf("read back: %v", err)
		}
	})
}
