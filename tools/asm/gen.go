package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// isa is an instruction set.
type isa struct {
	suffix string
	width  int // float64 lanes of a register
}

var (
	avx2   = isa{"AVX2", 4}
	avx512 = isa{"AVX512", 8}
)

// gen emits kernels for one instruction set.
type gen struct {
	*build.Context
	isa
	labels int
}

// kernel starts a function, named for the instruction set.
func (g *gen) kernel(name, signature string) {
	g.Function(name + g.suffix)
	g.Attributes(attr.NOSPLIT)
	g.SignatureExpr(signature)
	g.Pragma("noescape")
}

func (g *gen) wide() bool { return g.width == 8 }

// vec returns a new full register.
func (g *gen) vec() reg.VecVirtual {
	if g.wide() {
		return g.ZMM()
	}
	return g.YMM()
}

// zero returns a register of zeros.
func (g *gen) zero() reg.VecVirtual {
	v := g.vec()
	g.VXORPD(v, v, v)
	return v
}

// label returns a name that is new in the function.
func (g *gen) label(stem string) string {
	g.labels++
	return fmt.Sprintf("%s%d", stem, g.labels)
}

// scalar loads a float64 parameter into all lanes.
func (g *gen) scalar(name string) reg.VecVirtual {
	p, err := g.Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	v := g.vec()
	g.VBROADCASTSD(p.Addr, v)
	return v
}

// pointer loads a slice's base.
func (g *gen) pointer(name string) reg.Register {
	return g.Load(g.Param(name).Base(), g.GP64())
}

// length loads a slice's length.
func (g *gen) length(name string) reg.Register {
	return g.Load(g.Param(name).Len(), g.GP64())
}

// at is one vector's place in a loop: elements index + offset of every slice, masked in the tail.
type at struct {
	g      *gen
	index  reg.Register
	offset int
	mask   reg.Register // nil, a mask register (AVX-512) or a vector of sign bits (AVX2)
}

func (a at) mem(base reg.Register) operand.Mem {
	return operand.Mem{Base: base, Index: a.index, Scale: 8, Disp: 8 * a.offset}
}

// load reads a vector; lanes outside the mask become 0 and their memory is not touched.
func (a at) load(base reg.Register) reg.VecVirtual {
	v := a.g.vec()
	switch {
	case a.mask == nil:
		a.g.VMOVUPD(a.mem(base), v)
	case a.g.wide():
		a.g.VMOVUPD_Z(a.mem(base), a.mask, v)
	default:
		a.g.VMASKMOVPD(a.mem(base), a.mask, v)
	}
	return v
}

// store writes the lanes in the mask.
func (a at) store(v reg.Register, base reg.Register) {
	switch {
	case a.mask == nil:
		a.g.VMOVUPD(v, a.mem(base))
	case a.g.wide():
		a.g.VMOVUPD(v, a.mask, a.mem(base))
	default:
		a.g.VMASKMOVPD(v, a.mask, a.mem(base))
	}
}

// loop runs body over n elements: unroll vectors at a time, then one, then the masked rest. body's unit says
// which of the unrolled vectors it is. n is used up.
func (g *gen) loop(n reg.Register, unroll int, body func(a at, unit int)) {
	index := g.GP64()
	g.XORQ(index, index)
	main, one, tail, done := g.label("main"), g.label("one"), g.label("tail"), g.label("done")
	if unroll > 1 {
		g.Label(main)
		g.CMPQ(n, operand.I32(unroll*g.width))
		g.JL(operand.LabelRef(one))
		for u := range unroll {
			body(at{g: g, index: index, offset: u * g.width}, u)
		}
		g.ADDQ(operand.I32(unroll*g.width), index)
		g.SUBQ(operand.I32(unroll*g.width), n)
		g.JMP(operand.LabelRef(main))
	}
	g.Label(one)
	g.CMPQ(n, operand.I32(g.width))
	g.JL(operand.LabelRef(tail))
	body(at{g: g, index: index}, 0)
	g.ADDQ(operand.I32(g.width), index)
	g.SUBQ(operand.I32(g.width), n)
	g.JMP(operand.LabelRef(one))
	g.Label(tail)
	g.TESTQ(n, n)
	g.JE(operand.LabelRef(done))
	body(at{g: g, index: index, mask: g.tailMask(n)}, 0)
	g.Label(done)
}

// tailMask makes the mask of the first n < width lanes.
func (g *gen) tailMask(n reg.Register) reg.Register {
	if g.wide() {
		bits, k := g.GP64(), g.K()
		g.MOVQ(operand.I32(-1), bits)
		g.BZHIQ(n, bits, bits)
		g.KMOVB(bits.As32(), k)
		return k
	}
	// The sign bits of lane l are those of n > l.
	lanes := g.YMM()
	ns := g.XMM()
	g.VMOVQ(n, ns)
	g.VPBROADCASTQ(ns, lanes)
	g.VPCMPGTQ(g.laneNumbers(), lanes, lanes)
	return lanes
}

// laneTables holds each file's constant 0, 1, 2, 3.
var laneTables = map[*build.Context]operand.Mem{}

func (g *gen) laneNumbers() operand.Mem {
	m, ok := laneTables[g.Context]
	if !ok {
		m = g.StaticGlobal("lanes")
		g.DataAttributes(attr.RODATA | attr.NOPTR)
		for i := range 4 {
			g.AddDatum(8*i, operand.U64(i))
		}
		laneTables[g.Context] = m
	}
	return m
}

// ret ends a kernel.
func (g *gen) ret() {
	g.VZEROUPPER()
	g.RET()
}
