package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/ufl"
)

// recordLines solves a file and returns the lines of its record without the last.
func recordLines(t *testing.T, file string) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.record")
	printed(t, "solve", file, "--record", path)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	return lines[:len(lines)-2]
}

// sealedFile writes lines with the end that belongs to them.
func sealedFile(t *testing.T, lines []string) string {
	t.Helper()
	text := strings.Join(lines, "")
	sum := sha256.Sum256([]byte(text))
	return written(t, "a.record", text+fmt.Sprintf(`{"kind":"end","Lines":%d,"SHA256":"%s"}`+"\n", len(lines), hex.EncodeToString(sum[:])))
}

// with returns the lines with a field of the first line of a kind set to a JSON text; Data.X is a field of the data.
// The leaf is the last node.
func with(t *testing.T, lines []string, kind, field, value string) []string {
	t.Helper()
	out := append([]string(nil), lines...)
	for k, line := range out {
		leaf := strings.HasPrefix(line, `{"kind":"node"`) && (k+1 == len(out) || !strings.HasPrefix(out[k+1], `{"kind":"node"`))
		if !strings.HasPrefix(line, `{"kind":"`+kind+`"`) && !(kind == "leaf" && leaf) {
			continue
		}
		name, inner, nested := strings.Cut(field, ".")
		fields := object(t, []byte(line))
		if nested {
			data := object(t, fields[name])
			data[inner] = json.RawMessage(value)
			value = encoded(data)
		}
		fields[name] = json.RawMessage(value)
		out[k] = encoded(fields) + "\n"
		return out
	}
	t.Fatalf("no line of the kind %s", kind)
	return nil
}

func object(t *testing.T, b []byte) map[string]json.RawMessage {
	t.Helper()
	var m map[string]json.RawMessage
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// encoded is JSON by hand, because the values need not be sound.
func encoded(m map[string]json.RawMessage) string {
	kind := m["kind"]
	var b bytes.Buffer
	if b.WriteByte('{'); kind != nil {
		fmt.Fprintf(&b, `"kind":%s`, kind)
	}
	for k, v := range m {
		if k == "kind" {
			continue
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%q:%s", k, v)
	}
	return b.String() + "}"
}

// TestMalformedRecords changes one field so that it makes no sense: one error line that says what, and the exit code of
// bad input where the file is none of the format, of what is not proven else.
func TestMalformedRecords(t *testing.T) {
	generated := func(f families.Family, class string) []string {
		in, err := f.Generate(class, 1)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "a"+in.Label().Ext)
		if err := pipeline.Write(path, in); err != nil {
			t.Fatal(err)
		}
		return recordLines(t, path)
	}
	records := map[string][]string{"ufl": generated(ufl.Family, "4x3"), "cap": generated(cap.Family, "4x3:1.5"),
		"mcndp": generated(mcndp.Family, "4x8x2"), "mps": recordLines(t, written(t, "m.mps", smallModel))}
	for _, c := range malformed {
		lines := with(t, records[c.family], c.kind, c.field, c.value)
		path := sealedFile(t, lines)
		o := invoke(t, t.Context(), "verify", path, "-q")
		t.Logf("%s %s %s = %.60s: %d, %s", c.family, c.kind, c.field, c.value, o.code, o.stderr)
		if o.code != c.code || !strings.Contains(o.stderr, c.says) || strings.Count(o.stderr, "\n") != 1 || len(o.stderr) > 500 {
			t.Errorf("%s %s %s = %.40s: exit code %d, not %d with %q: %s", c.family, c.kind, c.field, c.value, o.code, c.code, c.says, o.stderr)
		}
	}
}

const bad, open = exitBadInput, exitFailure // of malformed files, and of what is not proven

var malformed = []struct {
	family, kind, field, value string
	code                       int
	says                       string
}{
	// Epigraphs size the columns of the proof.
	{"mps", "header", "Epigraphs", "1000000000000", open, "1000000000000 epigraphs"},
	{"mps", "header", "Epigraphs", "1000000000000000000", open, "1000000000000000000 epigraphs"},
	{"mps", "header", "Epigraphs", "-1", open, "-1 epigraphs"},
	{"mps", "header", "Epigraphs", "0", open, "0 epigraphs"},
	{"mps", "header", "Epigraphs", "3", open, "epigraph 1"},
	{"mps", "header", "Epigraphs", "1e30", bad, "Epigraphs"},
	{"mps", "header", "Epigraphs", "1.5", bad, "Epigraphs"},
	{"ufl", "header", "Epigraphs", "1000000000000", open, "epigraphs"},
	{"ufl", "header", "Epigraphs", "-1", open, "epigraphs"},
	{"cap", "header", "Epigraphs", "4", open, "epigraphs"},
	{"mcndp", "header", "Epigraphs", "9223372036854775807", open, "epigraphs"},
	{"mps", "header", "Family", `"cap\u001b\n"`, open, "family"},
	{"mps", "header", "Schema", "7", bad, "schema 7"},
	{"mps", "header", "Schema", "4", bad, "field Run"},
	// What the run says of itself.
	{"mps", "header", "Run.Status", `"Optimal"`, open, `status "Optimal"`},
	{"mps", "header", "Run.Status", `"infeasible"`, open, "that no design is feasible"},
	{"mps", "header", "Run.Objective", "8.9", open, "the objective 8.9, and the design costs 9"},
	{"cap", "header", "Run.Objective", "-1", open, "the run claims more than is proven: the objective -1"},
	{"ufl", "header", "Run.Bound", "1e9", open, "the bound 1000000000, and what is proven is"},
	{"mps", "header", "Run.Bound", `"inf"`, open, "the bound +Inf"},
	{"mps", "header", "Run.Gap", "null", bad, "null"},
	{"mps", "header", "Run", "{}", open, `the status ""`},
	// Infinite bounds of the wrong sign, by column and by row, of both stages.
	{"mps", "instance", "Data.Lower", `[0,"inf",0]`, open, "column 1"},
	{"mps", "instance", "Data.Lower", `["inf",0,0]`, open, "column 0"},
	{"mps", "instance", "Data.Upper", `[4,4,"-inf"]`, open, "column 2"},
	{"mps", "instance", "Data.Upper", `["-inf",4,9]`, open, "column 0"},
	{"mps", "instance", "Data.RowLower", `["inf",1]`, open, "row 0"},
	{"mps", "instance", "Data.RowUpper", `["-inf","inf"]`, open, "row 0"},
	{"mps", "instance", "Data.Lower", `["nan",0,0]`, bad, "Lower"},
	{"mps", "instance", "Data.Lower", `[1e999,0,0]`, bad, "Lower"},
	{"mps", "instance", "Data.Lower", `[null,0,0]`, bad, "null"},
	{"mps", "instance", "Data.Cost", `[null,0,0]`, bad, "null"},
	// Lengths and places.
	{"mps", "instance", "Data.Start", "[0,1000,5]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[0,1000,2]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[0,-1,5]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[0,9223372036854775807,5]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[1,3,5]", open, "lengths"},
	{"mps", "instance", "Data.Start", "[0,5]", open, "lengths"},
	{"mps", "instance", "Data.Index", "[0,1,2,1,3]", open, "index 3"},
	{"mps", "instance", "Data.Index", "[0,1,2,1,-1]", open, "index -1"},
	{"mps", "instance", "Data.Index", "[0,1,2,1,2147483648]", bad, "Index"},
	{"mps", "instance", "Data.Index", "[0,1,2,1,1]", open, "index 1"},
	{"mps", "instance", "Data.Block", "[-1,0,1]", open, "column 2"},
	{"mps", "instance", "Data.Block", "[-1,0,-9223372036854775808]", open, "column 2"},
	{"mps", "instance", "Data.Block", "[-1,0]", open, "lengths"},
	{"mps", "instance", "Data.Cost", "[]", open, "lengths"},
	{"mps", "instance", "Data.Implied", `[{"Row":2,"Column":0,"Upper":true,"Bound":1}]`, open, "row 2"},
	{"mps", "instance", "Data.Implied", `[{"Row":-1,"Column":0,"Upper":true,"Bound":1}]`, open, "row -1"},
	{"mps", "instance", "Data.Implied", `[{"Row":0,"Column":3,"Upper":true,"Bound":1}]`, open, "column 3"},
	{"mps", "instance", "Data.Implied", `[{"Row":0,"Column":-9223372036854775808,"Upper":true,"Bound":1}]`, open, "column -9"},
	{"mps", "instance", "Data", "null", open, "lengths"},
	{"mps", "instance", "Data", "[1]", bad, "the instance"},
	{"mps", "instance", "Data", strings.Repeat("[", 20000) + strings.Repeat("]", 20000), bad, "depth"},
	{"ufl", "instance", "Data.Clients", "4611686018427387904", open, "lengths"},
	{"ufl", "instance", "Data.Clients", "-4", open, "lengths"},
	{"ufl", "instance", "Data.Facilities", "4611686018427387904", open, "lengths"},
	{"ufl", "instance", "Data.Facilities", "0", open, "lengths"},
	{"ufl", "instance", "Data.Facilities", "-3", open, "lengths"},
	{"cap", "instance", "Data.Clients", "4611686018427387904", open, "lengths"},
	{"cap", "instance", "Data.Demand", "[1]", open, "lengths"},
	{"cap", "instance", "Data.Fixed", "[1,2,-3]", open, "the number -3"},
	{"mcndp", "instance", "Data.Nodes", "1000000000000000", open, "1000000000000000 nodes"},
	{"mcndp", "instance", "Data.Nodes", "9223372036854775807", open, "nodes"},
	{"mcndp", "instance", "Data.Nodes", "2147483647", open, "hash"},
	{"mcndp", "instance", "Data.Nodes", "-1", open, "of -1 nodes"},
	{"mcndp", "instance", "Data.Nodes", "1", open, "of 1 nodes"},
	{"mcndp", "instance", "Data.Tail", "[0]", open, "lengths"},
	{"mcndp", "instance", "Data.Tail", "[0,1,2,3,0,1,2,-1]", open, "node -1"},
	{"mcndp", "instance", "Data.Origin", "[0,4]", open, "node 4"},
	{"mcndp", "instance", "Data.Demand", "[0,1]", open, "no demand"},
	{"mcndp", "instance", "Data", `{"Nodes":1000000000}`, open, "lengths"},
	// Rows, cuts, nodes and the design.
	{"mcndp", "row", "Index", "[99]", open, "row 0"},
	{"mcndp", "row", "Nodes", "[-1]", open, "no node -1"},
	{"mcndp", "row", "Nodes", "[2147483647]", open, "no node 2147483647"},
	{"cap", "row", "Index", "[0,0,0]", open, "index 0"},
	{"cap", "row", "Index", "[-1,0,1]", open, "index -1"},
	{"cap", "cut", "Theta", "1", open, "no epigraph 1"},
	{"cap", "cut", "Theta", "-2", open, "no epigraph -2"},
	{"ufl", "cut", "Theta", "9223372036854775807", open, "no epigraph"},
	{"cap", "cut", "Certificate", "[]", open, "multipliers"},
	{"cap", "cut", "Index", "[3]", open, "cut 0"},
	{"mps", "cut", "Certificate", "[1]", open, "multipliers"},
	{"mps", "cut", "Exact", `["1/0",""]`, open, "multiplier"},
	{"mps", "cut", "Exact", `["1e999999999",""]`, open, "multiplier"},
	{"mps", "cut", "Exact", `["1"]`, open, "multipliers"},
	{"mcndp", "cut", "Certificate", "[]", open, "potentials"},
	{"cap", "node", "Split", "3", open, "column 3"},
	{"cap", "node", "Split", "-2", open, "column -2"},
	{"cap", "node", "Split", "9223372036854775807", open, "column 9223372036854775807"},
	{"cap", "node", "Rows", "[0]", open, "split"},
	{"cap", "leaf", "Rows", "[-2147483648]", open, "no row 2147483647"},
	{"cap", "leaf", "Rows", "[2147483647]", open, "no cut 2147483647"},
	{"cap", "leaf", "Weights", "[]", open, "weights"},
	{"cap", "design", "Y", "[1]", open, "1 values"},
	{"cap", "design", "Index", "[-1,1,2,3,4]", open, "index -1"},
	{"cap", "design", "Index", "[0,1,2,3,2147483647]", open, "index 2147483647"},
	// Keys.
	{"mps", "instance", "Data.Costs", "[1]", bad, `"Costs"`},
	{"mps", "instance", "Data.cost", "[1,1,1]", bad, `"cost"`},
	{"mps", "instance", "Data.Facilities", "1", bad, `"Facilities"`},
	{"mps", "instance", "Data.Implied", `[{"Rows":0}]`, bad, `"Rows"`},
	{"mps", "header", "Certified", "true", bad, `"Certified"`},
	{"mps", "header", "bound", "1", bad, `"bound"`},
	{"cap", "row", "Upper", "1", bad, `"Upper"`},
	{"cap", "cut", "Lemma", "1", bad, `"Lemma"`},
	{"cap", "node", "Bound", "1", bad, `"Bound"`},
	{"cap", "design", "X", "[1]", bad, `"X"`},
}

// TestNoPackages has errors of packages whose names are left out on the command line.
func TestNoPackages(t *testing.T) {
	folder := t.TempDir()
	sets := filepath.Join(folder, "sets.lp")
	for name, text := range map[string]string{
		"sets.lp":          "min\n x + y\nst\n c: x + y >= 4\n d: x + y <= 3\nsos\n s: S1:: x:1 y:2\nend\n",
		"free.lp":          "min\n x + y\nst\n c: x + y >= 4\nsos\n s: S1:: x:1 y:2\nend\n",
		"one_nonants.json": "{}",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ args, name string }{
		{"solve " + folder, "scenfolder"},
		{"mip " + sets + " -q --iis", "iis"},
		{"export " + filepath.Join(folder, "free.lp") + " -o " + filepath.Join(folder, "free.nl"), "nl"},
	} {
		o := invoke(t, t.Context(), strings.Fields(c.args)...)
		if o.code != exitBadInput || !strings.HasPrefix(o.stderr, "proxybd: ") || strings.Contains(o.stderr, " "+c.name+": ") {
			t.Errorf("%s: exit %d, %s", c.args, o.code, o.stderr)
		}
	}
}
