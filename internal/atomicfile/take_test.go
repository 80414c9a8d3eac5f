//go:build unix

package atomicfile

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// put1 writes a text by Write.
func put1(t *testing.T, path, text string) {
	t.Helper()
	if err := Write(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != text {
		t.Fatalf("%q, %v, want %q", got, err, text)
	}
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		list = append(list, f.Name())
	}
	return list
}

// TestDeadWritersFile takes over what a killed writer left, however long that is.
func TestDeadWritersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(filepath.Join(filepath.Dir(path), ".x.0.tmp"), make([]byte, 100000), 0o666); err != nil {
		t.Fatal(err)
	}
	put1(t, path, "text")
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"x"}) {
		t.Errorf("files %v", got)
	}
}

// TestLiveWritersFile writes while another writer is in the middle, which keeps its file.
func TestLiveWritersFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	err := Write(path, func(w io.Writer) error {
		if _, err := w.Write(make([]byte, 1<<17)); err != nil {
			return err
		}
		put1(t, path, "inner")
		put1(t, path, "again")
		if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{".x.0.tmp", "x"}) {
			t.Errorf("files %v", got)
		}
		return nil
	})
	if info, failed := os.Stat(path); err != nil || failed != nil || info.Size() != 1<<17 {
		t.Errorf("%v, %v", err, failed)
	}
	if got := names(t, filepath.Dir(path)); !slices.Equal(got, []string{"x"}) {
		t.Errorf("files %v", got)
	}
}

// TestForeignFiles leaves links and other people's names alone.
func TestForeignFiles(t *testing.T) {
	dir := t.TempDir()
	path, precious := filepath.Join(dir, "x"), filepath.Join(dir, "precious")
	put1(t, precious, "keep")
	if err := os.Symlink(precious, filepath.Join(dir, ".x.0.tmp")); err != nil {
		t.Skip(err)
	}
	if err := os.Link(precious, filepath.Join(dir, ".x.1.tmp")); err != nil {
		t.Skip(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".x.2.tmp"), 0o777); err != nil {
		t.Fatal(err)
	}
	put1(t, path, "text")
	if got, err := os.ReadFile(precious); err != nil || string(got) != "keep" {
		t.Errorf("%q, %v", got, err)
	}
	if got := names(t, dir); !slices.Equal(got, []string{".x.0.tmp", ".x.1.tmp", ".x.2.tmp", "precious", "x"}) {
		t.Errorf("files %v", got)
	}
}
