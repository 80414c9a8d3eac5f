// Package prove makes recorded runs: branch-and-Benders-cut whose every cut is kept with its certificate, and then a
// plain branch-and-bound tree over these cuts whose leaves are proven by dual multipliers; a record has the cuts that
// leaves rest on. Nothing in it has to be trusted: package verify, which shares no code with it, proves the record. The
// tree uses no presolve, no propagation and no fixing, so all that a leaf rests on is its box, the rows of the master
// and the cuts.
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

// Label says of which instance a record is.
type Label struct{ Family, Name, Hash string }

// Subject is an instance as a recorded run needs it: not conditioned, not reduced, with nothing fixed.
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
	// Doubtful reports whether a cut may stand in a record only where package verify is seen to prove it; nil if none is.
	Doubtful func(c *benders.Cut) bool

	// Certify adds to a cut of the record what proves it.
	Certify func(c *benders.Cut, to *record.Cut)
	// Justify, if not nil, adds to the row of the record that is a row of the master what proves it.
	Justify func(row int, to *record.Row)
	// Recourse returns a recourse solution at a design in the layout of record.Design, nil slices where it is not
	// needed: with inside > 0 one that keeps a distance of that from the sides of inequalities where there is room, or
	// the same again.
	Recourse func(ctx context.Context, y []float64, inside float64) (index []int32, value []float64, err error)
}

// Run solves the subject and returns the result, in the sense of the model that was given, and its record, always that
// of a minimisation. Where the record proves all that the run says, the bound of the result is the one that it proves,
// its objective what the design costs in exact arithmetic, rounded up. Where it falls short, the result is that of the
// run, and the header of the record says what is proven. The record is nil for an unbounded program: there is nothing
// to prove.
func Run(ctx context.Context, s *Subject, o benders.Options) (*benders.Result, *record.Record, error) {
	began := time.Now()
	if len(s.Lower) != s.Problem.Epigraphs {
		return nil, nil, fmt.Errorf("prove: %w: %d lower bounds for %d epigraphs", ErrSubject, len(s.Lower),
			s.Problem.Epigraphs)
	}
	if err := s.check(); err != nil {
		return nil, nil, err
	}
	kept := &keeper{next: o.Recorder, provable: s.Provable}
	for _, list := range [][]benders.Cut{s.Lower, s.Problem.Initial} {
		kept.keep(list)
	}
	o.Recorder = kept
	res, err := benders.BranchAndCut(ctx, s.Problem, s.Separator, o)
	if err != nil {
		return nil, nil, err
	}
	if s.Unbounded && res.Design != nil {
		return unbounded(began), nil, nil
	}
	if o.TimeLimit != math.MaxInt64 { // as much again for the proof
		o.TimeLimit = max(o.TimeLimit-time.Since(began), o.TimeLimit/10)
	}
	pr, err := newProver(s, kept.cuts, res, o)
	if err != nil {
		return nil, nil, err
	}
	if err := pr.run(ctx); err != nil {
		return nil, nil, err
	}
	if s.Unbounded && pr.design != nil { // the run ended at a limit before it came upon one
		return unbounded(began), nil, nil
	}
	rec, err := pr.record(ctx, res)
	if err != nil {
		return nil, nil, err
	}
	res.Nodes, res.Elapsed = res.Nodes+pr.nodes, time.Since(began)
	conclude(res, rec, s.Separator.Source() != benders.FromProxy, o.Gap)
	rec.Header.Run = claim(res, o.Gap)
	if s.Negated {
		res.Objective, res.Bound, res.Terminal = -res.Objective, -res.Bound, -res.Terminal
	}
	return res, rec, nil
}

// claim is the result of a run as its record has it. gap is the one that the run was to close; a run that ends by
// itself may call a design optimal whose gap is larger, and then says so.
func claim(res *benders.Result, gap float64) *record.Claim {
	c := &record.Claim{Status: res.Status.String(), Objective: record.Number(math.Inf(1)),
		Bound: record.Number(res.Bound), Gap: record.Number(gap)}
	if res.Design == nil {
		return c
	}
	c.Objective = record.Number(res.Objective)
	if res.Status == lp.Optimal {
		c.Gap = record.Number(max(gap, res.Gap))
	}
	return c
}

// check makes Provable ask package verify about the cuts that are doubtful.
func (s *Subject) check() error {
	if s.Doubtful == nil {
		return nil
	}
	data, err := json.Marshal(s.Data)
	if err != nil {
		return fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}
	proves, err := verify.Cuts(&record.Record{Header: record.Header{Family: s.Family, Epigraphs: s.Problem.Epigraphs},
		Instance: record.Instance{Hash: s.Hash, Data: data}})
	if err != nil {
		return fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}
	provable := s.Provable
	s.Provable = func(c *benders.Cut) bool {
		if provable != nil && !provable(c) {
			return false
		}
		if !s.Doubtful(c) {
			return true
		}
		stated := s.state(c)
		return proves(&stated) == nil
	}
	return nil
}

// state writes a cut as the record has it.
func (s *Subject) state(c *benders.Cut) record.Cut {
	to := record.Cut{Feasibility: c.Kind == benders.Feasibility, Theta: c.Theta, Alpha: c.Alpha, Index: c.Index,
		Beta: c.Beta}
	if to.Feasibility {
		to.Theta = record.AllEpigraphs
	}
	s.Certify(c, &to)
	return to
}

// unbounded is the result of a program whose relaxation is unbounded and which has a design.
func unbounded(began time.Time) *benders.Result {
	out := benders.Nothing(benders.NoBound)
	out.Elapsed = time.Since(began)
	return out
}

// keeper keeps every cut that a run puts into its master.
type keeper struct {
	cuts     []benders.Cut
	provable func(c *benders.Cut) bool
	next     benders.Recorder
}

// keep keeps those of the cuts that may stand in a record.
func (k *keeper) keep(cuts []benders.Cut) {
	for i := range cuts {
		if !math.IsInf(cuts[i].Alpha, 0) && (k.provable == nil || k.provable(&cuts[i])) {
			k.cuts = append(k.cuts, cuts[i])
		}
	}
}

// Separated implements benders.Recorder.
func (k *keeper) Separated(p benders.Point, s *benders.Separation, violated []benders.Cut) {
	k.keep(violated)
	if k.next != nil {
		k.next.Separated(p, s, violated)
	}
}

// record assembles the record. Its objective is what package verify finds that the design costs.
func (p *prover) record(ctx context.Context, res *benders.Result) (*record.Record, error) {
	data, err := json.Marshal(p.s.Data)
	if err != nil {
		return nil, fmt.Errorf("prove: %w: %w", ErrSubject, err)
	}
	tree, bound := p.proof()
	r := &record.Record{
		Header: record.Header{Schema: record.Schema, Family: p.s.Family, Name: p.s.Name,
			Method: string(p.s.Separator.Source()), Epigraphs: p.s.Problem.Epigraphs,
			Objective: record.Number(math.Inf(1)), Bound: record.Number(bound)},
		Instance: record.Instance{Hash: p.s.Hash, Data: data}, Rows: p.rows, Tree: tree,
	}
	for _, k := range p.rests(r.Tree) {
		r.Cuts = append(r.Cuts, p.s.state(&p.cuts[k]))
	}
	if p.design == nil {
		return r, nil
	}
	res.Design, res.Objective = p.design, p.objective
	r.Design = &record.Design{Y: p.design}
	cost, err := p.exactCost(ctx, r)
	if err != nil {
		return nil, err
	}
	if cost == nil { // feasible to tolerances only: the record proves the bound
		r.Design = nil
		return r, nil
	}
	r.Header.Objective = record.Number(upward(cost))
	return r, nil
}

// rests lists the cuts that the leaves rest on, and the lower bounds of the epigraphs, and gives those of the leaves
// their numbers in this list.
func (p *prover) rests(tree []record.Node) (list []int) {
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

// exactCost fills in a recourse solution of the design from which package verify finds an exact one, and returns its
// cost; nil if there is none. Solutions farther inside are tried where rounding breaks a side.
func (p *prover) exactCost(ctx context.Context, r *record.Record) (*big.Rat, error) {
	for _, inside := range []float64{0, 1e-9, 1e-7, 1e-6} {
		var err error
		if r.Design.Index, r.Design.Value, err = p.s.Recourse(ctx, p.design, inside); err != nil {
			return nil, err
		}
		cost, err := verify.Price(r)
		if err == nil {
			return cost, nil
		}
	}
	return nil, nil
}

// upward rounds a rational up.
func upward(r *big.Rat) float64 {
	v, _ := r.Float64()
	if new(big.Rat).SetFloat64(v).Cmp(r) < 0 {
		v = math.Nextafter(v, math.Inf(1))
	}
	return v
}
