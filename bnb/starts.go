package bnb

import (
	"context"
	"math"
)

// startNodes is the limit of nodes of the sub-MIP that completes a partial start. Chosen by hand.
const startNodes = 500

// tryStarts offers Options.Start, in the order given.
func (s *search) tryStarts(ctx context.Context) error {
	if len(s.opt.Start) == 0 {
		return nil
	}
	defer s.clock.leave(s.clock.enter(PartStarts))

	// A full start is offered as it is, a partial one is completed by a search for the open columns.
	for _, x := range s.opt.Start {
		if s.limits.poll(ctx, s) {
			return nil
		}
		var err error
		if s.p.partial(x) {
			err = s.completeStart(ctx, x)
		} else {
			_, err = s.offer(ctx, x, FromStart, startRepairs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// completeStart fixes the integer columns that the start gives and searches the rest for a while.
func (s *search) completeStart(ctx context.Context, x []float64) error {
	m := s.p.m.Clone()
	for _, j := range s.p.ints {
		// Open columns keep their bounds; a value outside the bounds makes the start useless.
		if math.IsNaN(x[j]) {
			continue
		}
		v := math.Round(x[j])
		if v < s.p.lower[j] || v > s.p.upper[j] {
			return nil
		}
		setBounds(m, j, v, v)
	}
	opt := s.subOptions()
	opt.MaxNodes = startNodes
	_, err := s.searchSub(ctx, m, opt, FromStart)
	return err
}
