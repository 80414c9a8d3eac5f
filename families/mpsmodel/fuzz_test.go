package mpsmodel

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/proxybd/proxybd/families/generic"
	"github.com/proxybd/proxybd/families/pipeline"
)

// FuzzRead reads files of any content: an error, or an instance that is written and read back as the same.
func FuzzRead(f *testing.F) {
	// The seeds give the first stage in three ways: as a pattern, by the integer columns, and in a comment of the file.
	f.Add([]byte(farmer()), "acres*")
	f.Add([]byte(location()), "")
	f.Add([]byte("* first-stage y\nNAME\nROWS\n N c\n G r\nCOLUMNS\n y c 1 r 1\n x c 1 r 1\nRHS\n RHS r 1\nENDATA\n"), "")
	f.Fuzz(func(t *testing.T, data []byte, first string) {
		// A first stage that begins with @ is the path of a file with the names, which a fuzz test must not open.
		if len(first) > 0 && first[0] == '@' {
			return // another file
		}

		// Most texts are no model and are refused, which is what the reader should do.
		dir := t.TempDir()
		path := filepath.Join(dir, "m.mps")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := generic.ReadPlain("mps", path, first, nil)
		if err != nil {
			return
		}

		// An instance that was accepted is written, compressed, and read again without a pattern: the first stage is in the
		// file, so the shape is the same.
		copied := filepath.Join(dir, "copy.mps.gz")
		if err := pipeline.Write(copied, in); err != nil {
			return // a name or row that MPS cannot hold
		}
		back, err := generic.ReadPlain("mps", copied, "", nil)
		if err != nil {
			t.Fatalf("reading back: %v", err)
		}
		if a, b := in.Label(), back.Label(); a.Shape != b.Shape {
			t.Errorf("shape %s became %s", a.Shape, b.Shape)
		}
	})
}
