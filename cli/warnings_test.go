package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWarningsOfSolve checks that what the reader of an instance had to interpret is on standard error and in the field
// warnings of the object, whatever the instance is.
func TestWarningsOfSolve(t *testing.T) {
	// In this model the integer column y has no bounds. The probabilities of the scenarios below sum to 0.9.
	const model = "NAME p\nROWS\n N c\n G need\nCOLUMNS\n M1 'MARKER' 'INTORG'\n y c 1 need 1\n M2 'MARKER' 'INTEND'\n" +
		" x c 2 need 1\nRHS\n RHS need 5\nENDATA\n"
	smps := writeProgram(t, model, "TIME p\nPERIODS\n y c A\n x need B\nENDATA\n",
		"STOCH p\nINDEP DISCRETE\n RHS need 2 0.5\n RHS need 8 0.4\nENDATA\n")

	// Each file, in its own format, has one detail that the reader must interpret.
	dir := t.TempDir()
	for name, text := range map[string]string{
		"p.mps":      model,
		"p.lp":       "min\n c: y + 2 x\nst\n need: x + y >= 5\nbounds\n y <= 7\nbinary\n y\nend\n",
		"p.csv":      "scenario,row,value\n1,need,4\n2,need,6\n",
		"master.mps": strings.NewReplacer("G need", "N need", " x c 2 need 1\n", "").Replace(model),
		"sub.mps":    model,
		"p.bd":       "MASTER\nmaster.mps\nSUBPROBLEMS 1\nsub.mps\n",
		"ufl.csv":    "problem,ufl\n\nfacility,fixed_cost,colour\na,3,red\n\nfacility,client,cost\na,b,1\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	// A list of names that belongs to another model is not used.
	nl := filepath.Join(dir, "n.nl")
	if o := invoke(t, t.Context(), "export", filepath.Join(dir, "p.lp"), "-o", nl); o.code != exitSolved {
		t.Fatal(o.stderr)
	}
	if err := os.WriteFile(filepath.Join(dir, "n.col"), []byte("only\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	// Each instance is given in one way, with parts of the warnings that must be given for it.
	for name, c := range map[string]struct {
		args []string
		want []string
	}{
		"mps":    {[]string{filepath.Join(dir, "p.mps")}, []string{`p.mps: integer column "y" has no bounds`}},
		"lp":     {[]string{filepath.Join(dir, "p.lp")}, []string{`column "y" is binary`}},
		"nl":     {[]string{nl}, []string{"n.col: 1 names for 2"}},
		"table":  {[]string{filepath.Join(dir, "p.mps"), "--scenarios", filepath.Join(dir, "p.csv")}, []string{`integer column "y"`}},
		"blocks": {[]string{filepath.Join(dir, "p.bd")}, []string{"master.mps: line 10: ", `sub.mps: integer column "y"`}},
		"smps":   {[]string{smps}, []string{`p.cor: integer column "y"`, "sum to 0.9"}},
		"tables": {[]string{filepath.Join(dir, "ufl.csv")}, []string{`the column "colour"`}},
	} {
		// A warning occurs once in the object, and also on standard error, for a user who does not read the object.
		o := invoke(t, t.Context(), append([]string{"solve", "--json"}, c.args...)...)
		list, _ := o.object(t)["warnings"].([]any)
		for _, want := range c.want {
			found := 0
			for _, line := range list {
				if text, _ := line.(string); strings.Contains(text, want) {
					found++
				}
			}
			if found != 1 || !strings.Contains(o.stderr, want) {
				t.Errorf("%s: %d times %q in %q and %s", name, found, want, list, o.stderr)
			}
		}
	}
}
