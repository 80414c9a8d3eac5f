package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
)

// instanceOf returns the instance of a file.
func instanceOf(t *testing.T, path string) families.Instance {
	t.Helper()
	_, in, err := catalogue(Families()).open("", path, families.ReadOptions{Warn: func(line string) { t.Errorf("%s: %s", path, line) }})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// saved writes a text to a file of its own.
func saved(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTemplatesAreSolved solves every template as it is; that of the other format is the same instance.
func TestTemplatesAreSolved(t *testing.T) {
	for _, args := range [][]string{{"ufl"}, {"cap"}, {"mcndp"}, {"mcndp", "--scenarios"}, {"scflp"}, {"scflp", "--scenarios"}, {"netdes"}} {
		var hash [2]string
		for k, format := range []string{"csv", "json"} {
			path := filepath.Join(t.TempDir(), "mine."+format+".gz")
			if o := invoke(t, t.Context(), append([]string{"template", "--format", format, "-o", path}, args...)...); o.code != 0 {
				t.Fatal(o.stderr)
			}
			hash[k] = instanceOf(t, path).Hash()
			s := checkSolution(t, path, "--gap", "1e-9")
			if len(args) > 1 || args[0] == "scflp" || args[0] == "netdes" {
				if rows := rowsOf(t, s, "scenarios"); rows[2]["scenario"] != "brisk" {
					t.Errorf("%v: scenarios %v", args, rows)
				}
			}
			if args[0] == "netdes" {
				if rows := rowsOf(t, s, "arcs"); rows[4]["arc"] != "4" || rows[4]["from"] != "Leipzig" {
					t.Errorf("%v: arcs %v", args, rows)
				}
				continue
			}
			if args[0] != "mcndp" {
				if rows := rowsOf(t, s, "facilities"); rows[1]["facility"] != "Berlin" {
					t.Errorf("%v: facilities %v", args, rows)
				}
				continue
			}
			if rows := rowsOf(t, s, "commodities"); rows[1]["commodity"] != "paper" || rows[1]["destination"] != "Munich" {
				t.Errorf("%v: commodities %v", args, rows)
			}
			if rows := rowsOf(t, s, "arcs"); rows[1]["arc"] != 2.0 || rows[1]["to"] != "Leipzig" {
				t.Errorf("%v: arcs %v", args, rows)
			}
		}
		if hash[0] != hash[1] {
			t.Errorf("%v: the CSV and the JSON template are two instances", args)
		}
	}
	for _, args := range [][]string{{"sslp"}, {"ufl", "--scenarios"}, {"nothing"}, {"cap", "--format", "xml"}} {
		if o := invoke(t, t.Context(), append([]string{"template"}, args...)...); o.code != exitBadInput || o.stdout != "" {
			t.Errorf("%v: exit code %d, %s", args, o.code, o.stdout)
		}
	}
}

// TestTablesOfInstances turns generated instances into tables and back: the content stays the same, number for number.
func TestTablesOfInstances(t *testing.T) {
	for _, c := range []struct{ family, class, ext string }{{"cap", "7x5", ".txt"}, {"ufl", "6x8", ".txt"}, {"mcndp", "5x12x4", ".dow"},
		{"mcndp", "5x12x4:3:lognormal:0.4", ".dow"}, {"netdes", "5x3-L", ".dat"}, {"scflp", "6x5:3", ".json"}, {"sslp", "3x4:2", ".json"}} {
		path, dir := makeClass(t, c.family, c.class), t.TempDir()
		want := instanceOf(t, path).Hash()
		for _, name := range []string{"x.csv", "y.json.gz", "z" + c.ext, "z.csv.gz"} {
			out := filepath.Join(dir, name)
			o := invoke(t, t.Context(), "export", path, "-o", out)
			if c.family == "sslp" && !strings.Contains(name, ".json") {
				if o.code != exitBadInput || !strings.Contains(o.stderr, "have no tables") {
					t.Errorf("%s %s: %d %s", c.family, name, o.code, o.stderr)
				}
				continue
			}
			if o.code != 0 {
				t.Fatalf("%s %s: %s", c.family, name, o.stderr)
			}
			if got := instanceOf(t, out).Hash(); got != want {
				t.Errorf("%s %s: another instance", c.family, name)
			}
			path = out // and on from there
		}
	}
}

// TestTablesSayWhatIsWrong reads damaged tables of every family.
func TestTablesSayWhatIsWrong(t *testing.T) {
	ufl := "problem,ufl\nfacility,fixed_cost\nA,5\nB,6\n"
	network := "problem,mcndp\narc,from,to,cost,capacity,fixed_cost\n1,a,b,1,9,3\n2,b,c,1,9,3\n"
	for _, c := range []struct{ text, want string }{
		{ufl + "costs,A,C\nx,1,2\n", `line 6, field 3 (facility): not a sound table file: no facility is called "C"`},
		{ufl + "client,facility,cost\nx,A,1\nx,B,2\nx,A,3\n", `line 8, field 3 (cost): not a sound table file: the second cost of client "x"`},
		{ufl, "there is no table of the costs"},
		{ufl + "client\nx\ncosts,A,B\nx,1,2\ny,1,2\n", `no client is called "y"`},
		{"problem,ufl\nfacility,fixed_cost,x\nA,5,1\ncosts,A\nk,1\n", "a place has both x and y"},
		{"problem,cap\nfacility,fixed_cost\nA,5\n", "the column capacity is missing"},
		{"problem,cap\nfacility,capacity,fixed_cost\nA,5,1\nA,2,1\nclient,demand\nk,1\ncosts,A\nk,1\n", `line 4, field 1 (facility): not a sound table file: facility "A" comes a second time`},
		{network + "commodity,origin,destination,demand\nk,a,z,1\n", `line 6, field 3 (destination): not a sound table file: no node is called "z"`},
		{network + "commodity,origin,destination,demand\nk,a,a,1\n", "leads from node \"a\" to itself"},
		{network + "commodity,origin,destination,demand\nk,a,c,0\n", "line 6, field 4 (demand): not a sound table file: the demand is not positive"},
		{network + "commodity,origin,destination,demand\nk,a,c,1\ndemands,k\ns,2\n", "no table of the scenarios"},
		{network + "commodity,origin,destination,demand\nk,a,c,1\nscenario,probability\ns,1\n", `no demand of commodity "k" in scenario "s"`},
		{"problem,tsp\n", `unknown problem "tsp": tables are of`},
		{`{"problem": "ufl", "facilities": [{"facility": "A", "fixed_cost": -1}]}`, "line 1, facilities[0].fixed_cost: not a sound table file: fixed_cost is negative"},
	} {
		path := saved(t, "mine.csv", c.text)
		o := invoke(t, t.Context(), "solve", path)
		if o.code != exitBadInput || !strings.Contains(o.stderr, "mine.csv: ") || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%q: exit code %d, %swant %q", c.text, o.code, o.stderr, c.want)
		}
	}
	if o := invoke(t, t.Context(), "solve", saved(t, "mine.csv", "problem,cap\nfacility,capacity,fixed_cost\nA,5,1\nclient,demand\nk,1\ncosts,A\nk,1\n"), "--capacity", "3"); o.code != exitBadInput {
		t.Errorf("a capacity for nothing: %d", o.code)
	}
}

// TestUnknownFile expects the formats of all families to be shown for a file of none.
func TestUnknownFile(t *testing.T) {
	path := saved(t, "notes.txt", "milk, bread and eggs\n")
	o := invoke(t, t.Context(), "solve", path)
	if o.code != exitBadInput {
		t.Errorf("exit code %d", o.code)
	}
	for _, f := range Families() {
		if len(f.Formats) == 0 {
			t.Errorf("%s shows no format", f.Name)
		}
		for _, format := range f.Formats {
			if !strings.Contains(o.stderr, "\n"+f.Name+": "+format.Name) || !strings.Contains(o.stderr, format.Head[0]) {
				t.Errorf("no %s in %s", format.Name, o.stderr)
			}
		}
	}
	var object map[string]any
	o = invoke(t, t.Context(), "solve", path, "--json")
	if err := json.Unmarshal([]byte(o.stdout), &object); err != nil || strings.Contains(object["message"].(string), "MULTIGEN") {
		t.Errorf("%v: %s", err, o.stdout)
	}
}

// FuzzTables reads damaged tables of every family: no panic, and what is read is written and read again as it was.
func FuzzTables(f *testing.F) {
	for _, name := range catalogue(Families()).templated() {
		for _, end := range []string{".csv", ".json"} {
			text, err := templates.ReadFile("templates/" + name + end)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	text, err := templates.ReadFile("templates/mcndp-scenarios.csv")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("problem,scflp\nfacility,capacity,fixed_cost\n1,9,2\ncosts,1\na,2\nscenario,probability\ns,1\nt,2\n" +
		"demands,a\ns,3\nt,4\nsetting,value\nsingle_sourcing,yes\n"))
	f.Add([]byte("problem,netdes\nnode,supply\na,2\nb,-2\narc,from,to,fixed_cost,cost,capacity\n1,a,b,2,,3\n" +
		"scenario,probability\ns,1\nt,2\nscenario,arc,cost\ns,1,3\nt,1,4\nsupplies,a,b\nt,1,-1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := saved(t, "x.csv", string(text))
		for _, name := range catalogue(Families()).templated() {
			_, in, err := catalogue(Families()).open(name, path, families.ReadOptions{})
			if err != nil {
				continue
			}
			d, err := catalogue(Families()).tablesOf(in)
			if err != nil {
				continue // of another layout
			}
			out := filepath.Join(t.TempDir(), "y.json")
			w, err := os.Create(out)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.WriteJSON(w); err != nil {
				t.Fatal(err)
			}
			w.Close()
			_, again, err := catalogue(Families()).open(name, out, families.ReadOptions{})
			if err != nil || again.Hash() != in.Hash() {
				t.Errorf("read again: %v", err)
			}
		}
	})
}

// TestStochasticTemplate solves the model with a table of scenarios, whose optimum is known (Birge and Louveaux, Introduction to Stochastic Programming, section 1.1), and as the SMPS files that it is exported to.
func TestStochasticTemplate(t *testing.T) {
	stem := filepath.Join(t.TempDir(), "farmer")
	if o := invoke(t, t.Context(), "template", "stochastic", "-o", stem); o.code != 0 || !strings.Contains(o.stdout, "--first-stage") {
		t.Fatalf("%d %s", o.code, o.stderr)
	}
	args := []string{stem + ".lp", "--scenarios", stem + ".csv", "--first-stage", "acres_*"}
	got := invoke(t, t.Context(), append([]string{"solve", "--evpi", "--json", "--gap", "1e-9"}, args...)...).object(t)
	if got["status"] != "optimal" || !near(value(t, got, "objective"), 108390, 1e-6) ||
		!near(value(t, got, "evpi", "value"), 7015.555556, 1e-6) {
		t.Errorf("%v", got)
	}

	// The same program as SMPS files.
	if o := invoke(t, t.Context(), append([]string{"export", "-o", stem + ".smps"}, args...)...); o.code != 0 {
		t.Fatal(o.stderr)
	}
	again := invoke(t, t.Context(), "solve", stem+".cor", "--json", "--gap", "1e-9").object(t)
	if !near(value(t, again, "objective"), 108390, 1e-6) {
		t.Errorf("%v", again)
	}

	// What is wrong is named.
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{stem + ".lp", "--scenarios", "5", "--first-stage", "acres_*"}, "--scenarios 5 draws"},
		{[]string{stem + ".lp", "--scenarios", stem + ".csv"}, "there is no integer column"},
		{[]string{stem + ".lp", "--scenarios", saved(t, "bad.csv", "scenario,row,value\na,wheat,x\n"), "--first-stage", "acres_*"},
			"bad.csv:2: value"},
	} {
		if o := invoke(t, t.Context(), append([]string{"solve"}, c.args...)...); o.code != exitBadInput || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: %d %s", c.args, o.code, o.stderr)
		}
	}
}
