package lp

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/internal/outward"
)

// TestImpliedBoundsAreOutward draws points with all bits set and rows that these satisfy as tightly as float64 can say:
// the bounds that follow from such rows must hold for the points exactly.
func TestImpliedBoundsAreOutward(t *testing.T) {
	tight := 0
	for seed := range uint64(3000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		m := &Model{}
		x := make([]float64, 2+rng.IntN(5))
		for j := range x {
			x[j] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(8)-4))
			c := Col{Lower: x[j], Upper: x[j]} // all but one are fixed, so that a bound of that one leaves no room
			if j == 0 {
				c.Lower, c.Upper = x[j]-1-rng.Float64()*math.Abs(x[j]), Inf
			}
			m.AddCol(c)
		}

		// A row has the activity of the point, rounded outward, as one of its sides or as both.
		for range 1 + rng.IntN(3) {
			var sum Sum
			activity := new(big.Rat)
			for j, v := range x {
				coef := rng.NormFloat64()
				sum = append(sum, Term{coef, Var(j)})
				activity.Add(activity, new(big.Rat).Mul(outward.Rat(coef), outward.Rat(v)))
			}
			r := [2]float64{outward.RatDown(activity), outward.RatUp(activity)}
			if side := rng.IntN(3); side < 2 {
				r[side] = math.Inf(2*side - 1)
			}
			m.Range(r[0], r[1], sum)
		}

		a, err := m.Matrix()
		if err != nil {
			t.Fatal(err)
		}
		b := ranges{make([]float64, len(x)), make([]float64, len(x)), make([]bool, len(x))}
		for j, c := range m.Cols {
			b.lower[j], b.upper[j] = c.Lower, c.Upper
		}
		b.imply(m, a.Transpose(), make([]bool, len(m.Rows)))

		// The bounds that follow must not exclude the point, by however little.
		for j, v := range x {
			if !(b.lower[j] <= v && v <= b.upper[j]) {
				t.Fatalf("seed %d: column %d is %v, the bounds are [%v, %v]", seed, j, v, b.lower[j], b.upper[j])
			}
			if c := m.Cols[j]; b.lower[j] > c.Lower || b.upper[j] < c.Upper {
				tight++
			}
		}
	}

	// The test shows little unless many bounds became tighter.
	if tight < 1000 {
		t.Errorf("only %d bounds were tightened", tight)
	}
}

// TestImpose looks at the rows that are made, and at what is refused; the model is then as it was.
func TestImpose(t *testing.T) {
	build := func() (m *Model, x, y, free, z Var, row Con) {
		m = &Model{}
		x, y = m.Between("x", 1, 2, 10), m.Between("y", 1, -3, 5)
		free, z = m.Free("free", 0), m.Binary("z", 1)
		return m, x, y, free, z, m.AtMost(6, x, y, z)
	}

	m, x, y, _, z, row := build()
	err := m.Impose(Logic{Semi: []Var{x}, Sets: []Set{{Kind: SOS1, Vars: []Var{x, y}}}, Indicators: []Indicator{{If: z, Is: 1, Row: row}}})
	if err != nil {
		t.Fatal(err)
	}

	// Rows and columns that are added do not count as the model's own.
	if own := m.Own(); own != (Size{Rows: 1, Cols: 4, Integers: 1, Entries: 3}) || !m.HasLogic() {
		t.Errorf("%+v", own)
	}

	// x + y <= 5 at z = 1, else at most 10 + 5.
	want := Row{Name: "R0000001@up", Lower: math.Inf(-1), Upper: 15, Hidden: true}
	a, err := m.Matrix()
	if err != nil || m.Rows[len(m.Rows)-1] != want || !math.IsInf(m.Rows[row].Upper, 1) {
		t.Errorf("%+v, %v, want %+v", m.Rows, err, want)
	}
	index, value := a.Transpose().Vec(len(m.Rows) - 1)
	if len(index) != 3 || value[2] != 10 || index[2] != int32(z) {
		t.Errorf("%v %v", index, value)
	}

	// Derive fills the hidden columns 4 and 5, which are 1 where x and y are not zero.
	point := make([]float64, len(m.Cols))
	for j := range point {
		point[j] = math.NaN()
	}
	point[x], point[y], point[z] = 4, 0, 1
	m.Derive(point)
	if point[4] != 1 || point[5] != 0 {
		t.Errorf("hidden columns %v", point)
	}

	// Each point breaks at most one part: the gap of x between 0 and 2, the set, or the row at z = 1.
	for _, c := range []struct {
		x, y, z, want float64
	}{{4, 0, 1, 0}, {0, 5, 1, 0}, {4, 1, 0, 1}, {1, 0, 0, 1}, {10, 0, 1, 5}, {9, -2, 0, 2}, {1.5, 0, 0, 0.5}} {
		if v, err := m.LogicViolation([]float64{c.x, c.y, 0, c.z, 0, 0}); err != nil || v != c.want {
			t.Errorf("%+v: %g, %v", c, v, err)
		}
	}

	// Each of these is refused, with a reason.
	for _, c := range []struct {
		name, want string
		logic      func(x, y, free, z Var, row Con) Logic
	}{
		{"index", "column 9: there is none", func(x, y, free, z Var, row Con) Logic { return Logic{Semi: []Var{9}} }},
		{"no bound", `set "sos1": column "free": it has no upper bound`, func(x, y, free, z Var, row Con) Logic {
			return Logic{Semi: []Var{x}, Sets: []Set{{Kind: SOS2, Vars: []Var{x, free, y}}}, Form: AsRows}
		}},
		{"no such set", "its type is 3", func(x, y, free, z Var, row Con) Logic { return Logic{Sets: []Set{{Kind: 3}}} }},
		{"value", "neither 0 nor 1", func(x, y, free, z Var, row Con) Logic { return Logic{Indicators: []Indicator{{z, 2, row}}} }},
		{"row", "there is no row 7", func(x, y, free, z Var, row Con) Logic { return Logic{Indicators: []Indicator{{z, 1, 7}}} }},
		{"no 0-1 column", "must be a 0-1 column", func(x, y, free, z Var, row Con) Logic { return Logic{Indicators: []Indicator{{x, 1, row}}} }},
	} {
		m, x, y, free, z, row := build()
		err := m.Impose(c.logic(x, y, free, z, row))
		var e *LogicError
		if !errors.As(err, &e) || !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}

		// A refused call changes nothing.
		if len(m.Cols) != 4 || len(m.Rows) != 1 || m.HasLogic() || m.Cols[x].Lower != 2 || m.Rows[row].Upper != 6 {
			t.Errorf("%s: the model has changed: %+v", c.name, m)
		}
	}
}

// TestImposeTwice checks that a row takes no second indicator in a second call: its sides were those of the first one,
// which the second would have taken away.
func TestImposeTwice(t *testing.T) {
	m := &Model{}
	x := m.Between("x", 1, 0, 9)
	a, b := m.Binary("a", 1), m.Binary("b", 1)
	row := m.AtMost(5, x)
	if err := m.Impose(Logic{Indicators: []Indicator{{If: a, Is: 1, Row: row}}}); err != nil {
		t.Fatal(err)
	}
	err := m.Impose(Logic{Indicators: []Indicator{{If: b, Is: 1, Row: row}}})
	if err == nil || !strings.Contains(err.Error(), "it has an indicator already") {
		t.Errorf("the second indicator: %v", err)
	}
	if v, err := m.LogicViolation([]float64{8, 1, 0}); err != nil || v != 3 {
		t.Errorf("x = 8 breaks x <= 5 by %g, %v", v, err)
	}
}

// TestSemiIntegerWithoutInteger checks that a semi-integer column with no integer between its bounds can be zero only.
func TestSemiIntegerWithoutInteger(t *testing.T) {
	m := &Model{}
	x := m.AddCol(Col{Cost: 1, Lower: 2.2, Upper: 2.8, Integer: true})
	if err := m.Impose(Logic{Semi: []Var{x}}); err != nil {
		t.Fatal(err)
	}
	if c := m.Cols[x]; c.Lower != 0 || c.Upper != 0 {
		t.Errorf("[%g, %g]", c.Lower, c.Upper)
	}

	// Crossing bounds are bad input.
	crossing := &Model{}
	x = crossing.AddCol(Col{Cost: 1, Lower: 3, Upper: 2, Integer: true})
	if err := crossing.Impose(Logic{Semi: []Var{x}}); err == nil {
		t.Errorf("bounds [3, 2] were accepted")
	}
}
