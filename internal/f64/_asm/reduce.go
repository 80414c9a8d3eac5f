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

func posdiffKernels(g *gen) {
	g.kernel("accumPositiveDiff", "func(beta []float64, p float64, c []float64)")
	beta, p, c := g.pointer("beta"), g.scalar("p"), g.pointer("c")
	zero := g.zero()
	g.loop(g.length("c"), 4, func(a at, _ int) {
		d, b := a.load(c), a.load(beta)
		g.VSUBPD(d, p, d)
		g.VMAXPD(zero, d, d)
		g.VADDPD(d, b, b)
		a.store(b, beta)
	})
	g.ret()

	// Terms outside the mask are 0 times 0: y may be infinite there.
	g.kernel("positiveDiff", "func(y []float64, p float64, c []float64) (value, slope float64)")
	y, p, c := g.pointer("y"), g.scalar("p"), g.pointer("c")
	zero = g.zero()
	value, slope := g.accumulators(), g.accumulators()
	g.loop(g.length("c"), partials, func(a at, u int) {
		d := a.load(c)
		w := g.keepAbove(p, d, a.load(y))
		g.VSUBPD(d, p, d)
		g.VMAXPD(zero, d, d)
		g.VFMADD231PD(w, d, value[u])
		g.VADDPD(w, slope[u], slope[u])
	})
	g.Store(g.total(value), g.Return("value"))
	g.Store(g.total(slope), g.Return("slope"))
	g.ret()
}
