package parallel_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/proxybd/proxybd/internal/parallel"
)

// TestEach runs every job once, by any number of goroutines, and returns the error of the least number that has one.
func TestEach(t *testing.T) {
	for _, threads := range []int{0, 1, 2, 9} {
		var runs [20]atomic.Int32
		err := parallel.Each(threads, len(runs), func(k int) error {
			runs[k].Add(1)
			if k == 7 || k == 12 {
				return fmt.Errorf("job %d", k)
			}
			return nil
		})
		if err == nil || err.Error() != "job 7" {
			t.Errorf("%d threads: %v", threads, err)
		}
		for k := range runs {
			if n := runs[k].Load(); n != 1 {
				t.Errorf("%d threads: job %d ran %d times", threads, k, n)
			}
		}
	}
	if err := parallel.Each(2, 0, func(int) error { return nil }); err != nil {
		t.Error(err)
	}
}

// TestParts splits numbers into groups whose sizes differ by at most one, in their order.
func TestParts(t *testing.T) {
	for n := range 12 {
		for limit := 1; limit < 14; limit++ {
			var all []int
			parts := parallel.Parts(n, limit)
			for _, p := range parts {
				all = append(all, p...)
				if len(p) < n/len(parts) || len(p) > n/len(parts)+1 {
					t.Errorf("%d in %d: %v", n, limit, parts)
				}
			}
			if len(parts) != min(n, limit) || len(all) != n || !slices.IsSorted(all) {
				t.Errorf("%d in %d: %v", n, limit, parts)
			}
		}
	}
}
