//go:build unix

package cluster

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checkOwner refuses an address file that other users can read or may have written.
func checkOwner(info fs.FileInfo) error {
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("mode %#o: other users can read the secret; it is 0600 where the coordinator has written it", mode)
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) != os.Geteuid() {
		return fmt.Errorf("owned by user %d, but this process is of user %d", stat.Uid, os.Geteuid())
	}
	return nil
}
