package scenario

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/replay"
	"github.com/proxybd/proxybd/simplex"
)

// A run may have its chunks in other processes. What a chunk answers depends on the operations that it was given so
// far, in their order, and on nothing else; so it does not matter where it is, and a chunk that is lost with its
// process is made again by giving all its operations to a new one (package replay).

// Team has work of a run done in other processes, each of which has a TeamWorker.
type Team interface {
	// Run has payloads worked by whoever holds the state of each key, and returns the answers in the same order. Without
	// keys, nil, the payloads need no state, and anybody works them. An error of the context is returned as its cause.
	Run(ctx context.Context, keys []uint64, payloads [][]byte) ([][]byte, error)
}

// TeamWorker does the work of a team in one process. Its methods may be called from several goroutines, for one state
// by one at a time.
type TeamWorker interface {
	// Hold returns the state of a key before any work. data is what the worker needs for it; see NewOutlineWorker.
	Hold(key uint64, data []byte) (any, error)
	// Work does what a payload says, and returns the answer; state is nil where the payload came without a key.
	Work(ctx context.Context, state any, payload []byte) ([]byte, error)
}

// WithTeam makes runs of the problem have their chunks in the processes of a team, and returns the problem. The
// results are those without a team, bit for bit.
func (p *Problem) WithTeam(t Team) *Problem {
	p.team = t
	return p
}

// operation is what a chunk is given to do.
type operation struct {
	Kind operationKind

	// Of a solve: the point, the scenarios that are answered already, and how the others begin.
	Y         []float64
	Done      []int
	Few, Keep bool
	Jumps     bool
	From      []int32     // for each scenario of the chunk its basis in Bases, from 1; 0 for none
	Bases     []basisData // distinct ones

	// Of lower bounds: the scenarios, and the certificate that is tried first.
	Scenarios []int
	Like      []byte

	// How often the last basis is read; what a chunk that was not solved yet begins at.
	Times int
	After *basisData
}

type operationKind uint8

const (
	solveChunk  operationKind = iota // answer scenarios at a point
	lowestChunk                      // bound the recourse costs of scenarios from below
	lastBasis                        // read the basis with which the linear program ended
)

// reply is what a worker answers.
type reply struct {
	Outcome outcomeData
	Lowest  []float64
	Like    []byte // certificate of the last bound
	Last    basisData

	Begun, Follows bool // of the chunk's view
}

// basisData is a basis with its name.
type basisData struct {
	Chunk, Number int
	Cols, Rows    []simplex.VarStatus
}

// outcomeData is an outcome. Certificates and bases that are equal are there once.
type outcomeData struct {
	Fresh  []int
	States []state
	Values []float64
	Cuts   []cutData

	Certificates [][]byte
	Basis        []int32 // of each answer, in Bases, from 1; 0 for none
	Bases        []basisData

	Pivots, Bunched int
}

// cutData is a cut with the position of its certificate, from 1; 0 for none.
type cutData struct {
	Kind        benders.Kind
	Theta       int
	Alpha       float64
	Index       []int32
	Beta        []float64
	Certificate int
}

func (b *namedBasis) data() basisData {
	return basisData{Chunk: b.chunk, Number: b.number, Cols: b.basis.Cols, Rows: b.basis.Rows}
}

func (d *basisData) named() *namedBasis {
	return &namedBasis{chunk: d.Chunk, number: d.Number, basis: &simplex.Basis{Cols: d.Cols, Rows: d.Rows}}
}

// bases collects distinct bases.
type bases struct {
	list []basisData
	at   map[[2]int]int32
}

// add returns the position of a basis, from 1; 0 for none.
func (b *bases) add(one *namedBasis) int32 {
	if one == nil {
		return 0
	}
	key := [2]int{one.chunk, one.number}
	if k, known := b.at[key]; known {
		return k
	}
	if b.at == nil {
		b.at = make(map[[2]int]int32)
	}
	b.list = append(b.list, one.data())
	b.at[key] = int32(len(b.list))
	return b.at[key]
}

// data returns an outcome for another process.
func (o *outcome) data() (d outcomeData, err error) {
	var kept bases
	certificates := make(map[string]int)
	d = outcomeData{Fresh: o.fresh, Pivots: o.pivots, Bunched: o.bunched}

	// Many scenarios have the same certificate, which is sent once.
	for k := range o.answers {
		a := &o.answers[k]
		d.States = append(d.States, a.state)
		d.Values = append(d.Values, a.value)
		d.Basis = append(d.Basis, kept.add(a.basis))
		cut := cutData{Kind: a.cut.Kind, Theta: a.cut.Theta, Alpha: a.cut.Alpha, Index: a.cut.Index, Beta: a.cut.Beta}
		if c, ok := a.cut.Certificate.(*twostage.Certificate); ok {
			text, err := c.MarshalBinary()
			if err != nil {
				return d, err
			}
			if certificates[string(text)] == 0 {
				d.Certificates = append(d.Certificates, text)
				certificates[string(text)] = len(d.Certificates)
			}
			cut.Certificate = certificates[string(text)]
		}
		d.Cuts = append(d.Cuts, cut)
	}
	d.Bases = kept.list
	return d, nil
}

// outcome returns what another process has found.
func (d *outcomeData) outcome() (o outcome, err error) {
	n := len(d.Fresh)
	answered := len(d.States) == n && len(d.Values) == n
	if !answered || len(d.Cuts) != n || len(d.Basis) != n {
		return o, fmt.Errorf("scenario: an answer of %d scenarios with %d cuts", n, len(d.Cuts))
	}

	// The certificates and bases come first, since the answers refer to them.
	certificates := make([]*twostage.Certificate, len(d.Certificates))
	for k, text := range d.Certificates {
		certificates[k] = new(twostage.Certificate)
		if err := certificates[k].UnmarshalBinary(text); err != nil {
			return o, prefixed(err)
		}
	}
	named := make([]*namedBasis, len(d.Bases))
	for k := range d.Bases {
		named[k] = d.Bases[k].named()
	}

	o = outcome{fresh: d.Fresh, pivots: d.Pivots, bunched: d.Bunched}
	for k, c := range d.Cuts {
		isCertificate := c.Certificate >= 0 && c.Certificate <= len(certificates)
		isBasis := d.Basis[k] >= 0 && int(d.Basis[k]) <= len(named)
		if !isCertificate || !isBasis {
			return o, fmt.Errorf("scenario: an answer with certificate %d of %d", c.Certificate, len(certificates))
		}
		cut := benders.Cut{Kind: c.Kind, Theta: c.Theta, Alpha: c.Alpha, Index: c.Index, Beta: c.Beta}
		if c.Certificate > 0 {
			cut.Certificate = certificates[c.Certificate-1]
		}
		a := answer{state: d.States[k], value: d.Values[k], cut: cut}
		if d.Basis[k] > 0 {
			a.basis = named[d.Basis[k]-1]
		}
		o.answers = append(o.answers, a)
	}
	return o, nil
}

// remote has the chunks of an engine in a team.
type remote struct {
	p       *Problem
	threads int // goroutines that read answers, 0 for one a processor
	team    Team
	log     *replay.Log[*operation]
	begun   []bool // what the last answers said of the chunks' views
	follows []bool
}

// newRemote returns the chunks of a team, which have done nothing.
func newRemote(p *Problem, threads, chunks int) *remote {
	return &remote{
		p:       p,
		threads: threads,
		team:    p.team,
		log:     replay.NewLog[*operation](p.team),
		begun:   make([]bool, chunks),
		follows: slices.Repeat([]bool{true}, chunks),
	}
}

// run gives each chunk of a list an operation, and returns the replies. Where it fails, as at a limit, some workers
// have done theirs and others have not: then all chunks begin anew, with nothing that they did before.
func (r *remote) run(ctx context.Context, chunks []int, ops []*operation) ([]reply, error) {
	keys := make([]uint64, len(chunks))
	for k, c := range chunks {
		keys[k] = uint64(c) + 1
	}
	answers, err := r.log.Run(ctx, keys, ops)
	out := make([]reply, len(chunks))
	if err == nil {
		errs := make([]error, len(answers))
		r.p.share(r.threads, len(answers), func(k int) { errs[k] = out[k].decode(answers[k]) })
		if err = cmp.Or(errs...); err != nil {
			err = fmt.Errorf("scenario: an answer that cannot be read: %w", err)
		}
	}
	if err != nil {
		*r = *newRemote(r.p, r.threads, len(r.begun))
		return nil, err
	}
	for k, c := range chunks {
		r.begun[c] = out[k].Begun
		r.follows[c] = out[k].Follows
	}
	return out, nil
}

// wave has the tasks of chunks done at a point.
func (r *remote) wave(ctx context.Context, e *engine, list []*chunk) ([]outcome, error) {
	ops := make([]*operation, len(list))
	chunks := make([]int, len(list))
	y := slices.Clone(e.at) // which the engine overwrites
	for k, c := range list {
		t := e.task(c)
		op := &operation{Kind: solveChunk, Y: y, Done: t.done, Few: t.few, Keep: t.keep}
		if t.from != nil {
			var named bases
			op.Jumps = true
			for _, s := range c.scenarios {
				op.From = append(op.From, named.add(t.from(s)))
			}
			op.Bases = named.list
		}
		ops[k] = op
		chunks[k] = c.number
	}
	if err := r.follow(ctx, e.hot, chunks, ops); err != nil {
		return nil, err
	}

	replies, err := r.run(ctx, chunks, ops)
	if err != nil {
		return nil, err
	}
	parts := make([]outcome, len(list))
	errs := make([]error, len(list))
	r.p.share(r.threads, len(list), func(k int) { parts[k], errs[k] = replies[k].Outcome.outcome() })
	return parts, cmp.Or(errs...)
}

// follow makes chunks that have not been solved yet begin where the chunk that was solved first ended, where they are
// large.
func (r *remote) follow(ctx context.Context, hot int, chunks []int, ops []*operation) error {
	begins := func(c int) bool { return c != hot && r.follows[c] && !r.begun[c] }
	times := 0
	for _, c := range chunks {
		if begins(c) {
			times++
		}
	}
	if times == 0 || !r.begun[hot] {
		return nil
	}
	replies, err := r.run(ctx, []int{hot}, []*operation{{Kind: lastBasis, Times: times}})
	if err != nil {
		return err
	}
	for k, c := range chunks {
		if begins(c) {
			ops[k].After = &replies[0].Last
		}
	}
	return nil
}

// lowest is engine.lowest by the team.
func (r *remote) lowest(ctx context.Context, e *engine) ([]float64, error) {
	low := make([]float64, len(e.p.weight))
	var first []byte
	if len(low) >= manyScenarios {
		replies, err := r.run(ctx, []int{0}, []*operation{{Kind: lowestChunk, Scenarios: []int{0}}})
		if err != nil {
			return nil, err
		}
		first = replies[0].Like
	}

	// In each chunk the last certificate is tried first.
	var chunks []int
	var ops []*operation
	for k, c := range e.chunks {
		chunks = append(chunks, k)
		ops = append(ops, &operation{Kind: lowestChunk, Scenarios: c.scenarios, Like: first})
	}
	replies, err := r.run(ctx, chunks, ops)
	if err != nil {
		return nil, err
	}
	for k, c := range e.chunks {
		if len(replies[k].Lowest) != len(c.scenarios) {
			return nil, fmt.Errorf("scenario: %d lower bounds of %d scenarios", len(replies[k].Lowest), len(c.scenarios))
		}
		copy(low[c.scenarios[0]:], replies[k].Lowest)
	}
	return low, nil
}
