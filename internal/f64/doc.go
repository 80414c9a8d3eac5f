// Package f64 holds the float64 kernels under the autodiff, nn and benders layers: vector updates,
// reductions, activations and dense matrix products.
//
// An exported function checks lengths and panics on a shape error; the kernel it calls is chosen when the
// program runs: amd64 assembly (AVX-512 or AVX2 with FMA) where the processor has it, pure Go elsewhere and
// under the build tag purego.
//
// Rounding. An elementwise kernel rounds after every operation of the loop in its doc, never fuses, and
// so gives the same bits on every platform and in every implementation. A reduction (Dot, Sum, Gemv and
// Gemm) may fuse and states its order of summation; that order depends on the lengths and on the
// implementation only, not on alignment or on earlier calls, so a run repeats bit for bit on the same kind
// of processor.
//
// Aliasing. Unless a doc says otherwise, a destination may be the same slice as a source (same first
// element) and must not overlap one in any other way.
package f64

//go:generate go run -C ../../tools/asm .
