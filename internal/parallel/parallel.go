// Package parallel runs numbered jobs by several goroutines, so that what they compute does not depend on how many.
package parallel

import (
	"cmp"
	"runtime"
	"sync"
	"sync/atomic"
)

// Each calls do for every number below n, by at most threads goroutines at a time (0 for one a processor), and returns
// the error of the least number.
func Each(threads, n int, do func(k int) error) error {
	// The number of processors decides only how many run at a time, not what they compute.
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}

	// Goroutines draw the next number until there is none. Each number has an error of its own, so that no goroutine
	// writes where another one does.
	errs := make([]error, n)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range min(threads, n) {
		wait.Go(func() {
			for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
				errs[k] = do(k)
			}
		})
	}
	wait.Wait()

	// The first error that is not nil, whichever goroutine was first.
	return cmp.Or(errs...)
}

// Parts splits the numbers below n into at most limit groups of neighbours, of nearly equal sizes.
func Parts(n, limit int) [][]int {
	count := min(n, limit)
	out := make([][]int, count)
	for k := range n {
		// Group g has the numbers from g*n/count, rounded up, to before (g+1)*n/count.
		g := k * count / n
		out[g] = append(out[g], k)
	}
	return out
}

// Part returns the numbers of one group of Parts(n, count), where count is at most n: from the first one to before the
// second one.
func Part(n, count, group int) (from, to int) {
	begin := func(g int) int { return (g*n + count - 1) / count }
	return begin(group), begin(group + 1)
}
