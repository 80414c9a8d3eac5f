package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// readModel reads the model of a command: a file, or standard input for "-". Errors are bad input.
func (a *app) readModel(path string) (*lp.Model, []string, error) {
	type read struct {
		model    *lp.Model
		warnings []string
	}
	r, err := reading(a, path, func() (r read, err error) {
		if path == standard {
			r.model, r.warnings, err = mps.ReadModel(a.stdin, standardInput)
		} else {
			r.model, r.warnings, err = mps.ReadFile(path)
		}
		return r, badInput(err)
	})
	return r.model, r.warnings, err
}

// plainError leaves the operation out of an error of the os package: "x.mps: no such file or directory".
func plainError(path string, err error) error {
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	var linkErr *os.LinkError
	if errors.As(err, &linkErr) {
		err = linkErr.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

func createFile(path string) (*os.File, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, badPath(path, err)
	}
	return f, nil
}

// checkTarget fails early where a file could not be written at the end: no such folder, or a folder itself.
func checkTarget(path string) error {
	if path == "" || path == standard {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return badInput(fmt.Errorf("%s: is a directory", path))
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return badInput(plainError(path, err))
	} else if !info.IsDir() {
		return badInput(fmt.Errorf("%s: %s is not a directory", path, filepath.Dir(path)))
	}
	return nil
}

// writeFile writes a file so that it is there whole or not at all, gzipped where the path ends in .gz.
func writeFile(path string, write func(io.Writer) error) error {
	if err := instance.WriteFile(path, write); err != nil {
		return plainError(path, err)
	}
	return nil
}

// writeSolution writes the .sol file of --write-sol, if there is one to write.
func (a *app) writeSolution(m *lp.Model, status lp.Status, objective float64, x []float64) error {
	if a.flags.writeSol == "" {
		return nil
	}
	return a.writeFile(a.flags.writeSol, func(w io.Writer) error {
		return mps.WriteSolStyle(w, m, status, objective, x,
			a.flags.solStyle)
	})
}
