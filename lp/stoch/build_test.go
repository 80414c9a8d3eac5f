package stoch_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// A plant is built before the demand is known. Columns are added in the order in which they come to mind.
func ExampleBuilder() {
	b := stoch.Builder{Model: lp.Model{Name: "plant"}}
	made := b.Nonnegative("made", 2)
	built := b.First(b.Binary("built", 50))
	bought := b.Nonnegative("bought", 5)
	size := b.First(b.Between("size", 1, 0, 40))

	b.AtMost(0, made, size.Times(-1))
	b.AtMost(0, size, built.Times(-40))
	demand := b.AtLeast(20, made, bought)
	b.Scenario("low", 0.5)
	b.Scenario("high", 0.5, stoch.SetRowLower(demand, 40), stoch.SetCost(bought, 6))

	p, err := b.Program()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range p.FirstStage() {
		fmt.Println(p.Core.ColName(v))
	}
	at := b.Columns()
	fmt.Println("bought is column", at[bought], "of the core")
	// Output:
	// built
	// size
	// bought is column 3 of the core
}

// TestBuilderOrders compares a program that was built in another order with the one built in the order of the core.
func TestBuilderOrders(t *testing.T) {
	var b stoch.Builder
	x := b.Between("x", -3, 0, 10)
	b.Name = "newsvendor"
	y := b.First(b.Nonnegative("y", 1))
	row := b.AtLeast(0, y, x.Times(-1))
	changes := []stoch.Change{stoch.SetColUpper(x, 2), stoch.SetRowLower(row, -1), stoch.SetEntry(row, y, 4)}
	b.Scenario("wet", 0.25, changes...)
	b.Scenario("dry", 0.75)
	got, err := b.Program()
	if err != nil {
		t.Fatal(err)
	}

	want := newsvendor()
	want.Scenarios[0].Changes = []stoch.Change{stoch.SetColUpper(1, 2), stoch.SetRowLower(0, -1), stoch.SetEntry(0, 0, 4)}
	if !reflect.DeepEqual(got.Scenarios, want.Scenarios) || got.First != 1 {
		t.Errorf("%+v", got)
	}
	if changes[0].Col != x {
		t.Error("the changes of the caller were written to")
	}
	g, errG := got.Extensive()
	w, errW := want.Extensive()
	if errG != nil || errW != nil {
		t.Fatal(errG, errW)
	}
	gotList, errG := g.Triplets()
	wantList, errW := w.Triplets()
	if errG != nil || errW != nil {
		t.Fatal(errG, errW)
	}
	if !reflect.DeepEqual(g.Cols, w.Cols) || !reflect.DeepEqual(g.Rows, w.Rows) || !reflect.DeepEqual(gotList, wantList) {
		t.Errorf("%+v, want %+v", g, w)
	}
}

// TestBuilderRefuses checks what Program reports, each time with one package name.
func TestBuilderRefuses(t *testing.T) {
	for want, spoil := range map[string]func(b *stoch.Builder, x lp.Var){
		"that the model does not have":                        func(b *stoch.Builder, _ lp.Var) { b.First(7) },
		"column 9, there are 2":                               func(b *stoch.Builder, _ lp.Var) { b.Scenario("s", 0, stoch.SetCost(9, 1)) },
		"the cost of column y, which belongs to the first":    func(b *stoch.Builder, x lp.Var) { b.Scenario("s", 0, stoch.SetCost(x+1, 1)) },
		"stoch: invalid model: column x: bounds":              func(b *stoch.Builder, x lp.Var) { b.Cols[x].Lower = lp.Inf },
		"stoch: invalid model: coefficient (row 0, column 5)": func(b *stoch.Builder, _ lp.Var) { b.AtMost(1, lp.Var(5)) },
	} {
		var b stoch.Builder
		x := b.Nonnegative("x", 1)
		b.First(b.Nonnegative("y", 1))
		b.Scenario("one", 1)
		spoil(&b, x)
		_, err := b.Program()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "lp:") {
			t.Errorf("got %v, want %q", err, want)
		}
		if !errors.Is(err, stoch.ErrProgram) && !errors.Is(err, lp.ErrModel) {
			t.Errorf("%v wraps neither sentinel", err)
		}
	}
}
