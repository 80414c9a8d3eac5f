package cuts

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/bnb/presolve"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// small is a random model with few integer points, and its LP.
type small struct {
	m      *lp.Model
	model  *Model
	solver *simplex.Solver
	cuts   []Cut
}

func (s *small) Rows() int { return len(s.m.Rows) + len(s.cuts) }

func (s *small) Row(i int) Row {
	if i < len(s.m.Rows) {
		index, value := s.model.ByRow.Vec(i)
		return Row{Index: index, Value: value, Lower: s.m.Rows[i].Lower, Upper: s.m.Rows[i].Upper}
	}
	c := &s.cuts[i-len(s.m.Rows)]
	return Row{Index: c.Index, Value: c.Value, Lower: math.Inf(-1), Upper: c.Upper}
}

func (s *small) Multipliers(j int32, y []float64) bool {
	return s.solver.ColStatus(lp.Var(j)) == simplex.Basic && s.solver.BInvRow(int(j), y) == nil
}

// The kinds of rows that random models are drawn from.
const (
	anyRow = iota
	packingRow
	coveringRow
	knapsackRow
	oddRow
	chargeRow
	flowRow
	rowKinds
)

// draw makes a model of at most seven integer and three continuous columns. Most have a planted point.
func draw(rng *rand.Rand) *lp.Model {
	if rng.IntN(4) == 0 {
		return drawNetwork(rng)
	}
	m := &lp.Model{}
	ints, conts := 2+rng.IntN(6), max(0, rng.IntN(6)-2)
	point := []float64{}
	for j := range ints + conts {
		c := lp.Col{Cost: float64(rng.IntN(21) - 10), Upper: 1, Integer: j < ints}
		if j >= ints || ints < 5 && rng.IntN(3) == 0 {
			c.Lower = float64(rng.IntN(4) - 2)
			c.Upper = c.Lower + float64(1+rng.IntN(3))
		}
		if j >= ints {
			c.Upper += []float64{0, 0.5, 10, 100}[rng.IntN(4)]
		}
		point = append(point, c.Lower+float64(rng.IntN(int(c.Upper-c.Lower)+1)))
		m.AddCol(c)
	}
	favourite := rng.IntN(rowKinds)
	for range 1 + rng.IntN(7) {
		kind := favourite
		if rng.IntN(3) == 0 {
			kind = rng.IntN(rowKinds)
		}
		drawRow(rng, m, kind, ints, point)
	}
	return m
}

// drawNetwork makes a fixed-charge network of at most seven arcs for one flow or two.
func drawNetwork(rng *rand.Rand) *lp.Model {
	return networkOf(rng, 2+rng.IntN(4), 1+rng.IntN(2), 3+rng.IntN(5))
}

// networkOf makes a fixed-charge network. Some arcs have capacities of their own, some lower bounds that depend on the
// arc being used.
func networkOf(rng *rand.Rand, nodes, flows, arcs int) *lp.Model {
	m := &lp.Model{}
	large := float64(1 + rng.IntN(60)*rng.IntN(60))
	type entries struct {
		index []int32
		value []float64
	}
	balance := make([]entries, nodes*flows)
	for range arcs {
		a := rng.IntN(nodes)
		b := (a + 1 + rng.IntN(nodes-1)) % nodes
		capacity := large
		if rng.IntN(2) == 0 {
			capacity = float64(1 + rng.IntN(12))
		}
		y := int32(m.AddCol(lp.Col{Cost: float64(rng.IntN(20)), Upper: 1, Integer: true}))
		arc := entries{[]int32{y}, []float64{-capacity}}
		for f := range flows {
			upper := math.Inf(1)
			if rng.IntN(4) == 0 {
				upper = float64(1 + rng.IntN(9))
			}
			x := int32(m.AddCol(lp.Col{Cost: float64(rng.IntN(4)), Upper: upper}))
			arc.index, arc.value = append(arc.index, x), append(arc.value, 1)
			for k, at := range []int{a, b} {
				row := &balance[at*flows+f]
				row.index, row.value = append(row.index, x), append(row.value, float64(2*k-1))
			}
		}
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, arc.index, arc.value)
		if rng.IntN(6) == 0 {
			m.AddRow(lp.Row{Upper: math.Inf(1)}, []int32{y, arc.index[1]}, []float64{-math.Min(capacity, 2), 1})
		}
	}
	for k, row := range balance {
		demand := float64(rng.IntN(8)) * float64(min(k/flows, 1)) // node 0 supplies
		if k/flows == 0 {
			demand = math.Inf(-1)
		}
		upper := demand
		if rng.IntN(3) == 0 || k/flows == 0 {
			upper = math.Inf(1)
		}
		m.AddRow(lp.Row{Lower: demand, Upper: upper}, row.index, row.value)
	}
	return m
}

// drawRow adds a row that the planted point satisfies, but for a few.
func drawRow(rng *rand.Rand, m *lp.Model, kind, ints int, point []float64) {
	n := len(m.Cols)
	coef := make([]float64, n)
	slack, lower, upper := float64(rng.IntN(3)), math.Inf(-1), 0.0
	for j := range n {
		if rng.IntN(4) == 0 || j >= ints && kind != anyRow && kind != flowRow {
			continue
		}
		switch kind {
		case packingRow, coveringRow:
			coef[j] = 1
		case knapsackRow:
			coef[j] = float64(1+rng.IntN(30)) * float64(1-2*(rng.IntN(4)/3))
		case oddRow:
			coef[j] = float64(1 + rng.IntN(3))
		default:
			coef[j] = float64(rng.IntN(11)-5) * []float64{1, 1, 0.5, 1e-7, 1.0 / 3}[rng.IntN(5)]
		}
	}
	if kind == chargeRow && n > ints {
		clear(coef)
		coef[ints+rng.IntN(n-ints)] = 1
		if rng.IntN(2) == 0 {
			coef[ints+rng.IntN(n-ints)] = 1
		}
		coef[rng.IntN(ints)] = -float64(1 + rng.IntN(12))
	}
	at := 0.0
	for j, v := range coef {
		at += v * point[j]
	}
	if rng.IntN(30) == 0 {
		at -= float64(rng.IntN(3))
	}
	upper = at + slack
	switch {
	case kind == coveringRow:
		lower, upper = at-slack, math.Inf(1)
	case kind == flowRow || kind != chargeRow && rng.IntN(4) == 0:
		lower, upper = at, at
	case rng.IntN(5) == 0:
		lower = at - float64(rng.IntN(3))
	}
	var index []int32
	var value []float64
	for j, v := range coef {
		if v != 0 {
			index, value = append(index, int32(j)), append(value, v)
		}
	}
	m.AddRow(lp.Row{Lower: lower, Upper: upper}, index, value)
}

// newSmall sets the model up for the separators.
func newSmall(m *lp.Model) (*small, error) {
	a, err := m.Matrix()
	if err != nil {
		return nil, err
	}
	s := &small{m: m, model: &Model{ByCol: a, ByRow: a.Transpose()}}
	for _, c := range m.Cols {
		s.model.Integer = append(s.model.Integer, c.Integer)
		s.model.Cost = append(s.model.Cost, c.Cost)
		s.model.Lower, s.model.Upper = append(s.model.Lower, c.Lower), append(s.model.Upper, c.Upper)
	}
	for _, r := range m.Rows {
		s.model.RowLower, s.model.RowUpper = append(s.model.RowLower, r.Lower), append(s.model.RowUpper, r.Upper)
	}
	s.solver, err = simplex.New(m, simplex.DefaultOptions())
	return s, err
}

// imply gives the model some bounds of columns, as LPs prove them, at the two values of binary ones.
func (s *small) imply(rng *rand.Rand) error {
	probe, err := simplex.New(s.m, simplex.DefaultOptions())
	if err != nil {
		return err
	}
	for j := range s.m.Cols {
		probe.SetCost(lp.Var(j), 0)
	}
	for col := range s.m.Cols {
		for value := range 2 {
			if !s.model.binary(int32(col)) || rng.IntN(2) == 0 {
				continue
			}
			probe.SetColBounds(lp.Var(col), float64(value), float64(value))
			for range 2 {
				if then := rng.IntN(len(s.m.Cols)); then != col {
					s.learn(probe, presolve.Implication{Col: int32(col), Value: uint8(value), Then: int32(then),
						Upper: rng.IntN(2) == 0})
				}
			}
			probe.SetColBounds(lp.Var(col), 0, 1)
		}
	}
	return nil
}

// learn keeps the implication if an LP proves a bound tighter than the column's own.
func (s *small) learn(probe *simplex.Solver, i presolve.Implication) {
	sign := 1.0
	if i.Upper {
		sign = -1
	}
	probe.SetCost(lp.Var(i.Then), sign)
	res, err := probe.Solve(context.Background(), simplex.NoLimits())
	probe.SetCost(lp.Var(i.Then), 0)
	if err != nil || res.Status != lp.Optimal {
		return
	}
	c := s.m.Cols[i.Then]
	i.Bound = sign*res.Objective - sign*1e-7
	if c.Integer {
		i.Bound = sign * math.Ceil(res.Objective-1e-6)
	}
	if i.Upper && i.Bound < c.Upper || !i.Upper && i.Bound > c.Lower {
		s.model.Implications = append(s.model.Implications, i)
	}
}

// separate runs a few rounds and returns the cuts found by kind.
func (s *small) separate(opt Options) (count [Kinds]int, err error) {
	g := New(s.model, s, opt)
	for range 6 {
		res, err := s.solver.Solve(context.Background(), simplex.NoLimits())
		if err != nil || res.Status != lp.Optimal {
			return count, nil // what the LP makes of a model is its own matter
		}
		x := s.solver.X()
		var fractional []int32
		for j, v := range x {
			if s.model.Integer[j] && math.Abs(v-math.Round(v)) > 1e-6 {
				fractional = append(fractional, int32(j))
			}
		}
		if len(fractional) == 0 {
			return count, nil
		}
		found, _ := g.Separate(x, fractional, Limits{Cuts: 30, Work: math.MaxInt})
		for _, c := range found {
			count[c.Kind]++
			if !slices.IsSorted(c.Index) {
				return count, fmt.Errorf("%v cut with columns %v", c.Kind, c.Index)
			}
			s.solver.AddRow(math.Inf(-1), c.Upper, c.Index, c.Value)
		}
		s.cuts = append(s.cuts, found...)
	}
	return count, nil
}

// verify checks the cuts at every integer point: it maximises their left-hand sides over the continuous
// columns.
func (s *small) verify() error {
	if len(s.cuts) == 0 {
		return nil
	}
	x := make([]float64, len(s.m.Cols))
	slice, err := simplex.New(s.m, simplex.DefaultOptions())
	if err != nil {
		return err
	}
	var walk func(j int) error
	walk = func(j int) error {
		if j == len(x) {
			return s.verifySlice(slice, x)
		}
		if !s.m.Cols[j].Integer {
			return walk(j + 1)
		}
		for v := s.m.Cols[j].Lower; v <= s.m.Cols[j].Upper; v++ {
			x[j] = v
			if err := walk(j + 1); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(0)
}

func (s *small) verifySlice(slice *simplex.Solver, x []float64) error {
	continuous := false
	for j := range x {
		if s.m.Cols[j].Integer {
			slice.SetColBounds(lp.Var(j), x[j], x[j])
		} else {
			continuous = true
		}
	}
	if !continuous {
		for i := range s.m.Rows {
			r := s.Row(i)
			if act := dot(r.Index, r.Value, x); act > r.Upper+1e-9 || act < r.Lower-1e-9 {
				return nil
			}
		}
		for _, c := range s.cuts {
			if over := dot(c.Index, c.Value, x) - c.Upper; over > 1e-7 {
				return fmt.Errorf("%v cut %v x%v <= %g is violated by %g at %v", c.Kind, c.Value, c.Index, c.Upper, over, x)
			}
		}
		return nil
	}
	for _, c := range s.cuts {
		for j := range x {
			slice.SetCost(lp.Var(j), 0)
		}
		for k, j := range c.Index {
			slice.SetCost(lp.Var(j), -c.Value[k])
		}
		res, err := slice.Solve(context.Background(), simplex.NoLimits())
		if err != nil || res.Status != lp.Optimal {
			return nil
		}
		if over := -res.Objective - c.Upper; over > 1e-5*math.Max(1, math.Abs(c.Upper)) {
			return fmt.Errorf("%v cut %v x%v <= %g is violated by %g at %v", c.Kind, c.Value, c.Index, c.Upper, over, slice.X())
		}
	}
	return nil
}

func dot(index []int32, value, x []float64) float64 {
	sum := 0.0
	for k, j := range index {
		sum += value[k] * x[j]
	}
	return sum
}

// checkSeed draws a model and verifies the cuts of the separators that are on.
func checkSeed(t *testing.T, seed uint64, opt Options) [Kinds]int {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 5))
	s, err := newSmall(draw(rng))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.imply(rng); err != nil {
		t.Fatal(err)
	}
	count, err := s.separate(opt)
	if err == nil {
		err = s.verify()
	}
	if err != nil {
		t.Fatalf("seed %d: %v\ncolumns %+v\nrows %+v\n%v\n%v", seed, err, s.m.Cols, s.m.Rows, s.model.ByRow.Index,
			s.model.ByRow.Value)
	}
	return count
}

// TestCutsKeepPoints checks the cuts of each separator alone, and of all together, against every
// integer point of random models.
func TestCutsKeepPoints(t *testing.T) {
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 500
	}
	for alone := Kind(0); alone <= Kinds; alone++ {
		opt := DefaultOptions()
		name := "all"
		if alone < Kinds {
			name = alone.String()
			for k := range opt.Off {
				opt.Off[k] = Kind(k) != alone && (alone != FlowCover || Kind(k) != Rounding) // which makes the rows
			}
		}
		t.Run(name, func(t *testing.T) {
			var total [Kinds]int
			for seed := range seeds {
				for k, n := range checkSeed(t, seed, opt) {
					total[k] += n
				}
			}
			t.Logf("cuts: %v", total)
			if alone < Kinds && total[alone] < int(seeds)/50 {
				t.Errorf("only %d cuts of %d models: the test has lost its point", total[alone], seeds)
			}
		})
	}
}

// TestUnitOfFlow sends one unit through one of two arcs of a large capacity: rounding finds that one of them is open.
func TestUnitOfFlow(t *testing.T) {
	const capacity = 212
	m := &lp.Model{}
	for range 2 {
		m.AddCol(lp.Col{Upper: capacity})
		m.AddCol(lp.Col{Cost: 1, Upper: 1, Integer: true})
	}
	m.AddRow(lp.Row{Lower: 1, Upper: 1}, []int32{0, 2}, []float64{1, 1})
	for x := int32(0); x < 4; x += 2 {
		m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{x, x + 1}, []float64{1, -capacity})
	}
	s, err := newSmall(m)
	if err != nil {
		t.Fatal(err)
	}
	opt := DefaultOptions()
	opt.Off[Gomory], opt.Off[Implied] = true, true
	if _, err = s.separate(opt); err == nil {
		err = s.verify()
	}
	if err != nil {
		t.Fatal(err)
	}
	if res, err := s.solver.Solve(context.Background(), simplex.NoLimits()); err != nil || !(res.Objective > 1-1e-6) {
		t.Errorf("the bound is %g after %d cuts, %v", res.Objective, len(s.cuts), err)
	}
}

// FuzzCuts draws models from any seed.
func FuzzCuts(f *testing.F) {
	for seed := range uint64(5) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) { checkSeed(t, seed, DefaultOptions()) })
}
