//go:build !unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// stale is the time since the last write after which the writer of a file counts as dead.
const stale = 24 * time.Hour

// take returns a new file of that name. A stale one is replaced. If another writer uses it the error wraps fs.ErrExist.
func take(name string) (*os.File, error) {
	f, err := create(name)
	if !errors.Is(err, fs.ErrExist) {
		return f, err
	}

	info, err := os.Lstat(name)
	isStale := err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > stale
	if isStale && os.Remove(name) == nil {
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
