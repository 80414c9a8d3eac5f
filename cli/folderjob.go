package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/lp"
)

// folder is the instances of a folder as work. It implements workload.
type folder struct {
	keyless
	app   *app
	terms folderTerms
}

// Identity implements workload. The files are compared one by one, with the results that are there.
func (w *folder) Identity() string { return w.terms.Folder }

// openFolder opens the workload of a run on a folder.
func (a *app) openFolder(text json.RawMessage) (workload, error) {
	w := &folder{app: a}
	if err := json.Unmarshal(text, &w.terms); err != nil {
		return nil, err
	}
	for _, dir := range []string{w.terms.Folder, w.terms.Output} {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s: this process does not see the folder", dir)
		}
	}
	return w, nil
}

// Work implements workload: the payload is the name of a file, the answer its row of the table.
func (w *folder) Work(ctx context.Context, _ any, payload []byte) ([]byte, error) {
	name := string(payload)
	if name == "" || name != filepath.Base(name) || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("%q is not the name of a file", name)
	}
	row, err := w.solve(ctx, name)
	if err != nil {
		return nil, err
	}
	return json.Marshal(row)
}

// folderJob is an instance of a folder that is being solved, with the result that is there.
type folderJob struct {
	options []string
	before  *fileResult // nil for none
	reused  bool        // the result is that of the same instance with the same options
}

// hasResult reports whether there is a finished result of this instance with these options. hash is that of the
// instance to solve.
func (a *app) hasResult(hash string) bool {
	j := a.job
	if j == nil || !j.before.finished(hash, j.options) {
		return false
	}
	j.reused = true
	return true
}

// solve solves a file, unless its result is there, and writes its result.
func (w *folder) solve(ctx context.Context, name string) (instanceRow, error) {
	path := filepath.Join(w.terms.Folder, name)
	target := filepath.Join(w.terms.Output, name+resultEnding)
	var object bytes.Buffer
	a := w.invocation(ctx, path, &object)
	a.job.before = readResult(target)
	a.execute(ctx, newInstanceSolve)

	var unknown errUnknownFile
	switch {
	case a.job.reused:
		row := a.job.before.row(name, target)
		row.Reused = true
		return row, nil
	case errors.As(a.failure, &unknown) || errors.Is(a.failure, errBinary):
		row := failedRow(name, "")
		row.Status = statusLeftOut
		return row, nil
	}
	return w.write(name, target, object.Bytes())
}

// invocation is proxybd solve of a file with the options of the folder, whose output is an object.
func (w *folder) invocation(ctx context.Context, path string, object io.Writer) *app {
	args := append(slices.Clone(w.terms.Options), "--json", "--quiet", "--threads=1", "--", path)
	return &app{
		streams:  streams{stdin: strings.NewReader(""), stdout: &stream{w: object}, stderr: io.Discard},
		known:    w.app.known,
		ctx:      ctx,
		began:    time.Now(),
		args:     args,
		maxInput: w.app.maxInput,
		flags:    solveFlags{timeLimit: math.MaxInt64},
		job:      &folderJob{options: w.terms.Options},
	}
}

// newInstanceSolve is the command solve without others beside it.
func newInstanceSolve(a *app) *cobra.Command {
	c := newSolve(a)
	c.SilenceErrors = true
	c.SilenceUsage = true
	c.SetIn(a.stdin)
	c.SetOut(a.stdout)
	c.SetErr(a.stderr)
	markStart(a, c)
	return c
}

// write writes the object of an instance, and returns its row. The result that is there stays where it is a finished
// one of this run, since this process was interrupted or slower than another one, and where the new one is about a file
// that could not be read.
func (w *folder) write(name, target string, object []byte) (instanceRow, error) {
	result, err := parseResult(object)
	if err != nil {
		return instanceRow{}, fmt.Errorf("the result is no object: %w", err)
	}
	now := readResult(target)
	if now.finished(result.Hash, w.terms.Options) {
		return now.row(name, target), nil
	}

	// What was interrupted before it had a design has nothing to keep.
	isLess := result.Hash == "" && now != nil && now.Hash != ""
	isNothing := result.Status == lp.Interrupted.String() && math.IsNaN(float64(result.Objective))
	if isLess || isNothing {
		return result.row(name, ""), nil
	}
	err = writeFile(target, func(out io.Writer) error {
		_, err := out.Write(object)
		return err
	})
	return result.row(name, target), err
}

// fileResult has the fields of a result that a folder looks at.
type fileResult struct {
	report
	Hash    string   `json:"hash"`
	Options []string `json:"options"`
}

// readResult reads a result; nil for none, and for what is no result.
func readResult(path string) *fileResult {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	r, err := parseResult(text)
	if err != nil {
		return nil
	}
	return r
}

// parseResult reads the text of a result.
func parseResult(text []byte) (*fileResult, error) {
	// A number that an object lacks is not known.
	r := &fileResult{report: newReport("", time.Now())}
	err := json.Unmarshal(text, r)
	if err == nil && r.Schema != schemaVersion {
		err = fmt.Errorf("the schema %d", r.Schema)
	}
	return r, err
}

// finished reports whether a result is that of an instance with these options, and not one of an interrupted run or an
// error.
func (r *fileResult) finished(hash string, options []string) bool {
	if r == nil || r.Hash == "" || r.Hash != hash {
		return false
	}
	return slices.Equal(r.Options, options) && r.Status != lp.Interrupted.String() && r.Status != "error"
}

// row is the row of a result.
func (r *fileResult) row(name, path string) instanceRow {
	return instanceRow{
		File:      name,
		Result:    path,
		Status:    r.Status,
		Objective: r.Objective,
		Bound:     r.Bound,
		Gap:       r.Gap,
		Seconds:   r.Seconds,
		Message:   r.Message,
	}
}
