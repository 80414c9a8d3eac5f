package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestFloorShare asks for the share of garbage of heaps of several sizes: small ones may grow to the floor, others by
// Go's own share, and none by more than floorPercent.
func TestFloorShare(t *testing.T) {
	for _, at := range []struct {
		live uint64
		want int
	}{
		{0, floorPercent},
		{1 << 20, floorPercent},
		{12 << 20, 300},
		{20 << 20, 140},
		{24 << 20, 100},
		{1 << 30, 100},
	} {
		if got := floorShare(at.live, 100); got != at.want {
			t.Errorf("%d bytes in use: %d%%, want %d%%", at.live, got, at.want)
		}
	}
}

// TestCollectLate sets the share, has it adapted, and ends with the one that was there before.
func TestCollectLate(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(80)
	defer debug.SetGCPercent(before)

	// A large heap has the share that was there before.
	f := &heapFloor{own: 80, percent: floorPercent}
	held := make([]byte, 2*floorBytes)
	debug.FreeOSMemory() // runs the collector
	if !f.adapt() || f.percent != 80 {
		t.Errorf("%d bytes in use: a share of %d%%", len(held), f.percent)
	}
	runtime.KeepAlive(held)

	// The end of the command undoes it, and ends the adaptation.
	undo := collectLate()
	if got := debug.SetGCPercent(floorPercent); got != floorPercent {
		t.Errorf("a command begins with %d%%", got)
	}
	undo()
	if got := debug.SetGCPercent(80); got != 80 {
		t.Errorf("a command ends with %d%%", got)
	}
	f.ended = true
	if f.adapt() {
		t.Error("adapted after the end")
	}

	// A user's choice is left alone.
	t.Setenv("GOGC", "70")
	collectLate()()
	if got := debug.SetGCPercent(80); got != 80 {
		t.Errorf("GOGC is set: %d%%", got)
	}
}
