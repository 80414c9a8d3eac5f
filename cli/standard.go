package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/unpack"
)

// standard is what stands for standard input, or output, where a file is named.
const standard = "-"

// standardInput is the name of standard input in messages.
const standardInput = "standard input"

// readFlagsOfFiles and writeFlagsOfFiles name the flags whose value is a file that a command reads or writes.
var (
	readFlagsOfFiles  = []string{"start", "basis", "instance"}
	writeFlagsOfFiles = []string{"write-sol", "write-basis", "write-iis", "record", "scenario-costs", "output", "log",
		"svg", "html", "solution"}
)

// open opens a file that a command reads, packed or plain, or standard input for "-". Errors are bad input.
func (s *streams) open(path string) (r io.ReadCloser, name string, err error) {
	// Standard input is left open, since it belongs to the process.
	if path == standard {
		r = io.NopCloser(s.stdin)
		name = standardInput
	} else if r, err = os.Open(path); err != nil {
		return nil, path, badInput(plainError(path, err))
	} else {
		name = path
	}

	// Packed data are recognised by their first bytes, also on standard input.
	plain, err := unpack.Reader(r)
	if err != nil {
		r.Close()
		return nil, name, badInput(plainError(name, err))
	}
	return readCloser{plain, r}, name, nil
}

// readCloser reads from one and closes another.
type readCloser struct {
	io.Reader
	io.Closer
}

// writeFile writes a file of a command whole or not at all, gzipped where the path ends in .gz, or standard output for
// "-". An empty path, that of a flag which is not given, writes nothing.
func (s *streams) writeFile(path string, write func(io.Writer) error) error {
	switch path {
	case "":
		return nil
	case standard:
		// What has gone to standard output cannot be taken back where it fails.
		return plainError("standard output", write(s.stdout))
	}
	return writeFile(path, write)
}

// copyToFile copies an instance on standard input to a file, which readers may open more than once.
func copyToFile(in io.Reader, path string) error {
	// One byte more than the limit is read, to find an input that is too large.
	f, err := os.Create(path)
	if err == nil {
		var n int64
		n, err = io.Copy(f, io.LimitReader(in, unpack.Limit()+1))
		err = errors.Join(err, f.Close())
		if err == nil && n > unpack.Limit() {
			return badInput(fmt.Errorf("%s: %w", standardInput, &unpack.LimitError{Limit: unpack.Limit()}))
		}
	}
	return plainError(standardInput, err)
}

// openStandard opens an instance on standard input, by way of a copy at a path. Messages name
// standard input instead of the copy.
func (known catalogue) openStandard(family, path string, o families.ReadOptions) (
	families.Family, families.Instance, error) {
	if err := copyToFile(o.Stdin, path); err != nil {
		return families.Family{}, nil, err
	}

	// Warnings name the file, which here is a copy with a temporary name.
	if warn := o.Warn; warn != nil {
		o.Warn = func(line string) { warn(strings.ReplaceAll(line, path, standardInput)) }
	}
	f, in, err := known.open(family, path, o)
	// The new error keeps the old one inside, so that errors.Is finds its sentinel.
	if err != nil {
		err = &renamed{strings.ReplaceAll(err.Error(), path, standardInput), err}
	}
	return f, in, err
}

// renamed is an error with another text.
type renamed struct {
	text string
	err  error
}

// Error is the text.
func (e *renamed) Error() string { return e.text }

// Unwrap is the error.
func (e *renamed) Unwrap() error { return e.err }
