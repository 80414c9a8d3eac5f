package main

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/record"
)

// recorded returns the function that solves an instance, records the run and writes the record to a file.
func recorded(in families.Instance, s families.SolveOptions, path string, log *solverLog) (func(context.Context, families.SolveOptions) (*benders.Result, error), error) {
	r, ok := in.(families.Recordable)
	switch {
	case !ok:
		return nil, badInput(fmt.Errorf("--record: runs of the family %s cannot be recorded", in.Family()))
	case s.Method == families.Full:
		return nil, badInput(fmt.Errorf("--record goes with a decomposition, not with --method %s", s.Method))
	case s.Scheme != families.Auto && s.Scheme != families.BBC:
		return nil, badInput(fmt.Errorf("--record goes with --scheme %s, not %s", families.BBC, s.Scheme))
	}
	return func(ctx context.Context, o families.SolveOptions) (*benders.Result, error) {
		subject, err := r.Subject(ctx, o)
		if err != nil {
			return nil, err
		}
		res, rec, err := prove.Run(ctx, subject, o.Benders)
		if err != nil {
			return nil, err
		}
		if rec == nil {
			log.printf("%s: not written, the program is unbounded and that is not proven by cuts", path)
			return res, nil
		}
		if rec.Design == nil && res.Design != nil {
			log.printf("%s: the design is feasible to tolerances, not exactly: the record proves the bound alone", path)
		}
		log.printf("%s: %d cuts and a proof tree of %d nodes", path, len(rec.Cuts), len(rec.Tree))
		if err := record.Write(path, rec); err != nil {
			return res, plainError(path, err) // the run is whole, its record is not
		}
		return res, nil
	}, nil
}
