package smps

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A plant of capacity y (cost 1) meets a demand by production x (cost 2) and purchase z (cost 9), with one tonne of
// storage in the row cap, which has a range.
const coreText = `NAME plant
ROWS
 N cost
 G floor
 L cap
 G need
COLUMNS
 y cost 1 floor 1
 y cap -1
 x cost 2 cap 1
 x need 1
 z cost 9 need 1
RHS
 RHS floor 1 cap 1
 RHS need 5
RANGES
 RNG cap 4
BOUNDS
 UP BND x 100
ENDATA
`

const timeText = `TIME plant
PERIODS
 y floor today
 x cap tomorrow
ENDATA
`

const stochText = `STOCH plant
INDEP DISCRETE
 RHS need 4 0.25
 RHS need 6 tomorrow 0.75
 z cost 8 0.5
 z cost 12 0.5
ENDATA
`

// write writes the three files into a folder and returns the stem.
func write(t testing.TB, core, time, sto string) string {
	t.Helper()
	stem := filepath.Join(t.TempDir(), "plant")
	for ext, text := range map[string]string{".cor": core, ".tim": time, ".sto": sto} {
		if err := os.WriteFile(stem+ext, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return stem
}

func read(t testing.TB, core, time, sto string) (*Program, []string, error) {
	t.Helper()
	f, err := Find(write(t, core, time, sto), Files{})
	if err != nil {
		t.Fatal(err)
	}
	return ReadFiles(f)
}

func twoStage(t *testing.T, core, time, sto string, o Options) *stoch.Program {
	t.Helper()
	p, _, err := read(t, core, time, sto)
	if err != nil {
		t.Fatal(err)
	}
	q, err := p.TwoStage(o)
	if err == nil {
		err = q.Validate()
	}
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// TestIndependentPartsAreEnumerated checks probabilities and data of the four scenarios.
func TestIndependentPartsAreEnumerated(t *testing.T) {
	q := twoStage(t, coreText, timeText, stochText, DefaultOptions())
	if len(q.Scenarios) != 4 || q.First != 1 {
		t.Fatalf("%d scenarios, %d first-stage columns", len(q.Scenarios), q.First)
	}
	want := []struct{ p, need, price float64 }{{.125, 4, 8}, {.125, 4, 12}, {.375, 6, 8}, {.375, 6, 12}}
	for s, w := range want {
		m, err := q.Model(s)
		if err != nil {
			t.Fatal(err)
		}
		if q.Scenarios[s].Probability != w.p || m.Rows[2].Lower != w.need || m.Cols[2].Cost != w.price {
			t.Errorf("scenario %d: %g, %+v, %+v", s, q.Scenarios[s].Probability, m.Rows[2], m.Cols[2])
		}
	}
	if r := q.Random(); !r.Costs || !r.Sides || r.Matrix || r.Links || r.Bounds || r.FixedDual() {
		t.Errorf("random: %+v", r)
	}
	m, err := q.Extensive()
	if err != nil || len(m.Cols) != 9 || len(m.Rows) != 9 || m.Cols[8].Cost != 4.5 {
		t.Errorf("extensive: %d x %d, %v", len(m.Rows), len(m.Cols), err)
	}
}

// TestRangesMoveWithTheSide changes the right-hand side of a row with a range.
func TestRangesMoveWithTheSide(t *testing.T) {
	q := twoStage(t, coreText, timeText, "STOCH\nINDEP DISCRETE ADD\n RHS cap 2 0.5\n RHS cap 0 0.5\nENDATA\n", DefaultOptions())
	m, err := q.Model(0)
	if err != nil || m.Rows[1].Lower != -1 || m.Rows[1].Upper != 3 {
		t.Errorf("%+v, %v", m.Rows[1], err)
	}
}

// TestBlocksInherit checks that a realisation has what the first one of its block says and it does not.
func TestBlocksInherit(t *testing.T) {
	const text = `STOCH plant
BLOCKS DISCRETE
 BL B tomorrow 0.3
 RHS need 7 cap 2
 BL B tomorrow 0.7
 RHS need 3
 UP BND x 50
ENDATA
`
	q := twoStage(t, coreText, timeText, text, DefaultOptions())
	m, err := q.Model(1)
	if err != nil || m.Rows[2].Lower != 3 || m.Rows[1].Upper != 2 || m.Cols[1].Upper != 50 {
		t.Errorf("%+v %+v, %v", m.Rows, m.Cols, err)
	}
}

// TestTreeBelowTheSecondPeriod makes two stages of three periods: scenarios inherit from their parents, and costs are
// weighted by the probability within the second-period node.
func TestTreeBelowTheSecondPeriod(t *testing.T) {
	const core = `NAME three
ROWS
 N cost
 G a
 G b
 G c
COLUMNS
 u cost 1 a 1
 u b 1
 v cost 2 b 1
 v c 1
 w cost 3 c 1
RHS
 RHS a 1 b 2
 RHS c 3
ENDATA
`

	// The scenarios S1 and S2 differ from the third period on, and so do S3 and S4: the second period has two nodes.
	const time = "TIME three\nPERIODS\n u a P1\n v b P2\n w c P3\nENDATA\n"
	const text = `STOCH three
SCENARIOS DISCRETE
 SC S1 'ROOT' 0.2 P1
 u cost 1.5
 RHS c 30
 SC S2 S1 0.3 P3
 RHS c 31
 SC S3 S1 0.1 P2
 RHS b 20
 SC S4 S3 0.4 P3
 w cost 5
ENDATA
`

	// Each node of the second period is a scenario with the probability of its leaves together. The cost of u is in the
	// first period, so the core has it.
	q := twoStage(t, core, time, text, DefaultOptions())
	if len(q.Scenarios) != 2 || math.Abs(q.Scenarios[0].Probability-.5) > 1e-15 || q.Core.Cols[0].Cost != 1.5 {
		t.Fatalf("%+v", q)
	}

	// The cost of w in a leaf is multiplied by the share of the leaf in its node: 0.1/0.5 for S3 and 0.4/0.5 for S4. S3
	// has the side 30 of the row c from S1, and S4 has it from S3.
	m, err := q.Model(1) // u, v, w below S3, w below S4; a, b, c, c
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(m.Cols[2].Cost-3*.2) > 1e-15 || math.Abs(m.Cols[3].Cost-5*.8) > 1e-15 || m.Rows[1].Lower != 20 ||
		m.Rows[2].Lower != 30 || m.Rows[3].Lower != 30 {
		t.Errorf("%+v %+v", m.Cols, m.Rows)
	}

	// In the other node S1 and S2 have the shares 0.4 and 0.6, the row b is as in the core, and S2 changes the row c.
	m, err = q.Model(0)
	if err != nil || math.Abs(m.Cols[3].Cost-3*.6) > 1e-15 || m.Rows[1].Lower != 2 || m.Rows[3].Lower != 31 {
		t.Errorf("%+v %+v, %v", m.Cols, m.Rows, err)
	}
}

// TestSamplesFollowTheirLaws compares means and variances of many draws with those of the laws.
func TestSamplesFollowTheirLaws(t *testing.T) {
	for _, c := range []struct {
		law            string
		mean, variance float64
	}{
		{"UNIFORM", 3, 4.0 / 12}, {"NORMAL", 2, 4}, {"GAMMA", 8, 16}, {"BETA", 1.0 / 3, 1.0 / 31.5}, {"LOGNORMAL", math.Exp(2.125), math.Exp(4.25) * (math.Exp(.25) - 1)},
	} {
		// With 4 as its variance the logarithm would spread the draws too far for their variance to be measured.
		b := "4"
		if c.law == "LOGNORMAL" {
			b = "0.25"
		}

		// Each scenario changes the right-hand side of the row need and nothing else.
		o := DefaultOptions()
		o.Sample = 20000
		q := twoStage(t, coreText, timeText, "STOCH\nINDEP "+c.law+"\n RHS need 2 "+b+"\nENDATA\n", o)
		sum, square := 0.0, 0.0
		for s := range q.Scenarios {
			v := q.Scenarios[s].Changes[0].Value
			sum += v
			square += v * v
		}

		// The mean may be five of its standard errors away, and the variance a tenth.
		n := float64(o.Sample)
		mean := sum / n
		variance := square/n - mean*mean
		if !(math.Abs(mean-c.mean) < 5*math.Sqrt(c.variance/n)) || !(math.Abs(variance-c.variance) < .1*c.variance) {
			t.Errorf("%s: mean %g and variance %g, want %g and %g", c.law, mean, variance, c.mean, c.variance)
		}
	}
}

// threeText gives each row and column of the core a period of its own.
const threeText = "TIME\nPERIODS\n y floor a\n x cap b\n z need c\nENDATA\n"

// TestMalformedFilesAreLocated checks what errors say.
func TestMalformedFilesAreLocated(t *testing.T) {
	for _, c := range []struct{ core, time, sto, want string }{
		// The periods: their names, their order, and what may be random in them.
		{coreText, "TIME\nPERIODS\n q floor today\n x cap tomorrow\nENDATA\n", stochText, `plant.tim: line 3: column "q"`},
		{coreText, "TIME\nPERIODS\n y floor today\nENDATA\n", stochText, "1 periods"},
		{coreText, "TIME\nPERIODS\n x cap today\n y floor tomorrow\nENDATA\n", stochText, "in the order of the core"},
		{coreText, "TIME\nPERIODS\n y floor today\n x cap tomorrow\n", stochText, "truncated"},
		{coreText, "TIME\nPERIODS\n y floor today\n z need tomorrow\nENDATA\n", "STOCH\nINDEP DISCRETE\n RHS cap 1 1\nENDATA\n", "in the first period"},
		{coreText, "TIME\nPERIODS\n y floor today\n z cap tomorrow\nENDATA\n", stochText, ""},
		{coreText, "TIME\nPERIODS EXPLICIT\n a\n b\nROWS\n floor a\n cap a\n need b\nCOLUMNS\n y a\n x b\n z b\nENDATA\n", stochText, `row "cap": of period a has the column x of the later period b`},

		// The third file by itself: its sections, names, values and probabilities.
		{coreText, timeText, "STOCH\nCHANCE\nENDATA\n", `plant.sto: line 2: section "CHANCE": not supported`},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need four 0.5\nENDATA\n", `line 3: value "four": not a finite number`},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS none 4 0.5\nENDATA\n", `row "none": not in the core file`},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n q need 4 0.5\nENDATA\n", `column "q": neither a column`},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 today 0.5\nENDATA\n", "in the first period"},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 later 0.5\nENDATA\n", `period "later"`},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 -0.5\nENDATA\n", "a probability of -0.5"},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 0\nENDATA\n", "sum to 0"},
		{coreText, timeText, "STOCH\nINDEP NORMAL\n RHS need 4 -1\nENDATA\n", "NORMAL with the parameters 4 and -1"},
		{coreText, timeText, "STOCH\nBLOCKS DISCRETE\n RHS need 4\nENDATA\n", "before the first BL"},
		{coreText, timeText, "STOCH\nSCENARIOS DISCRETE\n SC A B 0.5 tomorrow\nENDATA\n", `parent "B"`},
		{coreText, timeText, "STOCH\nSCENARIOS DISCRETE\n SC A ROOT 0.5 tomorrow\n SC A ROOT 0.5 tomorrow\nENDATA\n", "the second one of this name"},
		{coreText, timeText, "STOCH\nENDATA\n", "nothing is random"},

		// A number or a block that occurs twice: its period must be the same, and it may be random in one place only.
		{coreText, threeText, "STOCH\nBLOCKS DISCRETE\n BL B b 0.5\n RHS cap 4\n BL B c 0.5\n RHS need 4\nENDATA\n",
			`line 5: period "c": the block B is known in b`},
		{coreText, threeText, "STOCH\nINDEP DISCRETE\n RHS need 4 b 0.5\n RHS need 6 0.5\nENDATA\n",
			"line 4: the number is known in b by a line before, not in c"},
		{coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 1\nBLOCKS DISCRETE\n BL B tomorrow 1\n RHS need 5\nENDATA\n",
			"line 6: the number is random already, in the part RHS need"},
		{coreText, timeText, "STOCH\nBLOCKS DISCRETE\n BL B tomorrow 1\n RHS need 5\nINDEP DISCRETE\n RHS need 4 1\nENDATA\n",
			"line 6: the number is in the block B already"},

		// Scenarios share the numbers of the first period, so that a second value must equal the first one.
		{coreText, timeText, "STOCH\nSCENARIOS DISCRETE\n SC A ROOT 0.5 tomorrow\n y cost 2\n SC B ROOT 0.5 tomorrow\n y cost 3\n" +
			"ENDATA\n", "line 6: a number of the first period, which all scenarios share, with a second value"},
		{coreText, timeText, "STOCH\nSCENARIOS DISCRETE\n SC A ROOT 0.5 tomorrow\n y cost 2\n SC B ROOT 0.5 tomorrow\n y cost 2\n" +
			"ENDATA\n", ""},
	} {
		// Every error is of the type that holds a file and a line. Where none is wanted the files are right.
		_, _, err := read(t, c.core, c.time, c.sto)
		var located *mps.Error
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%q: %v", c.time, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &located)):
			t.Errorf("got %v, want %q", err, c.want)
		}
	}

	if _, err := Find(filepath.Join(t.TempDir(), "none.smps"), Files{}); err == nil || !strings.Contains(err.Error(), "no core file") {
		t.Errorf("got %v", err)
	}
}

// TestLargeProgramsAreRefused checks that nothing is enumerated beyond the limit, and no more than two periods sampled.
func TestLargeProgramsAreRefused(t *testing.T) {
	p, _, err := read(t, coreText, timeText, stochText)
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.MaxNodes = 3
	if _, err := p.TwoStage(o); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	p.Periods = append(p.Periods, "later")
	o.MaxNodes, o.Sample = 100, 5
	if _, err := p.TwoStage(o); !errors.Is(err, stoch.ErrProgram) {
		t.Errorf("got %v", err)
	}
}

// TestProbabilitiesAreNormalised checks that there is a warning with the sum.
func TestProbabilitiesAreNormalised(t *testing.T) {
	p, warnings, err := read(t, coreText, timeText, "STOCH\nINDEP DISCRETE\n RHS need 4 0.3\n RHS need 6 0.6\nENDATA\n")
	if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "sum to 0.9") {
		t.Fatalf("%v, %v", warnings, err)
	}
	if o := p.Parts[0].Outcomes; math.Abs(o[0].Probability-1.0/3) > 1e-15 {
		t.Errorf("%+v", o)
	}
}

// TestProgramsHaveAName takes the name of the core file where the files give none.
func TestProgramsHaveAName(t *testing.T) {
	nameless := strings.Replace(coreText, "NAME plant", "NAME", 1)
	p, _, err := read(t, nameless, strings.Replace(timeText, " plant", "", 1), strings.Replace(stochText, " plant", "", 1))
	if nameless == coreText || err != nil || p.Name != "plant" {
		t.Errorf("%+v, %v", p, err)
	}
}

// FuzzRead checks that any three files give an error or a valid program.
func FuzzRead(f *testing.F) {
	f.Add(coreText, timeText, stochText)
	f.Add(coreText, timeText, "STOCH\nBLOCKS DISCRETE\n BL B tomorrow 0.3\n RHS need 7 cap 2\n BL B tomorrow 0.7\n UP BND x 50\nENDATA\n")
	f.Add(coreText, timeText, "STOCH\nSCENARIOS DISCRETE ADD\n SC S1 ROOT 0.2 today\n y cost 3\n SC S2 S1 0.8 tomorrow\n x cap 4\nENDATA\n")
	f.Add(coreText, "TIME\nPERIODS EXPLICIT\n a\n b\nROWS\n floor a\n cap b\n need b\nCOLUMNS\n y a\n x b\n z b\nENDATA\n", "STOCH\nINDEP GAMMA\n RHS need 4 2\nENDATA\n")

	f.Fuzz(func(t *testing.T, core, time, sto string) {
		p, _, err := read(t, core, time, sto)
		if err != nil {
			return
		}

		// A tree of many leaves is sampled, and few nodes are allowed, so that the programs stay small.
		o := DefaultOptions()
		o.MaxNodes = 200
		if p.Leaves() > 100 {
			o.Sample = 5
		}
		q, err := p.TwoStage(o)
		if err != nil {
			return
		}

		// A program that is returned can be used.
		if err := q.Validate(); err != nil {
			t.Fatalf("%v of %q %q %q", err, core, time, sto)
		}
		if _, err := q.Extensive(); err != nil {
			t.Fatal(err)
		}
	})
}
