package integer_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Kinds of first-stage columns of random programs.
const (
	binary = iota
	general
	mixed
	continuous
	kinds
)

// random returns a small program whose recourse has integer columns: a few capacity rows that the first stage opens, a
// covering row, and penalties in most of them. Everything that can differ between scenarios does in some.
func random(rng *rand.Rand, kind int) *stoch.Program {
	var b stoch.Builder
	b.Maximize = rng.IntN(3) == 0
	sign := 1.0
	if b.Maximize {
		sign = -1
	}
	cost := func(most int) float64 { return sign * float64(1+rng.IntN(most)) }

	// The first stage, with a row of its own.
	var y []lp.Var
	for j := range 2 + rng.IntN(2) {
		name := fmt.Sprintf("y%d", j)
		switch {
		case kind == binary:
			y = append(y, b.First(b.Binary(name, cost(9))))
		case kind == general || kind == mixed && j == 0:
			y = append(y, b.First(b.Integer(name, cost(6), 0, float64(1+rng.IntN(3)))))
		default:
			y = append(y, b.First(b.Between(name, cost(6), 0, float64(1+rng.IntN(3)))))
		}
	}
	if rng.IntN(2) == 0 {
		b.AtMost(float64(len(y)), y[0].Times(1), y[1].Times(2))
	}

	// The recourse: integer columns and, often, a continuous penalty.
	var x []lp.Var
	for j := range 2 + rng.IntN(3) {
		name := fmt.Sprintf("x%d", j)
		switch rng.IntN(3) {
		case 0:
			x = append(x, b.Integer(name, cost(7), 0, float64(1+rng.IntN(3))))
		default:
			x = append(x, b.Binary(name, cost(7)))
		}
	}
	miss := b.Nonnegative("miss", sign*float64(10+rng.IntN(20)))
	var rows []lp.Con
	for i := range 1 + rng.IntN(2) {
		sum := []lp.Expr{y[i%len(y)].Times(-float64(2 + rng.IntN(6)))}
		for _, v := range x {
			if rng.IntN(3) > 0 {
				sum = append(sum, v.Times(float64(1+rng.IntN(5))))
			}
		}
		if rng.IntN(2) == 0 {
			sum = append(sum, miss.Times(-1))
		}
		rows = append(rows, b.AtMost(float64(rng.IntN(3)), sum...))
	}
	cover := []lp.Expr{miss.Times(1)}
	for _, v := range x {
		cover = append(cover, v.Times(float64(1+rng.IntN(3))))
	}
	need := b.AtLeast(float64(1+rng.IntN(4)), cover...)

	count := 1 + rng.IntN(4)
	for s := range count {
		changes := []stoch.Change{stoch.SetRowLower(need, float64(rng.IntN(6)))}
		if rng.IntN(3) == 0 {
			changes = append(changes, stoch.SetCost(x[0], cost(9)))
		}
		if rng.IntN(3) == 0 {
			changes = append(changes, stoch.SetRowUpper(rows[0], float64(rng.IntN(4))))
		}
		if rng.IntN(3) == 0 {
			changes = append(changes, stoch.SetEntry(rows[0], x[1], float64(rng.IntN(6))))
		}
		if rng.IntN(3) == 0 {
			changes = append(changes, stoch.SetEntry(rows[0], y[0], -float64(rng.IntN(8))))
		}
		if rng.IntN(4) == 0 {
			changes = append(changes, stoch.SetColUpper(x[1], float64(rng.IntN(3))))
		}
		b.Scenario(fmt.Sprintf("s%d", s), 1/float64(count), changes...)
	}
	p, err := b.Program()
	if err != nil {
		panic(err)
	}
	return p
}

// TestAgainstExtensiveForm solves random programs of every kind of first stage, and holds the status, the value and the
// design against branch and cut on the extensive form. PROXYBD_BULK is the number of programs, PROXYBD_SEED the first
// seed.
func TestAgainstExtensiveForm(t *testing.T) {
	count, first := 300, 1
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_BULK")); err == nil {
		count = v
	}
	if v, err := strconv.Atoi(os.Getenv("PROXYBD_SEED")); err == nil {
		first = v
	}
	ctx := t.Context()
	statuses := map[lp.Status]int{}
	for seed := first; seed < first+count; seed++ {
		kind := seed % kinds
		p := random(rand.New(rand.NewPCG(uint64(seed), 1)), kind)
		want, err := extensive(ctx, p)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}

		o := decompose.DefaultOptions()
		o.Threads = 1
		o.Benders.MaxNodes = 20000
		got, err := decomposed(ctx, p, o)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		statuses[got.Status]++
		tolerance := 2e-4 * max(1, math.Abs(want.Objective))
		switch {
		case want.Status != lp.Optimal:
			if got.Status != want.Status {
				t.Errorf("seed %d, kind %d: %v, and the extensive form is %v", seed, kind, got.Status, want.Status)
			}
			continue
		case got.Status != lp.Optimal:
			t.Errorf("seed %d, kind %d: %v after %d nodes, %v bound %v, and the optimum is %v", seed, kind, got.Status, got.Nodes,
				got.Objective, got.Bound, want.Objective)
			continue
		case !(math.Abs(got.Objective-want.Objective) <= tolerance):
			t.Errorf("seed %d, kind %d: %v, and the optimum is %v", seed, kind, got.Objective, want.Objective)
		}

		// The bound must not pass the optimum, and the design must cost what is said.
		beyond := got.Bound - want.Objective
		if p.Core.Maximize {
			beyond = -beyond
		}
		if beyond > 1e-6*max(1, math.Abs(want.Objective)) {
			t.Errorf("seed %d, kind %d: the bound %v is beyond the optimum %v", seed, kind, got.Bound, want.Objective)
		}
		if cost := price(t, p, got.Design); !(math.Abs(cost-got.Objective) <= 1e-5*max(1, math.Abs(cost))) {
			t.Errorf("seed %d, kind %d: the design costs %v, not %v", seed, kind, cost, got.Objective)
		}
	}
	t.Log(statuses)
	if statuses[lp.Optimal] < count/2 {
		t.Errorf("too few programs have an optimum: %v", statuses)
	}
}

// decomposed solves a program by decomposition, also where branch and cut on the extensive form would be preferred:
// that is what it is compared with.
func decomposed(ctx context.Context, p *stoch.Program, o decompose.Options) (*benders.Result, error) {
	q, err := integer.New(p)
	if err != nil {
		return nil, err
	}
	program := q.Program()
	program.Recourse.PreferFull = false
	return decompose.Solve(ctx, program, o)
}

// extensive solves the extensive form.
func extensive(ctx context.Context, p *stoch.Program) (bnb.Result, error) {
	m, err := p.Extensive()
	if err != nil {
		return bnb.Result{}, err
	}
	o := bnb.DefaultOptions()
	o.Gap = 1e-7
	return bnb.Solve(ctx, m, o, bnb.Hooks{})
}

// price returns what a design costs, by the extensive form with the first stage fixed.
func price(t *testing.T, p *stoch.Program, y []float64) float64 {
	t.Helper()
	m, err := p.Extensive()
	if err != nil {
		t.Fatal(err)
	}
	for j, v := range y {
		m.Cols[j].Lower, m.Cols[j].Upper = v, v
	}
	out, err := bnb.Solve(t.Context(), m, bnb.DefaultOptions(), bnb.Hooks{})
	if err != nil {
		t.Fatal(err)
	}
	return out.Objective
}
