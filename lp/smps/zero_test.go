package smps

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A program of two or of three periods: buy x today, u at each later time, up to what is needed then.
const (
	zeroCore = `NAME zero
ROWS
 N cost
 G now
 G later
 G last
COLUMNS
 x cost 2 now 1
 x later 1
 x last 1
 y cost 3 later 1
 z cost 5 last 1
RHS
 RHS now 1 later 4
 RHS last 3
BOUNDS
 UP BND x 3
ENDATA
`
	zeroTwo   = "TIME zero\nPERIODS\n x now P1\n y later P2\nENDATA\n"
	zeroThree = "TIME zero\nPERIODS\n x now P1\n y later P2\n z last P3\nENDATA\n"
)

// withoutZeros are pairs of stoch files, the second one without what has the probability 0 in the first.
func withoutZeros() [][2]string {
	const head = "STOCH zero\n"
	return [][2]string{
		{head + "SCENARIOS DISCRETE\n SC A ROOT 0.5 P2\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\n SC C ROOT 0 P2\n y cost 9\nENDATA\n",
			head + "SCENARIOS DISCRETE\n SC A ROOT 0.5 P2\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\nENDATA\n"},
		{head + "SCENARIOS DISCRETE\n SC C ROOT 0 P2\n y cost 9\n SC A ROOT 0.5 P2\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\nENDATA\n",
			head + "SCENARIOS DISCRETE\n SC A ROOT 0.5 P2\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\nENDATA\n"},
		{head + "SCENARIOS DISCRETE\n SC C ROOT 0 P2\n y cost 9\n SC A C 0.5 P2\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\nENDATA\n",
			head + "SCENARIOS DISCRETE\n SC A ROOT 0.5 P2\n y cost 9\n RHS later 2\n SC B ROOT 0.5 P2\n RHS later 5\nENDATA\n"},
		{head + "BLOCKS DISCRETE\n BL K P2 0\n RHS later 7\n y cost 4\n BL K P2 0.5\n RHS later 2\n BL K P2 0.5\n RHS later 5\nENDATA\n",
			head + "BLOCKS DISCRETE\n BL K P2 0.5\n RHS later 2\n y cost 4\n BL K P2 0.5\n RHS later 5\nENDATA\n"},
		{head + "INDEP DISCRETE\n RHS later 2 P2 0.5\n RHS later 5 P2 0.5\n RHS later 900 P2 0\nENDATA\n",
			head + "INDEP DISCRETE\n RHS later 2 P2 0.5\n RHS later 5 P2 0.5\nENDATA\n"},
	}
}

// inPeriods are such pairs for the program of three periods.
func inPeriods() [][2]string {
	const tree = "STOCH zero\nSCENARIOS DISCRETE\n SC A ROOT 0.25 P2\n RHS later 2\n%s SC B A 0.25 P3\n RHS last 6\n SC D A 0.25 P2\n RHS later 5\n SC G D 0.25 P3\n%sENDATA\n"
	return append(withoutZeros(), [2]string{fmt.Sprintf(tree, " SC C A 0 P3\n z cost 9\n", " SC E D 0 P3\n RHS last 80\n SC F ROOT 0 P2\n"),
		fmt.Sprintf(tree, "", "")})
}

// TestZeroProbabilitiesAreLeftOut compares programs with and without what has the probability 0, by scenarios and by
// periods.
func TestZeroProbabilitiesAreLeftOut(t *testing.T) {
	for _, time := range []string{zeroTwo, zeroThree} {
		pairs := withoutZeros()
		if time == zeroThree {
			pairs = inPeriods()
		}
		for _, c := range pairs {
			var value [2]float64
			var shape [2]string
			for k, sto := range c {
				p, warnings, err := read(t, zeroCore, time, sto)
				if err != nil {
					t.Fatal(err)
				}
				if warned := strings.Contains(strings.Join(warnings, "\n"), "probability 0: left out"); warned != (k == 0) {
					t.Errorf("warnings %q of\n%s", warnings, sto)
				}
				q, err := p.TwoStage(DefaultOptions())
				if err != nil {
					t.Fatalf("%v of\n%s", err, sto)
				}
				checkTotal(t, p, q)
				var status lp.Status
				if status, value[k] = optimum(t, q); status != lp.Optimal {
					t.Fatalf("%v of\n%s", status, sto)
				}
				m, err := p.Multistage(DefaultOptions())
				if err == nil {
					err = m.Validate()
				}
				if err != nil {
					t.Fatal(err)
				}
				paths, nodes := m.Scenarios()
				shape[k] = fmt.Sprint(p.Leaves(), len(q.Scenarios), len(m.Nodes), paths, nodes)
			}
			if math.Abs(value[0]-value[1]) > 1e-9 || shape[0] != shape[1] {
				t.Errorf("%v, leaves, scenarios, nodes, paths and tree %q of\n%s", value, shape, c[0])
			}
		}
	}
}

// checkTotal checks that probabilities are positive and sum to one, and that there is no NaN.
func checkTotal(t *testing.T, p *Program, q *stoch.Program) {
	t.Helper()
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	for _, s := range q.Scenarios {
		if !(s.Probability > 0) {
			t.Fatalf("scenario %s has the probability %g", s.Name, s.Probability)
		}
		total += s.Probability
	}
	if math.Abs(total-1) > 1e-9 {
		t.Fatalf("the probabilities sum to %.12g", total)
	}
	if int(p.Leaves()) < len(q.Scenarios) && p.Parts == nil {
		t.Fatalf("%g scenarios became %d", p.Leaves(), len(q.Scenarios))
	}
}

// TestOnlyZeroProbabilitiesAreRefused names what has no probability.
func TestOnlyZeroProbabilitiesAreRefused(t *testing.T) {
	for sto, want := range map[string]string{
		"SCENARIOS DISCRETE\n SC A ROOT 0 P2\n RHS later 2\n SC B ROOT 0 P2\n": "the probabilities of the scenarios sum to 0",
		"BLOCKS DISCRETE\n BL K P2 0\n RHS later 2\n":                          "the probabilities of K sum to 0",
		"INDEP DISCRETE\n RHS later 2 0\n":                                     "the probabilities of RHS later sum to 0",
	} {
		_, _, err := read(t, zeroCore, zeroTwo, "STOCH zero\n"+sto+"ENDATA\n")
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "plant.sto: line") {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestZeroProbabilityDefects reads the files whose costs were once NaN.
func TestZeroProbabilityDefects(t *testing.T) {
	folder := filepath.Join("../../../shared/data/defects/at-38c05f4")
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	for stoch, want := range map[string]float64{"z.sto": 8.5, "z0.sto": 8.5, "zb.sto": 8.5, "zc.sto": 8.5,
		"smps-zero-probability.sto": 20} {
		stem := "z"
		if want == 20 {
			stem = "smps-zero-probability"
		}
		p, _, err := ReadFiles(Files{filepath.Join(folder, stem+".cor"), filepath.Join(folder, stem+".tim"),
			filepath.Join(folder, stoch)})
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.TwoStage(DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if status, got := optimum(t, q); status != lp.Optimal || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: %v %g, want %g", stoch, status, got, want)
		}
	}
}

// drawStoch writes a random stoch file of three periods, in which many probabilities are 0 but never all.
func drawStoch(rng *rand.Rand) string {
	var b strings.Builder
	shares := func(n int) []float64 {
		list, left := make([]float64, n), 16
		for k := range list {
			v := rng.IntN(left + 1)
			if rng.IntN(3) == 0 {
				v = 0
			}
			list[k], left = float64(v)/16, left-v
		}
		list[rng.IntN(n)] += float64(left) / 16
		return list
	}
	change := func(t int) string {
		return [][]string{{" RHS later %d\n", " y cost %d\n"}, {" RHS last %d\n", " z cost %d\n"}}[t-1][rng.IntN(2)]
	}
	switch rng.IntN(3) {
	case 0:
		b.WriteString("STOCH s\nSCENARIOS DISCRETE\n")
		branch := []int{}
		for k, share := range shares(1 + rng.IntN(7)) {
			parent, at := "ROOT", 1
			if k > 0 && rng.IntN(3) > 0 {
				of := rng.IntN(k)
				parent, at = fmt.Sprintf("S%d", of), 1+rng.IntN(2)
			}
			branch = append(branch, at)
			fmt.Fprintf(&b, " SC S%d %s %g P%d\n", k, parent, share, at+1)
			for t := branch[k]; t <= 2; t++ {
				if rng.IntN(2) == 0 {
					fmt.Fprintf(&b, change(t), 1+rng.IntN(6))
				}
			}
		}
	case 1:
		b.WriteString("STOCH s\nBLOCKS DISCRETE\n")
		for t := 1; t <= 2; t++ {
			for _, share := range shares(1 + rng.IntN(4)) {
				fmt.Fprintf(&b, " BL B%d P%d %g\n"+change(t), t, t+1, share, 1+rng.IntN(6))
			}
		}
	default:
		b.WriteString("STOCH s\nINDEP DISCRETE\n")
		for _, place := range []string{"RHS later", "z cost", "RHS last"} {
			for _, share := range shares(1 + rng.IntN(3)) {
				fmt.Fprintf(&b, " %s %d %g\n", place, 1+rng.IntN(6), share)
			}
		}
	}
	return b.String() + "ENDATA\n"
}

// checkZeros reads a random program: probabilities sum to one in both of its forms, and what SMPS says of it again has
// the same optimum.
func checkZeros(t *testing.T, seed uint64) {
	t.Helper()
	sto := drawStoch(rand.New(rand.NewPCG(seed, 24)))
	for _, time := range []string{zeroThree, strings.Replace(zeroThree, " z last P3\n", "", 1)} {
		text := sto
		if time != zeroThree {
			text = strings.ReplaceAll(sto, "P3", "P2")
		}
		p, _, err := read(t, zeroCore, time, text)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		m, err := p.Multistage(DefaultOptions())
		if err == nil {
			err = m.Validate()
		}
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		q, err := p.TwoStage(DefaultOptions())
		if err != nil { // trees of different shapes below the second period
			if !strings.Contains(err.Error(), "differ in shape") {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			continue
		}
		checkTotal(t, p, q)
		status, want := optimum(t, q)
		stem, err := store(t, q)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, text)
		}
		again, got := optimum(t, reread(t, stem))
		if status != lp.Optimal || again != status || !(math.Abs(got-want) <= 1e-9*(1+math.Abs(want))) {
			t.Fatalf("seed %d: %v %g became %v %g\n%s", seed, status, want, again, got, text)
		}
	}
}

// TestZeroProbabilitiesRandom draws programs with probabilities of 0.
func TestZeroProbabilitiesRandom(t *testing.T) {
	for seed := range bulk(t, 200) {
		checkZeros(t, seed)
	}
}

// FuzzZeroProbabilities does the same for the seeds of the fuzzer.
func FuzzZeroProbabilities(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkZeros)
}
