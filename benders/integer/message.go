package integer

import (
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
)

// The jobs and results of jobs.go as bytes. Each field is read in the place in which it is written.

// Kinds of jobs.
const (
	mipJob = iota
	planeJob
)

func (t *mipTask) encode() []byte {
	var w wire.Writer
	w.Int(mipJob)
	w.Int(t.scenario)
	w.Floats(t.in.lower)
	w.Floats(t.in.upper)
	w.Floats(t.cost)
	w.Int(t.nodes)
	w.Floats(t.start)
	return w.Bytes
}

func (t *planeTask) encode() []byte {
	var w wire.Writer
	w.Int(planeJob)
	w.Int(t.scenario)
	w.Floats(t.in.lower)
	w.Floats(t.in.upper)
	w.Floats(t.at)
	w.Floats(t.slope)
	w.Int(t.steps)
	w.Bool(t.free)
	w.Bool(t.values != nil)
	t.ascent.write(&w)
	return w.Bytes
}

func decodeJob(text []byte) (j job, err error) {
	r := &wire.Reader{Bytes: text}
	kind := r.Int()
	j.scenario = r.Int()
	in := box{r.Floats(), r.Floats()}
	switch kind {
	case mipJob:
		j.mip = &mipTask{scenario: j.scenario, in: in, cost: r.Floats(), nodes: r.Int(), start: r.Floats()}
	case planeJob:
		t := &planeTask{scenario: j.scenario, in: in, at: r.Floats(), slope: r.Floats(), steps: r.Int(), free: r.Bool()}
		if r.Bool() {
			t.values = new(valueRanges)
		}
		t.ascent.read(r)
		j.plane = t
	default:
		return j, wire.ErrShort
	}
	return j, r.End()
}

func (a *ascent) write(w *wire.Writer) {
	w.Int(len(a.members))
	for _, m := range a.members {
		w.Floats(m.z)
		w.Float(m.cost)
	}
	w.Floats(a.last)
	w.Int(len(a.spans))
	for _, pi := range a.spans {
		w.Floats(pi)
	}
}

func (a *ascent) read(r *wire.Reader) {
	for range r.Length(9) {
		a.members = append(a.members, member{r.Floats(), r.Float()})
	}
	a.last = r.Floats()
	for range r.Length(1) {
		a.spans = append(a.spans, r.Floats())
	}
}

func (m *mipResult) encode() []byte {
	var w wire.Writer
	w.Bool(m.unbounded)
	w.Int(int(m.Status))
	w.Float(m.Objective)
	w.Float(m.Bound)
	w.Int(m.Nodes)
	w.Floats(m.X)
	return w.Bytes
}

func (m *mipResult) decode(text []byte) error {
	r := &wire.Reader{Bytes: text}
	m.unbounded = r.Bool()
	m.Status = lp.Status(r.Int())
	m.Objective = r.Float()
	m.Bound = r.Float()
	m.Nodes = r.Int()
	m.X = r.Floats()
	return r.End()
}

func (p *planeResult) encode() []byte {
	var w wire.Writer
	w.Float(p.plane.low)
	w.Floats(p.plane.pi)
	w.Float(p.plane.at)
	w.Floats(p.plane.z)
	w.Bool(p.plane.infeasible)
	p.ascent.write(&w)
	w.Int(p.solved)
	w.Bool(p.values != nil)
	if p.values != nil {
		w.Floats(p.values.lower)
		w.Floats(p.values.upper)
	}
	return w.Bytes
}

func (p *planeResult) decode(text []byte) error {
	r := &wire.Reader{Bytes: text}
	p.plane = plane{low: r.Float(), pi: r.Floats(), at: r.Float(), z: r.Floats(), infeasible: r.Bool()}
	p.ascent.read(r)
	p.solved = r.Int()
	if r.Bool() {
		p.values = &valueRanges{r.Floats(), r.Floats()}
	}
	return r.End()
}
