package benders_test

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
)

// TestStatusesAreDocumented looks for every status in the tables of the package and of the guide.
func TestStatusesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile("../docs/json.md")
	if err != nil {
		t.Fatal(err)
	}
	for s := lp.NotSolved; s.String() != "unknown"; s++ {
		if !strings.Contains(string(doc), "//\t"+s.String()+" ") {
			t.Errorf("the table of package benders has no %v", s)
		}
		if !strings.Contains(string(guide), "`"+s.String()+"`") {
			t.Errorf("docs/json.md has no %v", s)
		}
	}
}

// TestReasons settles results for every reason: without a design nothing is optimal, and the status of a result whose
// numbers have not changed stays as it is. A proven gap makes every end of a search and every limit optimal.
func TestReasons(t *testing.T) {
	for why := benders.Unfinished; why <= benders.Cancelled; why++ {
		// Without a design the status is that of the reason.
		none := benders.Nothing(why)
		before := none.Status
		if none.Settle(why, 1e-4); none.Status != before || before == lp.Optimal {
			t.Errorf("reason %d without a design: %v, then %v", why, before, none.Status)
		}

		// An open gap proves nothing, so that the status is the same as without a design.
		open := benders.Result{Design: []float64{1}, Objective: 2, Bound: 1}
		if open.Settle(why, 1e-4); open.Status != before || open.Gap != 0.5 {
			t.Errorf("reason %d with a gap: %v, %g", why, open.Status, open.Gap)
		}

		// A closed gap proves that the design is optimal, unless the reason excludes a design or a bound.
		closed := benders.Result{Design: []float64{1}, Objective: 2, Bound: 2}
		closed.Settle(why, 1e-4)
		never := why == benders.Unfinished || why == benders.NoDesign || why == benders.NoBound
		if (closed.Status == lp.Optimal) == never || closed.Gap > 1e-9 {
			t.Errorf("reason %d with a proof: %v, %g", why, closed.Status, closed.Gap)
		}

		// A result without its design is not optimal.
		closed.Withdraw()
		if closed.Design != nil || !math.IsNaN(closed.Objective) || closed.Status == lp.Optimal {
			t.Errorf("reason %d withdrawn: %+v", why, closed)
		}
	}

	// A complete and exact search is optimal where the gap is within the tolerance of the cuts, though it is above 1e-6.
	precise := benders.Result{Design: []float64{1}, Objective: 2, Bound: 1.99999}
	if precise.Settle(benders.CompletedProof, 1e-6); precise.Status != lp.Optimal {
		t.Errorf("within the precision of cuts: %v", precise.Status)
	}

	// A larger gap is a numerical failure.
	beyond := benders.Result{Design: []float64{1}, Objective: 2, Bound: 1.9999}
	if beyond.Settle(benders.CompletedProof, 1e-6); beyond.Status != lp.NotSolved {
		t.Errorf("beyond the precision of cuts: %v", beyond.Status)
	}

	// Without exact separation the tolerance of the cuts proves nothing.
	if precise.Settle(benders.InexactProof, 1e-6); precise.Status != lp.NotSolved {
		t.Errorf("not separated exactly: %v", precise.Status)
	}
	if precise.Settle(benders.OneSided, 1e-6); precise.Status != lp.FixedPoint {
		t.Errorf("by predictions: %v", precise.Status)
	}
}
