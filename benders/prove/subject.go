// Package prove makes recorded runs: branch-and-Benders-cut that keeps every cut with its certificate, and then a plain
// branch-and-bound tree over these cuts whose leaves are proven by dual multipliers. A record has the cuts that the
// proofs of the leaves use. Nothing in it has to be trusted: package verify, which shares no code with it, proves the
// record. The tree uses no presolve, no propagation and no fixing, so that the proof of a leaf needs no more than its
// box, the rows of the master and the cuts.
package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// ErrSubject is wrapped by the errors about a problem that cannot be recorded.
var ErrSubject = errors.New("cannot be recorded")

// Label identifies the instance of a record.
type Label struct {
	Family string
	Name   string
	Hash   string // of the file of the instance
}

// Subject is an instance of a recorded run, not conditioned, not reduced, with nothing fixed.
type Subject struct {
	Label
	Data      any              // record.Facilities, record.Network or record.Model
	Problem   *benders.Problem // its rows are those that package verify can prove
	Separator benders.Separator
	Negated   bool // the objective is the negative of the one that was given, a maximisation
	// Lower are for every epigraph a cut without slopes, its lower bound with a certificate; its Alpha is -Inf where
	// there is none.
	Lower []benders.Cut

	// Unbounded says that the linear relaxation is unbounded and Problem has no costs: the program has no feasible
	// point, which is proven, or it is unbounded.
	Unbounded bool
	// Provable reports whether a cut may stand in a record; nil if every one may.
	Provable func(c *benders.Cut) bool
	// Doubtful reports whether a cut may stand in a record only where package verify proves it; nil if none is.
	Doubtful func(c *benders.Cut) bool

	// Certify adds its certificate to a cut of the record.
	Certify func(c *benders.Cut, to *record.Cut)
	// Justify, if not nil, adds the proof of a row of the master to the row of the record.
	Justify func(row int, to *record.Row)
	// Solve, if not nil, solves the problem in place of branch-and-Benders-cut, as a minimisation. The tree of the record
	// then begins without cuts.
	Solve func(ctx context.Context, o benders.Options) (*benders.Result, error)
	// Local, if not nil, returns cuts that hold for the designs of a box, at a design that no other cut excludes. Their
	// certificates implement Local.
	Local func(ctx context.Context, lower, upper, y []float64) ([]benders.Cut, error)

	// Recourse returns a recourse solution at a design in the layout of record.Design, nil slices where it is not
	// needed. With inside > 0 the solution keeps that distance from the sides of inequalities where there is room, or
	// is the same again.
	Recourse func(ctx context.Context, y []float64, inside float64) (index []int32, value []float64, err error)
}

// Local is the certificate of a cut that need not hold for all designs.
type Local interface {
	benders.Certificate
	// Holds reports whether the cut holds for all designs of a box.
	Holds(lower, upper []float64) bool
}

// Run solves the subject and returns the result, in the sense of the model that was given, and its record, always
// that of a minimisation. Where the record proves the whole result of the run, the bound of the result is the proven
// one, and its objective the cost of the design in exact arithmetic, rounded up. Where it proves less, the result is
// that of the run, and the header of the record has the proven numbers. The record is nil for an unbounded program,
// which has nothing to prove.
func Run(ctx context.Context, s *Subject, o benders.Options) (*benders.Result, *record.Record, error) {
	began := time.Now()
	if len(s.Lower) != s.Problem.Epigraphs {
		return nil, nil, fmt.Errorf("prove: %w: %d lower bounds for %d epigraphs", ErrSubject, len(s.Lower),
			s.Problem.Epigraphs)
	}
	if err := s.check(); err != nil {
		return nil, nil, err
	}

	// Branch-and-Benders-cut, whose cuts are collected. The lower bounds of the epigraphs are the first of the cuts, since
	// the prover keeps them in its LP.
	collected := &collector{next: o.Recorder, provable: s.Provable}
	collected.collect(s.Lower)
	collected.collect(s.Problem.Initial)
	o.Recorder = collected
	solve := s.Solve
	if solve == nil {
		solve = func(ctx context.Context, o benders.Options) (*benders.Result, error) {
			return benders.BranchAndCut(ctx, s.Problem, s.Separator, o)
		}
	}
	res, err := solve(ctx, o)
	if err != nil {
		return nil, nil, err
	}

	// A driver of its own may find that the program is unbounded where its relaxation is not known to be.
	if s.Unbounded && res.Design != nil || res.Status == lp.Unbounded {
		return unbounded(began), nil, nil
	}

	// The tree over these cuts, in the time that is left, or a tenth of the limit: a run that ends at its limit has a
	// bound that is worth proving too.
	if o.TimeLimit != math.MaxInt64 {
		o.TimeLimit = max(o.TimeLimit-time.Since(began), o.TimeLimit/10)
	}
	pr, err := newProver(s, collected.cuts, res, o)
	if err != nil {
		return nil, nil, err
	}

	// The root has no parent, and begins without a bound.
	if pr.root, err = pr.explore(ctx, 0, proof{bound: math.Inf(-1)}); err != nil {
		return nil, nil, err
	}

	// The run ended at a limit before it found a design, but the proof found one.
	if s.Unbounded && pr.design != nil {
		return unbounded(began), nil, nil
	}

	// The record, and the result that follows from it.
	rec, err := pr.record(ctx, res)
	if err != nil {
		return nil, nil, err
	}
	res.Nodes += pr.nodes
	res.Elapsed = time.Since(began)
	conclude(res, rec, s.Separator.Source() != benders.FromProxy, o.Gap)
	rec.Header.Run = claim(res, o.Gap)

	// The record is that of the minimisation, the result that of the model that was given.
	if s.Negated {
		res.Objective = -res.Objective
		res.Bound = -res.Bound
		res.Terminal = -res.Terminal
	}
	return res, rec, nil
}

// claim is the result of a run as the record states it. gap is the gap that the run was to close; a run that ends
// without a limit may call a design optimal with a larger gap, which is then the one of the claim.
func claim(res *benders.Result, gap float64) *record.Claim {
	c := &record.Claim{
		Status:    res.Status.String(),
		Objective: record.Number(math.Inf(1)),
		Bound:     record.Number(res.Bound),
		Gap:       record.Number(gap),
	}
	if res.Design == nil {
		return c
	}
	c.Objective = record.Number(res.Objective)
	if res.Status == lp.Optimal {
		c.Gap = record.Number(max(gap, res.Gap))
	}
	return c
}

// check extends Provable to doubtful cuts, which package verify has to prove.
func (s *Subject) check() error {
	// Without doubtful cuts Provable is as it was given.
	if s.Doubtful == nil {
		return nil
	}
	data, err := json.Marshal(s.Data)
	if err != nil {
		return fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}

	// A record with nothing but the instance is enough to prove single cuts.
	proves, err := verify.Cuts(&record.Record{
		Header:   record.Header{Family: s.Family, Epigraphs: s.Problem.Epigraphs},
		Instance: record.Instance{Hash: s.Hash, Data: data},
	})
	if err != nil {
		return fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}

	provable := s.Provable
	s.Provable = func(c *benders.Cut) bool {
		// The quick checks come first: a proof takes exact arithmetic.
		if provable != nil && !provable(c) {
			return false
		}
		if !s.Doubtful(c) {
			return true
		}

		// The cut is stated as in a record, since that is what is proven.
		stated := s.state(c)
		return proves(&stated) == nil
	}
	return nil
}

// state converts a cut to the form of a record.
func (s *Subject) state(c *benders.Cut) record.Cut {
	to := record.Cut{
		Feasibility: c.Kind == benders.Feasibility,
		Theta:       c.Theta,
		Alpha:       c.Alpha,
		Index:       c.Index,
		Beta:        c.Beta,
	}

	// A feasibility cut has no epigraph, which records write as all of them.
	if to.Feasibility {
		to.Theta = record.AllEpigraphs
	}
	s.Certify(c, &to)
	return to
}

// unbounded is the result of an unbounded program.
func unbounded(began time.Time) *benders.Result {
	out := benders.Nothing(benders.NoBound)
	out.Elapsed = time.Since(began)
	return out
}

// collector is a recorder that collects every cut that a run adds to its master.
type collector struct {
	cuts     []benders.Cut
	provable func(c *benders.Cut) bool // nil if every cut may stand in a record
	next     benders.Recorder          // the recorder of the run, nil for none
}

// collect adds the cuts that may stand in a record.
func (l *collector) collect(cuts []benders.Cut) {
	for i := range cuts {
		// A lower bound of -Inf stands for an epigraph that has none.
		if !math.IsInf(cuts[i].Alpha, 0) && (l.provable == nil || l.provable(&cuts[i])) {
			l.cuts = append(l.cuts, cuts[i])
		}
	}
}

// Separated implements benders.Recorder.
func (l *collector) Separated(p benders.Point, s *benders.Separation, violated []benders.Cut) {
	l.collect(violated)
	if l.next != nil {
		l.next.Separated(p, s, violated)
	}
}

// record assembles the record. Its objective is the cost of the design as package verify computes it.
func (p *prover) record(ctx context.Context, res *benders.Result) (*record.Record, error) {
	tree, bound := p.proof()
	r := &record.Record{
		Header: record.Header{
			Schema:    record.Schema,
			Family:    p.s.Family,
			Name:      p.s.Name,
			Method:    string(p.s.Separator.Source()),
			Epigraphs: p.s.Problem.Epigraphs,
			Objective: record.Number(math.Inf(1)),
			Bound:     record.Number(bound),
		},
		Rows: p.rows,
		Tree: tree,
	}

	// Cuts without a weight anywhere are left out.
	for _, k := range p.rests(r.Tree) {
		r.Cuts = append(r.Cuts, p.s.state(&p.cuts[k]))
	}

	// The data comes after the cuts, whose proofs may add rows to it.
	data, err := json.Marshal(p.s.Data)
	if err != nil {
		return nil, fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}
	r.Instance = record.Instance{Hash: p.s.Hash, Data: data}
	if p.design == nil {
		return r, nil
	}

	// The design with a recourse solution that is feasible in exact arithmetic, if there is one; else the record proves
	// the bound alone.
	res.Design = p.design
	res.Objective = p.objective

	// Price reads the design from the record. A run that was interrupted has a design too, and its price is not long.
	r.Design = &record.Design{Y: p.design}
	cost, err := p.exactCost(context.WithoutCancel(ctx), r)
	if err != nil {
		return nil, err
	}

	// A design whose recourse is feasible to tolerances alone is left out of the record.
	if cost == nil {
		r.Design = nil
		return r, nil
	}
	r.Header.Objective = record.Number(upward(cost))
	return r, nil
}

// rests lists the lower bounds of the epigraphs and the cuts that the proofs of the leaves use, and renumbers the
// rows of the leaves by this list.
func (p *prover) rests(tree []record.Node) (list []int) {
	// The cuts of the lower bounds are the first ones, and stay with or without a weight.
	used := make([]bool, len(p.cuts))
	for k := range p.held {
		used[k] = true
	}
	for _, nd := range tree {
		for _, row := range nd.Rows {
			if row >= 0 {
				used[row] = true
			}
		}
	}

	// A cut keeps its place among those that are used; the others have numbers that no leaf refers to.
	number := make([]int32, len(p.cuts))
	for k, is := range used {
		if number[k] = int32(len(list)); is {
			list = append(list, k)
		}
	}
	for _, nd := range tree {
		for i, row := range nd.Rows {
			if row >= 0 {
				nd.Rows[i] = number[row]
			}
		}
	}
	return list
}

// exactCost fills in a recourse solution of the design that package verify can make exact, and returns its cost; nil if
// there is none. Solutions farther inside are tried where rounding violates a side.
func (p *prover) exactCost(ctx context.Context, r *record.Record) (*big.Rat, error) {
	for _, inside := range []float64{0, 1e-9, 1e-7, 1e-6} {
		// The recourse solution goes into the record, where Price finds it.
		var err error
		if r.Design.Index, r.Design.Value, err = p.s.Recourse(ctx, p.design, inside); err != nil {
			return nil, err
		}

		// A solution that cannot be made exact is an error: the next one is tried.
		if cost, err := verify.Price(r); err == nil {
			return cost, nil
		}
	}
	return nil, nil
}

// upward rounds a rational up.
func upward(r *big.Rat) float64 {
	// Float64 rounds to nearest, so that the next number is no less than the rational.
	v, _ := r.Float64()
	if new(big.Rat).SetFloat64(v).Cmp(r) < 0 {
		v = math.Nextafter(v, math.Inf(1))
	}
	return v
}
