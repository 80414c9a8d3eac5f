package autodiff

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// builder makes test graphs whose leaves are all parameters, so that every input of an op is checked.
type builder struct {
	*Tape
	rng *rand.Rand
}

func newBuilder(seed uint64) *builder { return &builder{NewTape(), rand.New(rand.NewPCG(seed, 1))} }

// param appends a parameter with values that stay 0.05 away from the kinks at 0.
func (b *builder) param(rows, cols int) Node {
	v := make([]float64, rows*cols)
	for i := range v {
		v[i] = math.Copysign(0.05+b.rng.Float64(), b.rng.Float64()-0.5)
	}
	return b.Param("p", rows, cols, v, make([]float64, rows*cols))
}

// scalar contracts a node with random weights, so that every entry's gradient differs.
func (b *builder) scalar(x Node) Node {
	w := make([]float64, x.Rows()*x.Cols())
	for i := range w {
		w[i] = b.rng.Float64() - 0.5
	}
	return b.Sum(b.Mul(x, b.Const("w", x.Rows(), x.Cols(), w)))
}

// square is a custom op with a second input that has no gradient.
type square struct{}

func (square) Name() string { return "square" }
func (square) Forward(out Matrix, in []Matrix) error {
	for i, v := range in[0].Data {
		out.Data[i] = v * v * in[1].Data[0]
	}
	return nil
}
func (square) Backward(_, dOut Matrix, in, dIn []Matrix) error {
	for i, v := range in[0].Data {
		dIn[0].Data[i] += 2 * v * dOut.Data[i] * in[1].Data[0]
	}
	return nil
}

// TestGradients checks every op's rule against difference quotients, also where an input is used twice.
func TestGradients(t *testing.T) {
	for name, build := range map[string]func(b *builder) Node{
		"affine":         func(b *builder) Node { return b.Affine(b.param(5, 3), b.param(4, 3), b.param(1, 4)) },
		"affine no bias": func(b *builder) Node { return b.Affine(b.param(5, 3), b.param(4, 3), Node{}) },
		"affine 1 out":   func(b *builder) Node { return b.Affine(b.param(5, 3), b.param(1, 3), b.param(1, 1)) },
		"affine 1 row":   func(b *builder) Node { return b.Affine(b.param(1, 6), b.param(7, 6), b.param(1, 7)) },
		"affine 1 in":    func(b *builder) Node { return b.Affine(b.param(6, 1), b.param(7, 1), b.param(1, 7)) },
		"dense relu":     func(b *builder) Node { return b.Dense(b.param(5, 3), b.param(4, 3), b.param(1, 4), ReLU) },
		"dense softplus": func(b *builder) Node { return b.Dense(b.param(5, 3), b.param(4, 3), b.param(1, 4), Softplus) },
		"shared weights": func(b *builder) Node {
			w := b.param(3, 3)
			return b.Affine(b.Affine(b.param(4, 3), w, Node{}), w, Node{})
		},
		"input twice": func(b *builder) Node {
			x := b.param(3, 3)
			return b.Add(b.Affine(x, x, Node{}), b.Dense(x, b.param(3, 3), b.param(1, 3), Softplus))
		},
		"shared gradient buffer": func(b *builder) Node {
			v, g := []float64{1, 2, 3, 4}, make([]float64, 4)
			return b.Affine(b.Affine(b.param(3, 2), b.Param("one", 2, 2, v, g), Node{}), b.Param("two", 2, 2, v, g), Node{})
		},
		"relu":          func(b *builder) Node { return b.Relu(b.param(4, 5)) },
		"softplus":      func(b *builder) Node { return b.Softplus(b.param(4, 5)) },
		"scale":         func(b *builder) Node { return b.Scale(-1.5, b.param(4, 5)) },
		"add":           func(b *builder) Node { return b.Add(b.param(4, 5), b.param(4, 5)) },
		"sub":           func(b *builder) Node { return b.Sub(b.param(4, 5), b.param(4, 5)) },
		"mul":           func(b *builder) Node { return b.Mul(b.param(4, 5), b.param(4, 5)) },
		"mul itself":    func(b *builder) Node { x := b.param(4, 5); return b.Mul(x, x) },
		"sub itself":    func(b *builder) Node { x := b.param(4, 5); return b.Sub(b.Softplus(x), x) },
		"scale columns": func(b *builder) Node { return b.ScaleColumns(b.param(4, 2), []float64{2, -3}, []float64{1, 5}) },
		"sum":           func(b *builder) Node { return b.Sum(b.param(4, 5)) },
		"mean":          func(b *builder) Node { return b.Mean(b.param(4, 5)) },
		"gather rows":   func(b *builder) Node { return b.GatherRows(b.param(4, 5), []int32{3, 0, 3, 1, 3}) },
		"segment sum":   func(b *builder) Node { return b.SegmentSum(b.param(6, 2), []int32{2, 0, 2, 2, 0, 3}, 5) },
		"layer norm":    func(b *builder) Node { return b.LayerNorm(b.param(4, 6), b.param(1, 6), b.param(1, 6), 1e-3) },
		"custom": func(b *builder) Node {
			return b.Custom(square{}, 4, 5, b.param(4, 5), b.Const("c", 1, 1, []float64{3}))
		},
		"row value": func(b *builder) Node {
			return b.RowValue("norm", func(value []float64, slope, x Matrix) error {
				for i := range value {
					value[i] = 0
					for j, v := range x.Row(i) {
						value[i] += v * v
						slope.Row(i)[j] = 2 * v
					}
				}
				return nil
			}, b.param(4, 3))
		},
		"network": func(b *builder) Node {
			x := b.param(6, 4)
			h := b.Dense(x, b.param(5, 4), b.param(1, 5), ReLU)
			h = b.LayerNorm(b.Add(h, b.Affine(x, b.param(5, 4), Node{})), b.param(1, 5), b.param(1, 5), 1e-5)
			return b.Softplus(h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(5) {
				b := newBuilder(seed)
				if err := b.Compile(b.scalar(build(b))); err != nil {
					t.Fatal(err)
				}
				if err := b.checkGradients(1e-5, 1e-7); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
}

// TestCheckFindsWrongRule makes sure that the check can fail.
func TestCheckFindsWrongRule(t *testing.T) {
	b := newBuilder(1)
	wrong := b.RowValue("wrong", func(value []float64, slope, x Matrix) error {
		for i, v := range x.Data {
			value[i], slope.Data[i] = v*v, 2*v+1e-3
		}
		return nil
	}, b.param(3, 1))
	if err := b.Compile(b.Sum(wrong)); err != nil {
		t.Fatal(err)
	}
	if b.checkGradients(1e-5, 1e-7) == nil {
		t.Error("a wrong gradient passed the check")
	}
}

// TestKinks checks the stated element of the generalised gradient at each kink.
func TestKinks(t *testing.T) {
	for name, build := range map[string]func(t *Tape, x Node) Node{
		"relu":       func(t *Tape, x Node) Node { return t.Relu(x) },
		"dense relu": func(t *Tape, x Node) Node { return t.Dense(x, t.Const("w", 1, 1, []float64{1}), Node{}, ReLU) },
	} {
		for _, c := range []struct{ x, want float64 }{{0, 0}, {math.Copysign(0, -1), 0}, {5e-324, 1}, {-5e-324, 0}} {
			tape := NewTape()
			g := []float64{7}
			if err := tape.Compile(build(tape, tape.Param("x", 1, 1, []float64{c.x}, g))); err != nil {
				t.Fatal(err)
			}
			if err := tape.Forward(); err != nil {
				t.Fatal(err)
			}
			if err := tape.Backward(); err != nil {
				t.Fatal(err)
			}
			if g[0] != c.want {
				t.Errorf("%s: gradient at %g is %g, want %g", name, c.x, g[0], c.want)
			}
		}
	}
}

func TestShapeErrors(t *testing.T) {
	for want, build := range map[string]func(t *Tape, x Node) Node{
		"x is 4 x 3 but w is 2 x 5":                func(t *Tape, x Node) Node { return t.Affine(x, t.Input("w", 2, 5), Node{}) },
		"w is 2 x 3 but b is 1 x 3":                func(t *Tape, x Node) Node { return t.Affine(x, t.Input("w", 2, 3), t.Input("b", 1, 3)) },
		"unknown activation 9":                     func(t *Tape, x Node) Node { return t.Dense(x, t.Input("w", 2, 3), Node{}, 9) },
		"shapes 4 x 3 and 3 x 4 differ":            func(t *Tape, x Node) Node { return t.Add(x, t.Input("y", 3, 4)) },
		"there are 2 scales and 3 shifts":          func(t *Tape, x Node) Node { return t.ScaleColumns(x, make([]float64, 2), make([]float64, 3)) },
		"no rows are listed":                       func(t *Tape, x Node) Node { return t.GatherRows(x, nil) },
		"x has 4 rows but 1 segments":              func(t *Tape, x Node) Node { return t.SegmentSum(x, []int32{0}, 1) },
		"shape 0 x 3 is empty":                     func(t *Tape, x Node) Node { return t.SegmentSum(x, make([]int32, 4), 0) },
		"x is 4 x 3 but a parameter is 1 x 2":      func(t *Tape, x Node) Node { return t.LayerNorm(x, t.Input("g", 1, 2), t.Input("b", 1, 3), 1e-5) },
		"epsilon is 0":                             func(t *Tape, x Node) Node { return t.LayerNorm(x, t.Input("g", 1, 3), t.Input("b", 1, 3), 0) },
		"custom (node 1): the op is nil":           func(t *Tape, x Node) Node { return t.Custom(nil, 1, 1, x) },
		"input 1 is not a node of this tape":       func(t *Tape, x Node) Node { return t.Add(x, NewTape().Input("other", 4, 3)) },
		"const c (node 1): 2 values for a shape":   func(t *Tape, x Node) Node { return t.Const("c", 1, 1, make([]float64, 2)) },
		"the loss is 4 x 3, not 1 x 1":             func(t *Tape, x Node) Node { return t.Scale(2, x) },
		"the loss depends on no parameter":         func(t *Tape, x Node) Node { return t.Sum(t.Input("y", 2, 2)) },
		"param p (node 1): 3 values and 2 grad":    func(t *Tape, x Node) Node { return t.Param("p", 1, 3, make([]float64, 3), make([]float64, 2)) },
		"norm (node 1): the function is nil":       func(t *Tape, x Node) Node { return t.RowValue("norm", nil, x) },
		"square (node 1): a custom op needs an in": func(t *Tape, x Node) Node { return t.Custom(square{}, 1, 1) },
	} {
		tape := NewTape()
		x := tape.Param("x", 4, 3, make([]float64, 12), make([]float64, 12))
		n := build(tape, x)
		n = tape.Relu(tape.Scale(2, n)) // errors stick
		if err := tape.Compile(n); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if !errors.Is(tape.Forward(), ErrNotCompiled) || !errors.Is(tape.Backward(), ErrNotCompiled) {
			t.Errorf("%s: a tape that did not compile runs", want)
		}
	}
}

func TestRunErrors(t *testing.T) {
	tape := NewTape()
	x := tape.Param("x", 2, 1, make([]float64, 2), make([]float64, 2))
	index := []int32{0, 1}
	y := tape.GatherRows(x, index)
	boom := errors.New("boom")
	fail := false
	v := tape.RowValue("certify", func([]float64, Matrix, Matrix) error {
		if fail {
			return boom
		}
		return nil
	}, y)
	if err := tape.Compile(tape.Sum(v)); err != nil {
		t.Fatal(err)
	}
	if tape.Relu(x) != (Node{}) || tape.Err() == nil {
		t.Error("a compiled tape took another op")
	}
	for _, bad := range []int32{-1, 2} {
		index[1] = bad
		if err := tape.Forward(); err == nil || !strings.Contains(err.Error(), "not in [0, 2)") {
			t.Errorf("index %d: error %v", bad, err)
		}
	}
	index[1], fail = 1, true
	if err := tape.Forward(); !errors.Is(err, boom) || !strings.Contains(err.Error(), "certify") {
		t.Errorf("error %v, want it to wrap the op's and name it", err)
	}
}

// TestSteps runs a graph many times: no allocation, the same bits every time, gradients not carried over.
func TestSteps(t *testing.T) {
	b := newBuilder(3)
	x := b.param(32, 9)
	h := b.Dense(x, b.param(16, 9), b.param(1, 16), ReLU)
	h = b.LayerNorm(h, b.param(1, 16), b.param(1, 16), 1e-5)
	h = b.SegmentSum(b.GatherRows(h, make([]int32, 40)), make([]int32, 40), 3)
	unused := b.Relu(b.param(2, 2))
	w := b.param(5, 16)
	if err := b.Compile(b.Mean(b.RowValue("square", func(v []float64, slope, x Matrix) error {
		for i := range v {
			v[i] = x.Row(i)[0]
			slope.Row(i)[0] = 1
		}
		return nil
	}, b.Dense(h, w, Node{}, Softplus)))); err != nil {
		t.Fatal(err)
	}
	for i := range x.Value() {
		x.Value()[i] = b.rng.Float64()
	}
	step := func() {
		if err := b.Forward(); err != nil {
			t.Fatal(err)
		}
		if err := b.Backward(); err != nil {
			t.Fatal(err)
		}
	}
	step()
	first := append(append([]float64(nil), w.Grad()...), x.Grad()...)
	for _, n := range []Node{x, w} {
		for i := range n.Grad() {
			n.Grad()[i] = math.NaN() // what a gradient buffer held does not matter
		}
	}
	if n := testing.AllocsPerRun(10, step); n != 0 {
		t.Errorf("%g allocations a step", n)
	}
	for i, v := range append(append([]float64(nil), w.Grad()...), x.Grad()...) {
		if v != first[i] {
			t.Fatalf("gradient %d changed from %g to %g", i, first[i], v)
		}
	}
	if unused.Grad() != nil {
		t.Error("a node off the path to the loss keeps a gradient")
	}
}
