package prove_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/verify"
)

// TestPublishedInstancesAreProven records and verifies runs on the instances in ../shared/data.
func TestPublishedInstancesAreProven(t *testing.T) {
	const data = "../../../shared/data"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no ../shared/data")
	}
	for _, c := range []struct {
		family families.Family
		file   string
		slow   bool
	}{{cap.Family, "cap/cap41.txt", false}, {cap.Family, "cap/cap92.txt", false}, {cap.Family, "cap/cap131.txt", true}, {ufl.Family, "ufl/m/MO1.gz", true}} {
		if c.slow && testing.Short() {
			continue
		}
		matches, _ := filepath.Glob(filepath.Join(data, c.file))
		if len(matches) != 1 {
			t.Fatalf("%s: %v", c.file, matches)
		}
		in, err := c.family.Read(matches[0], families.ReadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		o := decompose.DefaultOptions()
		began := time.Now()
		res, rec, err := pipeline.Record(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		solved := time.Now()
		report, err := verify.Verify(t.Context(), rec, nil)
		t.Logf("%s: %v %.6g >= %.6g, %d cuts, %d leaves, %v to run and prove, %v to verify", c.file, res.Status, report.Objective, report.Bound,
			report.Optimality+report.Feasibility, report.Leaves, solved.Sub(began), time.Since(solved))
		if err != nil || res.Status != lp.Optimal {
			t.Errorf("%s: %v, %v", c.file, res.Status, err)
		}
	}
}
