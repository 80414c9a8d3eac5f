// Package familytest has what tests of several families share: files, runs against the compact model, forbidden pairs.
package familytest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/families"
)

// Write saves a text to a file of a folder of the test, and returns its path.
func Write(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// Open reads an instance of a family, of the type T, without a warning.
func Open[T families.Instance](t testing.TB, f families.Family, path string) T {
	t.Helper()
	in, err := f.Read(path, families.ReadOptions{Warn: func(line string) { t.Errorf("warning: %s", line) }})
	if err != nil {
		t.Fatal(err)
	}
	return in.(T)
}

// Export writes an instance as tables, by the ending of the name in CSV or JSON, and returns the path.
func Export(t testing.TB, in families.Tabled, name string) string {
	t.Helper()
	d, err := in.Tables()
	if err != nil {
		t.Fatal(err)
	}
	to := d.WriteCSV
	if filepath.Ext(name) == ".json" {
		to = d.WriteJSON
	}
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := to(f); err != nil {
		t.Fatal(err)
	}
	return path
}
