// Package verify proves recorded runs (package record) in exact arithmetic. It shares no code with the solvers: it
// reads the instance from the record, derives from each certificate the strongest cut that follows from it, and
// proves the design's cost, every cut, and the bound of every leaf of the proof tree, whose splits cover all designs
// by construction. "Exact" means over the float64 data of the record.
package verify

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/errname"
	"github.com/proxybd/proxybd/record"
)

// ErrProof is wrapped by every error that says that something in a record is not proven.
var ErrProof = errors.New("not proven")

// Report is what was proven.
type Report struct {
	// The hash of the program, computed from it.
	Hash string

	// Rows of the master, cuts of both kinds, and leaves of the tree.
	Rows, Optimality, Feasibility int
	Leaves                        int

	// What the design costs in exact arithmetic, rounded up; +Inf without one.
	Objective float64

	// The least bound of the leaves, rounded down; +Inf if none of them holds a design.
	Bound float64

	// Objective and bound are of the negative of the program that the record was made from.
	Maximize bool
}

// stage holds the columns of the first stage.
type stage struct {
	offset       float64 // a constant of the objective
	cost         []float64
	lower, upper []float64
	integer      []bool
}

// problem is an instance of a family for the checker.
type problem interface {
	// first returns the columns of the first stage.
	first() *stage
	// epigraphs is the number of variables for the cost of the recourse.
	epigraphs() int
	// hash is the hash of the content.
	hash() string
	// checkRow proves that every feasible design satisfies the row.
	checkRow(r *record.Row) error
	// checkCut proves that the cut follows from its certificate.
	checkCut(c *record.Cut) error
	// price returns the exact cost of a design, first stage included, with the help of a recourse solution in floats.
	price(ctx context.Context, d *record.Design) (*big.Rat, error)
}

// openers make the problem of a family whose records have a layout of their own; those of all other families are of
// models.
var openers = map[string]func(*record.Record) (problem, error){
	"ufl":    openFacilities,
	"cap":    openFacilities,
	"mcndp":  orModel(openNetwork),
	"netdes": orModel(openScenarios),
}

// open makes the problem of a record.
func open(r *record.Record) (problem, error) {
	if own, ok := openers[r.Header.Family]; ok {
		return own(r)
	}
	return openModel(r)
}

// orModel is for a family whose records may be of models too, as those of mcndp with scenarios and older ones of netdes
// are: of deterministic equivalents. Where the data is of neither layout, the error is about that of the family.
func orModel(own func(*record.Record) (problem, error)) func(*record.Record) (problem, error) {
	return func(r *record.Record) (problem, error) {
		p, err := own(r)
		// An error other than one of the format is about data that was read in the family's layout.
		if !errors.Is(err, record.ErrFormat) {
			return p, err
		}
		var m record.Model
		if r.Instance.Decode(&m) != nil {
			return nil, err
		}
		return openModel(r)
	}
}

// Verify proves a record, and that the run claims no more than is proven: else the error wraps ErrClaim, and the report
// is complete. Other errors name the first thing that fails, and its line in the file. An error that does not wrap
// ErrProof says that the record is not of the format (record.ErrFormat) or that the context was cancelled. progress, if
// not nil, is called with what is done.
func Verify(ctx context.Context, r *record.Record, progress func(what string, done, total int)) (Report, error) {
	if progress == nil {
		progress = func(string, int, int) {}
	}

	// Nothing is proven yet: no objective is below, and no bound above these.
	c := &checker{r: r, report: Report{Objective: math.Inf(1), Bound: math.Inf(-1)}}
	// The order is that of what rests on what: cuts on the instance, the tree on cuts, the claim on all.
	for _, step := range []func(context.Context, func(string, int, int)) error{c.open, c.rows, c.cuts, c.bound,
		c.objective, c.claim} {
		if err := step(ctx, progress); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}

// checker is the proof of a record.
type checker struct {
	r      *record.Record
	p      problem
	stage  *stage
	report Report

	// Proven lower bounds on the epigraphs, nil where there is none.
	theta []*num
}

// Lines of a record.
func (c *checker) rowLine(k int) int  { return 3 + k }
func (c *checker) cutLine(k int) int  { return c.rowLine(len(c.r.Rows)) + k }
func (c *checker) nodeLine(k int) int { return c.cutLine(len(c.r.Cuts)) + k }

// errLengths is the error of lists that do not belong to one instance.
var errLengths = errors.New("lengths that do not fit")

// unreadable is the error of an instance that is not of the format.
func unreadable(err error) error {
	return fmt.Errorf("verify: line 2: %w", errname.Without(err, "record"))
}

// unboundedError is the error of a column without a bound on the side where its reduced cost decreases.
func unboundedError(j int, reduced *num) error {
	return fmt.Errorf("column %d has the reduced cost %g and no bound on that side", j, reduced.float())
}

// failure is the error of something at a line that is not proven.
func failure(line int, format string, args ...any) error {
	return fmt.Errorf("verify: line %d: %w: %s", line, ErrProof, fmt.Sprintf(format, args...))
}

// open reads the instance.
func (c *checker) open(context.Context, func(string, int, int)) error {
	// The name of a family is shown in messages, and so must be one.
	if strings.Trim(c.r.Header.Family, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return failure(1, "family %.20q is no name", c.r.Header.Family)
	}
	p, err := open(c.r)
	switch {
	case errors.Is(err, record.ErrFormat):
		return unreadable(err)
	case err != nil:
		return failure(2, "the instance: %v", err)
	}

	// The header must be the one of this instance.
	if h := p.hash(); h != c.r.Instance.Hash {
		return failure(2, "the hash of the instance is %s, not %.64q", h, c.r.Instance.Hash)
	}
	if e := p.epigraphs(); e != c.r.Header.Epigraphs {
		return failure(1, "%d epigraphs, not %d", c.r.Header.Epigraphs, e)
	}

	// The hash of the record is that of its data.
	c.report.Hash = c.r.Instance.Hash
	if m, ok := p.(*model); ok {
		c.report.Maximize = m.Maximize
	}
	c.p = p
	c.stage = p.first()
	c.theta = make([]*num, p.epigraphs())
	return nil
}

// rows proves the rows of the master.
func (c *checker) rows(ctx context.Context, progress func(string, int, int)) error {
	for k := range c.r.Rows {
		row := &c.r.Rows[k]
		// An infinite side would make products with zero multipliers NaN.
		if !finite(row.Lower) {
			return failure(c.rowLine(k), "row %d: the side %g", k, row.Lower)
		}
		if err := sparseVector(row.Index, row.Value, len(c.stage.cost)); err != nil {
			return failure(c.rowLine(k), "row %d: %v", k, err)
		}

		// The row must hold for every feasible design of the instance.
		if err := c.p.checkRow(row); err != nil {
			return failure(c.rowLine(k), "row %d: %v", k, err)
		}
		c.report.Rows++
	}
	return ctx.Err()
}

// cuts proves the cuts, and counts them by their kind.
func (c *checker) cuts(ctx context.Context, progress func(string, int, int)) error {
	for k := range c.r.Cuts {
		cut := &c.r.Cuts[k]
		if err := c.cut(cut); err != nil {
			return failure(c.cutLine(k), "cut %d: %v", k, err)
		}
		if cut.Feasibility {
			c.report.Feasibility++
		} else {
			c.report.Optimality++
			// A cut without slopes bounds its epigraph, which the leaves of the tree use.
			c.constant(cut)
		}
		progress("cuts", k+1, len(c.r.Cuts))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// cut proves one cut.
func (c *checker) cut(cut *record.Cut) error {
	// The index refers to columns of the first stage.
	if err := sparseVector(cut.Index, cut.Beta, len(c.stage.cost)); err != nil {
		return err
	}
	if !finite(cut.Alpha) || !finite(cut.Certificate...) {
		return errors.New("a number that is not finite")
	}

	// Only cuts of models have slopes that no float64 is, and trees as proofs.
	if _, ok := c.p.(*model); !ok && len(cut.Slopes) > 0 {
		return errors.New("slopes as fractions")
	} else if !ok && len(cut.Proof)+len(cut.Box) > 0 {
		return errors.New("a tree as a proof")
	}

	// A certificate proves a cut for all designs.
	if len(cut.Box) > 0 && len(cut.Proof) == 0 {
		return errors.New("a box without a tree")
	}
	if cut.Theta < record.AllEpigraphs || cut.Theta >= c.p.epigraphs() {
		return fmt.Errorf("there is no epigraph %d", cut.Theta)
	}
	return c.p.checkCut(cut)
}

// constant takes a cut without slopes as a lower bound on its epigraph.
func (c *checker) constant(cut *record.Cut) {
	e := cut.Theta
	// With one epigraph, the sum of all is the same as the first one.
	if e == record.AllEpigraphs && len(c.theta) == 1 {
		e = 0
	}

	// A cut on the sum of several epigraphs bounds none of them alone, and one of a box only the designs there.
	sloped := len(cut.Slopes) > 0 || slices.ContainsFunc(cut.Beta, func(b float64) bool { return b != 0 })
	if e < 0 || sloped || len(cut.Box) > 0 {
		return
	}

	// Of several such cuts the largest counts.
	if v, old := of(cut.Alpha), c.theta[e]; old == nil || v.cmp(old) > 0 {
		c.theta[e] = v
	}
}

// objective prices the design.
func (c *checker) objective(ctx context.Context, _ func(string, int, int)) error {
	claim := float64(c.r.Header.Objective)
	// A record without a design may claim no objective.
	if c.r.Design == nil {
		if !math.IsInf(claim, 1) {
			return failure(1, "an objective of %g without a design", claim)
		}
		return nil
	}

	line := c.nodeLine(len(c.r.Tree))
	// The design must be one of the first stage before its recourse is priced.
	if err := c.design(c.r.Design); err != nil {
		return failure(line, "the design: %v", err)
	}
	cost, err := c.p.price(ctx, c.r.Design)
	// An end of the context comes before what it has caused.
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return failure(line, "the design: %v", err)
	}

	// The claim is a float64, the cost a rational.
	c.report.Objective = roundUp(cost)
	if !finite(claim) || cost.Cmp(exactly(claim)) > 0 {
		return failure(line, "the design costs %.17g, more than the objective %.17g", c.report.Objective, claim)
	}
	return nil
}

// design checks lengths, bounds and integrality.
func (c *checker) design(d *record.Design) error {
	s := c.stage
	if len(d.Y) != len(s.cost) {
		return fmt.Errorf("%d values for %d columns", len(d.Y), len(s.cost))
	}

	// NaN fails both comparisons with the bounds.
	for j, v := range d.Y {
		inside := v >= s.lower[j] && v <= s.upper[j]
		integral := !s.integer[j] || v == math.Trunc(v)
		if !finite(v) || !inside || !integral {
			return fmt.Errorf("column %d has the value %g", j, v)
		}
	}
	return nil
}

// sparseVector checks indices (each once, inside) and values (finite).
func sparseVector(index []int32, value []float64, n int) error {
	if len(index) != len(value) {
		return fmt.Errorf("%d indices but %d values", len(index), len(value))
	}

	// An index occurs once, so that each entry of the vector has one value.
	seen := make(map[int32]bool, len(index))
	for k, j := range index {
		inside := j >= 0 && int(j) < n
		if !inside || seen[j] || !finite(value[k]) {
			return fmt.Errorf("value %g at index %d", value[k], j)
		}
		seen[j] = true
	}
	return nil
}

// roundUp returns the least float64 that is not below r.
func roundUp(r *big.Rat) float64 {
	// The nearest float64 is at most one step away from the one to return.
	v, _ := r.Float64()
	switch {
	case math.IsInf(v, -1):
		// A rational below all float64 is rounded up to the least of them.
		return -math.MaxFloat64
	case !math.IsInf(v, 1) && exactly(v).Cmp(r) < 0:
		return math.Nextafter(v, math.Inf(1))
	}
	return v
}

// roundDown returns the largest float64 that is not above r, and no negative zero.
func roundDown(r *big.Rat) float64 { return 0 - roundUp(new(big.Rat).Neg(r)) }

// Price returns the exact cost of a record's design: what its Objective may claim.
func Price(r *record.Record) (*big.Rat, error) {
	if r.Design == nil {
		return nil, errors.New("verify: there is no design")
	}

	// Only the instance is opened: nothing else of the record is proven.
	c := &checker{r: r}
	ctx := context.Background()
	if err := c.open(ctx, nil); err != nil {
		return nil, err
	}
	err := c.design(r.Design)
	if err == nil {
		var cost *big.Rat
		if cost, err = c.p.price(ctx, r.Design); err == nil {
			return cost, nil
		}
	}
	return nil, fmt.Errorf("verify: the design: %w", err)
}

// Cuts returns what proves single cuts about the instance of a record.
func Cuts(r *record.Record) (func(*record.Cut) error, error) {
	c := &checker{r: r}
	// The cuts may be of any source, and are about the instance of the record alone.
	if err := c.open(context.Background(), nil); err != nil {
		return nil, err
	}
	return c.cut, nil
}
