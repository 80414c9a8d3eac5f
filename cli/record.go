package cli

import (
	"context"
	"fmt"
	"io"
	"math"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/record"
)

// claims are what a record proves, in the sense of the instance: what the design costs at most, and the bound.
type claims struct {
	Objective number `json:"objective"`
	Bound     number `json:"bound"`
	Gap       number `json:"gap"`
}

// claimed reads the claims of a record.
func claimed(rec *record.Record) (*claims, error) {
	objective, bound, err := rec.Claims()
	// A record whose claims are no numbers is bad input.
	if err != nil {
		return nil, err
	}

	// Infinite values are null in the object, and stand for a design or a bound that is missing.
	c := &claims{number(objective), number(bound), number(math.NaN())}
	// The gap is null where one of the two is missing.
	if !math.IsInf(objective, 0) && !math.IsInf(bound, 0) {
		c.Gap = number(lp.RelativeGap(objective, bound))
	}
	return c, nil
}

// text is what is claimed, on one line.
func (c *claims) text() string {
	text := "no design"
	// An infinite objective stands for no design.
	if !math.IsInf(float64(c.Objective), 0) {
		text = "objective " + showExact(float64(c.Objective))
	}

	// An infinite bound stands for no bound.
	if math.IsInf(float64(c.Bound), 0) {
		text += ", no bound"
	} else {
		text += ", bound " + showExact(float64(c.Bound))
	}
	if g := float64(c.Gap); !math.IsNaN(g) {
		text += ", gap " + showGap(g)
	}
	return text
}

// item is the line of the summary. A record that falls short of the run says so.
func (c *claims) item(r *benders.Result) item {
	text := c.text()
	// Such a run has proven that there is no design, and its record proves the same.
	infeasible := r.Design == nil && r.Status == lp.Infeasible && math.IsInf(r.Bound, 0)
	if infeasible && float64(c.Bound) == r.Bound {
		text = "that no design is feasible"
	}

	// Rounding, or a design that is feasible only within tolerances, may cost the record a part of the claim.
	if float64(c.Bound) != r.Bound || r.Design != nil && math.IsInf(float64(c.Objective), 0) {
		text += ": less than the run says"
	}
	return item{"proven", text}
}

// checkRecord reports methods and schemes that a run cannot be recorded with.
func checkRecord(s *decompose.Options) error {
	// A record needs the cuts of a master, and proves them by a plain tree.
	switch {
	case !s.Method.HasCuts():
		return badInput(fmt.Errorf("--record goes with a decomposition, not with --method %s", s.Method))
	case s.Scheme != decompose.Auto && s.Scheme != decompose.BBC:
		return badInput(fmt.Errorf("--record goes with --scheme %s, not %s", decompose.BBC, s.Scheme))
	}
	return nil
}

// recorded solves an instance, writes the record of the run to a file and returns what the record proves. Where the
// record fails the result is returned with the error.
func (a *app) recorded(ctx context.Context, in families.Instance, s decompose.Options, path string) (
	*benders.Result, *claims, error) {
	// What cannot be recorded is reported before anything is solved.
	if err := checkRecord(&s); err != nil {
		return nil, nil, err
	}

	// The proof follows the run, and takes about as long as the run.
	res, rec, err := pipeline.Record(ctx, in, s)
	if err != nil {
		return nil, nil, err
	}

	if rec == nil {
		a.log.printf("%s: not written, the program is unbounded and that is not proven by cuts", path)
		return res, nil, nil
	}

	// The record may prove less than the run found: a design is proven in exact arithmetic.
	proven, err := claimed(rec)
	if err != nil {
		return res, nil, err
	}
	if rec.Design == nil && res.Design != nil {
		a.log.printf("%s: the design is feasible to tolerances, not exactly: the record proves the bound alone", path)
	}

	a.log.printf("%s: %d cuts and a proof tree of %d nodes", path, len(rec.Cuts), len(rec.Tree))
	return res, proven, a.writeFile(path, func(w io.Writer) error { return record.Write(w, rec) })
}
