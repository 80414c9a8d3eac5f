package cli

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestPulse repeats old news, not those that new ones have replaced, and nothing after its end.
func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shown []int
		p := newPulse(2*time.Second, func(v int) { shown = append(shown, v) }, func(v int) int { return -v })
		time.Sleep(5 * time.Second)
		if len(shown) > 0 {
			t.Errorf("%v before there is news", shown)
		}
		p.news(1)
		time.Sleep(1900 * time.Millisecond)
		p.news(2)
		time.Sleep(4600 * time.Millisecond)
		p.stop()
		time.Sleep(time.Minute)
		if len(shown) != 4 || shown[0] != 1 || shown[1] != 2 || shown[2] != -2 || shown[3] != -2 {
			t.Errorf("%v", shown)
		}
	})

	// Rows come and go at once from several goroutines: for the race detector.
	var rows atomic.Int64
	p := newPulse(0, func(int) { rows.Add(1) }, func(v int) int { return v })
	for k := range 1000 {
		p.news(k)
	}
	p.stop()
	if rows.Load() < 1000 {
		t.Error(rows.Load())
	}
}
