//go:build amd64 && !purego

package f64

// peakRegisters is the number of sums in the assembly.
const peakRegisters = 12

func peak(n int) int {
	switch active {
	case avx512:
		peakFMAAVX512(n)
		return n * peakRegisters * 8 * 2
	case avx2:
		peakFMAAVX2(n)
		return n * peakRegisters * 4 * 2
	}
	return peakGeneric(n)
}

//go:noescape
func peakFMAAVX2(n int)

//go:noescape
func peakFMAAVX512(n int)
