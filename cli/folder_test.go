package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// folderOf fills a folder with instances of two families, and a file that is none.
func folderOf(t *testing.T, scenarios string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "in")
	for _, args := range [][]string{{"--family", "scflp", "--class", scenarios, "--count", "4"}, {"--class", "12x20", "--count", "3"}} {
		o := invoke(t, t.Context(), append([]string{"generate", "--seed", "2", "-o", dir}, args...)...)
		if o.code != 0 {
			t.Fatal(o.stderr)
		}
	}
	put(t, filepath.Join(dir, "README"), "about these files\n")
	return dir
}

// put writes a file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// steady reads an object, without what depends on the time and on who has worked.
func steady(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%v: %.200s", err, text)
	}
	for _, key := range []string{"seconds", "started", "seconds_by_part", "trace", "members"} {
		delete(object, key)
	}
	rows, _ := object["instances"].([]any)
	for _, row := range rows {
		delete(row.(map[string]any), "seconds")
		delete(row.(map[string]any), "reused")
	}
	return object
}

// results reads all results of a folder.
func results(t *testing.T, dir string) map[string]map[string]any {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "*"+resultEnding))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]map[string]any{}
	for _, path := range list {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.Base(path)] = steady(t, text)
	}
	return out
}

// tableOf returns the rows of the table of a folder, by file.
func tableOf(object map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, row := range object["instances"].([]any) {
		r := row.(map[string]any)
		out[r["file"].(string)] = r
	}
	return out
}

// TestFolder holds the results of a folder against those of its files one by one. A program in three files is one
// instance.
func TestFolder(t *testing.T) {
	// The folder has seven files of one instance each, and a program in three files.
	dir := folderOf(t, "8x10:6")
	put(t, filepath.Join(dir, "p.cor"), profitCore)
	put(t, filepath.Join(dir, "p.tim"), profitTwo)
	put(t, filepath.Join(dir, "p.sto"), profitStoch)

	// The folder of the results does not exist yet and is created; the file that is no instance is reported.
	out := filepath.Join(t.TempDir(), "new", "results")
	object := invoke(t, t.Context(), "solve", dir, "-o", out, "--gap", "1e-6", "--json", "--quiet").object(t)
	rows := tableOf(object)
	have := results(t, out)
	if len(rows) != 8 || len(have) != 8 || object["status"] != "completed" || !reflect.DeepEqual(object["left_out"], []any{"README"}) {
		t.Fatalf("%d rows, %d results, %v", len(rows), len(have), object)
	}

	// A result equals the object that the file alone gives, apart from the options that it records.
	for name, row := range rows {
		o := invoke(t, t.Context(), "solve", filepath.Join(dir, name), "--gap", "1e-6", "--json", "--quiet")
		want := steady(t, []byte(o.stdout))
		got := have[name+resultEnding]
		if !reflect.DeepEqual(got["options"], []any{"--gap=1e-06"}) {
			t.Errorf("%s: options %v", name, got["options"])
		}
		delete(got, "options")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\nwant %v", name, got, want)
		}

		// The table repeats what the result says.
		if row["objective"] != want["objective"] || row["status"] != "optimal" || row["reused"] != false {
			t.Errorf("%s: row %v", name, row)
		}
	}

	// The table is in the order of the names, also without a log.
	o := invoke(t, t.Context(), "solve", dir, "-o", out, "--gap", "1e-6", "--quiet")
	var names []string
	for _, line := range strings.Split(o.stdout, "\n") {
		if strings.Contains(line, " optimal ") {
			names = append(names, strings.Fields(line)[0])
		}
	}
	names = slices.DeleteFunc(names, func(s string) bool { return s == "8" }) // of the totals
	if len(names) != 8 || !slices.IsSorted(names) || !strings.Contains(o.stdout, "8 results were there") {
		t.Errorf("%v in\n%s", names, o.stdout)
	}
}

// TestFolderGoesOn changes what a run on a folder has left: only what differs is solved again.
func TestFolderGoesOn(t *testing.T) {
	dir := folderOf(t, "6x5:3")

	// The calls below run the folder with some options and return the table, and from a table the names of the instances
	// that were solved in this run.
	solve := func(args ...string) map[string]map[string]any {
		t.Helper()
		return tableOf(invoke(t, t.Context(), append([]string{"solve", dir, "--json", "-q"}, args...)...).object(t))
	}
	fresh := func(rows map[string]map[string]any) (names []string) {
		for name, row := range rows {
			if row["reused"] == false {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}

	// The first run solves all instances. The second run solves none: the number of threads does not change a result.
	first := solve()
	var names []string
	for name := range first {
		names = append(names, name)
	}
	slices.Sort(names)
	if got := fresh(first); !slices.Equal(got, names) {
		t.Fatalf("the first run has solved %v of %v", got, names)
	}
	if got := fresh(solve("--threads", "2")); got != nil {
		t.Errorf("without a change %v are solved", got)
	}

	// A result that is damaged, one that is missing, one of an interrupted run, and one of an error.
	result := func(k int) string { return filepath.Join(dir, names[k]+resultEnding) }
	put(t, result(0), `{"schema":1,"sta`)
	if err := os.Remove(result(1)); err != nil {
		t.Fatal(err)
	}
	for k, status := range []string{"interrupted", "error"} {
		text, err := os.ReadFile(result(2 + k))
		if err != nil {
			t.Fatal(err)
		}
		put(t, result(2+k), strings.Replace(string(text), `"status":"optimal"`, `"status":"`+status+`"`, 1))
	}

	// Another instance of the same name.
	text, err := os.ReadFile(filepath.Join(dir, names[4]))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, names[5]), string(text))

	// These five and no others are solved again. The file names[5] now holds the instance of names[4] and has its
	// objective; the instance with the damaged result has the same objective as in the first run.
	again := solve()
	if got, want := fresh(again), []string{names[0], names[1], names[2], names[3], names[5]}; !slices.Equal(got, want) {
		t.Errorf("solved %v, want %v", got, want)
	}
	if again[names[5]]["objective"] != first[names[4]]["objective"] || again[names[0]]["objective"] != first[names[0]]["objective"] {
		t.Errorf("%v", again)
	}

	// Other flags are other results; those of the log are not.
	if got := fresh(solve("--log-every", "1s")); got != nil {
		t.Errorf("with another log %v are solved", got)
	}
	if got := fresh(solve("--gap", "1e-3")); len(got) != len(names) {
		t.Errorf("with another gap only %v are solved", got)
	}

	// A file that can no longer be read does not replace its result.
	before, err := os.ReadFile(result(0))
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, names[0]), "{\"name\": \"x\", \"facilities\": [{\"capacity\": \"none\"}]}")
	o := invoke(t, t.Context(), "solve", dir, "--json", "-q", "--gap", "1e-3", "--family", "scflp")
	row := tableOf(o.object(t))[names[0]]
	if after, err := os.ReadFile(result(0)); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the result is replaced (%v)", err)
	}
	if o.code != exitFailure || row["status"] != "error" || row["message"] == "" {
		t.Errorf("%d: %v", o.code, row)
	}
}

// TestFolderErrors holds messages for what a folder cannot have.
func TestFolderErrors(t *testing.T) {
	dir := folderOf(t, "5x4:2")
	file := filepath.Join(dir, "README")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{dir, "--record", "x.record"}, "--record names a file of one instance"},
		{[]string{dir, "--facilities", "x.csv"}, "--facilities names a table of one instance"},
		{[]string{dir, "--progress", "ndjson"}, "--progress"},
		{[]string{dir, "--method", "exact", "--model", "x"}, "--model goes with"},
		{[]string{dir, "--scheme", "none"}, "none"},
		{[]string{dir, "-o", file}, "README"},
		{[]string{t.TempDir()}, "no file of the folder is an instance"},
		{[]string{written(t, "m.mps", smallModel), "-o", "x"}, "--output is for the results of a folder"},
	} {
		if o := invoke(t, t.Context(), append([]string{"solve"}, c.args...)...); o.code != exitBadInput || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, o.code, o.stderr)
		}
	}
}

// TestFolderHasALimitOfItsFiles solves the instances that are within --max-input, and none that are not.
func TestFolderHasALimitOfItsFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, filepath.Join(dir, "m.mps"), smallModel)
	put(t, filepath.Join(dir, "long.mps"), smallModel+strings.Repeat("* a comment\n", 1000))
	out := t.TempDir()
	o := invoke(t, t.Context(), "solve", dir, "-o", out, "--max-input", "8KB", "--json")
	rows := tableOf(o.object(t))
	if o.code != exitFailure || rows["m.mps"]["status"] != "optimal" || rows["long.mps"]["status"] != "error" {
		t.Errorf("%d: %v %s", o.code, rows, o.stderr)
	}
	if text, _ := rows["long.mps"]["message"].(string); !strings.Contains(text, "--max-input allows more") {
		t.Errorf("%v", rows["long.mps"])
	}

	// The result does not depend on the limit.
	o = invoke(t, t.Context(), "solve", dir, "-o", out, "--max-input", "1GB", "--json")
	if rows := tableOf(o.object(t)); o.code != 0 || rows["m.mps"]["reused"] != true || rows["long.mps"]["status"] != "optimal" {
		t.Errorf("%d: %v %s", o.code, rows, o.stderr)
	}
}

// TestFolderOfProcesses solves a folder by one to four processes, one of which is killed: the table and the results are
// the same.
func TestFolderOfProcesses(t *testing.T) {
	dir := folderOf(t, "10x12:40")
	solve := func(out string, args ...string) []string {
		return append([]string{"solve", dir, "-o", out, "--gap", "1e-5", "--json", "--quiet", "--threads", "1"}, args...)
	}
	one := filepath.Join(t.TempDir(), "out")
	want := steady(t, []byte(invoke(t, t.Context(), solve(one)...).stdout))
	wantResults := results(t, one)

	for n := 1; n <= 4; n++ {
		if err := os.RemoveAll(one); err != nil {
			t.Fatal(err)
		}
		ranks := launch(t, n, solve(one)...)

		// The last process dies once something is done.
		if n > 2 {
			for len(results(t, one)) == 0 {
				time.Sleep(time.Millisecond)
			}
			ranks[n-1].Process.Kill()
		}
		if err := ranks[0].Wait(); err != nil {
			t.Fatalf("%d processes: %v: %s", n, err, ranks[0].stderr.String())
		}
		if got := steady(t, ranks[0].stdout.Bytes()); !reflect.DeepEqual(got, want) {
			t.Errorf("%d processes: %v\nwant %v", n, got, want)
		}
		if got := results(t, one); !reflect.DeepEqual(got, wantResults) {
			t.Errorf("%d processes: %v\nwant %v", n, got, wantResults)
		}
	}
}

// TestFolderIsInterrupted sends SIGTERM to a run of two processes and has it go on.
func TestFolderIsInterrupted(t *testing.T) {
	// The folder has seven instances and no other file.
	dir := folderOf(t, "15x20:60")
	if err := os.Remove(filepath.Join(dir, "README")); err != nil {
		t.Fatal(err)
	}
	args := []string{"solve", dir, "--gap", "1e-9", "--json", "--quiet", "--threads", "1"}
	ranks := launch(t, 2, args...)

	// Both are at instances with scenarios, which are the larger files, when the first of these is solved.
	for len(results(t, dir)) == 0 {
		time.Sleep(5 * time.Millisecond)
	}

	// The first process ends soon with the exit code of a limit, and the other one without an error.
	began := time.Now()
	first := ranks[0]
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	err := first.Wait()
	if took := time.Since(began); first.ProcessState.ExitCode() != exitLimit || took > 10*time.Second {
		t.Errorf("%v after %v: %s", err, took, first.stderr.String())
	}
	if err := ranks[1].Wait(); err != nil {
		t.Errorf("the other process: %v: %s", err, ranks[1].stderr.String())
	}

	// The table of the first process has all seven instances, and at least one is marked as interrupted.
	left := steady(t, first.stdout.Bytes())
	open := 0
	for _, row := range tableOf(left) {
		if row["status"] == "interrupted" {
			open++
		}
	}
	if left["status"] != "interrupted" || open == 0 || len(tableOf(left)) != 7 {
		t.Fatalf("%v", left)
	}

	// What was finished stays.
	reused := 0
	for name, row := range tableOf(invoke(t, t.Context(), args...).object(t)) {
		if row["status"] != "optimal" {
			t.Errorf("%s: %v", name, row)
		}
		if row["reused"] == true {
			reused++
		}
	}
	if reused+open != 7 {
		t.Errorf("%d of 7 instances were open, and %d results are reused", open, reused)
	}
}
