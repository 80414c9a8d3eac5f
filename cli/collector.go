package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The commands choose how much the heap grows before the garbage collector runs. No result depends on it.

const (
	lpGCStart   = 200         // of `lp`, until the model is read: the collector waits for a heap of 4 MiB times this
	lpGCPercent = 30          // by how much the heap of a large model grows: 100 would give pilot87 6 to 11 MiB more
	lpGCEntries = 50000 * 100 // ... and that of a smaller one by this, divided by the number of its nonzero entries

	// memberGCPercent is by how much the heap of one of several processes grows: most of it are numbers, which the
	// collector does not read.
	memberGCPercent = 50

	// floorBytes is what the heap of a decomposition may grow to in any case, and floorPercent how much of it at most may
	// be garbage, in units of a hundredth of what is in use. Programs with integer recourse solve thousands of tiny
	// mixed-integer programs a second: with a heap of 8 MiB the collector took a fifth of the time of dcap233-200.
	floorBytes   = 48 << 20
	floorPercent = 1000
)

// tunedByUser reports whether the user has tuned the collector, which is then left alone.
func tunedByUser() bool { return os.Getenv("GOGC") != "" }

// collector sets when the garbage collector first runs in `lp`, and returns what undoes that. Small models are read and
// solved before it would: it took a twentieth of their time.
func collector() (undo func()) {
	if tunedByUser() {
		return func() {}
	}

	// The share stays until a large model sets its own, or until the command ends.
	old := debug.SetGCPercent(lpGCStart)
	return func() { debug.SetGCPercent(old) }
}

// collectEarly makes the collector run early while a large model is solved. The solver does not allocate at its
// pivots, so a small heap costs next to nothing.
func collectEarly(entries int) {
	if !tunedByUser() {
		// The share falls in proportion to the size of the model, between the two constants.
		debug.SetGCPercent(min(max(lpGCPercent, lpGCEntries/max(1, entries)), lpGCStart))
	}
}

// collectOften makes the garbage collector keep the heap of one of several processes small.
func collectOften() {
	if !tunedByUser() {
		debug.SetGCPercent(memberGCPercent)
	}
}

// heapFloor lets the heap grow to floorBytes before the collector runs; a larger heap grows by Go's own share. It
// adapts the share after every run of the collector.
type heapFloor struct {
	own int // Go's share, in percent

	mutex   sync.Mutex
	percent int  // the share that is set
	ended   bool // the command has ended
}

// collectLate makes the collector of a decomposition run late while the heap is small, as heapFloor says. undo gives
// back the share that was set before.
func collectLate() (undo func()) {
	if tunedByUser() {
		return func() {}
	}

	// Before the first run of the collector the heap is as good as empty.
	f := &heapFloor{percent: floorPercent}
	f.own = debug.SetGCPercent(floorPercent)
	f.follow()
	return func() {
		f.mutex.Lock()
		defer f.mutex.Unlock()
		f.ended = true
		debug.SetGCPercent(f.own)
	}
}

// follow has the share adapted after every run of the collector, which frees the object that is made here.
func (f *heapFloor) follow() {
	type mark struct{ _ [4]uint64 } // as large as that, it shares its memory with no other object
	runtime.AddCleanup(new(mark), func(f *heapFloor) {
		if f.adapt() {
			f.follow()
		}
	}, f)
}

// adapt sets the share with which the heap may grow to floorBytes, and returns false once the command has ended.
func (f *heapFloor) adapt() bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.ended {
		return false
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)

	// A change stops all goroutines for a moment, so that small ones are not made.
	percent := floorShare(live[0].Value.Uint64(), f.own)
	if 10*max(percent-f.percent, f.percent-percent) > f.percent {
		f.percent = percent
		debug.SetGCPercent(percent)
	}
	return true
}

// floorShare returns the percentage (as for debug.SetGCPercent) with which a heap grows to floorBytes before the
// collector runs. live is what is in use, in bytes. The result is at least own, the share that Go uses by itself.
func floorShare(live uint64, own int) int {
	share := 100 * floorBytes / float64(max(1, live))
	return max(own, int(min(share, floorPercent+100))-100)
}
