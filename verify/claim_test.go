package verify_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// TestClaims compares claims of a run with a record that proves the objective 2 and the bound 1.5, one without a design,
// one without a bound, and one of a program without a design at all.
func TestClaims(t *testing.T) {
	inf := record.Number(math.Inf(1))
	tree := []record.Node{{Split: -1, Rows: []int32{-1, 0}, Weights: []float64{0.5, 1}}}
	whole := func() *record.Record {
		r := oneFacility(t)
		r.Header.Schema, r.Header.Bound, r.Tree = record.Schema, 1.5, tree
		return r
	}
	designless := func() *record.Record {
		r := whole()
		r.Header.Objective, r.Design = inf, nil
		return r
	}
	boundless := func() *record.Record {
		r := whole()
		r.Header.Bound, r.Tree = -inf, nil
		return r
	}

	for _, c := range []struct {
		of    func() *record.Record
		claim record.Claim
		says  string // what is not proven, "" where all is
	}{
		{whole, record.Claim{Status: "optimal", Objective: 2, Bound: 1.5, Gap: 0.25}, ""},
		{whole, record.Claim{Status: "optimal", Objective: 2, Bound: 1, Gap: 0.25}, ""},
		{whole, record.Claim{Status: "optimal", Objective: 3, Bound: 1.5, Gap: 0.25}, "optimal within the gap 0.25, and the proven bound leaves 0.5"},
		{whole, record.Claim{Status: "optimal", Objective: inf, Bound: 1.5, Gap: inf}, "an optimal design, and none"},
		{whole, record.Claim{Status: "optimal", Objective: 2 - 1e-9, Bound: 1.5 + 1e-9, Gap: 0.25}, ""},
		{whole, record.Claim{Status: "optimal", Objective: 2, Bound: 1.5, Gap: 0.24}, "that this is optimal within the gap 0.24, and the proven bound leaves 0.25"},
		{whole, record.Claim{Status: "optimal", Objective: 2 - 1e-8, Bound: 1.5, Gap: 0.25}, "the objective 1.99999999"},
		{whole, record.Claim{Status: "optimal", Objective: 2, Bound: 1.5 + 1e-8, Gap: 0.25}, "the bound 1.50000001"},
		{whole, record.Claim{Status: "optimal", Objective: 2, Bound: 2, Gap: 1e-4}, "the bound 2, and what is proven is 1.5; that this is optimal"},
		{whole, record.Claim{Status: "optimal", Objective: record.Number(math.NaN()), Bound: 1.5, Gap: 1}, "the objective NaN"},
		{whole, record.Claim{Status: "node_limit", Objective: 2, Bound: record.Number(math.NaN())}, "the bound NaN"},
		{whole, record.Claim{Status: "node_limit", Objective: 2, Bound: 1.5}, ""},
		{whole, record.Claim{Status: "fixed_point", Objective: inf, Bound: -inf}, ""},
		{whole, record.Claim{Status: "stalled", Objective: 1, Bound: -inf}, "the objective 1, and the design costs 2"},
		{whole, record.Claim{Status: "infeasible", Objective: inf, Bound: -inf}, "that no design is feasible"},
		{designless, record.Claim{Status: "node_limit", Objective: inf, Bound: 1.5}, ""},
		{designless, record.Claim{Status: "optimal", Objective: 0, Bound: 0}, "the objective 0, and no design is proven; an optimal"},
		{designless, record.Claim{Status: "optimal", Objective: inf, Bound: 0, Gap: inf}, "an optimal design, and none is proven"},
		{designless, record.Claim{Status: "infeasible", Objective: inf, Bound: inf}, "the bound +Inf"},
		{boundless, record.Claim{Status: "time_limit", Objective: 2, Bound: -inf}, ""},
		{boundless, record.Claim{Status: "time_limit", Objective: 2, Bound: 0}, "the bound 0, and what is proven is -Inf"},
		{boundless, record.Claim{Status: "optimal", Objective: 2, Bound: -inf, Gap: 1e-4}, "that this is optimal"},
	} {
		r := c.of()
		r.Header.Run = &c.claim
		report, err := verify.Verify(t.Context(), r, nil)
		if c.says == "" {
			if err != nil {
				t.Errorf("%+v: %v", c.claim, err)
			}
			continue
		}
		if !errors.Is(err, verify.ErrClaim) || !errors.Is(err, verify.ErrProof) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%+v: %v, want %q", c.claim, err, c.says)
		}
		if (r.Design != nil && report.Objective != 2) || (r.Tree != nil && report.Bound != 1.5) {
			t.Errorf("%+v: the report is not complete: %+v", c.claim, report)
		}
	}
}

// TestClaimsOfNoKind: the status is one that a recorded run ends with, and a header of the present schema has a claim.
func TestClaimsOfNoKind(t *testing.T) {
	for _, status := range []string{"", "Optimal", "unbounded", "optimal\n", "unknown"} {
		r := oneFacility(t)
		r.Header.Schema, r.Header.Bound = record.Schema, record.Number(math.Inf(-1))
		r.Header.Run = &record.Claim{Status: status, Objective: 2, Bound: record.Number(math.Inf(-1))}
		if _, err := verify.Verify(t.Context(), r, nil); !errors.Is(err, verify.ErrProof) || errors.Is(err, verify.ErrClaim) {
			t.Errorf("%q: %v", status, err)
		}
	}
	for _, gap := range []float64{-1e-9, math.Inf(-1), math.NaN()} {
		r := oneFacility(t)
		r.Header.Schema, r.Header.Bound = record.Schema, record.Number(math.Inf(-1))
		r.Header.Run = &record.Claim{Status: "stalled", Objective: 2, Bound: record.Number(math.Inf(-1)), Gap: record.Number(gap)}
		if _, err := verify.Verify(t.Context(), r, nil); !errors.Is(err, verify.ErrProof) || errors.Is(err, verify.ErrClaim) {
			t.Errorf("gap %g: %v", gap, err)
		}
	}
	r := oneFacility(t)
	r.Header.Schema, r.Header.Bound = record.Schema, record.Number(math.Inf(-1))
	if _, err := verify.Verify(t.Context(), r, nil); !errors.Is(err, verify.ErrProof) {
		t.Errorf("without a claim: %v", err)
	}
}
