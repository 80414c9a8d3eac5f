package mps

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// bulk yields the seeds of a random test: as many as the environment variable PROXYBD_BULK says, else few, from
// PROXYBD_SEED on.
func bulk(t testing.TB, few uint64) iter.Seq[uint64] {
	t.Helper()
	count, first := few, uint64(0)
	for name, to := range map[string]*uint64{"PROXYBD_BULK": &count, "PROXYBD_SEED": &first} {
		if text := os.Getenv(name); text != "" {
			v, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			*to = v
		}
	}
	return func(yield func(uint64) bool) {
		for seed := first; seed < first+count; seed++ {
			if !yield(seed) {
				return
			}
		}
	}
}

// drawModel makes a small model with every kind of row, bound and column, whose names and numbers fit into the fields
// of fixed MPS: a sense, a constant, ranges, binary columns that are fixed, bounds that cross. With logic it has
// semi-continuous columns, sets and indicators, as their rows and columns.
func drawModel(rng *rand.Rand, logic bool) *lp.Model {
	// Numbers are multiples of one half, so that every format writes them without rounding.
	half := func(n int) float64 { return float64(rng.IntN(2*n+1)-n) / 2 }
	m := &lp.Model{Name: "drawn", Objective: "obj", Maximize: rng.IntN(2) == 0}
	if rng.IntN(2) == 0 {
		m.Offset = half(9)
	}

	// A column starts as binary or as continuous in [0, 1], and most get other bounds.
	for j := range 2 + rng.IntN(5) {
		c := lp.Col{Name: fmt.Sprintf("x%d", j), Cost: half(6), Upper: 1, Integer: rng.IntN(2) == 0}
		switch rng.IntN(8) {
		case 0:
			c.Upper = 0
		case 1:
			c.Lower = 1
		case 2:
			c.Lower, c.Upper = half(8), lp.Inf
		case 3:
			c.Lower, c.Upper = math.Inf(-1), half(8)
		case 4:
			c.Lower, c.Upper = math.Inf(-1), lp.Inf
		case 5:
			c.Lower = -half(6)
			c.Upper = c.Lower + float64(rng.IntN(5))
		case 6:
			c.Upper = lp.Inf
		}

		// A few columns have bounds that cross: the model is infeasible, but it must be written and read like any other.
		if rng.IntN(40) == 0 {
			c.Lower, c.Upper = 2, 1
		}

		// The rows that state logic need finite bounds.
		if logic {
			c.Lower, c.Upper = max(c.Lower, -4), min(c.Upper, 6)
		}
		m.AddCol(c)
	}

	// A row has a lower side, an upper side, one side twice, or a range.
	for i := range 1 + rng.IntN(5) {
		r := lp.Row{Name: fmt.Sprintf("r%d", i), Lower: half(6), Upper: lp.Inf}
		switch rng.IntN(4) {
		case 0:
			r.Lower, r.Upper = math.Inf(-1), half(20)
		case 1:
			r.Upper = r.Lower
		case 2:
			r.Upper = r.Lower + 1 + float64(rng.IntN(5))
		}

		// More than a third of the coefficients are zero on average.
		m.AddRow(r, nil, nil)
		for j := range m.Cols {
			if v := half(5); v != 0 && rng.IntN(3) > 0 {
				m.AddEntry(lp.Con(i), lp.Var(j), v)
			}
		}
	}
	if logic {
		drawLogic(rng, m)
	}
	return m
}

// drawLogic imposes a semi-continuous column, a set and an indicator.
func drawLogic(rng *rand.Rand, m *lp.Model) {
	// The first column is semi-continuous, if it has a value between its bounds.
	l := lp.Logic{Form: lp.AsRows} // files have rows where these can state the logic
	n := len(m.Cols)
	if x := &m.Cols[0]; math.Ceil(x.Lower) <= math.Floor(x.Upper) { // an integer column has a value there
		l.Semi = []lp.Var{0}
	}

	// All columns are in one set, of one of two kinds, and a binary column controls the first row.
	set := lp.Set{Name: "s", Kind: lp.SetKind(1 + rng.IntN(2))}
	for j := range n {
		set.Vars = append(set.Vars, lp.Var(j))
	}
	l.Sets = []lp.Set{set}
	z := m.Binary("z", 0)
	l.Indicators = []lp.Indicator{{If: z, Is: rng.IntN(2), Row: 0}}
	if err := m.Impose(l); err != nil {
		panic(err) // every column has bounds
	}

	for j := range m.Cols { // names as long as fixed MPS has them, which LP files can hold
		if m.Cols[j].Hidden {
			m.Cols[j].Name = fmt.Sprintf("h%d", j)
		}
	}
	for i := range m.Rows {
		if m.Rows[i].Hidden {
			m.Rows[i].Name = fmt.Sprintf("k%d", i)
		}
	}
}

// format is a way to write a model and to read it.
type format struct {
	name  string
	write func(*lp.Model) ([]byte, error)
	read  func([]byte) (*lp.Model, error)
}

func formats() []format {
	// Each writer becomes a function from a model to the bytes of its file.
	written := func(write func(*bytes.Buffer, *lp.Model) error) func(*lp.Model) ([]byte, error) {
		return func(m *lp.Model) ([]byte, error) {
			var b bytes.Buffer
			err := write(&b, m)
			return b.Bytes(), err
		}
	}

	// What Write makes can be read as free and as fixed MPS, because names and numbers are short enough.
	free := written(func(b *bytes.Buffer, m *lp.Model) error { return Write(b, m) })
	return []format{
		{"free", free, func(data []byte) (*lp.Model, error) {
			m, _, err := Read(bytes.NewReader(data), "free.mps")
			return m, err
		}},
		{"fixed", free, func(data []byte) (*lp.Model, error) {
			p := newParser(data, true, false)
			if err := p.parse(); err != nil {
				return nil, err
			}
			return p.model, nil
		}},
		{"LP", written(func(b *bytes.Buffer, m *lp.Model) error { return WriteLP(b, m) }),
			func(data []byte) (*lp.Model, error) {
				m, _, err := ReadLP(bytes.NewReader(data), "t.lp")
				return m, err
			}},
	}
}

// canonical is a model as text, in which the order of rows and columns makes no difference. Names must be distinct.
// Rows without a side say nothing and are left out.
func canonical(m *lp.Model) (string, error) {
	a, err := m.Matrix()
	if err != nil {
		return "", err
	}

	// A column is a line. The terms of its rows are collected meanwhile. Adding 0 turns -0 into 0, the same bound.
	terms := make([][]string, len(m.Rows))
	var lines []string
	for j := range m.Cols {
		c := &m.Cols[j]
		lines = append(lines, fmt.Sprintf("column %s: cost %.12g in [%.12g, %.12g] integer %t", c.Name, c.Cost+0, c.Lower+0,
			c.Upper+0, c.Integer))
		index, value := a.Vec(j)
		for k, i := range index {
			if value[k] != 0 {
				terms[i] = append(terms[i], fmt.Sprintf("%.12g %s", value[k], c.Name))
			}
		}
	}

	// A row is a line with its terms in the order of their texts.
	for i, r := range m.Rows {
		if math.IsInf(r.Lower, -1) && math.IsInf(r.Upper, 1) {
			continue
		}
		slices.Sort(terms[i])
		lines = append(lines, fmt.Sprintf("row %s: %.12g <= %s <= %.12g", r.Name, r.Lower+0, strings.Join(terms[i], " + "),
			r.Upper+0))
	}

	// The lines are sorted, so that the order of the model plays no part.
	slices.Sort(lines)
	return fmt.Sprintf("maximise %t, constant %.12g\n%s\n", m.Maximize, m.Offset+0, strings.Join(lines, "\n")), nil
}

// TestRoundTripsOfPairs writes random models in one format, reads them, writes what was read in another one and reads
// that: sense, constant, bounds, integrality, ranges, names and the rows of sets and indicators are the same.
func TestRoundTripsOfPairs(t *testing.T) {
	list, count := formats(), 0
	for seed := range bulk(t, 300) {
		m := drawModel(rand.New(rand.NewPCG(seed, 22)), seed%4 == 3)
		want, err := canonical(m)
		if err != nil {
			t.Fatal(err)
		}
		logic := m.HasLogic() // numbers of its rows are longer than fields of fixed MPS

		// All pairs of formats are tried, so that an error which the reader and the writer of one format share shows in
		// another format.
		for _, first := range list {
			for _, second := range list {
				if logic && (first.name == "fixed" || second.name == "fixed") {
					continue
				}

				// The model goes through a file of the first format, and then of the second one.
				var data []byte
				back := m
				for _, f := range []format{first, second} {
					if data, err = f.write(back); err == nil {
						back, err = f.read(data)
					}
					if err != nil {
						t.Fatalf("seed %d, %s then %s: %v\n%s", seed, first.name, second.name, err, data)
					}
				}

				// What comes back has the same text as the drawn model.
				got, err := canonical(back)
				if err != nil || got != want {
					t.Fatalf("seed %d, %s then %s: %v\n%s\nbecame\n%s\n%s", seed, first.name, second.name, err, want, got, data)
				}
				count++
			}
		}
	}
	t.Logf("%d round trips", count)
}
