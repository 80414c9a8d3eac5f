package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/internal/atomicfile"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/nl"
	"github.com/proxybd/proxybd/lp/smps"
)

// readModel reads the model of a command: a file, or standard input for "-". Errors are bad input.
func (a *app) readModel(path string) (*lp.Model, []string, error) {
	type read struct {
		model    *lp.Model
		warnings []string
	}

	if path != standard {
		if err := notInstance(path); err != nil {
			return nil, nil, err
		}
	}

	// Reading ends with the time limit, which a large model may reach before its solve begins.
	r, err := reading(a, path, func() (r read, err error) {
		switch {
		case path == standard:
			r.model, r.warnings, err = mps.ReadModel(a.stdin, standardInput)
		case strings.HasSuffix(unpack.Plain(path), ".nl"):
			var p *nl.Problem
			if p, err = nl.ReadFile(path, 1); err == nil {
				r.model = p.Model
				r.warnings = p.Warnings
			}
		default:
			// A file is opened by the reader, which names it in its errors.
			r.model, r.warnings, err = mps.ReadFile(path)
		}
		if errors.Is(err, mps.ErrFormat) {
			err = a.otherFamily(path, err)
		}
		return r, badInput(err)
	})
	if err == nil && smps.HasScenarios(path) {
		r.warnings = append(r.warnings, path+": the core of a program with scenarios, which proxybd solve reads")
	}
	return r.model, r.warnings, err
}

// logWarnings writes warnings to the log. A quiet run without an object has them on standard error, since what a reader
// had to interpret, for one, may be why the result is another one than expected.
func (a *app) logWarnings(warnings []string) {
	a.log.warn(warnings)
	if a.flags.quiet && !a.flags.json {
		for _, w := range warnings {
			a.warn(w)
		}
	}
}

// warn writes a warning to standard error, for commands or runs that have no log.
func (a *app) warn(line string) { fmt.Fprintf(a.stderr, "proxybd: warning: %s\n", line) }

// warnIn adds a warning about the result to its object and to the log.
func (a *app) warnIn(out *report, text string) {
	out.Warnings = append(out.Warnings, text)
	a.logWarnings([]string{text})
}

// otherFamily adds to the error of a file that is no model the family that it is an instance of, if there is one.
func (a *app) otherFamily(path string, wrong error) error {
	if path == standard {
		return wrong
	}
	f, _, err := a.known.open("", path, families.ReadOptions{})
	var missing families.Missing
	if err != nil && !errors.As(err, &missing) || f.Name == mpsmodel.Family.Name {
		return wrong
	}
	return fmt.Errorf("%w; it is no model but an instance%s, which proxybd solve reads", wrong, ofFamily(f.Name))
}

// ofFamily is " of NAME", "" for no name.
func ofFamily(name string) string {
	if name == "" {
		return ""
	}
	return " of the family " + name
}

// plainError leaves the operation out of an error of the os package: "x.mps: no such file or directory". nil stays nil.
func plainError(path string, err error) error {
	if err == nil {
		return nil
	}
	_, reason := pathOf(err)
	return fmt.Errorf("%s: %w", path, reason)
}

// pathOf returns the path that an error of the os package names, and what is wrong with that path. A link or a rename
// has its new name; any other error has no path and is its own reason.
func pathOf(err error) (path string, reason error) {
	var pathErr *os.PathError
	var linkErr *os.LinkError
	switch {
	case errors.As(err, &pathErr):
		return pathErr.Path, pathErr.Err
	case errors.As(err, &linkErr):
		return linkErr.New, linkErr.Err
	}
	return "", err
}

// createFile creates a file. A path that cannot be one is bad input.
func createFile(path string) (*os.File, error) {
	f, err := os.Create(path)
	return f, badPath(path, err)
}

// checkTarget fails early where a file could not be written at the end: no such folder, one that cannot be written to,
// or a folder itself.
func checkTarget(path string) error {
	if path == "" || path == standard {
		return nil
	}

	// Writing replaces a file by a rename, which cannot replace a folder.
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return badInput(fmt.Errorf("%s: is a directory", path))
	}

	// The folder of the file must exist already: it is not made for a single file.
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return badInput(plainError(path, err))
	} else if !info.IsDir() {
		return badInput(fmt.Errorf("%s: %s is not a directory", path, filepath.Dir(path)))
	}

	// The folder may be one that nothing can be written to.
	if err := atomicfile.Check(path); err != nil {
		return badInput(plainError(path, err))
	}
	return nil
}

// writeFile writes a file so that it is there whole or not at all, gzipped where the path ends in .gz.
func writeFile(path string, write func(io.Writer) error) error {
	return saveOrElsewhere(path, func(path string) error { return instance.WriteFile(path, write) })
}

// saveOrElsewhere saves a result to a path. Where the disk is full or the folder cannot be written to, the file goes to
// the folder for temporary files, so that no work is lost, and the error names it.
func saveOrElsewhere(path string, save func(path string) error) error {
	err := save(path)
	var fault *fs.PathError
	if !errors.As(err, &fault) {
		return plainError(path, err)
	}
	err = plainError(path, err)

	// The name of the folder is new, so that nobody else has a file there.
	dir, failed := os.MkdirTemp("", "proxybd-saved-")
	if failed != nil {
		return err
	}
	elsewhere := filepath.Join(dir, filepath.Base(path))
	if save(elsewhere) != nil {
		os.RemoveAll(dir)
		return err
	}
	return fmt.Errorf("%w; it is saved as %s", err, elsewhere)
}

// writeSolution writes the .sol file of --write-sol, if there is one to write.
func (a *app) writeSolution(m *lp.Model, status lp.Status, objective float64, x []float64) error {
	return a.writeFile(a.flags.writeSol, func(w io.Writer) error {
		return mps.WriteSolStyle(w, m, status, objective, x, a.flags.solStyle)
	})
}
