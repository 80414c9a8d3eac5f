package f64

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// elementwise is a kernel whose first argument is the destination, with its doc as want: the new value of the
// destination's element from the old values of all arguments.
type elementwise struct {
	name string
	args int
	run  func(a [][]float64)
	want func(a []float64) float64
	more func(a []float64) []float64 // for kernels with several destinations: the leading arguments' new values
	own  bool                        // the arguments must be distinct slices
}

func positive(x float64) float64 {
	if !(x > 0) {
		return 0
	}
	return x
}

func elementwiseKernels() []elementwise {
	const alpha = -1.7
	step := NewAdamStep(3, 1e-3, 0.9, 0.999, 1e-8)
	step.Decay, step.GradScale = 1e-5, 0.7
	return []elementwise{
		{name: "Axpy", args: 2, run: func(a [][]float64) { Axpy(alpha, a[1], a[0]) },
			want: func(a []float64) float64 { return a[0] + float64(alpha*a[1]) }},
		{name: "Scal", args: 1, run: func(a [][]float64) { Scal(alpha, a[0]) },
			want: func(a []float64) float64 { return alpha * a[0] }},
		{name: "Add", args: 3, run: func(a [][]float64) { Add(a[0], a[1], a[2]) },
			want: func(a []float64) float64 { return a[1] + a[2] }},
		{name: "Sub", args: 3, run: func(a [][]float64) { Sub(a[0], a[1], a[2]) },
			want: func(a []float64) float64 { return a[1] - a[2] }},
		{name: "Mul", args: 3, run: func(a [][]float64) { Mul(a[0], a[1], a[2]) },
			want: func(a []float64) float64 { return a[1] * a[2] }},
		{name: "MulAdd", args: 3, run: func(a [][]float64) { MulAdd(a[0], a[1], a[2]) },
			want: func(a []float64) float64 { return a[0] + float64(a[1]*a[2]) }},
		{name: "Relu", args: 2, run: func(a [][]float64) { Relu(a[0], a[1]) },
			want: func(a []float64) float64 { return positive(a[1]) }},
		{name: "ReluGrad", args: 3, run: func(a [][]float64) { ReluGrad(a[0], a[1], a[2]) },
			want: func(a []float64) float64 {
				if a[1] > 0 {
					return a[0] + a[2]
				}
				return a[0] + 0
			}},
		{name: "ReluMask", args: 2, run: func(a [][]float64) { ReluMask(a[0], a[1]) },
			want: func(a []float64) float64 {
				if a[1] > 0 {
					return a[0]
				}
				return 0
			}},
		{name: "addRelu", args: 2, run: func(a [][]float64) { addRelu(a[0], a[1]) },
			want: func(a []float64) float64 { return positive(a[0] + a[1]) }},
		{name: "Softplus", args: 2, run: func(a [][]float64) { Softplus(a[0], a[1]) },
			want: func(a []float64) float64 { return softplus1(a[1]) }},
		{name: "SoftplusGrad", args: 3, run: func(a [][]float64) { SoftplusGrad(a[0], a[1], a[2]) },
			want: func(a []float64) float64 { return a[0] + float64(softplusSlope(a[1])*a[2]) }},
		{name: "SoftplusMask", args: 2, run: func(a [][]float64) { SoftplusMask(a[0], a[1]) },
			want: func(a []float64) float64 { return a[0] * softplusSlope(a[1]) }},
		{name: "Adam", args: 4, own: true, run: func(a [][]float64) { Adam(a[0], a[1], a[2], a[3], &step) },
			more: func(a []float64) []float64 {
				d := step.GradScale * a[3]
				m := float64(step.Beta1*a[1]) + float64((1-step.Beta1)*d)
				v := float64(step.Beta2*a[2]) + float64(float64((1-step.Beta2)*d)*d)
				w := float64((1-step.Decay)*a[0]) - float64(step.Rate*m)/(math.Sqrt(step.Correct2*v)+step.Epsilon)
				return []float64{w, m, v}
			}},
	}
}

// special are values that shortcuts get wrong.
var special = []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, -5e-324, 1, -1, 1e308, -1e308, 0.2}

// TestElementwise compares every implementation with the doc's loop to the bit: all lengths 0 to 99 and some
// longer, at several offsets, in place, with special values, and between canaries that must survive.
func TestElementwise(t *testing.T) {
	eachImplementation(t, func(t *testing.T) {
		for _, k := range elementwiseKernels() {
			t.Run(k.name, func(t *testing.T) {
				rng := rand.New(rand.NewPCG(11, 12))
				for n := range 100 {
					k.try(t, rng, n, -1, -1)
				}
				k.try(t, rng, 1003, -1, -1)
				for a := range k.args {
					for b := a + 1; b < k.args && !k.own; b++ {
						for n := range 70 {
							k.try(t, rng, n, a, b)
						}
					}
				}
			})
		}
	})
}

// canary is a NaN with a payload of its own.
const canary = 0x7ff8dead0000beef

// try runs the kernel once on n elements; argument b is argument a if these are not negative.
func (k *elementwise) try(t *testing.T, rng *rand.Rand, n, a, b int) {
	t.Helper()
	const pad = 24
	whole := make([][]float64, k.args)
	arg := make([][]float64, k.args)
	for i := range arg {
		off := rng.IntN(8)
		whole[i] = make([]float64, n+2*pad+off)
		for j := range whole[i] {
			whole[i][j] = math.Float64frombits(canary)
		}
		arg[i] = whole[i][pad+off : pad+off+n : pad+off+n]
		for j := range arg[i] {
			arg[i][j] = 2*rng.Float64() - 1
			if rng.IntN(10) == 0 {
				arg[i][j] = special[rng.IntN(len(special))]
			}
		}
	}
	if b >= 0 {
		arg[b], whole[b] = arg[a], whole[a]
	}
	want := make([][]float64, k.args)
	for i := range arg {
		want[i] = append([]float64(nil), arg[i]...)
	}
	old := make([]float64, k.args)
	for j := range n {
		for i := range arg {
			old[i] = arg[i][j]
		}
		if k.more == nil {
			want[0][j] = k.want(old)
			continue
		}
		for i, v := range k.more(old) {
			want[i][j] = v
		}
	}
	k.run(arg)
	name := fmt.Sprintf("n=%d aliased=(%d,%d)", n, a, b)
	for i := range arg {
		if b >= 0 && (i == a || i == b) && a != 0 {
			want[i] = arg[i]
		}
		if b >= 0 && a == 0 && i == b {
			want[i] = want[0]
		}
		for j := range arg[i] {
			if !sameBits(arg[i][j], want[i][j]) {
				t.Fatalf("%s: argument %d, element %d is %v, want %v", name, i, j, arg[i][j], want[i][j])
			}
		}
		outside := 0
		for _, v := range whole[i] {
			if math.Float64bits(v) == canary {
				outside++
			}
		}
		if outside < len(whole[i])-n {
			t.Fatalf("%s: argument %d was written to outside the slice", name, i)
		}
	}
}

// TestSoftplusAccuracy compares with the functions of package math.
func TestSoftplusAccuracy(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	for range 200000 {
		x := 40 * (2*rng.Float64() - 1) * rng.Float64()
		if rng.IntN(4) == 0 {
			x *= 17
		}
		want := max(x, 0) + math.Log1p(math.Exp(-math.Abs(x)))
		if got := softplus1(x); !(math.Abs(got-want) <= 1e-15*want) {
			t.Fatalf("softplus(%v) is %v, want %v", x, got, want)
		}
		y := math.Abs(x) * math.Pow(10, -15*rng.Float64())
		if got, want := softplusSlope(y), -math.Expm1(-y); !(math.Abs(got-want) <= 1e-15*want) {
			t.Fatalf("1 - exp(-%v) is %v, want %v", y, got, want)
		}
	}
	for x, want := range map[float64]float64{0: math.Ln2, math.Inf(1): math.Inf(1), 800: 800, 1e300: 1e300} {
		if got := softplus1(x); got != want {
			t.Errorf("softplus(%v) is %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{-701, -1e300, math.Inf(-1)} {
		if got := softplus1(x); !(got > 0 && got < 1.1e-304) {
			t.Errorf("softplus(%v) is %v", x, got)
		}
	}
	if !math.IsNaN(softplus1(math.NaN())) || softplusSlope(0) != 0 || softplusSlope(math.Inf(1)) != 1 {
		t.Error("special values")
	}
}

// sameBits compares bits, any NaN with any NaN.
func sameBits(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func BenchmarkElementwise(b *testing.B) {
	for _, k := range elementwiseKernels() {
		for _, n := range []int{64, 1024, 65536} {
			b.Run(fmt.Sprintf("%s/%d", k.name, n), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(1, 1))
				arg := make([][]float64, k.args)
				for i := range arg {
					arg[i] = fill(rng, n)
				}
				b.SetBytes(int64(8 * n * k.args))
				for b.Loop() {
					k.run(arg)
				}
			})
		}
	}
}
