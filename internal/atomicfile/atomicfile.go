// Package atomicfile writes files that are there whole or not at all.
package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Write gives path the content that write writes, by way of a synced file of its own beside it that is renamed over it:
// whoever reads sees the old content or the new, whole, also after a crash, and after an error the old. A target that
// exists and is no regular file (a pipe, /dev/stdout) is written directly.
func Write(path string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return through(path, write)
	}
	f, err := beside(path)
	if err != nil {
		return err
	}
	if err = errors.Join(fill(f, write), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(f.Name()))
	}
	return err
}

// beside creates a file that no other writer has, with the permissions of an ordinary new one, which os.CreateTemp does
// not give.
func beside(path string) (f *os.File, err error) {
	for range 1000 {
		name := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32())
		f, err = os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
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
