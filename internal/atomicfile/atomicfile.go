// Package atomicfile writes files so that readers see the whole content or none of it.
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

// Write replaces the content of path by the output of write, which goes to a temporary file next to path that is synced
// and then renamed to path. A reader gets the complete old or new content, also after a crash, and the old one after an
// error. A target that exists and is no regular file (a pipe, /dev/stdout) is written directly. The temporary file of a
// killed writer is used again by the next one. The errors of files name path.
func Write(path string, write func(io.Writer) error) error {
	// A pipe or a device has no content to replace.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return through(path, write)
	}

	f, err := beside(path)
	if err != nil {
		return named(path, err)
	}

	// After an error the temporary file goes, and the old content stays.
	if err := fill(f, write); err != nil {
		return named(path, errors.Join(err, drop(f)))
	}
	return named(path, put(f, path))
}

// Check reports what Write would fail on before its content matters: it makes and removes the temporary file.
func Check(path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil
	}
	f, err := beside(path)
	if err != nil {
		return named(path, err)
	}
	return named(path, drop(f))
}

// named replaces the temporary file in an error by the path that the caller has given.
func named(path string, err error) error {
	var pathErr *fs.PathError
	var linkErr *os.LinkError

	// The errors of the package os hold the path in a field of their own.
	switch {
	case errors.As(err, &pathErr):
		pathErr.Path = path
	case errors.As(err, &linkErr):
		linkErr.Old = path
	}
	return err
}

// maxWriters is the largest number of writers of one path at the same time.
const maxWriters = 1000

// beside opens a file next to path that no other writer uses: the first of .NAME.0.tmp, .NAME.1.tmp and so on that does
// not exist, or that a killed writer has left. It has the permissions of an ordinary new file, which os.CreateTemp does
// not give.
func beside(path string) (*os.File, error) {
	dir, base := filepath.Split(path)

	// The numbers are tried in order, so that few temporary files exist.
	for k := range maxWriters {
		// A number that another writer uses is passed over.
		f, err := take(filepath.Join(dir, fmt.Sprintf(".%s.%d.tmp", base, k)))
		if f != nil || err != nil && !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
	return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrExist}
}

// create makes a file that does not exist yet.
func create(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
}

// fill writes and syncs the content.
func fill(f *os.File, write func(io.Writer) error) error {
	if err := buffered(f, write); err != nil {
		return err
	}
	return f.Sync()
}

// through writes a target that is no regular file.
func through(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(buffered(f, write), f.Close())
}

// buffered gives write a buffer in front of a file.
func buffered(f *os.File, write func(io.Writer) error) error {
	b := bufio.NewWriterSize(f, 1<<16)

	// The output is flushed only if it is complete.
	if err := write(b); err != nil {
		return err
	}
	return b.Flush()
}
