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
	if err != nil {
		return nil, err
	}
	c := &claims{number(objective), number(bound), number(math.NaN())}
	if !math.IsInf(objective, 0) && !math.IsInf(bound, 0) {
		c.Gap = number(lp.RelativeGap(objective, bound))
	}
	return c, nil
}

// text is what is claimed, on one line.
func (c *claims) text() string {
	text := "no design"
	if !math.IsInf(float64(c.Objective), 0) {
		text = "objective " + showExact(float64(c.Objective))
	}
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
	if r.Design == nil && r.Status == lp.Infeasible && math.IsInf(r.Bound, 0) && float64(c.Bound) == r.Bound {
		text = "that no design is feasible"
	}
	if float64(c.Bound) != r.Bound || r.Design != nil && math.IsInf(float64(c.Objective), 0) {
		text += ": less than the run says"
	}
	return item{"proven", text}
}

// checkRecord says what a recorded run cannot be.
func checkRecord(s *decompose.Options) error {
	switch {
	case s.Method == decompose.Full || s.Method == decompose.Started:
		return badInput(fmt.Errorf("--record goes with a decomposition, not with --method %s", s.Method))
	case s.Scheme != decompose.Auto && s.Scheme != decompose.BBC:
		return badInput(fmt.Errorf("--record goes with --scheme %s, not %s", decompose.BBC, s.Scheme))
	}
	return nil
}

// recorded solves an instance, records the run, writes the record to a file and says what it proves. Where that fails
// there is a result all the same.
func (a *app) recorded(ctx context.Context, in families.Instance, s decompose.Options, path string,
	log *solverLog) (*benders.Result, *claims, error) {
	if err := checkRecord(&s); err != nil {
		return nil, nil, err
	}
	res, rec, err := pipeline.Record(ctx, in, s)
	if err != nil {
		return nil, nil, err
	}
	if rec == nil {
		log.printf("%s: not written, the program is unbounded and that is not proven by cuts", path)
		return res, nil, nil
	}
	proven, err := claimed(rec)
	if err != nil {
		return res, nil, err
	}
	if rec.Design == nil && res.Design != nil {
		log.printf("%s: the design is feasible to tolerances, not exactly: the record proves the bound alone", path)
	}
	log.printf("%s: %d cuts and a proof tree of %d nodes", path, len(rec.Cuts), len(rec.Tree))
	if err := a.writeFile(path, func(w io.Writer) error { return record.Encode(w, rec) }); err != nil {
		return res, proven, err
	}
	return res, proven, nil
}
