package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// partials is the number of accumulators of a reduction.
const partials = 4

// accumulators returns cleared accumulators.
func (g *gen) accumulators() (s [partials]reg.VecVirtual) {
	for i := range s {
		s[i] = g.zero()
	}
	return s
}

// total adds the accumulators as (s0 + s1) + (s2 + s3), then the upper half of the lanes to the lower until
// one is left, and returns it.
func (g *gen) total(s [partials]reg.VecVirtual) reg.Register {
	g.VADDPD(s[1], s[0], s[0])
	g.VADDPD(s[3], s[2], s[2])
	g.VADDPD(s[2], s[0], s[0])
	v := s[0]
	half := g.YMM()
	if g.wide() {
		g.VEXTRACTF64X4(operand.U8(1), v, half)
		g.VADDPD(half, v.AsY(), half)
	} else {
		half = v
	}
	quarter := g.XMM()
	g.VEXTRACTF128(operand.U8(1), half.AsY(), quarter)
	g.VADDPD(quarter, half.AsX(), quarter)
	last := g.XMM()
	g.VUNPCKHPD(quarter, quarter, last)
	g.VADDSD(last, quarter, quarter)
	return quarter
}

func dotKernels(g *gen) {
	g.kernel("dot", "func(x, y []float64) float64")
	x, y := g.pointer("x"), g.pointer("y")
	s := g.accumulators()
	g.loop(g.length("x"), partials, func(a at, u int) {
		v := a.load(x)
		if a.mask == nil {
			g.VFMADD231PD(a.mem(y), v, s[u])
		} else {
			g.VFMADD231PD(a.load(y), v, s[u])
		}
	})
	g.Store(g.total(s), g.ReturnIndex(0))
	g.ret()

	g.kernel("sum", "func(x []float64) float64")
	x = g.pointer("x")
	s = g.accumulators()
	g.loop(g.length("x"), partials, func(a at, u int) {
		g.VADDPD(a.load(x), s[u], s[u])
	})
	g.Store(g.total(s), g.ReturnIndex(0))
	g.ret()
}
