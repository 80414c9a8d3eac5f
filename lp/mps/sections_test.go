package mps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// drawSections writes an LP file whose sections Bounds, Generals and Binaries stand in random order, some of them
// several times, and returns what its columns must be: the last bound stated for a side counts, and a binary column is
// within [0, 1] besides.
func drawSections(rng *rand.Rand) (text string, want []lp.Col) {
	var b strings.Builder
	b.WriteString("Minimize\n obj:")
	binary := make([]bool, 1+rng.IntN(5))
	for j := range binary {
		want = append(want, lp.Col{Name: fmt.Sprintf("x%d", j), Cost: float64(j + 1), Upper: math.Inf(1)})
		fmt.Fprintf(&b, " + %d x%d", j+1, j)
	}
	b.WriteString("\nSubject To\n c: x0 <= 9\n")
	for range rng.IntN(7) {
		switch rng.IntN(4) {
		case 0:
			b.WriteString([]string{"Generals\n", "INTEGERS\n"}[rng.IntN(2)])
			for range 1 + rng.IntN(3) {
				j := rng.IntN(len(want))
				want[j].Integer = true
				fmt.Fprintf(&b, " x%d", j)
			}
			b.WriteString("\n")
		case 1:
			b.WriteString([]string{"Binaries\n", "bin\n"}[rng.IntN(2)])
			for range 1 + rng.IntN(3) {
				j := rng.IntN(len(want))
				want[j].Integer, binary[j] = true, true
				fmt.Fprintf(&b, " x%d\n", j)
			}
		default:
			b.WriteString("Bounds\n")
			for range rng.IntN(4) {
				j := rng.IntN(len(want))
				b.WriteString(" " + drawBound(rng, &want[j]) + "\n")
			}
		}
	}
	b.WriteString("End\n")
	for j := range want {
		if binary[j] {
			want[j].Lower, want[j].Upper = max(want[j].Lower, 0), min(want[j].Upper, 1)
		}
	}
	return b.String(), want
}

// drawBound states a bound of a column, and changes the column as it says.
func drawBound(rng *rand.Rand, c *lp.Col) string {
	v, w := float64(rng.IntN(9)-3)/2, float64(rng.IntN(9)-3)/2
	switch rng.IntN(9) {
	case 0:
		c.Lower = v
		return fmt.Sprintf("%s >= %g", c.Name, v)
	case 1:
		c.Upper = v
		return fmt.Sprintf("%s <= %g", c.Name, v)
	case 2:
		c.Lower, c.Upper = v, v
		return fmt.Sprintf("%s = %g", c.Name, v)
	case 3:
		c.Lower, c.Upper = v, w
		return fmt.Sprintf("%g <= %s <= %g", v, c.Name, w)
	case 4:
		c.Lower, c.Upper = math.Inf(-1), math.Inf(1)
		return c.Name + " Free"
	case 5:
		c.Lower = v
		return fmt.Sprintf("%g <= %s", v, c.Name)
	case 6:
		c.Upper = v
		return fmt.Sprintf("%g >= %s", v, c.Name)
	case 7:
		c.Lower = math.Inf(-1)
		return "-infinity <= " + c.Name
	}
	c.Upper = math.Inf(1)
	return c.Name + " <= +inf"
}

// checkSections reads a file of a seed and compares the columns.
func checkSections(t *testing.T, seed uint64) {
	t.Helper()
	text, want := drawSections(rand.New(rand.NewPCG(seed, 21)))
	m, _, err := ReadLP(strings.NewReader(text), "t.lp")
	if err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	for j := range want {
		if m.Cols[j] != want[j] {
			t.Fatalf("seed %d: %+v, want %+v\n%s", seed, m.Cols[j], want[j], text)
		}
	}
	if err := lpRoundTrip(m); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
	if err := roundTrip(m); err != nil {
		t.Fatalf("seed %d: %v\n%s", seed, err, text)
	}
}

// TestSectionsInAnyOrder reads files with their sections in random order.
func TestSectionsInAnyOrder(t *testing.T) {
	for seed := range bulk(t, 500) {
		checkSections(t, seed)
	}
}

// FuzzLPSections does the same for the seeds of the fuzzer.
func FuzzLPSections(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkSections)
}

// TestBinaryColumnsKeepBounds reads bounds and binaries in both formats and both orders.
func TestBinaryColumnsKeepBounds(t *testing.T) {
	const lpFile = "max\n obj: x\nst\n c: x <= 4\n%s\nend\n"
	const mpsFile = "ROWS\n N o\n L c\nCOLUMNS\n x o -1 c 1\nRHS\n R c 4\nBOUNDS\n%s\nENDATA\n"
	for _, c := range []struct {
		file         string
		first, other string
		lower, upper float64
		warnings     int
	}{
		{lpFile, "bounds\n x <= 0", "binary\n x", 0, 0, 0},
		{lpFile, "bounds\n x = 1", "binary\n x", 1, 1, 0},
		{lpFile, "bounds\n x >= 1", "binary\n x", 1, 1, 0},
		{lpFile, "bounds\n x <= 3", "binary\n x", 0, 1, 1},
		{lpFile, "bounds\n x free", "binary\n x", 0, 1, 1},
		{lpFile, "bounds\n x <= inf", "binary\n x", 0, 1, 0},
		{lpFile, "bounds\n 2 <= x <= 3", "binary\n x", 2, 1, 1},
		{lpFile, "general\n x", "binary\n x", 0, 1, 0},
		{mpsFile, " FX B x 0", " BV B x", 0, 0, 0},
		{mpsFile, " LO B x 1", " BV B x", 1, 1, 0},
		{mpsFile, " UP B x 5", " BV B x", 0, 1, 1},
		{mpsFile, " FR B x", " BV B x", 0, 1, 1},
		{mpsFile, " UI B x 0", " BV B x", 0, 0, 0},
		{mpsFile, " FX B x 3", " BV B x", 3, 1, 1},
	} {
		for _, body := range []string{c.first + "\n" + c.other, c.other + "\n" + c.first} {
			m, warnings, err := ReadModel(strings.NewReader(fmt.Sprintf(c.file, body)), "t")
			if err != nil {
				t.Fatalf("%q: %v", body, err)
			}
			if x := m.Cols[0]; !x.Integer || x.Lower != c.lower || x.Upper != c.upper || len(warnings) != c.warnings {
				t.Errorf("%q: %+v, warnings %q; want [%g, %g]", body, x, warnings, c.lower, c.upper)
			}
		}
	}
}

// TestBinaryDefects reads the files that once lost the bounds of their binary columns.
func TestBinaryDefects(t *testing.T) {
	folder := filepath.Join(dataDir, "defects", "at-38c05f4")
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	for name, want := range map[string][2][2]float64{
		"bin-as-scip-writes-it.lp": {{0, 0}, {0, 1}}, "bin-fixed-before.lp": {{0, 0}, {0, 1}},
		"bin-fix-one.lp": {{1, 1}, {1, 1}}, "bin-lb1.lp": {{1, 1}, {0, 1}},
	} {
		m, _, err := ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		for j := range want {
			if got := [2]float64{m.Cols[j].Lower, m.Cols[j].Upper}; got != want[j] {
				t.Errorf("%s: column %s in %v, want %v", name, m.Cols[j].Name, got, want[j])
			}
		}
	}
}
