package parallel

import (
	"runtime"
	"testing"
	"time"
)

// TestHelper starts jobs in quick succession and after pauses in which the goroutine falls asleep, on one processor
// and on several: each is done exactly once, before Wait returns.
func TestHelper(t *testing.T) {
	for _, processors := range []int{1, 2, 4} {
		before := runtime.GOMAXPROCS(processors)
		var h Helper
		done := 0
		for k := range 3000 {
			if k%500 == 250 {
				time.Sleep(5 * time.Millisecond)
			}
			if k%700 == 600 {
				h.Stop()
			}

			// Between Start and Wait this goroutine does more in some passes than in others.
			h.Start(func() { done++ })
			for range k % 3 {
				runtime.Gosched()
			}
			h.Wait()
			if done != k+1 {
				t.Fatalf("%d processors: %d jobs done after %d", processors, done, k+1)
			}
		}
		h.Stop()
		runtime.GOMAXPROCS(before)
	}
}

// TestHelperStop stops helpers that are looking for jobs and helpers that sleep: their goroutines end.
func TestHelperStop(t *testing.T) {
	before := runtime.NumGoroutine()
	for k := range 20 {
		var h Helper
		h.Start(func() {})
		h.Wait()
		if k%2 == 0 {
			time.Sleep(5 * time.Millisecond)
		}
		h.Stop()
		h.Stop() // there is nothing left to stop
	}
	for deadline := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// BenchmarkHelper hands over jobs that do nothing.
func BenchmarkHelper(b *testing.B) {
	var h Helper
	defer h.Stop()
	for b.Loop() {
		h.Start(func() {})
		h.Wait()
	}
}
