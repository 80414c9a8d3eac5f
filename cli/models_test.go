package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/models"
)

// TestModels lists the shipped proxies and one of a folder, which must be solved with where it is said to fit.
func TestModels(t *testing.T) {
	dir := t.TempDir()
	paths := generated(t, "2")
	local := filepath.Join(dir, "own.safetensors")
	if o := invoke(t, t.Context(), append([]string{"train", "-q", "-o", local, "--steps", "20", "--hidden", "4"}, paths...)...); o.code != 0 {
		t.Fatal(o.stderr)
	}
	o := invoke(t, t.Context(), "models", dir, "--json")
	list := o.object(t)["models"].([]any)
	if len(list) != len(models.Names())+1 {
		t.Fatalf("%d models: %v", len(list), list)
	}
	for _, m := range list {
		row := m.(map[string]any)
		name := row["name"].(string)
		switch {
		case name == local:
			if row["shipped"] != false || row["family"] != "ufl" || row["fits"] != "any size" || row["bases"] != 1.0 {
				t.Errorf("%v", row)
			}
		case row["shipped"] != true || row["fits"] != "any size" || row["zero"] != nil && !(row["share"].(float64) > row["zero"].(float64)):
			t.Errorf("%v", row)
		}
	}
	if o := invoke(t, t.Context(), "models", local); o.code != 0 || strings.Count(o.stdout, "\n") != len(list)+1 || !strings.Contains(o.stdout, local) {
		t.Errorf("%d %s%s", o.code, o.stdout, o.stderr)
	}
	damaged := filepath.Join(dir, "bad.safetensors")
	if err := os.WriteFile(damaged, []byte("no tensors"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{damaged, filepath.Join(dir, "none")} {
		if o := invoke(t, t.Context(), "models", path); o.code != exitBadInput || !strings.Contains(o.stderr, filepath.Base(path)) {
			t.Errorf("%s: %d %s", path, o.code, o.stderr)
		}
	}
}

// TestUnfitModel expects a command that makes a proxy where none is shipped or that of a file does not fit.
func TestUnfitModel(t *testing.T) {
	path, small := makeClass(t, "cap", "7x5"), makeClass(t, "cap", "6x5")
	model := filepath.Join(t.TempDir(), "m.safetensors")
	if o := invoke(t, t.Context(), "train", small, "--variants", "2", "--preset", "paper", "--hidden", "4", "--steps", "1", "-q", "-o", model); o.code != 0 {
		t.Fatal(o.stderr)
	}
	for _, c := range [][]string{
		{makeClass(t, "scflp", "6x5:3"), "no proxy scflp is shipped", "proxybd train INSTANCE... -o scflp-6x5"},
		{path, "5 facilities and 6 clients", "proxybd train INSTANCE... -o cap-7x5.safetensors", "--model", model}} {
		o := invoke(t, t.Context(), append([]string{"solve", c[0], "--method", "proxy"}, c[3:]...)...)
		for _, want := range c[1:3] {
			if o.code != exitBadInput || !strings.Contains(o.stderr, want) {
				t.Errorf("exit code %d, no %q in %s", o.code, want, o.stderr)
			}
		}
	}
}
