package decompose

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/lagrange"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/nn"
)

// sites is a small two-stage problem with a closed form: sites are opened at a price, and every client goes to the
// nearest open one. Its programs say which of their hooks were called.
type sites struct {
	open  []float64   // price of each site
	cost  [][]float64 // of each client at each site
	calls *[]string
}

func randomSites(seed uint64, n, clients int) *sites {
	rng := rand.New(rand.NewPCG(seed, 0x51735))
	s := &sites{calls: new([]string)}
	for range n {
		s.open = append(s.open, float64(10+rng.IntN(20)))
	}
	for range clients {
		row := make([]float64, n)
		for j := range row {
			row[j] = float64(1 + rng.IntN(30))
		}
		s.cost = append(s.cost, row)
	}
	return s
}

// total is the cost of a design, +Inf of the one that opens nothing.
func (s *sites) total(y []float64) float64 {
	total := 0.0
	for j, v := range y {
		total += v * s.open[j]
	}
	for _, row := range s.cost {
		nearest := math.Inf(1)
		for j, v := range y {
			if v > 0.5 {
				nearest = min(nearest, row[j])
			}
		}
		total += nearest
	}
	return total
}

// best tries all designs.
func (s *sites) best() (design []float64, cost float64) {
	cost = math.Inf(1)
	for mask := 1; mask < 1<<len(s.open); mask++ {
		y := make([]float64, len(s.open))
		for j := range y {
			y[j] = float64(mask >> j & 1)
		}
		if c := s.total(y); c < cost {
			design, cost = y, c
		}
	}
	return design, cost
}

func (s *sites) master() *lp.Model {
	m := &lp.Model{Name: "sites"}
	all, ones := []int32{}, []float64{}
	for j, f := range s.open {
		m.AddCol(lp.Col{Name: fmt.Sprint("y", j), Cost: f, Upper: 1, Integer: true})
		all, ones = append(all, int32(j)), append(ones, 1)
	}
	m.AddRow(lp.Row{Name: "some", Lower: 1, Upper: lp.Inf}, all, ones)
	return m
}

// cut is the cut of what each client would pay at most.
func (s *sites) cut(pay []float64) benders.Cut {
	c := benders.Cut{Theta: benders.AllEpigraphs, Certificate: &benders.Multipliers{Values: slices.Clone(pay)}}
	for _, v := range pay {
		c.Alpha += v
	}
	for j := range s.open {
		gain := 0.0
		for i, row := range s.cost {
			gain += max(0, pay[i]-row[j])
		}
		if gain > 0 {
			c.Index, c.Beta = append(c.Index, int32(j)), append(c.Beta, -gain)
		}
	}
	return c
}

// Name implements benders.Separator, as Separate, which is exact: every client pays the cost at which the mass of y
// reaches one.
func (s *sites) Source() benders.Source { return "sites" }

func (s *sites) Separate(_ context.Context, p benders.Point) (benders.Separation, error) {
	pay := make([]float64, len(s.cost))
	for i, row := range s.cost {
		order := make([]int, len(row))
		for j := range order {
			order[j] = j
		}
		slices.SortStableFunc(order, func(a, b int) int { return int(row[a] - row[b]) })
		mass := 0.0
		for _, j := range order {
			if pay[i] = row[j]; mass+p.Y[j] >= 1-1e-9 {
				break
			}
			mass += p.Y[j]
		}
	}
	c := s.cut(pay)
	return benders.Separation{Cuts: []benders.Cut{c}, Value: c.Value(p.Y), Exact: true}, nil
}

func (s *sites) say(call string) { *s.calls = append(*s.calls, call) }

// program has the two hooks that all programs need.
func (s *sites) program() *Program {
	return &Program{Model: Model{Name: "sites", Master: s.master}, Proxy: ProxyRun{Instance: s}, Recourse: Recourse{
		SingleEpigraph: true,
		Problem: func(context.Context, bool) (*benders.Problem, error) {
			s.say("problem")
			return &benders.Problem{Name: "sites", Master: s.master(), Epigraphs: 1, ThetaLower: []float64{0},
				Recourse: func(_ context.Context, y, q []float64) (bool, error) {
					total := s.total(y)
					q[0] = total - s.master().Evaluate(y)
					return !math.IsInf(total, 1), nil
				}}, nil
		},
		Exact: func(bool) (benders.Separator, error) { s.say("exact"); return s, nil }}}
}

// scaled is the problem with its costs times a power of two.
func (s *sites) scaled(exponent int) *sites {
	out := &sites{calls: s.calls}
	times := func(list []float64) []float64 {
		out := slices.Clone(list)
		for k := range out {
			out[k] = math.Ldexp(out[k], exponent)
		}
		return out
	}
	out.open = times(s.open)
	for _, row := range s.cost {
		out.cost = append(out.cost, times(row))
	}
	return out
}

// without is the problem with some of the sites only.
func (s *sites) without(r *lagrange.Reduction) *sites {
	out := &sites{calls: s.calls, open: r.Columns(s.open)}
	for _, row := range s.cost {
		out.cost = append(out.cost, r.Columns(row))
	}
	return out
}

// started is the program with a design that is known before the master, one site alone.
func (s *sites) started() *Program {
	p := s.program()
	p.Preparation.Start = func(context.Context, StartOptions) (Start, error) {
		s.say("prepare")
		start := NoStart()
		start.Design = make([]float64, len(s.open))
		start.Design[0] = 1
		start.Cost, start.Bound = s.total(start.Design), 0
		return start, nil
	}
	return p
}

// exactly are options for a run to the proof.
func exactly(method Method) Options {
	o := DefaultOptions()
	o.Method, o.Benders.Gap = method, 1e-9
	return o
}

// solved fails unless a run ends with a proof of the best design.
func solved(t *testing.T, s *sites, p *Program, o Options) *benders.Result {
	t.Helper()
	r, err := Solve(context.Background(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	_, want := s.best()
	if r.Status != lp.Optimal || math.Abs(r.Objective-want) > 1e-9*want || s.total(r.Design) != r.Objective || r.Bound > want*(1+1e-9) {
		t.Fatalf("%v: design %v of cost %g, bound %g; the best costs %g", r.Status, r.Design, r.Objective, r.Bound, want)
	}
	return r
}

// TestPipeline checks the order of the hooks, and that what they changed is taken back: the unit of the conditioned
// program, and the columns that the fixing closed.
func TestPipeline(t *testing.T) {
	for seed := range uint64(5) {
		s := randomSites(seed, 7, 9)
		s.open[3], s.open[5] = 1e4, 1e4 // in no optimum
		const exponent = 3
		p := s.program()
		p.Recourse.Begin = func(*Options) { s.say("begin") }
		p.Recourse.End = func(r *benders.Result) { s.say("end"); r.Visited = 77 }
		p.Preparation.Condition = func() (*Program, int) {
			s.say("condition")
			small := s.scaled(-exponent)
			q := small.started()
			q.Preparation.Fix = func(_ context.Context, start *Start, quick bool) error {
				s.say(fmt.Sprint("fix ", quick))
				start.Fixing = lagrange.Fixing{Closed: []int32{3, 5}, UB: start.Cost}
				return nil
			}
			q.Preparation.Reduce = func(f lagrange.Fixing) (*Program, *lagrange.Reduction, error) {
				s.say(fmt.Sprint("reduce ", f.Closed))
				r, err := f.Reduction(len(small.open))
				return small.without(r).program(), r, err
			}
			return q, exponent
		}
		o := exactly(Exact)
		shown := math.Inf(1)
		o.Benders.LogEvery = 0
		o.Benders.Progress = func(p benders.Progress) { shown = p.TrueCost }
		r := solved(t, s, p, o)
		want := "begin condition prepare fix false reduce [3 5] problem exact problem end" // the last to price the design here
		if got := strings.Join(*s.calls, " "); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
		if len(r.Design) != 7 || r.Visited != 77 || !math.IsInf(shown, 1) && shown < r.Objective*(1-1e-9) {
			t.Errorf("seed %d: %d columns, %d visited, progress told of %g beside %g", seed, len(r.Design), r.Visited, shown, r.Objective)
		}
		if p.Model.Maximize = true; seed == 0 { // the same program, as the negative of a maximisation
			r, err := Solve(context.Background(), p, exactly(Exact))
			if _, best := s.best(); err != nil || r.Objective > -best*(1-1e-9) || r.Bound < r.Objective-1e-9*best {
				t.Errorf("maximised: %+v, %v", r, err)
			}
		}
	}
}

// TestNoHeuristic checks that nothing comes before the master then, and that full asks for a start only where it is for
// it.
func TestNoHeuristic(t *testing.T) {
	s := randomSites(8, 6, 8)
	p := s.started()
	p.Preparation.Fix = func(context.Context, *Start, bool) error { s.say("fix"); return nil }
	o := exactly(Exact)
	o.Benders.Heuristic = false
	solved(t, s, p, o)
	if got := strings.Join(*s.calls, " "); got != "problem exact" {
		t.Error(got)
	}
}

// TestPrepareProves ends runs before a master: where the bound of the start is its cost, where it is not and the method
// asks for no more, and where there is no start.
func TestPrepareProves(t *testing.T) {
	s := randomSites(4, 6, 8)
	best, cost := s.best()
	p := s.started()
	p.Preparation.Start = func(_ context.Context, o StartOptions) (Start, error) {
		if !(o.Gap < 1e-9) || o.Gap < 0.99e-9 {
			t.Errorf("the gap %g is not a hair inside 1e-9", o.Gap)
		}
		return Start{Design: best, Cost: cost, Bound: cost}, nil
	}
	if solved(t, s, p, exactly(Exact)); len(*s.calls) != 0 {
		t.Errorf("after a proof: %v", *s.calls)
	}
	p = s.started()
	p.Preparation.Fix = func(_ context.Context, start *Start, _ bool) error { start.Bound = 3; return nil }
	r, err := Solve(context.Background(), p, exactly(Started))
	if err != nil || r.Status != lp.Stalled || r.Bound != 3 || r.Objective != s.total(r.Design) || !slices.Equal(*s.calls, []string{"prepare"}) {
		t.Errorf("started: %+v, %v, after %v", r, err, *s.calls)
	}
	p.Preparation.Start = func(context.Context, StartOptions) (Start, error) { return NoStart(), nil }
	if r, err = Solve(context.Background(), p, exactly(Started)); err != nil || r.Status != lp.NotSolved || r.Design != nil {
		t.Errorf("no start: %+v, %v", r, err)
	}
	*s.calls = nil
	if solved(t, s, p, exactly(Exact)); !slices.Contains(*s.calls, "problem") {
		t.Error("no start, and no master")
	}
}

// TestReprice solves a conditioned program whose best design costs more in the program given: the run says that cost,
// and no proof.
func TestReprice(t *testing.T) {
	s := randomSites(2, 5, 6)
	cheap := &sites{open: slices.Clone(s.open), cost: s.cost, calls: s.calls}
	for j := range cheap.open {
		cheap.open[j] /= 4
	}
	p := s.program()
	p.Preparation.Condition = func() (*Program, int) { return cheap.program(), 0 }
	r, err := Solve(context.Background(), p, exactly(Exact))
	if err != nil {
		t.Fatal(err)
	}
	_, low := cheap.best()
	if r.Objective != s.total(r.Design) || r.Status == lp.Optimal || math.Abs(r.Bound-low) > 1e-9*low || r.Gap < 0.01 {
		t.Errorf("%v: cost %g, bound %g, gap %g; the conditioned optimum is %g", r.Status, r.Objective, r.Bound, r.Gap, low)
	}
}

// TestDriver checks who solves the master: outer and bbc agree, a tree comes first with its nodes, and the rest takes over from a
// master that its nodes have stopped.
func TestDriver(t *testing.T) {
	s := randomSites(11, 9, 14)
	for _, scheme := range []Scheme{BBC, Outer} {
		o := exactly(Exact)
		o.Scheme = scheme
		solved(t, s, s.program(), o)
	}
	best, cost := s.best()
	*s.calls = nil
	p := s.started()
	p.Preparation.Tree.Nodes = 12
	p.Preparation.Tree.Solve = func(_ context.Context, start *Start, o benders.Options) (*benders.Result, error) {
		s.say(fmt.Sprint("tree ", o.MaxNodes))
		return &benders.Result{Status: lp.NodeLimit, Design: best, Objective: cost, Bound: 1, Nodes: 12}, nil
	}
	p.Preparation.Accept = func(_ context.Context, start *Start) error {
		s.say(fmt.Sprintf("accept %g", start.Bound))
		return nil
	}
	r := solved(t, s, p, exactly(Exact))
	if got := strings.Join(*s.calls, " "); got != "prepare tree 12 accept 1 problem exact" || r.Nodes < 12 {
		t.Errorf("%s; %d nodes", got, r.Nodes)
	}
	*s.calls = nil
	o := exactly(Exact)
	o.Scheme = Dual
	if r, err := Solve(context.Background(), p, o); err != nil || r.Status != lp.NodeLimit || slices.Contains(*s.calls, "problem") ||
		!slices.Contains(*s.calls, fmt.Sprint("tree ", math.MaxInt)) {
		t.Errorf("dual: %+v, %v after %v", r, err, *s.calls)
	}
	p = s.started()
	p.Preparation.Rest.Solve = func(_ context.Context, start *Start, o benders.Options) (*benders.Result, error) {
		s.say("rest")
		if start.Cost > s.total(start.Design) || o.MaxNodes != 50 {
			t.Errorf("the rest begins at %g with %d nodes", start.Cost, o.MaxNodes)
		}
		return &benders.Result{Status: lp.Optimal, Design: best, Objective: cost, Bound: cost, Terminal: cost}, nil
	}
	*s.calls = nil
	o = exactly(Exact)
	o.Benders.MaxNodes = 50 // the master may use none of them
	solved(t, s, p, o)
	if got := strings.Join(*s.calls, " "); got != "prepare problem exact rest" {
		t.Error(got)
	}
}

// mean is an architecture for sites: whatever the network says, every client pays its mean cost.
type mean struct{ size int } // 0 for any

func (mean) Describe() map[string]string { return map[string]string{"family": "sites"} }

func (m mean) Form() proxy.Form { return proxy.Form{Inputs: 1, Outputs: 1, AnySize: m.size == 0} }

func (m mean) On(instance any) (proxy.View, error) {
	s, ok := instance.(*sites)
	if !ok || m.size != 0 && m.size != len(s.open) {
		return nil, proxy.ErrModel
	}
	return meanView{s}, nil
}

type meanView struct{ *sites }

func (v meanView) TrainingSet(context.Context, []benders.State) (proxy.TrainingSet, error) {
	return nil, proxy.ErrModel
}
func (v meanView) Predictor(*nn.MLP) (proxy.Predictor, error) { return v, nil }
func (v meanView) Certifier(bool) (proxy.Certifier, error)    { return v, nil }
func (v meanView) Exact() (benders.Separator, error)          { return v.sites, nil }
func (v meanView) Dim() int                                   { return len(v.cost) }
func (v meanView) Project([]float64) int                      { return 0 }

func (v meanView) Predict(_, pay []float64) error {
	for i, row := range v.cost {
		pay[i] = 0
		for _, c := range row {
			pay[i] += c / float64(len(row))
		}
	}
	return nil
}

func (v meanView) Complete(pay []float64, p benders.Point) (benders.Separation, error) {
	c := v.cut(pay)
	return benders.Separation{Cuts: []benders.Cut{c}, Value: c.Value(p.Y)}, nil
}

// TestPhases checks the two phases of a hybrid: a proxy from the start, and from its design an exact run to the proof,
// with the proxy's cuts where the program keeps them.
func TestPhases(t *testing.T) {
	initial := map[bool]int{}
	for _, keep := range []bool{false, true} {
		s := randomSites(21, 8, 12)
		p := s.started()
		p.Proxy.KeepCuts = keep
		first := math.NaN()
		p.Preparation.Accept = func(_ context.Context, start *Start) error {
			s.say("accept")
			first = start.Cost
			return nil
		}
		p.Preparation.Fix = func(_ context.Context, _ *Start, quick bool) error { s.say(fmt.Sprint("fix ", quick)); return nil }
		o := exactly(Hybrid)
		var err error
		if o.Model, err = proxy.New(mean{}, []int{1}, 1); err != nil {
			t.Fatal(err)
		}
		r := solved(t, s, p, o)
		if len(r.Phases) != 2 || r.Phases[0].Name != "proxy" || r.Phases[1].Name != "exact" || r.Phases[0].Status == lp.Optimal {
			t.Fatalf("phases %+v", r.Phases)
		}
		if first != r.Phases[0].Objective || first < r.Objective || r.Phases[0].Bound > r.Objective {
			t.Errorf("the second phase began at %g, the first ended at %+v", first, r.Phases[0])
		}
		if got := strings.Join(*s.calls, " "); got != "prepare fix true problem accept fix false problem exact" {
			t.Error(got)
		}
		initial[keep] = r.Cuts.Initial
	}
	if initial[false] != 0 || initial[true] == 0 {
		t.Errorf("cuts that the exact master began with: %v", initial)
	}
}

// TestProxyKeepsItsColumns checks that a network for one size gets all columns, and one for any size those that are
// left.
func TestProxyKeepsItsColumns(t *testing.T) {
	for _, size := range []int{0, 7} {
		s := randomSites(31, 7, 9)
		s.open[2] = 1e4
		p := s.started()
		p.Preparation.Fix = func(_ context.Context, start *Start, _ bool) error {
			start.Fixing = lagrange.Fixing{Closed: []int32{2}, UB: start.Cost}
			return nil
		}
		p.Preparation.Reduce = func(f lagrange.Fixing) (*Program, *lagrange.Reduction, error) {
			s.say("reduce")
			r, err := f.Reduction(7)
			return s.without(r).program(), r, err
		}
		o := exactly(Proxy)
		var err error
		if o.Model, err = proxy.New(mean{size}, []int{1}, 1); err != nil {
			t.Fatal(err)
		}
		r, err := Solve(context.Background(), p, o)
		if err != nil || len(r.Design) != 7 || r.Design[2] != 0 || r.Objective != s.total(r.Design) {
			t.Fatalf("size %d: %+v, %v", size, r, err)
		}
		if _, best := s.best(); r.Bound > best*(1+1e-9) || r.Objective < best {
			t.Errorf("size %d: cost %g, bound %g, the best costs %g", size, r.Objective, r.Bound, best)
		}
		if slices.Contains(*s.calls, "reduce") != (size == 0) {
			t.Errorf("size %d: %v", size, *s.calls)
		}
	}
}
