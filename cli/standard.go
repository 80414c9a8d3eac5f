package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/pflag"

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
	writeFlagsOfFiles = []string{"write-sol", "write-basis", "record", "scenario-costs", "output", "log", "svg",
		"solution"}
)

// claimStreams reports files on a command line that cannot all be the same stream. Where one is standard output the log
// goes to standard error.
func (a *app) claimStreams(flags *pflag.FlagSet, args []string) error {
	var in, out []string
	for _, s := range args {
		if s == standard {
			in = append(in, "the argument "+standard)
		}
	}
	for k, list := range [][]string{readFlagsOfFiles, writeFlagsOfFiles} {
		to := []*[]string{&in, &out}[k]
		for _, name := range list {
			f := flags.Lookup(name)
			if f != nil && (f.Value.String() == standard || name == "solution" &&
				strings.HasPrefix(f.Value.String(), standard)) {
				*to = append(*to, "--"+name+" "+f.Value.String())
			}
		}
	}
	a.claimed = len(out) > 0
	if a.flags.json {
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

// open opens a file that a command reads, packed or plain, or standard input for "-". Errors are bad input.
func (a *app) open(path string) (r io.ReadCloser, name string, err error) {
	if path == standard {
		r, name = io.NopCloser(a.stdin), standardInput
	} else if r, err = os.Open(path); err != nil {
		return nil, path, badInput(plainError(path, err))
	} else {
		name = path
	}
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
// "-".
func (a *app) writeFile(path string, write func(io.Writer) error) error {
	if path != standard {
		return writeFile(path, write)
	}
	if err := write(a.stdout); err != nil {
		return plainError("standard output", err)
	}
	return nil
}

// copyToFile copies an instance on standard input to a file, which readers may open more than once.
func copyToFile(in io.Reader, path string) error {
	f, err := os.Create(path)
	if err == nil {
		var n int64
		n, err = io.Copy(f, io.LimitReader(in, unpack.Limit()+1))
		err = errors.Join(err, f.Close())
		if err == nil && n > unpack.Limit() {
			return badInput(fmt.Errorf("%s: %w", standardInput, &unpack.LimitError{Limit: unpack.Limit()}))
		}
	}
	if err != nil {
		return plainError(standardInput, err)
	}
	return nil
}

// openStandard opens an instance on standard input, by way of a copy at a path. What is said of the copy is said of
// standard input.
func (known catalogue) openStandard(family, path string, o families.ReadOptions) (
	families.Family, families.Instance, error) {
	if err := copyToFile(o.Stdin, path); err != nil {
		return families.Family{}, nil, err
	}
	if warn := o.Warn; warn != nil {
		o.Warn = func(line string) { warn(strings.ReplaceAll(line, path, standardInput)) }
	}
	f, in, err := known.open(family, path, o)
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
