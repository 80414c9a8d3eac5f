package cli

import (
	"context"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"
)

// lpHandler turns the records of the simplex log into rows of iteration, objective, infeasibilities and time; a record
// without an iteration becomes a line of text.
type lpHandler struct {
	t *table

	// The clock of records that have no time of their own.
	began time.Time

	// The attributes of With, which belong to every record.
	attrs []slog.Attr
}

// newLPTable returns the table of an LP's log. That of the interior point method has a bound at each iteration, and the
// mean product of the complementary pairs.
func newLPTable(l *solverLog, interior bool) *table {
	if interior {
		return &table{log: l, headings: []heading{{"iter", 6}, {"objective", 15}, {"bound", 15}, {"primal inf", 10},
			{"dual inf", 9}, {"time", 7}, {"mu", 9}}}
	}
	return &table{log: l, headings: []heading{{"iteration", 9}, {"objective", 16}, {"bound", 16}, {"primal inf", 11},
		{"dual inf", 11}, {"time", 8}}}
}

// newLPLogger returns a logger for simplex.Options.Log. began is the start of the clock for records without a time.
func newLPLogger(t *table, began time.Time) *slog.Logger {
	return slog.New(&lpHandler{began: began, t: t})
}

// lpEnd writes the last row, which alone has the bound.
func (r *lpReport) lpEnd(t *table) {
	// A residual that is not known is shown as the other cells of the last row that say nothing.
	show := func(v number) string {
		if math.IsNaN(float64(v)) {
			return unknown
		}
		return showInfeasibility(float64(v))
	}
	t.row("", strconv.Itoa(r.Iterations), showValue(float64(r.Objective)), showValue(float64(r.Bound)), show(r.PrimalInf),
		show(r.DualInf), t.clock(), "")
}

// Enabled leaves out debugging records.
func (h *lpHandler) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// WithGroup ignores groups: the simplex has none.
func (h *lpHandler) WithGroup(string) slog.Handler { return h }

// WithAttrs keeps attributes for every record.
func (h *lpHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	// The handler is copied, since the one without the attributes may be in use.
	c := *h
	c.attrs = append(append([]slog.Attr(nil), h.attrs...), attrs...)
	return &c
}

// Handle writes a record.
func (h *lpHandler) Handle(_ context.Context, r slog.Record) error {
	// The attributes of the handler come before those of the record.
	attrs := append([]slog.Attr(nil), h.attrs...)
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})

	// A record about an iteration has its number; all others are lines of text.
	iteration, ok := find(attrs, "iter")
	if !ok {
		h.text(r.Message, attrs)
		return nil
	}

	// A record says itself how long the solve has taken. The clock of the command is for those that do not.
	elapsed := time.Since(h.began)
	if v, ok := find(attrs, "elapsed", "time"); ok && v.Kind() == slog.KindDuration {
		elapsed = v.Duration()
	}
	// Iterations of the simplex method have no bound of their own.
	bound := ""
	if _, ok := find(attrs, "bound"); ok {
		bound = showAttr(attrs, showValue, "bound")
	}
	h.t.row("",
		iteration.String(),
		showAttr(attrs, showValue, "objective"),
		bound,
		showAttr(attrs, showInfeasibility, "primal"),
		showAttr(attrs, showInfeasibility, "dual"),
		showTime(elapsed),
		showAttr(attrs, showInfeasibility, "mu"))
	return nil
}

// text writes a record without an iteration: its message and attributes.
func (h *lpHandler) text(message string, attrs []slog.Attr) {
	var b strings.Builder
	b.WriteString(message)
	// Attributes follow the message in their order.
	for _, a := range attrs {
		b.WriteString(" " + a.Key + "=" + a.Value.String())
	}
	h.t.log.printf("%s", b.String())
}

// find returns the first attribute whose key begins with one of the words.
func find(attrs []slog.Attr, words ...string) (slog.Value, bool) {
	// The words are tried in order, so that the first one is preferred.
	for _, word := range words {
		for _, a := range attrs {
			// Keys may go on after the word, such as "objective_value".
			if strings.HasPrefix(strings.ToLower(a.Key), word) {
				return a.Value.Resolve(), true
			}
		}
	}
	return slog.Value{}, false
}

// showAttr shows a number among the attributes, -- where there is none.
func showAttr(attrs []slog.Attr, show func(float64) string, word string) string {
	// A count is shown as the number that it is.
	v, ok := find(attrs, word)
	switch {
	case ok && v.Kind() == slog.KindFloat64:
		return show(v.Float64())
	case ok && v.Kind() == slog.KindInt64:
		return show(float64(v.Int64()))
	}
	return show(math.NaN())
}

// showInfeasibility shows the size of a violation in three digits, -- where it is not known.
func showInfeasibility(v float64) string {
	switch {
	case math.IsNaN(v):
		// The same sign stands for an objective that is not known.
		return "--"
	case v == 0:
		return "0"
	}
	return strconv.FormatFloat(v, 'e', 2, 64)
}
