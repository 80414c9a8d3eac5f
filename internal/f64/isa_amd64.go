//go:build amd64 && !purego

package f64

import "golang.org/x/sys/cpu"

// isa is an implementation of the kernels.
type isa uint8

const (
	generic isa = iota
	avx2        // AVX2 and FMA
	avx512      // AVX-512 F, DQ and VL, besides AVX2 and FMA
)

var isaNames = [...]string{generic: "generic", avx2: "avx2", avx512: "avx512"}

// best is what this processor has; active is what runs, best but in tests.
var (
	best   = detect()
	active = best
)

// detect returns the fastest implementation whose instructions the processor and the operating system support.
func detect() isa {
	x := &cpu.X86
	switch {
	case !x.HasAVX2 || !x.HasFMA || !x.HasBMI2:
		return generic
	case x.HasAVX512F && x.HasAVX512DQ && x.HasAVX512VL:
		return avx512
	}
	return avx2
}

// implementations lists the implementations that can run here, the slowest first.
func implementations() []string { return isaNames[:best+1] }

// useImplementation switches to one of implementations and returns a function that switches back. Packed
// matrices do not survive a switch.
func useImplementation(name string) (restore func()) {
	// The name is one of implementations: an unknown one changes nothing.
	old := active
	for i, n := range isaNames {
		if n == name {
			active = isa(i)
		}
	}
	return func() { active = old }
}
