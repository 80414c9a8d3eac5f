package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// panel is the shape of the full tile: rows x (vectors*width) sums fill the registers.
func (g *gen) panel() (rows, vectors int) {
	if g.wide() {
		return 12, 2
	}
	return 4, 3
}

// gemmKernels emits the full tile and its parts for the edges: fewer groups of 4 rows, fewer vectors.
func gemmKernels(g *gen) {
	rows, vectors := g.panel()
	for r := rows; r > 0; r -= 4 {
		for v := vectors; v > 0; v-- {
			gemmTile(g, r, v)
		}
	}
}

// gemmTile: C (+)= alpha * A B for a rows x (vectors*width) tile, k >= 1, with the scalars of package f64's tileJob.
// Element (i, p) of A is a[i*ra+p*ca], element (p, j) of B is b[p*rb+j]. Every four steps of k bring near two lines at
// next, which then advances.
func gemmTile(g *gen, rows, vectors int) {
	g.kernel(fmt.Sprintf("gemmTile%dx%d", rows, vectors*g.width), "func(t *[8]uint64, a, b, c, next *float64)")
	t := g.Load(g.Param("t"), g.GP64())
	field := func(n int) operand.Mem { return operand.Mem{Base: t, Disp: 8 * n} }
	const alphaField, kField, raField, caField, rbField, ldcField, aheadField, addField = 0, 1, 2, 3, 4, 5, 6, 7
	load := func(n int) reg.Register {
		r := g.GP64()
		g.MOVQ(field(n), r)
		return r
	}
	bytes := func(n int) reg.Register {
		r := load(n)
		g.SHLQ(operand.U8(3), r)
		return r
	}
	c, ldc := g.Load(g.Param("c"), g.GP64()), bytes(ldcField)
	row := g.GP64() // brings the tile of C near while the sums run
	g.MOVQ(c, row)
	for i := range rows {
		if i > 0 {
			g.ADDQ(ldc, row)
		}
		g.PREFETCHT0(operand.Mem{Base: row})
		g.PREFETCHT0(operand.Mem{Base: row, Disp: 8*vectors*g.width - 8})
	}
	k, ra, ca := load(kField), bytes(raField), bytes(caField)
	ra3 := g.GP64()
	g.LEAQ(operand.Mem{Base: ra, Index: ra, Scale: 2}, ra3)
	a := []reg.Register{g.Load(g.Param("a"), g.GP64())} // one pointer for each group of 4 rows
	for len(a) < rows/4 {
		next := g.GP64()
		g.LEAQ(operand.Mem{Base: a[len(a)-1], Index: ra, Scale: 4}, next)
		a = append(a, next)
	}
	b, rb := g.Load(g.Param("b"), g.GP64()), bytes(rbField)
	next, ahead := g.Load(g.Param("next"), g.GP64()), bytes(aheadField)

	acc := make([][]reg.VecVirtual, rows)
	for i := range acc {
		for range vectors {
			acc[i] = append(acc[i], g.zero())
		}
	}
	const unroll = 4
	step := func() {
		var bv []reg.VecVirtual
		for j := range vectors {
			v := g.vec()
			g.VMOVUPD(operand.Mem{Base: b, Disp: 8 * j * g.width}, v)
			bv = append(bv, v)
		}
		g.ADDQ(rb, b)
		for i := range rows {
			m := operand.Mem{Base: a[i/4]}
			switch i % 4 {
			case 1:
				m.Index, m.Scale = ra, 1
			case 2:
				m.Index, m.Scale = ra, 2
			case 3:
				m.Index, m.Scale = ra3, 1
			}
			av := g.vec()
			g.VBROADCASTSD(m, av)
			if i%4 == 3 {
				g.ADDQ(ca, a[i/4])
			}
			for j := range vectors {
				g.VFMADD231PD(bv[j], av, acc[i][j])
			}
		}
	}
	main, one, finish := g.label("main"), g.label("one"), g.label("finish")
	overwrite, done := g.label("overwrite"), g.label("done")
	g.SUBQ(operand.I32(unroll), k)
	g.JL(operand.LabelRef(one))
	g.Label(main)
	g.PREFETCHT1(operand.Mem{Base: next})
	g.PREFETCHT1(operand.Mem{Base: next, Disp: 64})
	g.ADDQ(ahead, next)
	for range unroll {
		step()
	}
	g.SUBQ(operand.I32(unroll), k)
	g.JGE(operand.LabelRef(main))
	g.Label(one)
	g.ADDQ(operand.I32(unroll), k)
	g.JE(operand.LabelRef(finish))
	rest := g.label("rest")
	g.Label(rest)
	step()
	g.DECQ(k)
	g.JNE(operand.LabelRef(rest))

	g.Label(finish)
	alpha := g.vec()
	g.VBROADCASTSD(field(alphaField), alpha)
	g.CMPQ(field(addField), operand.I8(0))
	g.JE(operand.LabelRef(overwrite))
	for _, adding := range []bool{true, false} {
		if !adding {
			g.Label(overwrite)
		}
		for i := range rows {
			for j := range vectors {
				m := operand.Mem{Base: c, Disp: 8 * g.width * j}
				g.VMULPD(alpha, acc[i][j], acc[i][j])
				if adding {
					g.VADDPD(m, acc[i][j], acc[i][j])
				}
				g.VMOVUPD(acc[i][j], m)
			}
			if i < rows-1 {
				g.ADDQ(ldc, c)
			}
		}
		if adding {
			g.JMP(operand.LabelRef(done))
		}
	}
	g.Label(done)
	g.ret()
}

// packKernels need AVX2 only; both instruction sets use them.
func packKernels(g *gen) {
	if g.wide() {
		return
	}
	// packTrans4 writes dst[p*w+j] = src[j*ld+p] for j < 4 and p < k, k even, two columns at a time.
	g.kernel("packTrans4", "func(dst, src *float64, ld, k, w int)")
	dst, s0 := g.Load(g.Param("dst"), g.GP64()), g.Load(g.Param("src"), g.GP64())
	ld, k := g.Load(g.Param("ld"), g.GP64()), g.Load(g.Param("k"), g.GP64())
	w := g.Load(g.Param("w"), g.GP64())
	g.SHLQ(operand.U8(3), ld)
	g.SHLQ(operand.U8(3), w)
	s2, at := g.GP64(), g.GP64()
	g.LEAQ(operand.Mem{Base: s0, Index: ld, Scale: 2}, s2)
	loop, done := g.label("loop"), g.label("done")
	pair := func(disp int) {
		x, y, lo, hi := g.YMM(), g.YMM(), g.YMM(), g.YMM()
		g.VMOVUPD(operand.Mem{Base: s0, Disp: disp}, x.AsX())
		g.VMOVUPD(operand.Mem{Base: s0, Index: ld, Scale: 1, Disp: disp}, y.AsX())
		g.VINSERTF128(operand.U8(1), operand.Mem{Base: s2, Disp: disp}, x, x)
		g.VINSERTF128(operand.U8(1), operand.Mem{Base: s2, Index: ld, Scale: 1, Disp: disp}, y, y)
		g.VUNPCKLPD(y, x, lo)
		g.VUNPCKHPD(y, x, hi)
		g.VMOVUPD(lo, operand.Mem{Base: at})
		g.VMOVUPD(hi, operand.Mem{Base: at, Index: w, Scale: 1})
		g.LEAQ(operand.Mem{Base: at, Index: w, Scale: 2}, at)
	}
	g.MOVQ(dst, at)
	one := g.label("one")
	g.Label(loop)
	g.CMPQ(k, operand.I32(8))
	g.JL(operand.LabelRef(one))
	for u := range 4 {
		pair(16 * u)
	}
	g.ADDQ(operand.I32(64), s0)
	g.ADDQ(operand.I32(64), s2)
	g.SUBQ(operand.I32(8), k)
	g.JMP(operand.LabelRef(loop))
	g.Label(one)
	g.CMPQ(k, operand.I32(2))
	g.JL(operand.LabelRef(done))
	pair(0)
	g.ADDQ(operand.I32(16), s0)
	g.ADDQ(operand.I32(16), s2)
	g.SUBQ(operand.I32(2), k)
	g.JMP(operand.LabelRef(one))
	g.Label(done)
	g.ret()

	// packCopyW writes dst[p*W+j] = src[p*ld+j] for j < W and p < k.
	for _, width := range []int{4, 12, 16} {
		g.kernel(fmt.Sprintf("packCopy%d", width), "func(dst, src *float64, ld, k int)")
		dst, src := g.Load(g.Param("dst"), g.GP64()), g.Load(g.Param("src"), g.GP64())
		ld, k := g.Load(g.Param("ld"), g.GP64()), g.Load(g.Param("k"), g.GP64())
		g.SHLQ(operand.U8(3), ld)
		loop, done := g.label("loop"), g.label("done")
		g.TESTQ(k, k)
		g.JE(operand.LabelRef(done))
		g.Label(loop)
		for j := 0; j < width; j += 4 {
			v := g.YMM()
			g.VMOVUPD(operand.Mem{Base: src, Disp: 8 * j}, v)
			g.VMOVUPD(v, operand.Mem{Base: dst, Disp: 8 * j})
		}
		g.ADDQ(ld, src)
		g.ADDQ(operand.I32(8*width), dst)
		g.DECQ(k)
		g.JNE(operand.LabelRef(loop))
		g.Label(done)
		g.ret()
	}
}
