package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPage writes pages of runs and looks for what they have to show. Names of the instance are text, whatever they say.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	csv := filepath.Join(dir, "a.csv")
	text := "problem,cap\nname,<script>x</script>\nfacility,capacity,fixed_cost\nA,5,1\nB,6,1\nclient,demand\nu,2\n\"<i>v\",4\n" +
		"costs,A,B\nu,1,2\n\"<i>v\",7,3\n"
	if err := os.WriteFile(csv, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	model := filepath.Join(dir, "m.lp")
	if err := os.WriteFile(model, []byte("max\n 3 x + 2 y\nst\n a: x + y <= 3.5\ngeneral\n x y\nend\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"solve", csv}, []string{"&lt;script&gt;x&lt;/script&gt;", "facilities (2 rows)", "&lt;i&gt;v", "<svg",
			"capacitated facility location", "method exact"}},
		{[]string{"mip", model, "--quiet"}, []string{"<dd>9</dd>", "columns (2 rows)", "<dt>nodes</dt>"}},
	} {
		page := filepath.Join(dir, "run.html")
		if o := invoke(t, t.Context(), append(c.args, "--html", page)...); o.code != 0 {
			t.Fatal(o.stderr)
		}
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range c.want {
			if !strings.Contains(string(text), w) {
				t.Errorf("%v: the page has no %q", c.args, w)
			}
		}
		if strings.Contains(string(text), "<script>") || strings.Contains(string(text), "<i>v") {
			t.Errorf("%v: a name is not escaped", c.args)
		}
	}

	// A page that could not be written is found before the run.
	o := invoke(t, t.Context(), "solve", csv, "--html", filepath.Join(dir, "none", "run.html"), "--json")
	if got := o.object(t); o.code != 2 || got["objective"] != nil {
		t.Errorf("%d %v", o.code, got)
	}
}
