//go:build !linux

package unpack

// defaultLimit is 4 GiB: the memory of the machine is not known without a call that differs between systems.
func defaultLimit() int64 { return 1 << 32 }
