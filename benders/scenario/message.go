package scenario

import (
	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/simplex"
)

// The messages of remote.go as bytes. Each field is read in the place in which it is written.

// Write implements replay.Operation.
func (op *operation) Write(w *wire.Writer) {
	w.Int(int(op.Kind))
	w.Floats(op.Y)
	wire.Ints(w, op.Done)
	w.Bool(op.Few)
	w.Bool(op.Keep)
	w.Bool(op.Jumps)
	wire.Ints(w, op.From)
	writeBases(w, op.Bases)
	wire.Ints(w, op.Scenarios)
	w.Text(op.Like)
	w.Int(op.Times)
	w.Bool(op.After != nil)
	if op.After != nil {
		op.After.write(w)
	}
}

func readOperation(r *wire.Reader) *operation {
	op := new(operation)
	op.Kind = operationKind(r.Int())
	op.Y = r.Floats()
	op.Done = wire.IntList[int](r)
	op.Few = r.Bool()
	op.Keep = r.Bool()
	op.Jumps = r.Bool()
	op.From = wire.IntList[int32](r)
	op.Bases = readBases(r)
	op.Scenarios = wire.IntList[int](r)
	op.Like = r.Text()
	op.Times = r.Int()
	if r.Bool() {
		op.After = new(basisData)
		op.After.read(r)
	}
	return op
}

func (d *basisData) write(w *wire.Writer) {
	w.Int(d.Chunk)
	w.Int(d.Number)
	wire.Octets(w, d.Cols)
	wire.Octets(w, d.Rows)
}

func (d *basisData) read(r *wire.Reader) {
	d.Chunk = r.Int()
	d.Number = r.Int()
	d.Cols = wire.OctetList[simplex.VarStatus](r)
	d.Rows = wire.OctetList[simplex.VarStatus](r)
}

func writeBases(w *wire.Writer, list []basisData) {
	w.Int(len(list))
	for k := range list {
		list[k].write(w)
	}
}

func readBases(r *wire.Reader) (list []basisData) {
	for range r.Length(4) {
		var d basisData
		d.read(r)
		list = append(list, d)
	}
	return list
}

func (p *reply) encode() []byte {
	var w wire.Writer
	p.Outcome.write(&w)
	w.Floats(p.Lowest)
	w.Text(p.Like)
	p.Last.write(&w)
	w.Bool(p.Begun)
	w.Bool(p.Follows)
	return w.Bytes
}

func (p *reply) decode(text []byte) error {
	r := &wire.Reader{Bytes: text}
	p.Outcome.read(r)
	p.Lowest = r.Floats()
	p.Like = r.Text()
	p.Last.read(r)
	p.Begun = r.Bool()
	p.Follows = r.Bool()
	return r.End()
}

func (d *outcomeData) write(w *wire.Writer) {
	wire.Ints(w, d.Fresh)
	wire.Octets(w, d.States)
	w.Floats(d.Values)
	w.Int(len(d.Cuts))
	for k := range d.Cuts {
		c := &d.Cuts[k]
		w.Int(int(c.Kind))
		w.Int(c.Theta)
		w.Float(c.Alpha)
		wire.Ints(w, c.Index)
		w.Floats(c.Beta)
		w.Int(c.Certificate)
	}
	w.Int(len(d.Certificates))
	for _, text := range d.Certificates {
		w.Text(text)
	}
	wire.Ints(w, d.Basis)
	writeBases(w, d.Bases)
	w.Int(d.Pivots)
	w.Int(d.Bunched)
}

func (d *outcomeData) read(r *wire.Reader) {
	d.Fresh = wire.IntList[int](r)
	d.States = wire.OctetList[state](r)
	d.Values = r.Floats()
	for range r.Length(1) {
		c := cutData{Kind: benders.Kind(r.Int()), Theta: r.Int(), Alpha: r.Float()}
		c.Index = wire.IntList[int32](r)
		c.Beta = r.Floats()
		c.Certificate = r.Int()
		d.Cuts = append(d.Cuts, c)
	}
	for range r.Length(1) {
		d.Certificates = append(d.Certificates, r.Text())
	}
	d.Basis = wire.IntList[int32](r)
	d.Bases = readBases(r)
	d.Pivots = r.Int()
	d.Bunched = r.Int()
}
