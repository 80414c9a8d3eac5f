package bnb

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// facilities is an uncapacitated facility-location instance; its Benders master has one binary column a
// facility and one continuous column a client, and all its cost rows come from the hooks.
type facilities struct {
	n, m  int // facilities, clients
	fixed []float64
	cost  [][]float64 // of client i at facility j
	order [][]int     // facilities of client i by cost
}

// randomFacilities follows the M class of UflLib (Kratica et al. 2001) for the given size.
func randomFacilities(n, m int, seed uint64) *facilities {
	rng := rand.New(rand.NewPCG(seed, 5))
	u := &facilities{n: n, m: m, fixed: make([]float64, n)}
	sums := make([]float64, n)
	for range m {
		demand := float64(1 + rng.IntN(5))
		c, order := make([]float64, n), make([]int, n)
		for j := range c {
			c[j] = math.Round(demand*(2+8*rng.Float64())*1000) / 1000
			sums[j] += c[j]
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int {
			if c[a] < c[b] {
				return -1
			}
			return 1
		})
		u.cost, u.order = append(u.cost, c), append(u.order, order)
	}
	lo, up := slices.Min(sums), slices.Max(sums)
	for j := range u.fixed {
		u.fixed[j] = 0.5*float64(n) + 2.5*float64(n)*(up-sums[j])/(up-lo)
	}
	return u
}

// master is the model without any client cut; at least one facility opens.
func (u *facilities) master() *lp.Model {
	m := &lp.Model{Name: "ufl"}
	index, ones := make([]int32, u.n), make([]float64, u.n)
	for j, f := range u.fixed {
		index[j], ones[j] = int32(m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true})), 1
	}
	for range u.m {
		m.AddCol(lp.Col{Cost: 1, Upper: lp.Inf})
	}
	m.AddRow(lp.Row{Lower: 1, Upper: lp.Inf}, index, ones)
	return m
}

// separate returns the violated client cuts theta_i + sum_j (pi - c_ij)+ y_j >= pi at x, with pi the
// cost at which y has served the client.
func (u *facilities) separate(x []float64, tol float64) []Cut {
	var cuts []Cut
	for i := range u.m {
		pi, served := u.price(i, x)
		if pi-served <= x[u.n+i]+tol*math.Max(1, pi) {
			continue
		}
		c := Cut{Lower: pi, Upper: lp.Inf, Index: []int32{int32(u.n + i)}, Value: []float64{1}}
		for _, j := range u.order[i] {
			if d := pi - u.cost[i][j]; d > 0 {
				c.Index, c.Value = append(c.Index, int32(j)), append(c.Value, d)
			}
		}
		cuts = append(cuts, c)
	}
	return cuts
}

// price returns the critical cost of client i at y, and sum_j (pi - c_ij)+ y_j.
func (u *facilities) price(i int, y []float64) (pi, served float64) {
	open := 0.0
	for _, j := range u.order[i] {
		pi = u.cost[i][j]
		if open+y[j] >= 1-1e-9 {
			break
		}
		open += y[j]
	}
	for _, j := range u.order[i] {
		if u.cost[i][j] >= pi {
			break
		}
		served += (pi - u.cost[i][j]) * y[j]
	}
	return pi, served
}

// complete returns the design of x with its exact client costs.
func (u *facilities) complete(x []float64) []float64 {
	p := slices.Clone(x)
	for i := range u.m {
		p[u.n+i] = inf
		for j := range u.n {
			if x[j] > 0.5 {
				p[u.n+i] = math.Min(p[u.n+i], u.cost[i][j])
			}
		}
	}
	return p
}

func (u *facilities) hooks() Hooks {
	return Hooks{
		Lazy: func(_ context.Context, c Candidate) (Separation, error) {
			cuts := u.separate(c.X, 1e-7)
			if len(cuts) == 0 {
				return Separation{}, nil
			}
			return Separation{Cuts: cuts, Points: [][]float64{u.complete(c.X)}}, nil
		},
		User: func(_ context.Context, c Candidate) (Separation, error) {
			return Separation{Cuts: u.separate(c.X, 1e-4)}, nil
		},
	}
}

// compact is the strong formulation, x_ij <= y_j.
func (u *facilities) compact() *lp.Model {
	m := &lp.Model{Name: "ufl-compact"}
	for _, f := range u.fixed {
		m.AddCol(lp.Col{Cost: f, Upper: 1, Integer: true})
	}
	for i := range u.m {
		var index []int32
		var ones []float64
		for j := range u.n {
			k := m.AddCol(lp.Col{Cost: u.cost[i][j], Upper: lp.Inf})
			m.AddRow(lp.Row{Lower: math.Inf(-1)}, []int32{int32(k), int32(j)}, []float64{1, -1})
			index, ones = append(index, int32(k)), append(ones, 1)
		}
		m.AddRow(lp.Row{Lower: 1, Upper: 1}, index, ones)
	}
	return m
}

// TestFacilities solves masters by hooks and compares them with the compact model.
func TestFacilities(t *testing.T) {
	for seed := range uint64(4) {
		u := randomFacilities(15, 20, seed)
		opt := DefaultOptions()
		opt.Gap = 0
		want, err := Solve(context.Background(), u.compact(), opt, Hooks{})
		if err != nil || want.Status != lp.Optimal {
			t.Fatalf("seed %d: compact model: %v, %v", seed, want.Status, err)
		}
		for _, fractional := range []bool{true, false} {
			hooks := u.hooks()
			if !fractional {
				hooks.User = nil
			}
			got, err := Solve(context.Background(), u.master(), opt, hooks)
			if err != nil || got.Status != lp.Optimal {
				t.Fatalf("seed %d: master: %v, %v", seed, got.Status, err)
			}
			if d := math.Abs(got.Objective - want.Objective); !(d <= 1e-5) {
				t.Errorf("seed %d, user cuts %v: master %.9g, compact %.9g", seed, fractional, got.Objective, want.Objective)
			}
		}
	}
}

// TestFreeEpigraphs leaves the client columns without a lower bound: the relaxation is unbounded until
// the lazy hook has cut off every ray.
func TestFreeEpigraphs(t *testing.T) {
	u := randomFacilities(8, 6, 2)
	want, err := Solve(context.Background(), u.compact(), DefaultOptions(), Hooks{})
	if err != nil || want.Status != lp.Optimal {
		t.Fatalf("compact model: %v, %v", want.Status, err)
	}
	m := u.master()
	for i := range u.m {
		m.Cols[u.n+i].Lower = math.Inf(-1)
	}
	got, err := Solve(context.Background(), m, DefaultOptions(), u.hooks())
	if err != nil || got.Status != lp.Optimal || !(math.Abs(got.Objective-want.Objective) <= 1e-4*want.Objective) {
		t.Errorf("%v, %v: objective %g, want %g", got.Status, err, got.Objective, want.Objective)
	}
}

// TestCutRowsStayInStep checks after a search with many purges that the rows of the simplex are those that the search
// has recorded.
func TestCutRowsStayInStep(t *testing.T) {
	u := randomFacilities(40, 60, 3)
	s, err := newSearch(job{model: u.master(), opt: DefaultOptions(), hooks: u.hooks(), start: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := s.limits.begin(context.Background())
	defer cancel()
	if err := s.run(ctx); err != nil {
		t.Fatal(err)
	}
	if got, want := s.lp.s.NumRows(), s.p.rows+len(s.lp.cuts); got != want {
		t.Fatalf("%d rows, want %d", got, want)
	}
	if len(s.lp.cuts) == len(s.pool.cuts) {
		t.Errorf("no cut was ever purged")
	}
	inside := 0
	for k, c := range s.lp.cuts {
		index, value := s.lp.s.Row(lp.Con(s.p.rows + k))
		lower, upper := s.lp.s.RowBounds(lp.Con(s.p.rows + k))
		if c.row != k || !slices.Equal(index, c.index) || !slices.Equal(value, c.value) ||
			math.Abs(lower-c.lower) > 1e-9*math.Abs(c.lower) || upper != c.upper {
			t.Fatalf("cut row %d is not the row of its cut", k)
		}
	}
	for _, c := range s.pool.cuts {
		if c.row >= 0 {
			inside++
		}
	}
	if inside != len(s.lp.cuts) {
		t.Errorf("%d cuts of the pool believe to be in the LP, %d are", inside, len(s.lp.cuts))
	}
}
