package nn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/autodiff"
)

// randomMLP has random biases and normalisation too.
func randomMLP(t testing.TB, normalised bool, out autodiff.Activation, sizes ...int) *MLP {
	m, err := NewMLP(Config{Sizes: sizes, Hidden: autodiff.ReLU, Output: out, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for l := range m.biases {
		uniform(m.biases[l].Value, 0.5, rng)
	}
	if normalised {
		for _, n := range m.tensors()[len(m.Params()):] {
			uniform(n.values, 2, rng)
		}
	}
	return m
}

// reference evaluates the network on a tape.
func reference(t *testing.T, m *MLP, x []float64, rows int) []float64 {
	tape := autodiff.NewTape()
	y := m.Apply(tape, tape.Const("x", rows, m.Inputs(), x))
	if err := tape.Compile(tape.Mean(y)); err != nil {
		t.Fatal(err)
	}
	if err := tape.Forward(); err != nil {
		t.Fatal(err)
	}
	return y.Value()
}

func near(t *testing.T, name string, got, want []float64) {
	t.Helper()
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= 1e-12*(1+math.Abs(want[i]))) {
			t.Fatalf("%s: value %d is %v, want %v", name, i, got[i], want[i])
		}
	}
}

func TestInference(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, sizes := range [][]int{{3, 1}, {5, 7}, {6, 16, 2}, {3, 9, 17, 1}, {40, 30, 20, 10, 5}} {
		for _, normalised := range []bool{false, true} {
			for _, act := range []autodiff.Activation{autodiff.Identity, autodiff.ReLU, autodiff.Softplus} {
				m := randomMLP(t, normalised, act, sizes...)
				inf := m.NewInference()
				for _, rows := range []int{1, 2, 13, 240, 241, 500} {
					x := make([]float64, rows*m.Inputs())
					uniform(x, 1, rng)
					got := make([]float64, rows*m.Outputs())
					if err := inf.Forward(got, x, rows); err != nil {
						t.Fatal(err)
					}
					near(t, fmt.Sprintf("%v %v rows=%d", sizes, act, rows), got, reference(t, m, x, rows))
				}
				uniform(m.weights[0].Value, 1, rng)
				inf.Refresh()
				x, got := make([]float64, m.Inputs()), make([]float64, m.Outputs())
				uniform(x, 1, rng)
				if err := inf.Forward(got, x, 1); err != nil {
					t.Fatal(err)
				}
				near(t, "refreshed", got, reference(t, m, x, 1))
			}
		}
	}
}

func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, hidden := range [][]int{{}, {16}, {16, 9}, {8, 8, 8}} {
		for _, w := range [][3]int{{4, 6, 0}, {4, 6, 3}, {0, 5, 2}, {3, 0, 12}, {0, 0, 3}, {5, 0, 0}} {
			a, s, z := w[0], w[1], w[2]
			for _, rows := range []int{1, 7, 250} {
				sizes := append(append([]int{a + s + z}, hidden...), 2)
				m := randomMLP(t, true, autodiff.Softplus, sizes...)
				constant, shared, varying := make([]float64, rows*a), make([]float64, s), make([]float64, rows*z)
				uniform(constant, 1, rng)
				p, err := m.NewSplit(rows, a, s, constant)
				if err != nil {
					t.Fatal(err)
				}
				for try := range 3 {
					uniform(varying, 1, rng)
					for j := range varying {
						if try > 0 && rng.IntN(10) > 0 {
							varying[j] = 0
						} else if try == 2 {
							varying[j] = 1
						}
					}
					for j := range shared {
						shared[j] = []float64{0, 1, 0.3}[rng.IntN(3)]
					}
					var x []float64
					for i := range rows {
						x = append(append(append(x, constant[i*a:(i+1)*a]...), shared...), varying[i*z:(i+1)*z]...)
					}
					got := make([]float64, rows*2)
					if err := p.Forward(got, shared, varying); err != nil {
						t.Fatal(err)
					}
					near(t, fmt.Sprintf("%v groups %v rows=%d", sizes, w, rows), got, reference(t, m, x, rows))
				}
			}
		}
	}
}

func TestInferenceDoesNotAllocate(t *testing.T) {
	m := randomMLP(t, true, autodiff.Softplus, 30, 64, 64, 1)
	inf := m.NewInference()
	x, out := make([]float64, 250*30), make([]float64, 250)
	p, err := m.NewSplit(250, 10, 15, make([]float64, 2500))
	if err != nil {
		t.Fatal(err)
	}
	s, z := make([]float64, 15), make([]float64, 250*5)
	if n := testing.AllocsPerRun(10, func() {
		if inf.Forward(out, x, 250) != nil || p.Forward(out, s, z) != nil {
			t.Fatal("failed")
		}
	}); n != 0 {
		t.Errorf("%g allocations", n)
	}
}

func TestInferenceErrors(t *testing.T) {
	m := randomMLP(t, false, autodiff.ReLU, 3, 4, 2)
	inf := m.NewInference()
	if inf.Forward(make([]float64, 2), make([]float64, 4), 1) == nil ||
		inf.Forward(make([]float64, 1), make([]float64, 3), 1) == nil ||
		inf.Forward(nil, nil, -1) == nil {
		t.Error("wrong lengths pass")
	}
	for _, c := range [][4]int{{0, 1, 1, 0}, {2, 3, 1, 6}, {2, -1, 1, 0}, {2, 1, 1, 3}} {
		if _, err := m.NewSplit(c[0], c[1], c[2], make([]float64, c[3])); err == nil {
			t.Errorf("split %v passes", c)
		}
	}
	p, err := m.NewSplit(2, 1, 1, make([]float64, 2))
	if err != nil {
		t.Fatal(err)
	}
	if p.Forward(make([]float64, 4), make([]float64, 1), make([]float64, 1)) == nil {
		t.Error("wrong lengths pass")
	}
}

func TestNormaliseInputs(t *testing.T) {
	m := randomMLP(t, false, autodiff.ReLU, 3, 2)
	data := []float64{1, 1e9, 5, 3, 1e9 + 2, 5, 5, 1e9 + 4, 5}
	if err := m.NormaliseInputs(3, data); err != nil {
		t.Fatal(err)
	}
	for j := range 3 {
		var sum, sq float64
		for i := range 3 {
			v := data[3*i+j]*m.InScale[j] + m.InShift[j]
			sum, sq = sum+v, sq+v*v
		}
		want := 3.0
		if j == 2 {
			want = 0
		}
		if math.Abs(sum) > 1e-6 || math.Abs(sq-want) > 1e-6 {
			t.Errorf("column %d: sum %g, sum of squares %g", j, sum, sq)
		}
	}
	if m.NormaliseInputs(2, data) == nil || m.NormaliseInputs(1, []float64{1, math.NaN(), 2}) == nil {
		t.Error("bad data pass")
	}
}

func TestNewMLPErrors(t *testing.T) {
	for _, c := range []Config{{}, {Sizes: []int{3}}, {Sizes: []int{3, 0, 1}}, {Sizes: []int{1, 1}, Output: 9}} {
		if _, err := NewMLP(c); err == nil {
			t.Errorf("%+v passes", c)
		}
	}
}

// TestInit checks the variance that the initialisations promise.
func TestInit(t *testing.T) {
	m := randomMLP(t, false, autodiff.Identity, 300, 200, 100)
	for l, want := range []float64{2.0 / 300, 2.0 / 300} { // He: 2/300; Glorot: 2/(200+100)
		var sq float64
		w, _ := m.Layer(l)
		for _, v := range w.Value {
			sq += v * v
		}
		if got := sq / float64(len(w.Value)); math.Abs(got/want-1) > 0.03 {
			t.Errorf("layer %d: variance %g, want %g", l, got, want)
		}
	}
}
