//go:build !linux

package experiment

// resetPeak and peakMemory are for Linux: elsewhere the peak of one run among several is not to be had.
func resetPeak() {}

func peakMemory() int64 { return 0 }
