package experiment

import (
	"bytes"
	"os"
	"strconv"
)

// resetPeak makes the kernel count the peak of resident memory anew.
func resetPeak() { os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMemory returns the most resident memory, in bytes, since resetPeak; 0 where the kernel does not say.
func peakMemory() int64 {
	// The field VmHWM is the peak of resident memory, in units of 1024 bytes.
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(text, []byte("VmHWM:"))
	fields := bytes.Fields(rest)
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.ParseInt(string(fields[0]), 10, 64)
	return kb << 10
}
