package decompose

import (
	"context"
	"fmt"
	"time"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/prove"
	"github.com/proxybd/proxybd/record"
)

// Record solves a program by one tree over a master and keeps what proves the result, so that package verify can do so
// again: the program is as it is, not conditioned or reduced, and the bound is the one that the record proves.
func Record(ctx context.Context, p *Program, o Options, label prove.Label) (*benders.Result, *record.Record, error) {
	// Both judge the options: whether such a run has a record, and whether there is such a run.
	if err := recordable(p, &o); err != nil {
		return nil, nil, err
	}
	if err := o.validate(p); err != nil {
		return nil, nil, err
	}

	// The cuts of the run are its evidence, so that they keep their certificates.
	o.Certified = true
	if p.Recourse.Begin != nil {
		p.Recourse.Begin(&o)
	}

	// What comes before the master may give a design, whose cost bounds the tree; its fixings are not used, for the
	// record would have to prove them.
	r := &run{
		p:      p,
		o:      o,
		method: p.method(o.Method),
		sign:   1,
		began:  time.Now(),
		start:  NoStart(),
	}
	b := budget{o.Benders, r.began}
	if (p.Preparation.ForFull || p.Record.Prepare) && b.Heuristic {
		if err := r.prepare(ctx, &b); err != nil {
			return nil, nil, err
		}
	}

	// The subject is what is to be proven: problem, separator and data.
	s, err := p.Record.Subject(ctx, p.sum(r.method, &o))
	if err != nil {
		return nil, nil, err
	}
	if r.start.Design != nil {
		s.Problem.Starts = [][]float64{r.start.Design}
	}
	s.Negated = p.Model.Maximize

	// The hash is that of the data, where the subject has another layout than the label.
	if s.Hash != "" {
		label.Hash = s.Hash
	}
	s.Label = label

	// A subject may have data and a separator of its own.
	if s.Data == nil {
		s.Data = p.Record.Data()
	}
	if s.Separator == nil {
		if s.Separator, err = p.separator(r.method, &o); err != nil {
			return nil, nil, err
		}
	}

	// The proven run has the time that is left.
	b.use(0)
	out, rec, err := prove.Run(ctx, s, b.Options)
	if err != nil {
		return nil, nil, err
	}
	return out, rec, admit(p, out)
}

// recordable returns an error for runs that cannot be recorded: those without cuts, and those by other drivers than the
// tree.
func recordable(p *Program, o *Options) error {
	switch {
	case p.Record.Subject == nil:
		return fmt.Errorf("decompose: %w: runs of this program cannot be recorded", ErrUnsupported)
	case !o.Method.HasCuts():
		return fmt.Errorf("decompose: %w: runs by the method %s cannot be recorded, since they have no cuts", ErrUnsupported,
			o.Method)
	case o.Scheme != Auto && o.Scheme != BBC:
		return fmt.Errorf("decompose: %w: runs by the scheme %s cannot be recorded: it is auto or bbc", ErrUnsupported,
			o.Scheme)
	}
	return nil
}
