package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Operands are in Go's order: the destination last, and of a difference or comparison a - b, a > b first b,
// then a.

func axpyKernels(g *gen) {
	g.kernel("axpy", "func(alpha float64, x, y []float64)")
	alpha, x, y := g.scalar("alpha"), g.pointer("x"), g.pointer("y")
	g.loop(g.length("x"), 4, func(a at, _ int) {
		v, w := a.load(x), a.load(y)
		g.VMULPD(alpha, v, v)
		g.VADDPD(v, w, w)
		a.store(w, y)
	})
	g.ret()

	g.kernel("scal", "func(alpha float64, x []float64)")
	alpha, x = g.scalar("alpha"), g.pointer("x")
	g.loop(g.length("x"), 4, func(a at, _ int) {
		v := a.load(x)
		g.VMULPD(alpha, v, v)
		a.store(v, x)
	})
	g.ret()
}

func elemKernels(g *gen) {
	binary := func(name string, op func(ops ...operand.Op)) {
		g.kernel(name, "func(dst, x, y []float64)")
		dst, x, y := g.pointer("dst"), g.pointer("x"), g.pointer("y")
		g.loop(g.length("dst"), 4, func(a at, _ int) {
			v, w := a.load(x), a.load(y)
			op(w, v, v)
			a.store(v, dst)
		})
		g.ret()
	}
	binary("add", g.VADDPD)
	binary("sub", g.VSUBPD)
	binary("mul", g.VMULPD)

	g.kernel("mulAdd", "func(dst, x, y []float64)")
	dst, x, y := g.pointer("dst"), g.pointer("x"), g.pointer("y")
	g.loop(g.length("dst"), 4, func(a at, _ int) {
		v, w, d := a.load(x), a.load(y), a.load(dst)
		g.VMULPD(w, v, v)
		g.VADDPD(v, d, d)
		a.store(d, dst)
	})
	g.ret()
}

// keepAbove returns v in the lanes where a > b, else 0; NaN compares as not above.
func (g *gen) keepAbove(a, b, v reg.Register) reg.VecVirtual {
	const greater = operand.U8(0x1e) // ordered, quiet
	d := g.vec()
	if g.wide() {
		k := g.K()
		g.VCMPPD(greater, b, a, k)
		g.VMOVAPD_Z(v, k, d)
		return d
	}
	g.VCMPPD(greater, b, a, d)
	g.VANDPD(d, v, d)
	return d
}

func reluKernels(g *gen) {
	// The maximum is its second operand, the zero, if the first is NaN or a zero of any sign.
	g.kernel("relu", "func(dst, x []float64)")
	dst, x := g.pointer("dst"), g.pointer("x")
	zero := g.zero()
	g.loop(g.length("dst"), 4, func(a at, _ int) {
		v := a.load(x)
		g.VMAXPD(zero, v, v)
		a.store(v, dst)
	})
	g.ret()

	g.kernel("reluGrad", "func(dx, y, dy []float64)")
	dx, y, dy := g.pointer("dx"), g.pointer("y"), g.pointer("dy")
	zero = g.zero()
	g.loop(g.length("dx"), 4, func(a at, _ int) {
		d := g.keepAbove(a.load(y), zero, a.load(dy))
		v := a.load(dx)
		g.VADDPD(d, v, v)
		a.store(v, dx)
	})
	g.ret()

	g.kernel("reluMask", "func(dy, y []float64)")
	dy, y = g.pointer("dy"), g.pointer("y")
	zero = g.zero()
	g.loop(g.length("dy"), 4, func(a at, _ int) {
		a.store(g.keepAbove(a.load(y), zero, a.load(dy)), dy)
	})
	g.ret()

	g.kernel("addRelu", "func(x, b []float64)")
	x, b := g.pointer("x"), g.pointer("b")
	zero = g.zero()
	g.loop(g.length("x"), 4, func(a at, _ int) {
		v, w := a.load(x), a.load(b)
		g.VADDPD(w, v, v)
		g.VMAXPD(zero, v, v)
		a.store(v, x)
	})
	g.ret()
}

// adamKernels: p holds Beta1, 1-Beta1, Beta2, 1-Beta2, 1-Decay, GradScale, Rate, Correct2, Epsilon.
func adamKernels(g *gen) {
	g.kernel("adam", "func(w, m, v, g []float64, p *[9]float64)")
	w, m, v, grad := g.pointer("w"), g.pointer("m"), g.pointer("v"), g.pointer("g")
	p := g.Load(g.Param("p"), g.GP64())
	var s [9]reg.VecVirtual
	n := g.length("w")
	for i := range s {
		if g.wide() {
			s[i] = g.vec()
			g.VBROADCASTSD(operand.Mem{Base: p, Disp: 8 * i}, s[i])
		}
	}
	// scalar i; with 16 registers there is no room to keep them all
	k := func(i int) reg.VecVirtual {
		if g.wide() {
			return s[i]
		}
		b := g.vec()
		g.VBROADCASTSD(operand.Mem{Base: p, Disp: 8 * i}, b)
		return b
	}
	g.loop(n, 1, func(a at, _ int) {
		d := a.load(grad)
		g.VMULPD(k(5), d, d)
		mi, t := a.load(m), g.vec()
		g.VMULPD(k(0), mi, mi)
		g.VMULPD(k(1), d, t)
		g.VADDPD(t, mi, mi)
		a.store(mi, m)
		vi := a.load(v)
		g.VMULPD(k(2), vi, vi)
		g.VMULPD(k(3), d, t)
		g.VMULPD(d, t, t)
		g.VADDPD(t, vi, vi)
		a.store(vi, v)
		g.VMULPD(k(7), vi, vi)
		g.VSQRTPD(vi, vi)
		g.VADDPD(k(8), vi, vi)
		g.VMULPD(k(6), mi, mi)
		g.VDIVPD(vi, mi, mi)
		wi := a.load(w)
		g.VMULPD(k(4), wi, wi)
		g.VSUBPD(mi, wi, wi)
		a.store(wi, w)
	})
	g.ret()
}

func addrowsKernels(g *gen) {
	g.kernel("addRows4", "func(dst []float64, a *float64, lda int)")
	dst := g.pointer("dst")
	var rows [4]reg.Register
	rows[0] = g.Load(g.Param("a"), g.GP64())
	lda := g.Load(g.Param("lda"), g.GP64())
	for i := 1; i < len(rows); i++ {
		rows[i] = g.GP64()
		g.LEAQ(operand.Mem{Base: rows[i-1], Index: lda, Scale: 8}, rows[i])
	}
	g.loop(g.length("dst"), 2, func(a at, _ int) {
		v := a.load(dst)
		for _, r := range rows {
			g.VADDPD(a.load(r), v, v)
		}
		a.store(v, dst)
	})
	g.ret()
}
