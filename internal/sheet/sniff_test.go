package sheet_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/internal/sheet"
)

// TestSniffPlaces puts the line of the problem before, across and behind what is looked at first, after comments and
// empty lines, and into objects; and other first lines before it.
func TestSniffPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 900, 1005, 1010, 1015, 1023, 1024, 1025, 5000} {
		comments := strings.Repeat("# \n", size/3) + strings.Repeat("\n", size%3)
		for text, want := range map[string]string{
			comments + "problem,cap\nfacility\n":                           "cap",
			comments + "\"problem\",\"cap\"\nfacility\n":                   "cap",
			comments + "problem,cap":                                       "cap",
			comments + "16 50\nproblem,cap\n":                              "",
			comments:                                                       "",
			strings.Repeat(" ", size) + `{"problem":"ufl"}`:                "ufl",
			`{"name":"` + strings.Repeat("n", size) + `","problem":"ufl"}`: "ufl",
		} {
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			if got := sheet.Sniff(path); got != want {
				t.Errorf("%d: %q for %.60q", size, got, text)
			}
		}
	}
}
