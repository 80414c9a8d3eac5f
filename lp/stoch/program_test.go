package stoch_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// newsvendor buys y papers at 1 and sells x of them at 3, up to a demand of 10.
func newsvendor() *stoch.Program {
	m := &lp.Model{Name: "newsvendor"}
	y, x := m.Nonnegative("y", 1), m.Between("x", -3, 0, 10)
	m.AtLeast(0, y, x.Times(-1))
	p := &stoch.Program{Name: "newsvendor", Core: m, First: 1}
	p.Add("wet", 0.25, stoch.SetColUpper(x, 2))
	p.Add("dry", 0.75)
	return p
}

func Example() {
	p := newsvendor()
	m, err := p.Extensive()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range m.Cols {
		fmt.Println(c.Name, c.Cost, c.Upper)
	}
	fmt.Println("dual feasible sets shared:", p.Random().FixedDual())
	// Output:
	// y 1 +Inf
	// x_1 -0.75 2
	// x_2 -2.25 10
	// dual feasible sets shared: true
}

// TestBadProgramsAreRefused checks what Validate says.
func TestBadProgramsAreRefused(t *testing.T) {
	for want, spoil := range map[string]func(p *stoch.Program){
		"sum to 0.5":            func(p *stoch.Program) { p.Scenarios[1].Probability = 0.25 },
		"probability -1":        func(p *stoch.Program) { p.Scenarios[0].Probability = -1 },
		"no scenario":           func(p *stoch.Program) { p.Scenarios = nil },
		"2 first-stage columns": func(p *stoch.Program) { p.First = 3; p.Core.Cols = p.Core.Cols[:2] },
		"column 7":              func(p *stoch.Program) { p.Scenarios[0].Changes[0].Col = 7 },
		"belongs to the first":  func(p *stoch.Program) { p.Scenarios[0].Changes[0].Col = 0 },
		"a lower bound of +Inf": func(p *stoch.Program) {
			p.Scenarios[0].Changes[0] = stoch.Change{Kind: stoch.ColLower, Col: 1, Value: math.Inf(1)}
		},
		"a cost of NaN": func(p *stoch.Program) {
			p.Scenarios[0].Changes[0] = stoch.Change{Kind: stoch.Cost, Col: 1, Value: math.NaN()}
		},
		"the coefficient of row 3": func(p *stoch.Program) { p.Scenarios[0].Changes[0] = stoch.Change{Kind: stoch.Entry, Row: 3, Value: 1} },
	} {
		p := newsvendor()
		spoil(p)
		if want == "2 first-stage columns" {
			want = "3 first-stage columns"
		}
		if err := p.Validate(); !errors.Is(err, stoch.ErrProgram) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestNewCoefficientsCount adds a coefficient that the skeleton lacks and drops one that it has.
func TestNewCoefficientsCount(t *testing.T) {
	p := newsvendor()
	p.Core.AddRow(lp.Row{Name: "more", Lower: -1, Upper: 1}, nil, nil)
	p.Scenarios[0].Changes = []stoch.Change{{Kind: stoch.Entry, Row: 1, Col: 0, Value: 4}, {Kind: stoch.Entry, Row: 0, Col: 1, Value: 0}}
	m, err := p.Model(0)
	if err != nil || m.NumEntries() != 2 {
		t.Fatalf("%d entries, %v", m.NumEntries(), err)
	}
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	if index, value := a.Vec(0); len(index) != 2 || value[0] != 1 || value[1] != 4 {
		t.Errorf("%v %v", index, value)
	}
	if r := p.Random(); !r.Links || !r.Matrix {
		t.Errorf("%+v", r)
	}
}

// TestPossible leaves out what does not occur, and keeps names and the given program.
func TestPossible(t *testing.T) {
	p := newsvendor()
	if p.Possible() != p {
		t.Error("a program whose scenarios all occur was copied")
	}
	p.Add("never", 0, stoch.SetColUpper(1, -5)) // no x is within [0, -5]
	p.Add("", 0)
	p.Scenarios[0], p.Scenarios[2] = p.Scenarios[2], p.Scenarios[0]
	q := p.Possible()
	if len(p.Scenarios) != 4 || len(q.Scenarios) != 2 || q.Scenarios[0].Name != "dry" || q.Scenarios[1].Name != "wet" {
		t.Errorf("%+v", q.Scenarios)
	}
	m, err := p.Extensive()
	if err != nil || len(m.Cols) != 3 {
		t.Errorf("%d columns, %v", len(m.Cols), err)
	}
	for s := range p.Scenarios {
		p.Scenarios[s].Probability = 0
	}
	if err := p.Possible().Validate(); err == nil || !strings.Contains(err.Error(), "sum to 0") {
		t.Errorf("%v", err)
	}
}
