package cli

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// rowsOf returns the rows of a table of a solution.
func rowsOf(t *testing.T, object map[string]any, table string) (rows []map[string]any) {
	t.Helper()
	list, known := object[table].([]any)
	if !known {
		t.Fatalf("no table %s", table)
	}
	for _, r := range list {
		rows = append(rows, r.(map[string]any))
	}
	return rows
}

// sumOf adds up a column of a table; the rows may have a weight.
func sumOf(t *testing.T, object map[string]any, table, column string, weight func(row map[string]any) float64) float64 {
	t.Helper()
	total := 0.0
	for _, r := range rowsOf(t, object, table) {
		total += r[column].(float64) * weight(r)
	}
	return total
}

// checkPoint reads a .sol file for an exported model and returns what the point costs; bounds, rows and integrality
// must hold.
func checkPoint(t *testing.T, model, sol string) float64 {
	t.Helper()
	m, _, err := mps.ReadFile(model)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(sol)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, err := mps.ReadSol(f, sol, m)
	if err != nil {
		t.Fatal(err)
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	cost, activity := m.Offset, make([]float64, len(m.Rows))
	for j, v := range x {
		c := m.Cols[j]
		if v < c.Lower-1e-6 || v > c.Upper+1e-6 || c.Integer && v != math.Round(v) {
			t.Errorf("%s: %s is %g", sol, m.ColName(lp.Var(j)), v)
		}
		cost += c.Cost * v
		index, value := a.Vec(j)
		for k, i := range index {
			activity[i] += value[k] * v
		}
	}
	for i, r := range m.Rows {
		room := 1e-6 * max(1, math.Abs(activity[i]))
		if activity[i] < r.Lower-room || activity[i] > r.Upper+room {
			t.Errorf("%s: row %s is %g, not in [%g, %g]", sol, m.RowName(lp.Con(i)), activity[i], r.Lower, r.Upper)
		}
	}
	return cost
}

// checkSolution solves an instance with every output and compares each with the objective: the point in the exported
// model, the costs in the tables, and the CSV with the JSON.
func checkSolution(t *testing.T, path string, flags ...string) map[string]any {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	o := invoke(t, t.Context(), append([]string{"solve", path, "--json", "--write-sol", file("x.sol"), "--solution", file("x.json")}, flags...)...)
	if o.code != exitSolved {
		t.Fatalf("%s: %s", path, o.stderr)
	}
	run := o.object(t)
	objective := run["objective"].(float64)
	if run["warnings"] != nil {
		t.Errorf("%s: %v", path, run["warnings"])
	}
	text, err := os.ReadFile(file("x.json"))
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	if total := value(t, s, "cost", "total"); !near(total, objective, 1e-6) || value(t, s, "violation") > 1e-6 {
		t.Errorf("%s: the solution costs %v and violates %v, objective %v", path, total, s["violation"], objective)
	}
	model := path // a maximisation is exported as a minimisation
	if !strings.HasSuffix(path, ".mps") {
		model = file("x.mps")
		export := []string{"export", path, "-o", model}
		for k, f := range flags {
			if f == "--scenarios" {
				export = append(export, f, flags[k+1])
			}
		}
		if o := invoke(t, t.Context(), export...); o.code != 0 {
			t.Fatal(o.stderr)
		}
	}
	if cost := checkPoint(t, model, file("x.sol")); !near(cost, objective, 1e-6) {
		t.Errorf("%s: the point costs %v, objective %v", path, cost, objective)
	}
	compareCSV(t, path, s, file("x.csv.gz"), flags)
	return s
}

// compareCSV solves again to a gzipped CSV file, which must have the tables of the object.
func compareCSV(t *testing.T, path string, s map[string]any, out string, flags []string) {
	t.Helper()
	if o := invoke(t, t.Context(), append([]string{"solve", path, "-q", "--solution", out}, flags...)...); o.code != exitSolved {
		t.Fatal(o.stderr)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(z).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := map[string]int{}
	for _, line := range lines[1:] {
		if line[0] == "solution" {
			continue
		}
		rows := rowsOf(t, s, line[0])
		row := rows[at[line[0]]]
		at[line[0]]++
		for k, title := range lines[0][1:] {
			want := ""
			switch v := row[title].(type) {
			case float64:
				want = showCell(v)
			case nil:
			default:
				want = showCell(v)
			}
			if line[k+1] != want {
				t.Errorf("%s: %s: %s is %q in the CSV file and %q in the object", path, line[0], title, line[k+1], want)
			}
		}
	}
	for name, table := range s {
		if list, ok := table.([]any); ok && name != "warnings" && at[name] != len(list) {
			t.Errorf("%s: %d rows of %s in the CSV file, %d in the object", path, at[name], name, len(list))
		}
	}
}

func one(map[string]any) float64 { return 1 }

// ifOpen weighs what is open.
func ifOpen(row map[string]any) float64 {
	if row["open"] == true {
		return 1
	}
	return 0
}

// TestSolutionOfEveryFamily generates an instance of every family and checks its whole solution.
func TestSolutionOfEveryFamily(t *testing.T) {
	for _, c := range []struct{ family, class string }{{"cap", "12x5:1.4"}, {"ufl", "12x8"}, {"mcndp", "5x12x4"},
		{"mcndp", "5x12x4:3:lognormal:0.4"}, {"netdes", "6x4-L"}, {"scflp", "6x5:4"}, {"mps", "2x18x12"}} {
		path := makeClass(t, c.family, c.class)
		s := checkSolution(t, path, "--gap", "1e-9")
		first, recourse := value(t, s, "cost", "first_stage"), value(t, s, "cost", "recourse")
		parts := map[string][2]string{"facilities": {"fixed_cost", "service_cost"}, "arcs": {"fixed_cost", "flow_cost"}}
		if strings.Contains(c.class, ":3:") || c.family == "netdes" || c.family == "scflp" {
			parts = map[string][2]string{"facilities": {"fixed_cost", "mean_service_cost"}, "arcs": {"fixed_cost", "mean_flow_cost"}}
			if v := sumOf(t, s, "scenarios", "cost", func(r map[string]any) float64 { return r["probability"].(float64) }); !near(v, first+recourse, 1e-9) {
				t.Errorf("%s: the scenarios cost %v, not %v", path, v, first+recourse)
			}
		}
		for table, columns := range parts {
			if s[table] == nil {
				continue
			}
			if v := sumOf(t, s, table, columns[0], ifOpen); !near(v, first, 1e-9) {
				t.Errorf("%s: open %s cost %v, not %v", path, table, v, first)
			}
			if v := sumOf(t, s, table, columns[1], one); !near(v, recourse, 1e-7) {
				t.Errorf("%s: the recourse of the %s costs %v, not %v", path, table, v, recourse)
			}
		}
	}
}

// TestSolutionOfModels checks MPS files, minimised and maximised, and SMPS files.
func TestSolutionOfModels(t *testing.T) {
	text := `NAME PROFIT
OBJSENSE MAX
ROWS
 N obj
 L cap
 L link
 G need
COLUMNS
 M1 'MARKER' 'INTORG'
 open obj -5 link -10
 M2 'MARKER' 'INTEND'
 make obj 2 cap 1
 make link 1 need 1
RHS
 RHS cap 8 need 1
 RHS obj -3
BOUNDS
 BV B open
ENDATA
`
	path := filepath.Join(t.TempDir(), "profit.mps")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	s := checkSolution(t, path) // open = 1, make = 8, and 3 for nothing
	if value(t, s, "cost", "first_stage") != -2 || value(t, s, "cost", "recourse") != 16 {
		t.Errorf("costs %v", s["cost"])
	}
	rows := rowsOf(t, s, "rows")
	if rows[1]["row"] != "link" || rows[1]["activity"] != -2.0 || rows[1]["slack"] != 2.0 || rows[1]["lower"] != nil {
		t.Errorf("rows %v", rows)
	}
	stem := filepath.Join(t.TempDir(), "p")
	if o := invoke(t, t.Context(), "export", makeClass(t, "scflp", "6x5:3"), "-o", stem+".smps"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	s = checkSolution(t, stem+".smps", "--gap", "1e-9")
	if n := len(rowsOf(t, s, "recourse_columns")); n != 3*5*6 {
		t.Errorf("%d values in three scenarios", n)
	}
}

// TestSolutionOfSharedData checks instances of others, whose readers are not ours alone.
func TestSolutionOfSharedData(t *testing.T) {
	data := "../../shared/data/"
	if _, err := os.Stat(data); err != nil {
		t.Skip("no data")
	}
	for _, args := range [][]string{{"cap/cap41.txt"}, {"mcnd/r01.1.dow"}, {"stoch/smcf/r04.1.dow", "--scenarios", data + "stoch/smcf/r04-0-16.scen"},
		{"stoch/netdes/network-10-10-L-01.dat"}, {"smps/dsp/farmer.cor.gz"}} {
		checkSolution(t, data+args[0], args[1:]...)
	}
}

// TestSolutionIsAStart gives the point of a program with scenarios to branch and cut on its extensive form, and to
// evaluate.
func TestSolutionIsAStart(t *testing.T) {
	path, dir := makeClass(t, "netdes", "5x3-L"), t.TempDir()
	sol, model := filepath.Join(dir, "x.sol"), filepath.Join(dir, "x.mps")
	want := invoke(t, t.Context(), "solve", path, "--json", "--write-sol", sol).object(t)["objective"].(float64)
	if o := invoke(t, t.Context(), "export", path, "-o", model); o.code != 0 {
		t.Fatal(o.stderr)
	}
	o := invoke(t, t.Context(), "mip", model, "--start", sol, "--json", "--node-limit", "0")
	if got := o.object(t); !near(got["objective"].(float64), want, 1e-6) {
		t.Errorf("from the start: %v, want %v", got["objective"], want)
	}
	o = invoke(t, t.Context(), "evaluate", path, sol, "--json")
	if got := o.object(t); !near(got["objective"].(float64), want, 1e-6) {
		t.Errorf("evaluated: %v, want %v", got["objective"], want)
	}
}

// TestModelSolutions compares the tables of lp and mip with the model: duals price the right-hand sides, and the .sol
// file with its remarks is still read.
func TestModelSolutions(t *testing.T) {
	dir := t.TempDir()
	out, sol := filepath.Join(dir, "x.json"), filepath.Join(dir, "x.sol")
	o := invoke(t, t.Context(), "lp", "testdata/product_mix.mps", "-q", "--solution", out, "--write-sol", sol)
	if o.code != 0 {
		t.Fatal(o.stderr)
	}
	var s map[string]any
	text, _ := os.ReadFile(out)
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	dual := 0.0 // of the textbook: no bound is active, so the duals alone have the objective
	for _, r := range rowsOf(t, s, "rows") {
		if y := r["dual"].(float64); y != 0 {
			dual += y * r["activity"].(float64)
			if r["slack"].(float64) != 0 {
				t.Errorf("a priced row with slack: %v", r)
			}
		}
	}
	for _, c := range rowsOf(t, s, "columns") {
		dual += c["reduced_cost"].(float64) * c["value"].(float64)
		if c["status"] == "basic" && c["reduced_cost"] != 0.0 {
			t.Errorf("a basic column: %v", c)
		}
	}
	if dual != 36 {
		t.Errorf("the duals are worth %v", dual)
	}
	if cost := checkPoint(t, "testdata/product_mix.mps", sol); cost != 36 {
		t.Errorf("the point costs %v", cost)
	}
	if text, _ := os.ReadFile(sol); !strings.Contains(string(text), "reduced_cost") || !strings.Contains(string(text), "dual") {
		t.Errorf("no remarks in %s", text)
	}
	o = invoke(t, t.Context(), "mip", "testdata/knapsack.mps", "--solution", "-")
	if err := json.Unmarshal([]byte(o.stdout), &s); err != nil {
		t.Fatalf("%v in %s", err, o.stdout)
	}
	if v := sumOf(t, s, "columns", "value", func(r map[string]any) float64 { return r["cost"].(float64) }); v != 14 || value(t, s, "violation") != 0 {
		t.Errorf("the columns are worth %v", v)
	}
	for _, args := range [][]string{{"--solution", "x.txt"}, {"--solution", "-", "--json"}, {"--solution", "no/such/x.json"}} {
		if o := invoke(t, t.Context(), append([]string{"lp", "testdata/product_mix.mps"}, args...)...); o.code != exitBadInput {
			t.Errorf("%v: exit code %d", args, o.code)
		}
	}
	o = invoke(t, t.Context(), "lp", "testdata/infeasible.mps", "-q", "--solution", "-")
	if err := json.NewDecoder(strings.NewReader(o.stdout)).Decode(&s); err != nil || s["status"] != "infeasible" || s["objective"] != nil {
		t.Errorf("%v: %s", err, o.stdout)
	}
}

// TestPictures draws an instance of every family that can be drawn; a model cannot.
func TestPictures(t *testing.T) {
	for _, c := range []struct {
		family, class string
		want          []string
	}{{"cap", "12x5", []string{"facility 5:", "client 12: demand", "open facility"}}, {"ufl", "12x8", []string{"facility 8", "client 12"}},
		{"mcndp", "5x12x4", []string{"arc 12,", "node 5", "closed arc"}}, {"mcndp", "5x12x4:3:lognormal:0.4", []string{"mean load", "arc 12,"}},
		{"netdes", "6x4-L", []string{"mean load", "node 6"}}, {"scflp", "6x5:4", []string{"facility 4", "customer 5", "in the mean"}}} {
		path, out := makeClass(t, c.family, c.class), filepath.Join(t.TempDir(), "x.svg")
		if o := invoke(t, t.Context(), "solve", path, "-q", "--svg", out); o.code != 0 {
			t.Fatalf("%s: %s", c.family, o.stderr)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s %s: no %q in the picture", c.family, c.class, want)
			}
		}
		if err := xml.Unmarshal(text, new(struct{})); err != nil || strings.Contains(string(text), "NaN") {
			t.Errorf("%s %s: %v", c.family, c.class, err)
		}
	}
	out := filepath.Join(t.TempDir(), "x.svg")
	o := invoke(t, t.Context(), "solve", makeClass(t, "mps", "2x18x12"), "-q", "--svg", out)
	if _, err := os.Stat(out); err == nil || o.code != exitBadInput || !strings.Contains(o.stderr, "nothing to draw") {
		t.Errorf("a model: %d %s", o.code, o.stderr)
	}
}
