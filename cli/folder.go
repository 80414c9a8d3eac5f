package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/scenfolder"
	"github.com/proxybd/proxybd/lp/smps"
)

// A folder of instances is solved file by file: each is a job, which is what proxybd solve FILE --json does with the
// options of the command line and one thread. Its object is a file of its own, so that nothing is lost with a process,
// and the same command goes on where it was.

// resultEnding ends the names of the files of results, behind the whole name of the instance.
const resultEnding = ".result.json"

// folderReport is the object of proxybd solve FOLDER.
type folderReport struct {
	stageReport
	Folder    string         `json:"folder"`
	Instances []instanceRow  `json:"instances"`
	Left      []string       `json:"left_out,omitempty"`
	Members   []memberReport `json:"members,omitempty"`
}

// instanceRow is a row of the table of a folder.
type instanceRow struct {
	File      string `json:"file"`
	Result    string `json:"result,omitempty"`
	Status    string `json:"status"`
	Objective number `json:"objective"`
	Bound     number `json:"bound"`
	Gap       number `json:"gap"`
	Seconds   number `json:"seconds"`
	Reused    bool   `json:"reused"` // the result of a run before
	Message   string `json:"message,omitempty"`
}

// statusLeftOut is that of a file which is no instance of any family. It is in no report.
const statusLeftOut = "left out"

// folderTerms say how the instances of a folder are solved.
type folderTerms struct {
	Folder  string   `json:"folder"`
	Output  string   `json:"output"`  // folder of the results
	Options []string `json:"options"` // of the command line, as --name=value
}

// isFolder reports whether a path is a folder of instances, and not one that is an instance itself.
func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() && !scenfolder.Is(path) && !scenfolder.IsStructure(path)
}

// forAll are the flags that do not change a result: where it goes, who works, and what a file may have, which is the
// same for all instances.
var forAll = []string{"cluster", "json", "log", "log-every", "max-input", "output", "quiet", "threads"}

// checkFolder reports a flag that is about one instance.
func checkFolder(flags *pflag.FlagSet) error {
	files := []string{"record", "checkpoint", "start", "scenario-costs", "write-sol", "sol-style", "solution", "svg",
		"html"}
	return firstConflict(flags, []conflict{
		{files, true, "names a file of one instance, and this is a folder of them"},
		{[]string{"facilities", "clients", "costs"}, true, "names a table of one instance, and this is a folder of them"},
		{[]string{"progress"}, true, "is that of one instance, and this is a folder of them"},
	})
}

// optionsOf lists the flags of a command line that a result depends on, in the order of their names.
func optionsOf(flags *pflag.FlagSet) []string {
	list := []string{}
	flags.Visit(func(f *pflag.Flag) {
		if !slices.Contains(forAll, f.Name) {
			list = append(list, fmt.Sprintf("--%s=%s", f.Name, f.Value))
		}
	})
	return list
}

// instancesOf lists the files of a folder that may be instances: neither results, nor hidden, nor a part of another
// one. Large files come first, so that no long run begins when the others end.
func instancesOf(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, badInput(plainError(dir, err))
	}
	sizes := map[string]int64{}
	var names []string
	for _, e := range entries {
		name := e.Name()
		path := filepath.Join(dir, name)
		isOther := strings.HasPrefix(name, ".") || strings.HasSuffix(name, resultEnding) || smps.Beside(name)
		if isOther || isFolder(path) {
			continue
		}

		// A link stands for what it leads to. Pipes and devices are no instances; nor is a file that has just gone.
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() && !info.Mode().IsRegular() {
			continue
		}
		sizes[name] = info.Size()
		names = append(names, name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
	return names, nil
}

// folderRun is one run of proxybd solve on a folder.
type folderRun struct {
	app   *app
	terms folderTerms
	began time.Time
	names []string
	rows  []instanceRow // by number of the job; those without a status have not ended
	ended int
}

// solveFolder solves the instances of a folder, each by itself.
func (a *app) solveFolder(ctx context.Context, dir string, f solveOptions) error {
	terms := folderTerms{Folder: dir, Output: cmp.Or(f.output, dir), Options: optionsOf(f.given)}
	if err := f.checkFolder(a, terms.Output); err != nil {
		return err
	}

	// Nothing is sent ahead: an instance would wait behind another one while other processes are idle.
	o := crewOptions{where: f.cluster, threads: f.threads, slowAfter: slowJob}
	crew, err := a.gather(ctx, o, folderWork, terms)
	if crew == nil || err != nil {
		return err
	}
	run := &folderRun{app: a, terms: terms, began: a.began}
	members, err := run.solve(ctx, crew)
	if err != nil {
		return err
	}
	return run.report(ctx, members)
}

// checkFolder checks the flags of a run on a folder, and that its results can be written.
func (f *solveOptions) checkFolder(a *app, output string) error {
	if err := errors.Join(checkFolder(f.given), f.checkTogether()); err != nil {
		return err
	}
	if _, err := f.settings(a); err != nil {
		return err
	}
	if f.output != "" {
		if err := os.MkdirAll(f.output, 0o777); err != nil {
			return badPath(f.output, err)
		}
	}
	return checkTarget(filepath.Join(output, "new"+resultEnding))
}

// solve solves all instances, and returns what the processes have done.
func (r *folderRun) solve(ctx context.Context, crew *crew) (members []memberReport, err error) {
	defer func() {
		list, failed := crew.leave()
		members = list
		err = errors.Join(err, failed)
	}()
	if r.names, err = instancesOf(r.terms.Folder); err != nil {
		return nil, err
	}
	r.app.log.printf("%s: %d files", r.terms.Folder, len(r.names))
	if err := crew.begin(ctx, &folder{app: r.app, terms: r.terms}); err != nil {
		return nil, err
	}

	payloads := make([][]byte, len(r.names))
	for k, name := range r.names {
		payloads[k] = []byte(name)
	}
	r.rows = make([]instanceRow, len(r.names))
	err = crew.each(ctx, payloads, r.take)
	if ctx.Err() != nil {
		err = nil // the report says which instances have no result
	}
	return nil, err
}

// take takes the row of an instance.
func (r *folderRun) take(job int, answer []byte, err error) {
	row := &r.rows[job]
	if err == nil {
		err = json.Unmarshal(answer, row)
	}
	if err != nil {
		*row = failedRow(r.names[job], oneLine(err, r.app.args))
	}
	r.ended++
	r.app.log.printf("%d of %d: %s: %s", r.ended, len(r.names), row.File, row.line())
}

// failedRow is the row of an instance without a result.
func failedRow(name, message string) instanceRow {
	none := newReport("error", time.Now())
	return instanceRow{
		File:      name,
		Status:    none.Status,
		Objective: none.Objective,
		Bound:     none.Bound,
		Gap:       none.Gap,
		Seconds:   none.Gap,
		Message:   message,
	}
}

// line is the row in the log.
func (w *instanceRow) line() string {
	switch {
	case w.Status == statusLeftOut:
		return "no instance"
	case w.Message != "":
		return w.Status + ": " + w.Message
	case w.Reused:
		return fmt.Sprintf("%s, objective %s (the result is there)", w.Status, showExact(float64(w.Objective)))
	}
	return fmt.Sprintf("%s, objective %s, %s", w.Status, showExact(float64(w.Objective)),
		showTime(time.Duration(float64(w.Seconds)*float64(time.Second))))
}

// report prints the table, in the order of the names.
func (r *folderRun) report(ctx context.Context, members []memberReport) error {
	out := folderReport{
		stageReport: newStageReport("solve", r.began),
		Folder:      r.terms.Folder,
		Instances:   []instanceRow{},
		Members:     members,
	}
	for k := range r.rows {
		row := &r.rows[k]
		switch {
		case row.Status == statusLeftOut:
			out.Left = append(out.Left, row.File)
			continue
		case row.Status == "":
			*row = r.unfinished(r.names[k])
		}
		out.Instances = append(out.Instances, *row)
	}
	slices.SortFunc(out.Instances, func(a, b instanceRow) int { return cmp.Compare(a.File, b.File) })
	slices.Sort(out.Left)
	if len(out.Instances) == 0 {
		return badInput(fmt.Errorf("%s: no file of the folder is an instance", r.terms.Folder))
	}

	// Every status of a run is a result; an error is none.
	failed := slices.ContainsFunc(out.Instances, func(w instanceRow) bool { return w.Status == "error" })
	switch {
	case ctx.Err() != nil:
		out.Status = lp.Interrupted.String()
		r.app.code = exitLimit
	case failed:
		out.Status = "error"
		r.app.code = exitFailure
	}
	r.app.log.printf("")
	r.app.conclude(append(out.table(), out.totals()...)...)
	return r.app.printObject(out)
}

// unfinished is the row of an instance whose job has not ended: the result that is there with the options of the run,
// which a process has left when it was interrupted, or a run before.
func (r *folderRun) unfinished(name string) instanceRow {
	path := filepath.Join(r.terms.Output, name+resultEnding)
	status := lp.Interrupted.String()
	if left := readResult(path); left != nil && left.Hash != "" && slices.Equal(left.Options, r.terms.Options) {
		return left.row(name, path)
	}
	row := failedRow(name, "")
	row.Status = status
	return row
}

// table are the lines of the table.
func (o *folderReport) table() []string {
	width := len("instance")
	for _, row := range o.Instances {
		width = max(width, len(row.File))
	}
	line := func(name, status, objective, bound, gap, took string) string {
		return fmt.Sprintf("%-*s  %-14s %20s %20s %9s %10s", width, name, status, objective, bound, gap, took)
	}
	lines := []string{line("instance", "status", "objective", "bound", "gap", "time")}
	for _, row := range o.Instances {
		lines = append(lines, line(row.File, row.Status, showExact(float64(row.Objective)), showExact(float64(row.Bound)),
			showGap(float64(row.Gap)), row.took()))
	}
	return lines
}

// took shows the time of an instance.
func (w *instanceRow) took() string {
	if !(w.Seconds >= 0) {
		return ""
	}
	return showSeconds(time.Duration(float64(w.Seconds) * float64(time.Second)))
}

// totals are the lines below the table.
func (o *folderReport) totals() []string {
	count := map[string]int{}
	reused := 0
	for _, row := range o.Instances {
		count[row.Status]++
		if row.Reused {
			reused++
		}
	}
	var parts []string
	for status, n := range count {
		parts = append(parts, fmt.Sprintf("%d %s", n, status))
	}
	slices.Sort(parts)
	lines := []string{"", fmt.Sprintf("%d instances: %s; %d results were there; %s", len(o.Instances),
		strings.Join(parts, ", "), reused, showTime(time.Duration(float64(o.Seconds)*float64(time.Second))))}
	if len(o.Left) > 0 {
		lines = append(lines, "no instances: "+strings.Join(o.Left, ", "))
	}
	if len(o.Members) > 0 {
		lines = append(lines, "processes "+showMembers(o.Members))
	}
	return lines
}
