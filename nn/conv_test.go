package nn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/autodiff"
)

// graphNet is a bipartite graph network: clients to facilities, back again, and a head on each client.
type graphNet struct {
	out, back *Conv
	head      *MLP
	from, to  []int32 // client and facility of each edge
}

const (
	graphClients    = 6
	graphFacilities = 4
)

func newGraphNet(t testing.TB, act autodiff.Activation, seed uint64) *graphNet {
	out, err := NewConv(ConvConfig{Source: 2, Target: 3, Edge: 1, Hidden: 8, Output: 5, Activation: act, Scale: 0.5, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	back, err := NewConv(ConvConfig{Source: 5, Target: 2, Hidden: 7, Output: 4, Activation: act, Scale: 1, Seed: seed + 1})
	if err != nil {
		t.Fatal(err)
	}
	head, err := NewMLP(Config{Sizes: []int{4, 6, 1}, Hidden: act, Seed: seed + 2})
	if err != nil {
		t.Fatal(err)
	}
	// Client 5 has no edge, facility 3 has none, one edge is there twice.
	return &graphNet{out, back, head, []int32{0, 1, 2, 3, 4, 0, 2, 2}, []int32{0, 0, 1, 1, 2, 2, 0, 0}}
}

func (g *graphNet) params() []*Param {
	ps := Prefixed("out.", g.out.Params())
	ps = append(ps, Prefixed("back.", g.back.Params())...)
	return append(ps, Prefixed("head.", g.head.Params())...)
}

func (g *graphNet) apply(t *autodiff.Tape, clients, facilities, edges autodiff.Node) autodiff.Node {
	f := g.out.Apply(t, clients, facilities, edges, g.from, g.to)
	return g.head.Apply(t, g.back.Apply(t, f, clients, autodiff.Node{}, g.to, g.from))
}

// features are of the clients, the facilities and the edges.
func (g *graphNet) features() [3][]float64 {
	rng := rand.New(rand.NewPCG(31, 7))
	var x [3][]float64
	for i, n := range []int{graphClients * 2, graphFacilities * 3, len(g.from)} {
		x[i] = make([]float64, n)
		uniform(x[i], 1, rng)
	}
	return x
}

func (g *graphNet) eval(t testing.TB, x [3][]float64) []float64 {
	tape := autodiff.NewTape()
	y := g.apply(tape, tape.Const("clients", graphClients, 2, x[0]), tape.Const("facilities", graphFacilities, 3, x[1]),
		tape.Const("edges", len(g.from), 1, x[2]))
	if err := tape.CompileForward(); err != nil {
		t.Fatal(err)
	}
	if err := tape.Forward(); err != nil {
		t.Fatal(err)
	}
	return y.Value()
}

// TestConvGradients checks the gradients of all parameters, and of the features, against difference quotients.
func TestConvGradients(t *testing.T) {
	for _, act := range []autodiff.Activation{autodiff.Identity, autodiff.ReLU, autodiff.Softplus} {
		for seed := range uint64(4) {
			g := newGraphNet(t, act, seed)
			rng := rand.New(rand.NewPCG(seed, 3))
			for _, p := range g.params() {
				if p.Vector {
					uniform(p.Value, 0.3, rng)
				}
			}
			x := g.features()
			tape := autodiff.NewTape()
			feature := func(rows, cols int, v []float64) autodiff.Node {
				return tape.Param("feature", rows, cols, v, make([]float64, len(v)))
			}
			y := g.apply(tape, feature(graphClients, 2, x[0]), feature(graphFacilities, 3, x[1]), feature(len(g.from), 1, x[2]))
			if err := tape.Compile(tape.Mean(tape.Mul(y, y))); err != nil {
				t.Fatal(err)
			}
			if err := tape.CheckGradients(1e-6, 1e-6); err != nil {
				t.Errorf("%v, seed %d: %v", act, seed, err)
			}
		}
	}
}

// TestConvFormula compares one layer with its formula, edge by edge.
func TestConvFormula(t *testing.T) {
	g := newGraphNet(t, autodiff.ReLU, 9)
	l, x := g.out, g.features()
	uniform(l.bias.Value, 1, rand.New(rand.NewPCG(1, 1)))
	uniform(l.offset.Value, 1, rand.New(rand.NewPCG(1, 2)))
	tape := autodiff.NewTape()
	y := l.Apply(tape, tape.Const("s", graphClients, 2, x[0]), tape.Const("t", graphFacilities, 3, x[1]),
		tape.Const("e", len(g.from), 1, x[2]), g.from, g.to)
	if err := tape.CompileForward(); err != nil {
		t.Fatal(err)
	}
	if err := tape.Forward(); err != nil {
		t.Fatal(err)
	}
	times := func(p *Param, row int, v []float64) (s float64) {
		for j, c := range v {
			s += p.Value[row*p.Cols+j] * c
		}
		return s
	}
	var want []float64
	for v := range graphFacilities {
		target := x[1][3*v : 3*v+3]
		in := append(append([]float64(nil), target...), make([]float64, 8)...)
		for e := range g.from {
			if int(g.to[e]) != v {
				continue
			}
			for h := range 8 {
				c := int(g.from[e])
				m := times(l.source, h, x[0][2*c:2*c+2]) + times(l.target, h, target) + times(l.edge, h, x[2][e:e+1]) + l.bias.Value[h]
				in[3+h] += 0.5 * max(m, 0)
			}
		}
		for o := range 5 {
			want = append(want, max(times(l.output, o, in)+l.offset.Value[o], 0))
		}
	}
	near(t, "convolution", y.Value(), want)
}

// TestConvPermutes checks that the order of nodes and edges does not matter.
func TestConvPermutes(t *testing.T) {
	g := newGraphNet(t, autodiff.Softplus, 4)
	x := g.features()
	want := append([]float64(nil), g.eval(t, x)...)
	rng := rand.New(rand.NewPCG(8, 8))
	client, facility, edge := rng.Perm(graphClients), rng.Perm(graphFacilities), rng.Perm(len(g.from))
	var moved [3][]float64
	for i, perm := range [][]int{client, facility, edge} {
		width := len(x[i]) / len(perm)
		moved[i] = make([]float64, len(x[i]))
		for k, p := range perm {
			copy(moved[i][p*width:(p+1)*width], x[i][k*width:])
		}
	}
	from, to := make([]int32, len(edge)), make([]int32, len(edge))
	for e, p := range edge {
		from[p], to[p] = int32(client[g.from[e]]), int32(facility[g.to[e]])
	}
	g.from, g.to = from, to
	got := g.eval(t, moved)
	for i, p := range client {
		if !(math.Abs(got[p]-want[i]) <= 1e-12) {
			t.Errorf("client %d has %g, moved %g", i, want[i], got[p])
		}
	}
}

func TestConvErrors(t *testing.T) {
	good := ConvConfig{Source: 2, Target: 3, Edge: 1, Hidden: 4, Output: 2, Scale: 1}
	for name, change := range map[string]func(c *ConvConfig){
		"source": func(c *ConvConfig) { c.Source = 0 }, "target": func(c *ConvConfig) { c.Target = -1 },
		"edge": func(c *ConvConfig) { c.Edge = -1 }, "hidden": func(c *ConvConfig) { c.Hidden = 0 },
		"output": func(c *ConvConfig) { c.Output = 0 }, "activation": func(c *ConvConfig) { c.Activation = 9 },
		"scale": func(c *ConvConfig) { c.Scale = math.NaN() }, "no scale": func(c *ConvConfig) { c.Scale = 0 },
	} {
		c := good
		change(&c)
		if _, err := NewConv(c); err == nil {
			t.Errorf("%s: %+v passes", name, c)
		}
	}
	for name, shape := range map[string]struct {
		edge     int // features of the edges given, 0 for none
		from, to []int32
		want     string
	}{
		"no edge features":  {0, []int32{0, 1}, []int32{0, 1}, "not a node"},
		"wrong edges":       {2, []int32{0, 1}, []int32{0, 1}, "affine"},
		"lengths":           {1, []int32{0}, []int32{0, 1}, "differ"},
		"no edges":          {1, nil, nil, "no rows"},
		"target of an edge": {1, []int32{0, 1}, []int32{0, 2}, "entry 1 is 2"},
		"source of an edge": {1, []int32{-1, 1}, []int32{0, 1}, "entry 0 is -1"},
	} {
		l, err := NewConv(good)
		if err != nil {
			t.Fatal(err)
		}
		tape, edge := autodiff.NewTape(), autodiff.Node{}
		s, r := tape.Input("s", 2, 2), tape.Input("t", 2, 3)
		if shape.edge > 0 {
			edge = tape.Input("e", 2, shape.edge)
		}
		l.Apply(tape, s, r, edge, shape.from, shape.to)
		if err = tape.CompileForward(); err == nil {
			err = tape.Forward()
		}
		if err == nil || !strings.Contains(err.Error(), shape.want) {
			t.Errorf("%s: error %v, want %q", name, err, shape.want)
		}
	}
	good.Edge = 0
	l, err := NewConv(good)
	if err != nil {
		t.Fatal(err)
	}
	tape := autodiff.NewTape()
	l.Apply(tape, tape.Input("s", 2, 2), tape.Input("t", 2, 3), tape.Input("e", 2, 1), []int32{0, 1}, []int32{0, 1})
	if err := tape.Err(); err == nil || !strings.Contains(err.Error(), "edge.weight") {
		t.Errorf("unexpected edge features: error %v", err)
	}
}

// TestGraphSaveLoad saves a graph network by parameter names and loads it into another, to the bit.
func TestGraphSaveLoad(t *testing.T) {
	g := newGraphNet(t, autodiff.ReLU, 1)
	path := filepath.Join(t.TempDir(), "graph.safetensors")
	if err := SaveParams(path, g.params(), map[string]string{"family": "ufl"}); err != nil {
		t.Fatal(err)
	}
	h := newGraphNet(t, autodiff.ReLU, 77)
	meta, err := LoadParams(path, h.params())
	if err != nil || meta["family"] != "ufl" {
		t.Fatalf("metadata %v, error %v", meta, err)
	}
	x := g.features()
	want, got := g.eval(t, x), h.eval(t, x)
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("output %d is %v, want %v", i, got[i], want[i])
		}
	}
	for name, wrong := range map[string][]*Param{
		"tensors, want": h.params()[1:],
		"no tensor":     Prefixed("other.", h.params()),
		"has shape":     append([]*Param{NewParam("out.source.weight", 2, 8)}, h.params()[1:]...),
	} {
		if _, err := LoadParams(path, wrong); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want %q", err, name)
		}
	}
	g.params()[0].Value[0] = math.NaN()
	if err := SaveParams(path, g.params(), nil); err != nil {
		t.Fatal(err)
	}
	before := h.params()[0].Value[1]
	if _, err := LoadParams(path, h.params()); !errors.Is(err, ErrFormat) || h.params()[0].Value[1] != before {
		t.Errorf("a NaN passes, or changes the parameters: %v", err)
	}
	if err := SaveParams(path, append(h.params(), h.params()[0]), nil); err == nil {
		t.Error("a repeated name passes")
	}
}

// graphTask fits, for each client, a sum over its facilities of the positive part of what all edges into one sum to.
type graphTask struct {
	g    *graphNet
	x    [3]autodiff.Node
	y    autodiff.Node
	loss float64
	last autodiff.Node
}

func (k *graphTask) Build(t *autodiff.Tape) (autodiff.Node, error) {
	k.x = [3]autodiff.Node{t.Input("clients", graphClients, 2), t.Input("facilities", graphFacilities, 3), t.Input("edges", len(k.g.from), 1)}
	k.y = t.Input("y", graphClients, 1)
	d := t.Sub(k.g.apply(t, k.x[0], k.x[1], k.x[2]), k.y)
	k.last = t.Mean(t.Mul(d, d))
	return k.last, t.Err()
}

func (k *graphTask) Fill(_ context.Context, _ int, rng *rand.Rand) error {
	for _, x := range k.x {
		uniform(x.Value(), 1, rng)
	}
	y := k.y.Value()
	clear(y)
	var into [graphFacilities]float64
	for e, f := range k.g.to {
		into[f] += k.x[2].Value()[e]
	}
	for e, c := range k.g.from {
		y[c] += 0.5 * max(into[k.g.to[e]], 0)
	}
	return nil
}

func (k *graphTask) Validate(context.Context) (float64, error) { return k.loss, nil }

// TestGraphTrains trains the graph network by Train and wants the loss to fall to a tenth.
func TestGraphTrains(t *testing.T) {
	task := &graphTask{g: newGraphNet(t, autodiff.ReLU, 3)}
	opt := DefaultOptions()
	opt.Steps, opt.ValidateEvery, opt.Rate, opt.StopAfter = 3000, 500, 1e-2, 100
	var losses []float64
	opt.Progress = func(p Progress) { losses = append(losses, p.Loss) }
	if _, err := Train(context.Background(), task.g.params(), task, opt); err != nil {
		t.Fatal(err)
	}
	if first, last := losses[0], losses[len(losses)-1]; !(last < 0.1*first) {
		t.Errorf("mean loss of the first 500 steps %g, of the last %g", first, last)
	}
}
