package verify_test

import (
	"encoding/json"
	"errors"
	"math"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// oneFacility is a record of one client and one facility, which cost 1 each, without a tree and the claim of a run.
func oneFacility(t *testing.T) *record.Record {
	t.Helper()
	data, err := json.Marshal(record.Facilities{Facilities: 1, Clients: 1, Fixed: []float64{1}, Cost: []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	r := &record.Record{Header: record.Header{Schema: 4, Family: "ufl", Epigraphs: 1, Objective: 2}, Instance: record.Instance{Data: data},
		Cuts:   []record.Cut{{Theta: 0, Alpha: 1, Certificate: []float64{1}}},
		Rows:   []record.Row{{Lower: 1, Index: []int32{0}, Value: []float64{1}}},
		Design: &record.Design{Y: []float64{1}}}
	r.Instance.Hash = record.ContentHash("", []int{1, 1}, []float64{1}, []float64{1})
	return r
}

// TestDeepTreesNeedNoStack walks a path of many splits with the stack of a goroutine bounded: one that is complete, and
// one that ends before its end.
func TestDeepTreesNeedNoStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	const depth = 1 << 17
	r := oneFacility(t)
	leaf := record.Node{Split: -1, Rows: []int32{-1, 0}, Weights: []float64{1, 1}}
	for range depth {
		r.Tree = append(r.Tree, record.Node{Split: 0, At: 0})
	}
	for range depth + 1 {
		r.Tree = append(r.Tree, leaf)
	}
	r.Header.Bound = 2
	report, err := verify.Verify(t.Context(), r, nil)
	if err != nil || report.Bound != 2 || report.Leaves != depth+1 {
		t.Errorf("%+v, %v", report, err)
	}
	r.Tree = r.Tree[:len(r.Tree)-1]
	if _, err := verify.Verify(t.Context(), r, nil); !errors.Is(err, verify.ErrProof) || !strings.Contains(err.Error(), "before all designs") {
		t.Errorf("a tree without its last leaf: %v", err)
	}
}

// TestBoundsBeyondFloats: a bound of the leaves that no float64 holds is no claim that there is no design.
func TestBoundsBeyondFloats(t *testing.T) {
	r := oneFacility(t)
	data := record.Facilities{Facilities: 1, Clients: 1, Fixed: []float64{1.5e308}, Cost: []float64{1.5e308}}
	var err error
	if r.Instance.Data, err = json.Marshal(data); err != nil {
		t.Fatal(err)
	}
	r.Instance.Hash = record.ContentHash("", []int{1, 1}, data.Fixed, data.Cost)
	r.Cuts[0].Alpha, r.Cuts[0].Certificate[0] = 1.5e308, 1.5e308
	r.Tree = []record.Node{{Split: -1, Rows: []int32{-1, 0}, Weights: []float64{1.5e308, 1}}}
	r.Header.Bound, r.Header.Objective, r.Design = 1e308, record.Number(math.Inf(1)), nil
	report, err := verify.Verify(t.Context(), r, nil)
	if err != nil || report.Bound != math.MaxFloat64 {
		t.Errorf("%+v, %v", report, err)
	}
}
