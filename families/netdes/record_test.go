package netdes_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// proven records a run, writes and reads the record, with another schema where that is not 0, proves it, and that it is
// about the instance.
func proven(t *testing.T, in, of families.Instance, method decompose.Method, schema int) *record.Record {
	t.Helper()
	o := decompose.DefaultOptions()
	o.Method = method
	res, rec, err := pipeline.Record(t.Context(), of, o)
	if err != nil {
		t.Fatal(err)
	}
	if schema != 0 {
		rec.Header.Schema, rec.Header.Run = schema, nil
	}
	var b bytes.Buffer
	if err := record.Encode(&b, rec); err != nil {
		t.Fatal(err)
	}
	if rec, err = record.Decode(&b, "record"); err != nil {
		t.Fatal(err)
	}
	report, err := verify.Verify(t.Context(), rec, nil)
	if err != nil || report.Bound < res.Bound || res.Design != nil && report.Objective > res.Objective {
		t.Errorf("%s %s: %v: [%g, %g] of [%g, %g]", in.Label().Name, method, err, report.Bound, report.Objective, res.Bound,
			res.Objective)
	}
	if res.Status != lp.Optimal && res.Status != lp.Infeasible {
		t.Errorf("%s %s: status %s", in.Label().Name, method, res.Status)
	}
	data, err := pipeline.Data(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := verify.About(rec, "netdes", data...); err != nil {
		t.Error(err)
	}
	return rec
}

// TestRecordsAreProven proves runs of both methods in the layout of the family, and in that of a model, which older
// records have.
func TestRecordsAreProven(t *testing.T) {
	for seed := range uint64(6) {
		for _, class := range []string{"4x3-H", "6x5-L", "12x2-L"} {
			in, err := netdes.Family.Generate(class, seed)
			if err != nil {
				t.Fatal(err)
			}
			for _, method := range decompose.Methods[:2] {
				if rec := proven(t, in, in, method, 0); rec.Instance.Hash != in.Hash() {
					t.Errorf("the hash is not that of the instance")
				}
			}
			if class == "4x3-H" {
				plain, err := in.(*netdes.Instance).Equivalent()
				if err != nil {
					t.Fatal(err)
				}
				proven(t, in, plain, decompose.Exact, 3)
			}
		}
	}
}

// TestRowsOfAllScenariosAreProven has a node whose arcs suffice two at a time, which takes both scenarios to say, and
// alters the rows of cut sets: none of them says more than is proven.
func TestRowsOfAllScenariosAreProven(t *testing.T) {
	d := &netdes.Data{Name: "two", Nodes: 5, Tail: []int32{0, 0, 0, 1, 2, 3}, Head: []int32{1, 2, 3, 4, 4, 4},
		Fixed: []float64{9, 8, 7, 1, 2, 1}}
	wide := []float64{9, 9, 9}
	for _, s := range []netdes.Scenario{{Capacity: []float64{9, 5, 5}}, {Capacity: []float64{5, 9, 5}}} {
		s.Probability, s.Cost, s.Demand = 0.5, make([]float64, 6), []float64{9, 0, 0, 0, -9}
		s.Capacity = slices.Concat(s.Capacity, wide)
		d.Scenarios = append(d.Scenarios, s)
	}
	in, err := netdes.New(d)
	if err != nil {
		t.Fatal(err)
	}
	rec := proven(t, in, in, decompose.Exact, 0)
	rec.Cuts = append(rec.Cuts, record.Cut{Feasibility: true, Theta: record.AllEpigraphs, Alpha: 1 - 1e-9,
		Index: []int32{0, 1, 2}, Beta: []float64{-0.5, -0.5, -0.5}, Nodes: []int32{0}, Case: record.AllCases})
	if _, err := verify.Verify(t.Context(), rec, nil); err != nil {
		t.Fatal(err)
	}
	last := &rec.Cuts[len(rec.Cuts)-1]
	for what, alter := range map[string]func(){
		"side":        func() { last.Alpha = 1.001 },
		"coefficient": func() { last.Beta = []float64{-0.5, -0.49, -0.5} },
		"sign":        func() { last.Beta = []float64{-0.5, 0.5, -0.5} },
		"column":      func() { last.Index = []int32{0, 1, 3} },
		"set":         func() { last.Nodes = []int32{0, 1} },
		"no set":      func() { last.Nodes = nil },
		"one case":    func() { last.Case = 1 },
		"no case":     func() { last.Case = 2 },
	} {
		kept := *last
		alter()
		if _, err := verify.Verify(t.Context(), rec, nil); err == nil {
			t.Errorf("another %s is taken for proven: %s", what, fmt.Sprint(*last))
		}
		*last = kept
	}
}
