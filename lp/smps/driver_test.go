package smps

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDriver finds the files that a .smps file names, and says what is wrong with one that names others.
func TestDriver(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "p.smps")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("* a comment\nb.tim.gz\n\n a.cor\n/tmp/c.sto\n")
	got, err := Find(path, Files{})
	want := Files{filepath.Join(dir, "a.cor"), filepath.Join(dir, "b.tim.gz"), "/tmp/c.sto"}
	if err != nil || got != want {
		t.Errorf("%v %v", got, err)
	}
	for text, want := range map[string]string{
		"a.cor\nb.tim\n":             "does not name",
		"a.cor\nb.tim\nc.txt\n":      "p.smps:3: ",
		"a.cor\na.cor\nb.tim\nc.sto": "p.smps:2: ",
	} {
		write(text)
		if _, err := Find(path, Files{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
