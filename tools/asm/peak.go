package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// peakRegisters is enough independent sums to hide the latency of a multiply-add.
const peakRegisters = 12

// peakKernels: n rounds of peakRegisters multiply-adds on registers alone, the rate that gemm is measured by.
func peakKernels(g *gen) {
	g.kernel("peakFMA", "func(n int)")
	n := g.Load(g.Param("n"), g.GP64())
	x := g.zero()
	var s [peakRegisters]reg.VecVirtual
	for i := range s {
		s[i] = g.zero()
	}
	loop := g.label("loop")
	g.Label(loop)
	for i := range s {
		g.VFMADD231PD(x, x, s[i])
	}
	g.DECQ(n)
	g.JNE(operand.LabelRef(loop))
	g.ret()
}
