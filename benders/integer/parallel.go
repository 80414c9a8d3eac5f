package integer

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// parallel calls do for every number below n, by so many goroutines at a time (0 for one a processor), and returns the
// error of the least number.
func parallel(threads, n int, do func(k int) error) error {
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
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

	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
