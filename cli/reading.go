package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
)

// readGrace is how long a reading may go on after the time limit or an interrupt: a file that is read by then still has
// its size and its name in the report.
const readGrace = 300 * time.Millisecond

// errTimeLimit is wrapped by the error of a command whose time limit ended while it read its files.
var errTimeLimit = errors.New("the time limit was reached while it was read")

// reading returns what work returns, which reads and parses the file of a path, or an error soon after the time limit
// or an interrupt. Then work continues until the process ends, which is soon.
func reading[T any](a *app, path string, work func() (T, error)) (T, error) {
	// The context ends with the time limit or an interrupt, whichever comes first.
	ctx, cancel := context.WithTimeout(a.ctx, a.remaining())
	defer cancel()
	// The second context ends a little later than the first one, and is what the reading is waited for by.
	late, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	// The timer begins only when the first context has ended.
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(readGrace, end) })
	defer stop()

	// Work that ends within that time counts, and so does its own error.
	v, err := await(late, work)
	if late.Err() == nil || err == nil {
		return v, err
	}
	if path == standard {
		path = standardInput
	}

	// Of the two, the time limit is the one that has a deadline.
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return v, fmt.Errorf("%s: %w", path, errTimeLimit)
	}
	return v, fmt.Errorf("%w while %s was read", errInterrupted, path)
}

// readFile returns what decode reads from a file, packed or plain, or from standard input for "-". It is given the name
// for messages, too. Errors are bad input, except for the end of the time.
func readFile[T any](a *app, path string, decode func(r io.Reader, name string) (T, error)) (T, error) {
	return reading(a, path, func() (v T, err error) {
		r, name, err := a.open(path)
		if err != nil {
			return v, err
		}
		defer r.Close()

		// Whatever is wrong with the content of a file, the user can repair it.
		v, err = decode(r, name)
		return v, badInput(err)
	})
}

// familyInstance is an instance and its family.
type familyInstance struct {
	family   families.Family
	instance families.Instance
	// warnings are what the reader had to interpret.
	warnings []string
}

// openInstance opens an instance within the time limit, unless an interrupt comes first; - is standard input.
func (a *app) openInstance(name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	return a.openBy(a.known.open, name, path, o)
}

// openAny opens an instance as openInstance does, one of several periods without its scenarios.
func (a *app) openAny(name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	return a.openBy(a.known.openAny, name, path, o)
}

// openBy opens an instance by a function. The copy of standard input is removed here, which the reader that a time
// limit or an interrupt leaves behind would not do.
func (a *app) openBy(open func(string, string, families.ReadOptions) (families.Family, families.Instance, error),
	name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	// A reader may open its file more than once, which standard input does not allow: it is copied first.
	from := path
	if path == standard && o.Stdin != nil {
		dir, err := os.MkdirTemp("", "proxybd-")
		if err != nil {
			return families.Family{}, nil, err
		}
		defer os.RemoveAll(dir)
		from = filepath.Join(dir, "stdin")
	}

	v, err := reading(a, path, func() (v familyInstance, err error) {
		// The object of the command has the warnings, too.
		warn := o.Warn
		o.Warn = func(line string) {
			v.warnings = append(v.warnings, line)
			if warn != nil {
				warn(line)
			}
		}

		// The folder of the copy is new, so that the paths differ exactly where there is a copy.
		if from == path {
			v.family, v.instance, err = open(name, path, o)
		} else {
			v.family, v.instance, err = a.known.openStandard(name, from, o)
		}
		return v, err
	})
	a.warnings = append(a.warnings, v.warnings...)
	return v.family, v.instance, err
}

// addMaxInput adds the flag that bounds what a command reads.
func addMaxInput(a *app, root *cobra.Command) {
	root.PersistentFlags().Var(byteLimit(&a.maxInput), "max-input",
		"refuse an input of more bytes than this, unpacked, such as 500MB or 8GiB; a quarter of the memory is the default")
	root.PersistentFlags().Lookup("max-input").DefValue = "0" // not that of the machine: the manual is the same on all
}
