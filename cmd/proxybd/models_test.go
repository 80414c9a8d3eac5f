package main

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
		case strings.HasPrefix(name, "cap-"):
			if row["fits"] != strings.TrimPrefix(name, "cap-") || !(row["share"].(float64) > row["zero"].(float64)) {
				t.Errorf("%v", row)
			}
		case row["shipped"] != true || row["fits"] != "any size":
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

// TestUnfitModel expects the shipped proxies of the family and a command to be named where none fits.
func TestUnfitModel(t *testing.T) {
	path := makeClass(t, "cap", "7x5")
	o := invoke(t, t.Context(), "solve", path, "--method", "proxy")
	for _, want := range []string{"cap-50x16 (50x16)", "proxybd train INSTANCE... -o cap-7x5.safetensors"} {
		if o.code != exitBadInput || !strings.Contains(o.stderr, want) {
			t.Errorf("exit code %d, no %q in %s", o.code, want, o.stderr)
		}
	}
}
