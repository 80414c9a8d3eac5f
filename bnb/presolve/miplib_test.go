package presolve

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp/mps"
)

// TestMIPLIBSizes logs what presolve makes of the MIPLIB models, where they lie beside the module (go test
// -v), and checks the shape of the results.
func TestMIPLIBSizes(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/data/miplib/*.mps.gz")
	if len(files) == 0 {
		t.Skip("no ../shared/data (MIPLIB)")
	}
	for _, file := range files {
		m, _, err := mps.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		r, err := Reduce(context.Background(), m, DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".mps.gz")
		if r.Model == nil {
			t.Errorf("%s: status %v", name, r.Status)
			continue
		}
		if err := r.Model.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		c := &r.Counts
		t.Logf("%-10s rows %5d %5d  cols %6d %6d  ints %6d %6d  nnz %7d %7d  fixed %d dual %d dominated %d merged %d aggregated %d removed %d tightened %d coefficients %d sides %d parallel %d implied %d probes %d/%d/%d/%d implications %d  work %.3g  %v",
			name, len(m.Rows), len(r.Model.Rows), len(m.Cols), len(r.Model.Cols), m.NumInteger(), r.Model.NumInteger(), m.NumEntries(), r.Model.NumEntries(),
			c.Fixed, c.DualFixed, c.Dominated, c.Merged, c.Aggregated, c.Removed, c.Tightened, c.Coefficients, c.Sides, c.ParallelRows, c.ImpliedIntegers,
			c.Probes, c.ProbeFixed, c.ProbeBounds, c.ProbeMerged, len(r.Facts.Implications), float64(r.Work), time.Since(began).Round(time.Millisecond))
	}
}
