package main

import (
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The constants and the order of operations are those of softplus_generic.go.
const (
	minExp  = -700
	ln2High = 0x1.62e42feep-1
	ln2Low  = 0x1.a39ef35793c76p-33
	rounder = 0x1.8p52
	oneBits = uint64(0x3ff) << 52
	root    = math.Sqrt2 - 1
)

var (
	expSeries = []float64{1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
		1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2}
	logSeries = []float64{2.0 / 19, 2.0 / 17, 2.0 / 15, 2.0 / 13, 2.0 / 11, 2.0 / 9, 2.0 / 7, 2.0 / 5, 2.0 / 3}
)

// pool is a file's table of 8-byte constants.
type pool struct {
	base operand.Mem
	at   map[uint64]int
}

var pools = map[*build.Context]*pool{}

// bits returns a vector of a constant, loaded anew at each use: there are more of them than registers.
func (g *gen) bits(b uint64) reg.VecVirtual {
	p := pools[g.Context]
	if p == nil {
		p = &pool{base: g.StaticGlobal("constants"), at: map[uint64]int{}}
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		pools[g.Context] = p
	}
	at, ok := p.at[b]
	if !ok {
		at = len(p.at)
		p.at[b] = at
		g.AddDatum(8*at, operand.U64(b))
	}
	v := g.vec()
	g.VBROADCASTSD(p.base.Offset(8*at), v)
	return v
}

func (g *gen) constant(x float64) reg.VecVirtual { return g.bits(math.Float64bits(x)) }

// series evaluates a polynomial in x by Horner's rule, the highest coefficient first.
func (g *gen) series(coefficients []float64, x reg.Register) reg.VecVirtual {
	p := g.constant(coefficients[0])
	for _, c := range coefficients[1:] {
		g.VMULPD(x, p, p)
		g.VADDPD(g.constant(c), p, p)
	}
	return p
}

// expParts emits the function of that name; z is used up.
func (g *gen) expParts(z reg.Register) (s, q reg.VecVirtual) {
	g.VMAXPD(z, g.constant(minExp), z) // a NaN stays
	m, n, t := g.vec(), g.vec(), g.vec()
	g.VMULPD(g.constant(math.Log2E), z, m)
	g.VADDPD(g.constant(rounder), m, m)
	g.VSUBPD(g.constant(rounder), m, n)
	g.VMULPD(g.constant(ln2High), n, t)
	g.VSUBPD(t, z, z)
	g.VMULPD(g.constant(ln2Low), n, t)
	g.VSUBPD(t, z, z)
	p := g.series(expSeries, z)
	g.VMULPD(z, z, t)
	g.VMULPD(p, t, t)
	g.VADDPD(t, z, z)
	g.VPSLLQ(operand.U8(52), m, m)
	g.VPADDQ(g.bits(oneBits), m, m)
	return m, z.(reg.VecVirtual)
}

// choose returns v in the lanes where a > b, else w.
func (g *gen) choose(a, b, v, w reg.Register) reg.VecVirtual {
	const greater = operand.U8(0x1e)
	d := g.vec()
	if g.wide() {
		k := g.K()
		g.VCMPPD(greater, b, a, k)
		g.VBLENDMPD(v, w, k, d)
		return d
	}
	g.VCMPPD(greater, b, a, d)
	g.VBLENDVPD(d, v, w, d)
	return d
}

// slope emits softplusSlope; y is used up.
func (g *gen) slope(y reg.Register) reg.VecVirtual {
	g.VXORPD(g.bits(1<<63), y, y)
	s, q := g.expParts(y)
	d := g.vec()
	g.VSUBPD(s, g.constant(1), d)
	g.VMULPD(q, s, s)
	g.VSUBPD(s, d, d)
	return d
}

func softplusKernels(g *gen) {
	g.kernel("softplus", "func(dst, x []float64)")
	dst, x := g.pointer("dst"), g.pointer("x")
	g.loop(g.length("dst"), 1, func(a at, _ int) {
		v := a.load(x)
		z := g.vec()
		g.VORPD(g.bits(1<<63), v, z)
		s, q := g.expParts(z)
		t, m := g.vec(), g.vec()
		g.VMULPD(q, s, t)
		g.VADDPD(s, t, t)
		g.VSUBPD(g.constant(1), t, m)
		g.VMULPD(g.constant(0.5), m, m)
		edge := g.constant(root)
		m = g.choose(t, edge, m, t)
		base := g.keepAbove(t, edge, g.constant(math.Ln2))
		den, w := g.vec(), g.vec()
		g.VADDPD(g.constant(2), m, den)
		g.VDIVPD(den, m, m)
		g.VMULPD(m, m, w)
		p := g.series(logSeries, w)
		g.VMULPD(w, m, w)
		g.VMULPD(p, w, w)
		g.VADDPD(m, m, m)
		g.VADDPD(m, w, w)
		g.VADDPD(base, w, w)
		g.VMAXPD(g.zero(), v, v)
		g.VADDPD(w, v, v)
		a.store(v, dst)
	})
	g.ret()

	g.kernel("softplusGrad", "func(dx, y, dy []float64)")
	dx, y, dy := g.pointer("dx"), g.pointer("y"), g.pointer("dy")
	g.loop(g.length("dx"), 1, func(a at, _ int) {
		d := g.slope(a.load(y))
		g.VMULPD(a.load(dy), d, d)
		g.VADDPD(a.load(dx), d, d)
		a.store(d, dx)
	})
	g.ret()

	g.kernel("softplusMask", "func(dy, y []float64)")
	dy, y = g.pointer("dy"), g.pointer("y")
	g.loop(g.length("dy"), 1, func(a at, _ int) {
		d := g.slope(a.load(y))
		g.VMULPD(a.load(dy), d, d)
		a.store(d, dy)
	})
	g.ret()
}
