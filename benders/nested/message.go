package nested

import (
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// The messages of remote.go as bytes. Each field is read in the place in which it is written.

// Write implements replay.Operation.
func (op *operation) Write(w *wire.Writer) {
	w.Int(int(op.seed))
	w.Int(op.parts)
	w.Int(len(op.bases))
	for _, b := range op.bases {
		w.Int(int(b.period))
		writeBasis(w, b.basis)
	}
	w.Int(len(op.cuts))
	for _, c := range op.cuts {
		w.Int(int(c.future))
		w.Int(c.cut.part)
		c.cut.affine.write(w)
	}
	w.Int(len(op.tasks))
	for k := range op.tasks {
		t := &op.tasks[k]
		w.Int(int(t.node))
		w.Floats(t.z)
		w.Bool(t.feasible)
		w.Bool(t.basis)
	}
}

func readOperation(r *wire.Reader) *operation {
	op := &operation{seed: uint64(r.Int()), parts: r.Int()}
	for range r.Length(3) {
		op.bases = append(op.bases, periodBasis{int32(r.Int()), readBasis(r)})
	}
	for range r.Length(2 + 8 + 1) {
		c := futureCut{int32(r.Int()), &cut{part: r.Int()}}
		c.cut.affine = readAffine(r)
		op.cuts = append(op.cuts, c)
	}
	for range r.Length(4) {
		q := request{int32(r.Int()), r.Floats()}
		op.tasks = append(op.tasks, task{q, r.Bool(), r.Bool()})
	}
	return op
}

func (a *affine) write(w *wire.Writer) {
	w.Float(a.alpha)
	w.Floats(a.beta)
}

func readAffine(r *wire.Reader) affine { return affine{r.Float(), r.Floats()} }

func writeBasis(w *wire.Writer, b *simplex.Basis) {
	wire.Octets(w, b.Cols)
	wire.Octets(w, b.Rows)
}

func readBasis(r *wire.Reader) *simplex.Basis {
	return &simplex.Basis{Cols: wire.OctetList[simplex.VarStatus](r), Rows: wire.OctetList[simplex.VarStatus](r)}
}

// encodeOutcomes writes the outcomes of an operation.
func encodeOutcomes(list []outcome) []byte {
	w := &wire.Writer{}
	w.Int(len(list))
	for k := range list {
		o := &list[k]
		w.Int(int(o.status))
		w.Text([]byte(o.failure))
		w.Float(o.cost)
		for _, v := range [][]float64{o.next, o.own, o.ray, o.point} {
			w.Floats(v)
		}
		w.Bool(o.certified)
		o.lower.write(w)
		w.Bool(o.basis != nil)
		if o.basis != nil {
			writeBasis(w, o.basis)
		}
		w.Int(o.lps)
		w.Int(o.pivots)
		w.Int(o.cutsUsed)
	}
	return w.Bytes
}

// decodeOutcomes reads the outcomes of an operation of as many tasks.
func decodeOutcomes(text []byte, tasks int) ([]outcome, error) {
	r := &wire.Reader{Bytes: text}
	if r.Length(1) != tasks {
		return nil, wire.ErrShort
	}
	list := make([]outcome, tasks)
	for k := range list {
		o := &list[k]
		o.status = lp.Status(r.Int())
		o.failure = string(r.Text())
		o.cost = r.Float()
		for _, v := range []*[]float64{&o.next, &o.own, &o.ray, &o.point} {
			*v = r.Floats()
		}
		o.certified = r.Bool()
		o.lower = readAffine(r)
		if r.Bool() {
			o.basis = readBasis(r)
		}
		o.lps = r.Int()
		o.pivots = r.Int()
		o.cutsUsed = r.Int()
	}
	return list, r.End()
}
