package integer

import (
	"fmt"

	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/internal/wire"
)

// A worker in another process gets the outline of a problem once, with all scenarios: it may be given a job of any. The
// chunks of the linear relaxation follow as they do in package scenario. So it reads no file.

// MarshalOutline returns what a worker in another process needs of the problem.
func (p *Problem) MarshalOutline() ([]byte, error) {
	relaxed, err := p.relaxed.MarshalOutline()
	if err != nil {
		return nil, prefixed(err)
	}

	// The linear relaxation has all of the program but which columns are integer.
	var w wire.Writer
	w.Text(relaxed)
	w.Text(p.scenarios.MarshalRange(0, len(p.weight)))
	w.Int(len(p.tight.Core.Cols))
	for _, c := range p.tight.Core.Cols {
		w.Bool(c.Integer)
	}
	return w.Bytes, nil
}

// MarshalChunk returns the scenarios of a chunk of the linear relaxation, for Worker.Hold with its key.
func (p *Problem) MarshalChunk(key uint64) ([]byte, error) { return p.relaxed.MarshalChunk(key) }

// NewOutlineWorker returns a worker for the problem of an outline.
func NewOutlineWorker(outline []byte) (*Worker, error) {
	r := &wire.Reader{Bytes: outline}
	relaxed := r.Text()
	scenarios := r.Text()
	var integer []bool
	for range r.Length(1) {
		integer = append(integer, r.Bool())
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("integer: an outline that cannot be read: %w", err)
	}

	// The parts are checked as they are read.
	chunks, err := scenario.NewOutlineWorker(relaxed, nil)
	if err != nil {
		return nil, prefixed(err)
	}
	all, err := chunks.Scenarios().Range(scenarios)
	if err != nil {
		return nil, prefixed(err)
	}

	// The program has its integer columns again.
	tight := *all.Full()
	tight.Core = tight.Core.Clone()
	if from, to := all.Numbers(); from != 0 || to < 1 || len(integer) != len(tight.Core.Cols) {
		return nil, fmt.Errorf("integer: an outline of the scenarios %d to %d and of %d columns instead of %d",
			from, to, len(integer), len(tight.Core.Cols))
	}
	for j, is := range integer {
		tight.Core.Cols[j].Integer = is
	}
	p := &Problem{Name: tight.Name, tight: &tight, weight: make([]float64, len(tight.Scenarios))}
	return &Worker{Worker: chunks, p: p, models: newModels(p)}, nil
}
