package cli

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// stream is an output that remembers its first error, so that no writer has to look for it: what could not be written
// is told of at the end of the command.
type stream struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// Write writes, and after an error nothing any more.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	s.err = err
	return n, err
}

// failed is the first error, nil if there was none.
func (s *stream) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// fanOut writes to all of its streams, also where one fails.
type fanOut []io.Writer

// Write returns the first error.
func (f fanOut) Write(p []byte) (int, error) {
	var first error
	for _, w := range f {
		if _, err := w.Write(p); err != nil && first == nil {
			first = err
		}
	}
	return len(p), first
}

// lost adds to the error of a command those of outputs that were not written whole.
func (a *app) lost(err error) error {
	list := []error{err}
	if failed := a.stdout.failed(); failed != nil && !errors.Is(err, failed) {
		list = append(list, plainError("standard output", failed))
	}
	if a.log != nil {
		a.log.close()
		if failed := a.log.failed; failed != nil && !errors.Is(err, failed) {
			list = append(list, plainError(a.flags.logFile, failed))
		}
	}
	return errors.Join(list...)
}

// badPath marks an error of making a file or folder as bad input where its path is what is wrong, and not the disk.
// Without a path it is the one that the error names.
func badPath(path string, err error) error {
	if err == nil {
		return nil
	}
	wrong := errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrPermission)
	for _, e := range []syscall.Errno{syscall.ENOTDIR, syscall.EISDIR, syscall.ENAMETOOLONG, syscall.EINVAL} {
		wrong = wrong || errors.Is(err, e)
	}
	var pathErr *os.PathError
	var linkErr *os.LinkError
	switch {
	case path != "":
	case errors.As(err, &pathErr):
		path = pathErr.Path
	case errors.As(err, &linkErr):
		path = linkErr.New
	}
	if path != "" {
		err = plainError(path, err)
	}
	if wrong {
		return badInput(err)
	}
	return err
}
