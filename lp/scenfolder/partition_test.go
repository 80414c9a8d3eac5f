package scenfolder

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp/mps"
)

// parted is a model with two blocks, a and b, a row of the master, and a column z without a row.
const parted = "min\n x + y + z + a1 + b1\nst\n m: x + y <= 3\n a: x + a1 >= 2\n b: y + b1 >= 1\n c: b1 <= 9\nend\n"

// partition reads a partition of the model.
func partition(t *testing.T, text string) ([]string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.dec")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	m, _, err := mps.ReadLP(strings.NewReader(parted), "p.lp")
	if err != nil {
		t.Fatal(err)
	}
	return ReadPartition(path, m)
}

// TestPartition holds the first stage against the rows by hand: x and y are in the row of the master, z in none.
func TestPartition(t *testing.T) {
	for text, want := range map[string]string{
		"NBLOCKS\n2\nBLOCK 0\na\nBLOCK 1\nb\nc\nMASTERCONSS\nm\n":             "x y z",
		"\\ a comment\nPRESOLVED\n0\nNBLOCKS\n2\nBLOCK 1\na\nBLOCK 2\nb\nc\n": "x y z",
		"NBLOCKS\n2\nBLOCK 1\nm\na\nBLOCK 2\nb\nc\n":                          "y z", // y is in both blocks
		"CONSDEFAULTMASTER\n1\nNBLOCKS\n1\nBLOCK 1\nm\n":                      "!no recourse",
		"NBLOCKS\n2\nBLOCK 1\na\nBLOCK 1\nb\n":                                "!p.dec:5: ",
		"NBLOCKS\n3\nBLOCK 1\na\nBLOCK 2\nb\n":                                "!NBLOCKS 3",
		"NBLOCKS\ntwo\n":                                                      "!p.dec:2: ",
		"BLOCK 1\nnothing\n":                                                  `!the model has no row "nothing"`,
		"BLOCK 1\na\nMASTERCONSS\na\n":                                        "!in line 2 already",
		"a\n":                                                                 "!p.dec:1: ",
		"":                                                                    "!0 blocks",
	} {
		first, err := partition(t, text)
		got := strings.Join(first, " ")
		if err != nil {
			got = "!" + err.Error()
		}
		if isError := strings.HasPrefix(want, "!"); isError && strings.Contains(got, want[1:]) && errors.Is(err, ErrFolder) {
			continue
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// FuzzPartition reads damaged partitions: an error or a first stage, and no panic.
func FuzzPartition(f *testing.F) {
	f.Add("PRESOLVED\n0\nNBLOCKS\n2\nBLOCK 1\na\nBLOCK 2\nb\nc\nMASTERCONSS\nm\n")
	f.Fuzz(func(t *testing.T, text string) {
		if _, err := partition(t, text); err != nil && !errors.Is(err, ErrFolder) {
			t.Error(err)
		}
	})
}
