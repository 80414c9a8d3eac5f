//go:build !unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// stale is how long nobody writes to a file before its writer counts as dead.
const stale = 24 * time.Hour

// take returns the file of the name, new. One that is stale is replaced. Where another writer has it the error wraps
// fs.ErrExist.
func take(name string) (*os.File, error) {
	f, err := create(name)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}
	if info, failed := os.Lstat(name); failed == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > stale &&
		os.Remove(name) == nil {
		return create(name)
	}
	return nil, fs.ErrExist
}

// put renames the file over the path.
func put(f *os.File, path string) error {
	err := f.Close()
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// drop removes the file.
func drop(f *os.File) error { return errors.Join(f.Close(), os.Remove(f.Name())) }
