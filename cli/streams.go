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
	"golang.org/x/term"
)

// stream is an output that keeps its first error, so that no writer has to look at errors: the command reports the
// error at its end.
type stream struct {
	mu  sync.Mutex // guards err, since workers write at the same time
	w   io.Writer
	err error
}

// Write writes. After an error it writes nothing.
func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// What follows after a lost part would only look complete.
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	// A writer that writes less without an error breaks its contract.
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
	// The log on the terminal goes on where the disk of its file is full.
	var first error
	for _, w := range f {
		if _, err := w.Write(p); err != nil && first == nil {
			first = err
		}
	}

	// The length is that of p, as a writer without an error must return.
	return len(p), first
}

// streams are the standard streams of an invocation, and its log.
type streams struct {
	stdin  io.Reader
	stdout *stream
	stderr io.Writer

	// A file of the command is standard output.
	claimed bool

	// The log, nil for a command without one.
	log *solverLog
}

// claim reports files on a command line that cannot all be the same stream. Where one is standard output the log
// goes to standard error.
func (s *streams) claim(flags *pflag.FlagSet, args []string) error {
	var in []string
	for _, arg := range args {
		if arg == standard {
			in = append(in, "the argument "+standard)
		}
	}

	// Files that flags name count with the arguments: readers share one input, writers one output.
	in = append(in, standardFlags(flags, readFlagsOfFiles)...)
	out := standardFlags(flags, writeFlagsOfFiles)

	s.claimed = len(out) > 0
	// A JSON object takes standard output as a file does, but it does not move the log by itself.
	if f := flags.Lookup("json"); f != nil && f.Value.String() == "true" {
		out = append(out, "--json")
	}

	// Two readers would each get a part of the input, and two writers would mix their outputs.
	switch {
	case len(in) > 1:
		return badInput(fmt.Errorf("standard input can be read once: %s", strings.Join(in, ", ")))
	case len(out) > 1:
		return badInput(fmt.Errorf("standard output can take one of %s", strings.Join(out, ", ")))
	}
	return nil
}

// standardFlags lists those of the flags that name a standard stream, with their values. A command may lack some flags.
func standardFlags(flags *pflag.FlagSet, names []string) (list []string) {
	for _, name := range names {
		f := flags.Lookup(name)
		if f == nil {
			continue
		}

		// The value of --solution may have the layout after the minus sign, such as -.csv.
		value := f.Value.String()
		if value == standard || name == "solution" && strings.HasPrefix(value, standard) {
			list = append(list, "--"+name+" "+value)
		}
	}
	return list
}

// openLog opens the log as the flags say: on standard output, or on standard error where a JSON object or a file is on
// standard output, nowhere with --quiet, and with --log in a file, too.
func (s *streams) openLog(began time.Time, f *solveFlags) error {
	// Where neither case adds a stream, only the file of --log has the log.
	var to fanOut
	switch {
	case f.quiet, f.progress != "" && f.json: // events take the place of the log on standard error
	case f.json || s.claimed:
		// A script reads standard output, people read standard error.
		to = append(to, s.stderr)
	default:
		// Without an object or a file the log is the result.
		to = append(to, s.stdout)
	}

	// A log file that is standard output takes the place of the other.
	log := &solverLog{began: began, path: f.logFile}
	switch f.logFile {
	case "":
	case standard:
		to = fanOut{s.stdout}
	default:
		// A log file is written as the run goes on, so that it can be followed.
		file, err := createFile(f.logFile)
		if err != nil {
			return err
		}
		log.file = file
		log.copy = &stream{w: file}
		to = append(to, log.copy)
	}
	log.w = to
	log.width = widthOf(to)
	s.log = log
	return nil
}

// widthOf is the width of the terminal that a log goes to, 0 where it goes to none.
func widthOf(to fanOut) int {
	for _, w := range to {
		if s, ok := w.(*stream); ok {
			w = s.w
		}
		if f, ok := w.(*os.File); ok && isTerminal(f) {
			if width, _, err := term.GetSize(int(f.Fd())); err == nil {
				return width
			}
		}
	}
	return 0
}

// closeAll closes the log, and adds to the error of a command the errors of its standard output and its log.
func (s *streams) closeAll(err error) error {
	// The error of the command itself comes first.
	list := []error{err}
	add := func(name string, failed error) {
		if failed != nil && !errors.Is(err, failed) {
			// An error that the command has reported already is not repeated.
			list = append(list, plainError(name, failed))
		}
	}
	add("standard output", s.stdout.failed())
	// The file of the log is closed last, after everything has been written.
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

	// A full disk or a failing one is no fault of the command line.
	wrong := isAny(err, fs.ErrNotExist, fs.ErrExist, fs.ErrPermission, syscall.ENOTDIR, syscall.EISDIR,
		syscall.ENAMETOOLONG, syscall.EINVAL)

	// Without a path it is that of the error.
	if path == "" {
		path, _ = pathOf(err)
	}
	if path != "" {
		err = plainError(path, err)
	}
	if wrong {
		return badInput(err)
	}
	return err
}
