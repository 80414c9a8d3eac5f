package digest

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// TestSums compares with the sum of "abc" that FIPS 180-4 gives.
func TestSums(t *testing.T) {
	const want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	path := filepath.Join(t.TempDir(), "abc")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if sum, err := File(path); err != nil || sum != want || Text([]byte("abc")) != want {
		t.Errorf("%s, %v", sum, err)
	}
	if _, err := File(path + "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
