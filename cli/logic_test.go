package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// batchText has a semi-continuous column, an indicator and a set. The best plan makes 18 of a with the press: 52.
const batchText = `maximize
 profit: 4 a + 3 b - 20 press
subject to
 hours: a + 2 b <= 30
 off: press = 0 -> a + b <= 6
bounds
 8 <= a <= 18
 b <= 12
binary
 press
semi-continuous
 a
sos
 one: S1:: a:1 b:2
end
`

// TestLogicOfModels solves a model with hidden columns by mip, lp and solve: counts, tables and points are those of the
// file, and the point of another program, which has no hidden columns, is a start.
func TestLogicOfModels(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	model, whole, sol := file("batch.lp", batchText), file("whole.json", ""), file("batch.sol", "")
	for _, command := range []string{"mip", "solve", "lp"} {
		o := invoke(t, t.Context(), command, model, "-q", "--json", "--solution", whole, "--write-sol", sol)
		r := o.object(t)
		if o.code != 0 || command != "lp" && !near(r["objective"].(float64), 52, 1e-9) || command == "lp" && !(r["objective"].(float64) >= 52) {
			t.Fatalf("%s: %v %s", command, r, o.stderr)
		}
		if command != "solve" && (r["rows"] != 2.0 || r["columns"] != 3.0 || r["nonzeros"] != 4.0) {
			t.Errorf("%s counts %v rows, %v columns, %v coefficients", command, r["rows"], r["columns"], r["nonzeros"])
		}
		if command == "mip" && r["integers"] != 1.0 {
			t.Errorf("%v integers", r["integers"])
		}
		for _, path := range []string{whole, sol} {
			text, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(text), "@") || !strings.Contains(string(text), "press") {
				t.Errorf("%s writes %v\n%s", command, err, text)
			}
		}
		if open, ok := r["open"]; ok && fmt.Sprint(open) != "[press]" {
			t.Errorf("open %v", open)
		}
	}
	their := file("their.sol", "objective value: 52\na 18 (obj:4)\npress 1 (obj:-20)\n")
	if log := invoke(t, t.Context(), "mip", model, "--start", their, "--log-every", "0s").stdout; !strings.Contains(log, "\nS ") {
		t.Errorf("the point of another program is no incumbent\n%s", log)
	}
	basis := file("batch.bas", "")
	if o := invoke(t, t.Context(), "lp", model, "-q", "--json", "--write-basis", basis); o.code != 0 {
		t.Fatal(o.stderr)
	}
	if r := invoke(t, t.Context(), "lp", model, "-q", "--json", "--basis", basis).object(t); r["iterations"] != 0.0 {
		t.Errorf("%v iterations from the final basis", r["iterations"])
	}
	for _, out := range []string{"plain.mps", "plain.lp"} {
		path := file(out, "")
		if o := invoke(t, t.Context(), "export", model, "-o", path); o.code != 0 {
			t.Fatal(o.stderr)
		}
		r := invoke(t, t.Context(), "mip", path, "-q", "--json").object(t)
		if !near(r["objective"].(float64), 52, 1e-9) || r["columns"] == 3.0 {
			t.Errorf("%s: %v", out, r)
		}
	}
	loose := file("loose.lp", strings.Replace(strings.Replace(batchText, " <= 18", "", 1), "hours: a", "hours: 0 a", 1))
	if r := invoke(t, t.Context(), "mip", loose, "-q", "--json").object(t); r["status"] != "unbounded" {
		t.Errorf("%v", r)
	}

	// Nothing that works on rows takes a model that rows do not state; LP and MPS files have sections for it.
	const want = `semi-continuous column "a": it has no upper bound`
	for _, args := range [][]string{{"solve", loose}, {"export", loose, "-o", file("loose.nl", "")}} {
		if o := invoke(t, t.Context(), args...); o.code != exitBadInput || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: %d %s, want %s", args, o.code, o.stderr, want)
		}
	}
	bounded := file("bounded.lp", strings.Replace(batchText, " <= 18", "", 1)) // the row hours bounds a
	for _, out := range []string{"sections.mps", "sections.lp"} {
		path := file(out, "")
		if o := invoke(t, t.Context(), "export", loose, "-o", path); o.code != 0 {
			t.Fatal(o.stderr)
		}
		if r := invoke(t, t.Context(), "mip", path, "-q", "--json").object(t); r["status"] != "unbounded" || r["columns"] != 3.0 {
			t.Errorf("%s: %v", out, r)
		}
	}
	if r := invoke(t, t.Context(), "mip", bounded, "-q", "--json").object(t); !near(r["objective"].(float64), 100, 1e-9) {
		t.Errorf("%v", r)
	}
	core := strings.Replace(storageCore, " UP BND x 100\n", " SC BND x 100\n", 1)
	stem := file("plant", "")
	for ext, text := range map[string]string{".cor": core, ".tim": "TIME plant\nPERIODS\n y floor today\n x cap tomorrow\nENDATA\n",
		".sto": "STOCH plant\nINDEP DISCRETE\n RHS need 4 0.25\n RHS need 6 tomorrow 0.75\nENDATA\n"} {
		file("plant"+ext, text)
	}
	if o := invoke(t, t.Context(), "solve", stem+".smps"); o.code != exitBadInput || !strings.Contains(o.stderr, `plant.cor: line 18: bound type "SC": semi-continuous columns are not supported in programs with scenarios`) {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}

const storageCore = `NAME plant
ROWS
 N cost
 G floor
 L cap
 G need
COLUMNS
 y cost 1 floor 1
 y cap -1
 x cost 2 cap 1
 x need 1
 z cost 9 need 1
RHS
 RHS floor 1 cap 1
 RHS need 5
BOUNDS
 UP BND y 50
 UP BND x 100
ENDATA
`

// TestOpenIsNumberedAsInTheFile compares the summary's list of what is open with the tables of the whole solution.
func TestOpenIsNumberedAsInTheFile(t *testing.T) {
	for _, c := range []struct{ family, class, table, id string }{{"cap", "12x5:1.4", "facilities", "facility"},
		{"ufl", "12x8", "facilities", "facility"}, {"mcndp", "5x12x4", "arcs", "arc"},
		{"mcndp", "5x12x4:3:lognormal:0.4", "arcs", "arc"}, {"netdes", "6x4-L", "arcs", "arc"}, {"scflp", "6x5:4", "facilities", "facility"}} {
		path, whole := makeClass(t, c.family, c.class), filepath.Join(t.TempDir(), "whole.json")
		o := invoke(t, t.Context(), "solve", path, "-q", "--solution", whole)
		if o.code != 0 {
			t.Fatal(o.stderr)
		}
		text, err := os.ReadFile(whole)
		var object map[string]any
		if err = errors.Join(err, json.Unmarshal(text, &object)); err != nil {
			t.Fatal(err)
		}
		var open []string
		for _, r := range rowsOf(t, object, c.table) {
			if r["open"] == true {
				open = append(open, fmt.Sprint(r[c.id]))
			}
		}
		want := fmt.Sprintf("%d: %s", len(open), strings.Join(open, " "))
		if len(open) == 0 || len(open) > 20 || !strings.Contains(o.stdout, " "+want+"\n") {
			t.Errorf("%s: no line %q in\n%s", path, want, o.stdout)
		}
	}
}
