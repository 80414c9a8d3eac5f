package unpack

import (
	"math"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// defaultLimit is a quarter of the memory that the machine has, or that its control group allows.
var defaultLimit = sync.OnceValue(func() int64 {
	// Without information about the machine there is no limit but the range of int64.
	memory := int64(math.MaxInt64)
	var info syscall.Sysinfo_t
	if err := syscall.Sysinfo(&info); err == nil {
		memory = int64(info.Totalram) * int64(info.Unit)
	}
	// A control group may allow less than the machine has.
	text, err := os.ReadFile("/sys/fs/cgroup/memory.max")
	if allowed, bad := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && bad == nil {
		memory = min(memory, allowed)
	}
	return memory / 4
})
