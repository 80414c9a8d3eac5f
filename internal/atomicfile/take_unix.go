//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// take returns the file of that name, empty and locked: a new one, or one whose writer has died, since a living writer
// holds the lock. If another writer uses the file the error wraps fs.ErrExist. On a file system without locks only new
// files are taken.
func take(name string) (*os.File, error) {
	f, err := create(name)
	fresh := err == nil
	if errors.Is(err, fs.ErrExist) {
		// A link or a pipe of that name belongs to another program.
		f, err = os.OpenFile(name, os.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
		if err != nil {
			return nil, fs.ErrExist
		}
	}
	if err != nil {
		return nil, err
	}

	// The lock shows whether a writer is alive, without waiting for it.
	locked := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	switch {
	case errors.Is(locked, unix.EWOULDBLOCK) || !sole(f, name):
		f.Close() // another writer has locked it, or has renamed it since
		return nil, fs.ErrExist
	case fresh:
		return f, nil
	case locked != nil:
		f.Close()
		return nil, fs.ErrExist
	}

	// The file of a writer that has died may have some of its content.
	if err := f.Truncate(0); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// sole reports whether a file is regular, belongs to this user, and has the name and no other one.
func sole(f *os.File, name string) bool {
	// Every property is checked on the open file, which cannot be exchanged meanwhile.
	own, err := f.Stat()
	if err != nil {
		return false
	}
	var links unix.Stat_t // their number and the owner
	if err := unix.Fstat(int(f.Fd()), &links); err != nil || links.Nlink != 1 || links.Uid != uint32(os.Geteuid()) {
		return false
	}

	// The name must still belong to this file.
	there, err := os.Lstat(name)
	return err == nil && own.Mode().IsRegular() && os.SameFile(own, there)
}

// put renames the file to the path while it holds the lock, so that no other writer can use the file before.
func put(f *os.File, path string) error {
	if err := os.Rename(f.Name(), path); err != nil {
		return errors.Join(err, drop(f))
	}
	return f.Close()
}

// drop removes the file while it holds the lock.
func drop(f *os.File) error { return errors.Join(os.Remove(f.Name()), f.Close()) }
