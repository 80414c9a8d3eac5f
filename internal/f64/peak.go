package f64

// PeakFMA runs n >= 1 rounds of independent multiply-adds on registers alone and returns the number of floating-point
// operations that was. Its rate is the peak of one core, which the benchmarks of Gemm are compared with.
func PeakFMA(n int) (flops int) { return peak(n) }
