package integer

import (
	"testing"

	"github.com/proxybd/proxybd/lp/stoch"
)

// TestFixedIntegers fixes the integer columns of a program whose scenarios change their bounds.
func TestFixedIntegers(t *testing.T) {
	var b stoch.Builder
	open := b.First(b.Binary("open", 1))
	room := b.First(b.Between("room", 1, 0, 5))
	x := b.Integer("x", -3, 0, 4)
	z := b.Between("z", 2, 0, 9)
	b.AtMost(0, x.Times(1), z.Times(-1), room.Times(-1))
	b.AtMost(0, room.Times(1), open.Times(-5))
	b.Scenario("low", 0.5, stoch.SetColUpper(x, 1), stoch.SetColUpper(z, 3))
	b.Scenario("high", 0.25)
	b.Scenario("none", 0.25, stoch.SetColUpper(x, 0))
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}

	q := fixedIntegers(p, []float64{1, 2}, [][]float64{{1, 2, 1, 0}, {1, 2, 4, 2}, {1, 2, 1e-12, 0}})
	if err := q.Validate(); err != nil {
		t.Fatal(err)
	}
	if q.IntegerRecourse() || q.Core.Cols[open].Integer || q.Core.Cols[open].Lower != 1 || q.Core.Cols[room].Lower != 0 {
		t.Errorf("columns of the skeleton: %+v", q.Core.Cols)
	}
	for s, want := range []float64{1, 4, 0} {
		m, err := q.Model(s)
		if err != nil {
			t.Fatal(err)
		}
		if c := m.Cols[x]; c.Lower != want || c.Upper != want {
			t.Errorf("scenario %d: x in [%v, %v], want %v", s, c.Lower, c.Upper, want)
		}
		if upper := []float64{3, 9, 9}[s]; m.Cols[z].Upper != upper {
			t.Errorf("scenario %d: z up to %v, want %v", s, m.Cols[z].Upper, upper)
		}
	}
	if p.Core.Cols[x].Upper != 4 || len(p.Scenarios[0].Changes) != 2 || !p.Core.Cols[x].Integer {
		t.Error("the program itself has changed")
	}

	// Without points the recourse is free, but for its integrality.
	if q := fixedIntegers(p, []float64{1, 2}, nil); q.IntegerRecourse() || q.Core.Cols[x].Upper != 4 || q.Core.Cols[open].Lower != 1 {
		t.Errorf("without points: %+v", q.Core.Cols)
	}
}
