package smps

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// plain is the core file of the plant without its ranges and bounds.
var plain = coreText[:strings.Index(coreText, "RANGES")] + "ENDATA\n"

// TestCoreHasTheRowsOfItsModel gives the row cap another right-hand side. Its type and its range must be those with
// which the model was read, whatever comments, sections and sets the file has.
func TestCoreHasTheRowsOfItsModel(t *testing.T) {
	// Each case changes the core file, and has the sides of the row cap in the scenario in which its right-hand side is 7.
	inf := lp.Inf
	ranges := "RANGES\n"
	for _, c := range []struct {
		old, replacement string
		lower, upper     float64
	}{
		// The type of the row: comments, small letters, and the sections of lazy constraints and user cuts.
		{"", "", -inf, 7},
		{" L cap\n", " L cap $ a comment\n", -inf, 7},
		{" L cap\n", " l cap\n", -inf, 7},
		{" G floor\n L cap\n", " G floor\nLAZYCONS\n L cap\n", -inf, 7},
		{" G floor\n L cap\n", " G floor\nUSERCUTS\n G cap\n", 7, inf},
		// Its range: only the first set of ranges counts, and what follows a dollar sign is a comment.
		{"ENDATA\n", ranges + " R1 cap 4 $ a comment\nENDATA\n", 3, 7},
		{"ENDATA\n", ranges + " R1 need 100\n R2 cap 4\nENDATA\n", -inf, 7},
		{"ENDATA\n", ranges + " R1 need 100 $ R2 cap\n R1 cap 4\nENDATA\n", 3, 7},
		// An equality, and a range that is a negative number.
		{" L cap\n", " E cap\n", 7, 7},
		{"ENDATA\n", ranges + " R1 cap -4\nENDATA\n", 3, 7},
	} {
		// The first scenario gives the right-hand side 7.
		core := strings.Replace(plain, c.old, c.replacement, 1)
		q := twoStage(t, core, timeText, "STOCH\nINDEP DISCRETE\n RHS cap 7 0.5\n RHS cap 1 0.5\nENDATA\n", DefaultOptions())
		m, err := q.Model(0)
		if err != nil {
			t.Fatal(err)
		}

		i := slices.IndexFunc(m.Rows, func(r lp.Row) bool { return r.Name == "cap" })
		if got := m.Rows[i]; got.Lower != c.lower || got.Upper != c.upper {
			t.Errorf("%q: the row %+v, want %g and %g", c.replacement, got, c.lower, c.upper)
		}
	}
}

// TestCoreWithLogicIsRefused checks that what becomes more rows and columns is an error at its line.
func TestCoreWithLogicIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"SOS\n S1 s\n x 1\n z 2\n":           `plant.cor: line 17: section "SOS"`,
		"INDICATORS\n IF cap y 1\n":          `plant.cor: line 17: section "INDICATORS"`,
		"BOUNDS\n UP BND x 9\n SC BND z 9\n": `plant.cor: line 18: bound type "SC"`,
	} {
		_, _, err := read(t, strings.Replace(plain, "ENDATA\n", text+"ENDATA\n", 1), timeText, stochText)
		var located *mps.Error
		if !errors.As(err, &located) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
