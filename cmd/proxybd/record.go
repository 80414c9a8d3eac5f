package main

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/record"
)

// checkRecord says what a recorded run cannot be.
func checkRecord(s *decompose.Options) error {
	switch {
	case s.Method == decompose.Full:
		return badInput(fmt.Errorf("--record goes with a decomposition, not with --method %s", s.Method))
	case s.Scheme != decompose.Auto && s.Scheme != decompose.BBC:
		return badInput(fmt.Errorf("--record goes with --scheme %s, not %s", decompose.BBC, s.Scheme))
	}
	return nil
}

// recorded solves an instance, records the run and writes the record to a file. Where that fails there is a result all the same.
func recorded(ctx context.Context, in families.Instance, s decompose.Options, path string, log *solverLog) (*benders.Result, error) {
	if err := checkRecord(&s); err != nil {
		return nil, err
	}
	res, rec, err := families.Record(ctx, in, s)
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
		return res, plainError(path, err)
	}
	return res, nil
}
