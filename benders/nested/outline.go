package nested

import (
	"fmt"

	"github.com/proxybd/proxybd/internal/modelwire"
	"github.com/proxybd/proxybd/internal/wire"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/stoch"
)

// Outline is a program as a worker in another process gets it: all of it, since the nodes of a section are spread over
// all periods.
type Outline struct{ Program *stoch.Multistage }

// MarshalOutline packs the program.
func (o Outline) MarshalOutline() ([]byte, error) {
	p := o.Program
	var w wire.Writer
	w.Text([]byte(p.Name))
	w.Int(p.Periods)
	if err := modelwire.Write(&w, p.Core, true); err != nil {
		return nil, fmt.Errorf("nested: %w", err)
	}
	wire.Ints(&w, p.ColPeriod)
	wire.Ints(&w, p.RowPeriod)

	// The nodes, with what differs there and where they lead.
	w.Int(len(p.Nodes))
	for _, n := range p.Nodes {
		w.Int(int(n.Period))
		w.Int(len(n.Changes))
		for _, c := range n.Changes {
			w.Int(int(c.Kind))
			w.Int(int(c.Row))
			w.Int(int(c.Col))
			w.Float(c.Value)
		}
		w.Int(len(n.Arcs))
		for _, a := range n.Arcs {
			w.Int(int(a.To))
			w.Float(a.Probability)
		}
	}
	return w.Bytes, nil
}

// MarshalChunk returns what Worker.Hold needs of a section: nothing.
func (o Outline) MarshalChunk(uint64) ([]byte, error) { return nil, nil }

// NewOutlineWorker returns a worker for the program of an outline.
func NewOutlineWorker(outline []byte) (*Worker, error) {
	r := &wire.Reader{Bytes: outline}
	p := &stoch.Multistage{Name: string(r.Text()), Periods: r.Int()}
	var err error
	if p.Core, err = modelwire.Read(r); err != nil {
		return nil, fmt.Errorf("nested: %w", err)
	}
	p.ColPeriod = wire.IntList[int32](r)
	p.RowPeriod = wire.IntList[int32](r)

	// A change takes at least three bytes and a number, an arc one and a number; that bounds what is allocated.
	for range r.Length(3) {
		n := stoch.Node{Period: int32(r.Int())}
		for range r.Length(3 + 8) {
			n.Changes = append(n.Changes, stoch.Change{Kind: stoch.Kind(r.Int()), Row: lp.Con(r.Int()), Col: lp.Var(r.Int()),
				Value: r.Float()})
		}
		for range r.Length(1 + 8) {
			n.Arcs = append(n.Arcs, stoch.Arc{To: int32(r.Int()), Probability: r.Float()})
		}
		p.Nodes = append(p.Nodes, n)
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("nested: an outline that cannot be read: %w", err)
	}
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("nested: %w", err)
	}
	return NewWorker(p), nil
}
