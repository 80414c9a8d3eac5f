package stoch

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// tableModel is a builder with rows of every kind.
func tableModel() *Builder {
	var b Builder
	b.Objective = "cost"
	y := b.First(b.Nonnegative("y", 3))
	x := b.Nonnegative("x", 2)
	z := b.Between("z", 1, 0, 4)
	for i, row := range []lp.Row{{Lower: 1, Upper: math.Inf(1)}, {Lower: math.Inf(-1), Upper: 9}, {Lower: 2, Upper: 2},
		{Lower: 1, Upper: 5}} {
		row.Name = []string{"least", "most", "equal", "range"}[i]
		b.AddRow(row, []int32{int32(y), int32(x), int32(z)}, []float64{1, 2, 3})
	}
	return &b
}

// TestTableKinds reads every kind of line.
func TestTableKinds(t *testing.T) {
	b := tableModel()
	const text = "\xef\xbb\xbf# a comment\nvalue;Row;column;scenario;probability;kind\n7;least;;a;0.25;\n8;most;;a;;rhs\n" +
		"3;equal;;a;;\n4;range;;a;;upper\n2.5;;x;a;;\n6;cost;x;b;.75;\n1;;z;b;;lower\ninf;;z;b;;upper\n9;most;y;b;;\n"
	if err := b.ReadTable(strings.NewReader(text), "t.csv"); err != nil {
		t.Fatal(err)
	}
	p, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}
	want := []Scenario{
		{"a", 0.25, []Change{SetRowLower(0, 7), SetRowUpper(1, 8), SetRowLower(2, 3), SetRowUpper(2, 3), SetRowUpper(3, 4),
			SetCost(1, 2.5)}},
		{"b", 0.75, []Change{SetCost(1, 6), SetColLower(2, 1), SetColUpper(2, math.Inf(1)), SetEntry(1, 0, 9)}},
	}
	if !reflect.DeepEqual(p.Scenarios, want) {
		t.Errorf("%+v", p.Scenarios)
	}
}

// TestTableSeparators reads a table with empty fields, and a line of them, whatever parts the fields.
func TestTableSeparators(t *testing.T) {
	const text = "scenario,probability,row,column,value\na,0.25,least,,7\n , ,,,\na,,,x,2.5\nb,0.75,,,\n,,,,\n"
	want := []Scenario{{"a", 0.25, []Change{SetRowLower(0, 7), SetCost(1, 2.5)}}, {"b", 0.75, nil}}
	for _, mark := range []string{",", ";", "\t"} {
		b := tableModel()
		if err := b.ReadTable(strings.NewReader(strings.ReplaceAll(text, ",", mark)), "t.csv"); err != nil {
			t.Errorf("%q: %v", mark, err)
			continue
		}
		p, err := b.Program()
		if err != nil || !reflect.DeepEqual(p.Scenarios, want) {
			t.Errorf("%q: %v, %v", mark, p, err)
		}
	}
}

// TestTableErrors names the file, the line and the field of what is wrong.
func TestTableErrors(t *testing.T) {
	const head = "scenario,probability,row,column,value,kind\n"

	for text, want := range map[string]string{
		// The column names are missing or wrong.
		"":                          "no scenario",
		"scenario,row\na,b\n":       "t.csv:1: ",
		"scenario,value,weight\n":   `the column "weight"`,
		"scenario,value,scenario\n": "twice",

		// One line is wrong by itself.
		head + ",1,least,,3,\n":       "t.csv:2: scenario: ",
		head + "a,2,least,,3,\n":      "t.csv:2: probability: ",
		head + "a,nan,least,,3,\n":    "t.csv:2: probability: ",
		head + "a,,least,,x,\n":       "t.csv:2: value: ",
		head + "a,,least,,inf,\n":     "t.csv:2: value: ",
		head + "a,,none,,3,\n":        "t.csv:2: row: invalid table of scenarios: the model has no row none",
		head + "\n# x\na,,,none,3,\n": "t.csv:4: column: ",
		head + "a,,,,3,\n":            "t.csv:2: row: ",
		head + "a,,range,,3,\n":       "t.csv:2: row: ",
		head + "a,,least,,3,cost\n":   "t.csv:2: kind: ",
		head + "a,,,x,3,rhs\n":        "t.csv:2: kind: ",
		head + "a,,least,x,3,upper\n": "t.csv:2: kind: ",
		head + "a,,least,,3,side\n":   "t.csv:2: kind: ",
		head + "a,,,y,3,\n":           "t.csv:2: column: ",

		// Lines contradict each other, or the probabilities do.
		head + "a,,least,,3,\na,,least,,3,\n":              "t.csv:3: invalid table of scenarios: the lower side is in line 2 already",
		head + "a,.5,least,,3,\na,.6,most,,3,\nb,.5,,,,\n": "t.csv:3: probability: ",
		head + "a,.5,least,,3,\nb,,,,,\n":                  "scenario b has no probability",
		head + "a,.5,least,,3,\nb,.4,,,,\n":                "sum to 0.9",

		// A quotation mark has no end, or a line has too many fields.
		head + "a,,\"least,,3,\n":           "t.csv:2: ",
		head + "a,,least,,3,,,x\n":          "t.csv:2: ",
		"scenario,row,value\na,least,6,5\n": "t.csv:2: invalid table of scenarios: 4 fields",
	} {
		err := tableModel().ReadTable(strings.NewReader(text), "t.csv")
		if !errors.Is(err, ErrTable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestTableRoundTrip writes random scenarios as a table and reads them again.
func TestTableRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		b := tableModel()
		lines := []string{"scenario,probability,row,column,value,kind"}
		count := 1 + rng.IntN(4)
		var want []Scenario

		// The first line of a scenario has its name and probability, so that one without changes is in the table too.
		for s := range count {
			sc := Scenario{Name: fmt.Sprintf("s%d", s), Probability: 1 / float64(count)}
			lines = append(lines, fmt.Sprintf("%s,%v,,,,", sc.Name, sc.Probability))

			// Each of six changes is in the scenario or not by chance; place is what its line has after the
			// probability.
			for k, c := range []Change{SetRowLower(0, rng.NormFloat64()), SetRowUpper(1, rng.Float64()*1e9), SetRowLower(3, 2),
				SetCost(2, rng.NormFloat64()), SetEntry(2, 1, rng.ExpFloat64()), SetColUpper(2, 1/(1+rng.Float64()))} {
				if rng.IntN(2) == 0 {
					continue
				}
				sc.Changes = append(sc.Changes, c)
				place := []string{"least,,%v,", "most,,%v,", "range,,%v,lower", ",z,%v,", "equal,x,%v,", ",z,%v,upper"}[k]
				lines = append(lines, sc.Name+",,"+fmt.Sprintf(place, c.Value))
			}
			want = append(want, sc)
		}

		rest := lines[1:]
		if rng.IntN(2) == 0 { // the order within a scenario counts, that of scenarios among each other does not
			slices.SortStableFunc(rest, func(a, b string) int { return strings.Compare(a[:2], b[:2]) })
		}

		// What is read back equals what was drawn, with changes in the order of their lines.
		if err := b.ReadTable(strings.NewReader(strings.Join(lines, "\n")), "t.csv"); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := b.Program()
		if err != nil || !reflect.DeepEqual(p.Scenarios, want) {
			t.Errorf("seed %d: %v\n%+v\n%+v", seed, err, p.Scenarios, want)
		}
	}
}

// FuzzReadTable reads any text: it is refused by an error of the table, or gives a program that is valid or refused.
func FuzzReadTable(f *testing.F) {
	f.Add([]byte("scenario,probability,row,column,value,kind\na,.5,least,,3,\nb,.5,most,x,2,\n"))
	f.Add([]byte("scenario;value;row\na;1;equal\nb;2;least\n"))
	f.Add([]byte("value\tscenario\tcolumn\n1\ta\tx\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b := tableModel()
		if err := b.ReadTable(bytes.NewReader(text), "fuzz"); err != nil {
			if !errors.Is(err, ErrTable) {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		if p, err := b.Program(); err == nil && p.Validate() != nil {
			t.Error("an invalid program")
		}
	})
}
