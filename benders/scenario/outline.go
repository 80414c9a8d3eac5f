package scenario

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/parallel"
	"github.com/proxybd/proxybd/internal/wire"
)

// A worker in another process gets the outline of a problem once, and the scenarios of a chunk with the chunk. So it
// reads no file, and holds no more scenarios than it works on.

// Export is what makes the shortcuts of a problem in another process.
type Export struct {
	Family string // that makes them
	Common []byte // what all of them need

	// Range returns what shortcuts need of consecutive scenarios, from the first number to before the second.
	Range func(from, to int) []byte
}

// RangeShortcut makes a shortcut for the scenarios of Export.Range.
type RangeShortcut func(scenarios []byte) (Shortcut, error)

// WithExport sets what makes the shortcuts in another process, and returns the problem.
func (p *Problem) WithExport(e *Export) *Problem {
	p.export = e
	return p
}

// MarshalOutline returns what a worker in another process needs of the problem before it gets scenarios.
func (p *Problem) MarshalOutline() ([]byte, error) {
	if p.shortcut != nil && p.export == nil {
		return nil, errors.New("scenario: the shortcut of the problem cannot be made in another process")
	}
	text, err := p.scenarios.MarshalOutline()
	if err != nil {
		return nil, prefixed(err)
	}
	var w wire.Writer
	w.Int(len(p.weight))
	w.Text(text)
	w.Bool(p.export != nil)
	if p.export != nil {
		w.Text([]byte(p.export.Family))
		w.Text(p.export.Common)
	}
	return w.Bytes, nil
}

// MarshalChunk returns the scenarios of a chunk, for Worker.Hold with its key.
func (p *Problem) MarshalChunk(key uint64) ([]byte, error) {
	parts := ChunksOf(len(p.weight))
	if key == 0 || key > uint64(parts) {
		return nil, fmt.Errorf("scenario: chunk %d of %d", key, parts)
	}
	from, to := parallel.Part(len(p.weight), parts, int(key)-1)

	var w wire.Writer
	w.Text(p.scenarios.MarshalRange(from, to))
	if p.export != nil {
		w.Text(p.export.Range(from, to))
	}
	return w.Bytes, nil
}

// maxScenarios bounds the number of scenarios of an outline that is read.
const maxScenarios = 1 << 28

// NewOutlineWorker returns a worker for the chunks of the problem of an outline. restore makes what makes the
// shortcuts of a family from Export.Common.
func NewOutlineWorker(outline []byte,
	restore func(family string, common []byte) (RangeShortcut, error)) (*Worker, error) {
	r := &wire.Reader{Bytes: outline}
	count := r.Int()
	text := r.Text()
	exported := r.Bool()
	var family string
	var common []byte
	if exported {
		family = string(r.Text())
		common = r.Text()
	}
	if err := r.End(); err != nil || count < 1 || count > maxScenarios {
		return nil, fmt.Errorf("scenario: an outline of %d scenarios that cannot be read", count)
	}

	// The problem has all but the scenarios, whose number says what the chunks are.
	s, err := twostage.UnmarshalOutline(text)
	if err != nil {
		return nil, prefixed(err)
	}
	p := &Problem{name: s.Frame().Name, maximize: s.Frame().Core.Maximize, scenarios: s, frame: s.Frame(),
		master: s.Master()}
	var shortcut RangeShortcut
	if exported {
		if shortcut, err = restore(family, common); err != nil {
			return nil, err
		}
	}
	return &Worker{p: p, parts: parallel.Parts(count, ChunksOf(count)), open: func(data []byte) (*Problem, error) {
		return p.withChunk(data, shortcut)
	}}, nil
}

// Scenarios returns the program of the worker: of an outline, that without its scenarios.
func (w *Worker) Scenarios() *twostage.Scenarios { return w.p.scenarios }

// withChunk returns a problem of an outline with the scenarios of a chunk. shortcut is nil where there is none.
func (p *Problem) withChunk(data []byte, shortcut RangeShortcut) (*Problem, error) {
	r := &wire.Reader{Bytes: data}
	text := r.Text()
	var needs []byte // of the shortcut
	if shortcut != nil {
		needs = r.Text()
	}
	if err := r.End(); err != nil {
		return nil, fmt.Errorf("scenario: scenarios that cannot be read: %w", err)
	}

	q := *p
	var err error
	if q.scenarios, err = p.scenarios.Range(text); err != nil {
		return nil, prefixed(err)
	}
	if shortcut != nil {
		q.shortcut = func() (Shortcut, error) { return shortcut(needs) }
	}
	return &q, nil
}
