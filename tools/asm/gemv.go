package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// gemvKernels read several rows at a time; each row's result has the bits of dot or axpy.
func gemvKernels(g *gen) {
	gemvRows(g)
	gemvTRows(g)
}

// gemvRows: y[i] += alpha * dot(row i of A, x) for m rows, a multiple of the rows that the registers take at a time.
func gemvRows(g *gen) {
	rows := 2
	if g.wide() {
		rows = 4
	}
	g.kernel("gemv", "func(m int, alpha float64, a *float64, lda int, x, y []float64)")
	m := g.Load(g.Param("m"), g.GP64())
	lda := g.Load(g.Param("lda"), g.GP64())
	g.SHLQ(operand.U8(3), lda)
	a := []reg.Register{g.Load(g.Param("a"), g.GP64())}
	x, y := g.pointer("x"), g.pointer("y")
	for range rows - 1 {
		a = append(a, g.GP64())
	}
	group := g.label("group")
	g.Label(group)
	for i := 1; i < rows; i++ {
		g.LEAQ(operand.Mem{Base: a[i-1], Index: lda, Scale: 1}, a[i])
	}
	s := make([][partials]reg.VecVirtual, rows)
	for i := range s {
		s[i] = g.accumulators()
	}
	g.loop(g.length("x"), partials, func(p at, u int) {
		v := p.load(x)
		for i := range rows {
			if p.mask == nil {
				g.VFMADD231PD(p.mem(a[i]), v, s[i][u])
			} else {
				g.VFMADD231PD(p.load(a[i]), v, s[i][u])
			}
		}
	})
	alpha := g.scalar("alpha").AsX()
	for i := range rows {
		d := g.total(s[i])
		g.VMULSD(alpha, d, d)
		g.VADDSD(operand.Mem{Base: y, Disp: 8 * i}, d, d)
		g.VMOVSD(d, operand.Mem{Base: y, Disp: 8 * i})
	}
	g.LEAQ(operand.Mem{Base: a[rows-1], Index: lda, Scale: 1}, a[0])
	g.ADDQ(operand.I32(8*rows), y)
	g.SUBQ(operand.I32(rows), m)
	g.JG(operand.LabelRef(group))
	g.ret()
}

// gemvTRows: y += v[i] * (row i of A) for four rows, in order.
func gemvTRows(g *gen) {
	g.kernel("gemvT4", "func(v *[4]float64, a *float64, lda int, y []float64)")
	p := g.Load(g.Param("v"), g.GP64())
	lda := g.Load(g.Param("lda"), g.GP64())
	g.SHLQ(operand.U8(3), lda)
	a := []reg.Register{g.Load(g.Param("a"), g.GP64())}
	var v []reg.VecVirtual
	for i := range 4 {
		v = append(v, g.vec())
		g.VBROADCASTSD(operand.Mem{Base: p, Disp: 8 * i}, v[i])
		if i > 0 {
			a = append(a, g.GP64())
			g.LEAQ(operand.Mem{Base: a[i-1], Index: lda, Scale: 1}, a[i])
		}
	}
	y := g.pointer("y")
	g.loop(g.length("y"), 4, func(p at, _ int) {
		sum := p.load(y)
		for i := range 4 {
			t := p.load(a[i])
			g.VMULPD(v[i], t, t)
			g.VADDPD(t, sum, sum)
		}
		p.store(sum, y)
	})
	g.ret()
}
