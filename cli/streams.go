package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/pflag"
)

// stream is an output that keeps its first error, so that no writer has to look at errors: the command reports the
// error at its end.
type stream struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// Write writes. After an error it writes nothing.
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

// streams are the standard streams of an invocation, and its log.
type streams struct {
	stdin   io.Reader
	stdout  *stream
	stderr  io.Writer
	claimed bool       // a file of the command is standard output
	log     *solverLog // nil for a command without one
}

// claim reports files on a command line that cannot all be the same stream. Where one is standard output the log
// goes to standard error.
func (s *streams) claim(flags *pflag.FlagSet, args []string) error {
	var in, out []string
	for _, arg := range args {
		if arg == standard {
			in = append(in, "the argument "+standard)
		}
	}

	for k, list := range [][]string{readFlagsOfFiles, writeFlagsOfFiles} {
		to := []*[]string{&in, &out}[k]
		for _, name := range list {
			f := flags.Lookup(name)
			if f == nil {
				continue
			}
			value := f.Value.String()
			if value == standard || name == "solution" && strings.HasPrefix(value, standard) { // such as -.csv
				*to = append(*to, "--"+name+" "+value)
			}
		}
	}

	s.claimed = len(out) > 0
	if f := flags.Lookup("json"); f != nil && f.Value.String() == "true" {
		out = append(out, "--json")
	}
	switch {
	case len(in) > 1:
		return badInput(fmt.Errorf("standard input can be read once: %s", strings.Join(in, ", ")))
	case len(out) > 1:
		return badInput(fmt.Errorf("standard output can take one of %s", strings.Join(out, ", ")))
	}
	return nil
}

// openLog opens the log as the flags say: on standard output, or on standard error where a JSON object or a file is on
// standard output, nowhere with --quiet, and with --log in a file, too.
func (s *streams) openLog(began time.Time, f *solveFlags) error {
	var to fanOut
	switch {
	case f.quiet:
	case f.json || s.claimed:
		to = append(to, s.stderr)
	default:
		to = append(to, s.stdout)
	}

	// A log file that is standard output takes the place of the other.
	log := &solverLog{began: began, path: f.logFile}
	switch f.logFile {
	case "":
	case standard:
		to = fanOut{s.stdout}
	default:
		file, err := createFile(f.logFile)
		if err != nil {
			return err
		}
		log.file = file
		log.copy = &stream{w: file}
		to = append(to, log.copy)
	}
	log.w = to
	s.log = log
	return nil
}

// closeAll closes the log, and adds to the error of a command the errors of its standard output and its log.
func (s *streams) closeAll(err error) error {
	list := []error{err}
	add := func(name string, failed error) {
		if failed != nil && !errors.Is(err, failed) {
			list = append(list, plainError(name, failed))
		}
	}
	add("standard output", s.stdout.failed())
	if s.log != nil {
		add(s.log.path, s.log.close())
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

	// Without a path the error has it: that of a link or a rename is the new name.
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
