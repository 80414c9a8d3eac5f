// Package atomicfile writes files that are there whole or not at all.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Write gives path the content that write writes, by way of a synced file of its own beside it that is renamed over it:
// whoever reads sees the old content or the new, whole, also after a crash, and after an error the old. A target that
// exists and is no regular file (a pipe, /dev/stdout) is written directly. What a killed writer left beside the path is
// taken over by the next one. The errors of files name path.
func Write(path string, write func(io.Writer) error) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return through(path, write)
	}
	f, err := beside(path)
	if err != nil {
		return named(path, err)
	}
	if err := fill(f, write); err != nil {
		return named(path, errors.Join(err, drop(f)))
	}
	return named(path, put(f, path))
}

// named makes the errors of a file that the caller does not know those of the path.
func named(path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		pathErr.Path = path
	case errors.As(err, &linkErr):
		linkErr.Old = path
	}
	return err
}

// maxWriters is how many may write one path at the same time.
const maxWriters = 1000

// beside opens a file next to path that no other writer has: the first of .NAME.0.tmp, .NAME.1.tmp and so on that is
// not there, or that a killed writer left. It has the permissions of an ordinary new file, which os.CreateTemp does not
// give.
func beside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)
	for k := range maxWriters {
		f, err := take(filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp", base, k)))
		if f != nil || err != nil && !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
}

// create makes a file that is not there.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// fill writes and syncs the content.
func fill(f *os.File, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<16)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

func through(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	if err = write(b); err == nil {
		err = b.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
