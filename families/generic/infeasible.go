package generic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/proxybd/proxybd/iis"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// maxSides is how many rows and bounds of an infeasible subsystem a sentence names, and subsystemTime how long one is
// looked for: the reason of an answer must not take longer than the answer.
const (
	maxSides      = 8
	subsystemTime = 5 * time.Second
)

// Infeasibility implements families.Diagnosed: it names rows and bounds of the model that exclude each other.
func (in *Plain) Infeasibility(ctx context.Context) (string, error) { return exclusion(ctx, in.model) }

// Infeasibility implements families.Diagnosed: it names a scenario that has no solution by itself, with its rows and
// bounds that exclude each other.
func (in *Scenarios) Infeasibility(ctx context.Context) (string, error) {
	p := in.Stochastic()
	for s := range p.Scenarios {
		m, err := p.Model(s)
		if err != nil {
			return "", err
		}

		// A scenario whose linear relaxation has a solution is left out: proving more may take as long as the run.
		solution, err := simplex.Solve(ctx, m, simplex.DefaultOptions())
		if err != nil {
			return "", err
		}
		if solution.Status != lp.Infeasible {
			continue
		}
		reason, err := exclusion(ctx, m)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("scenario %s alone: %s", p.ScenarioName(s), reason), nil
	}
	return "", nil
}

// exclusion names the rows and bounds of an irreducible infeasible subsystem of a model; it is empty where none is
// found in time.
func exclusion(ctx context.Context, m *lp.Model) (string, error) {
	o := iis.DefaultOptions()
	o.Time = subsystemTime
	set, err := iis.Find(ctx, m, o)
	for _, none := range []error{iis.ErrFeasible, iis.ErrUnknown, iis.ErrUnsupported} {
		if errors.Is(err, none) {
			return "", nil
		}
	}
	if err != nil {
		return "", err
	}

	// Both sides of a row, and both bounds of a column, are named once; rows come first.
	var names []string
	for k, s := range set.Sides {
		if k > 0 && set.Sides[k-1].Row == s.Row && set.Sides[k-1].Index == s.Index {
			continue
		}
		if s.Row {
			names = append(names, "row "+m.RowName(lp.Con(s.Index)))
		} else {
			names = append(names, "bound of "+m.ColName(lp.Var(s.Index)))
		}
	}
	more := ""
	if len(names) > maxSides {
		more = fmt.Sprintf(" and %d more", len(names)-maxSides)
		names = names[:maxSides]
	}
	if len(names) == 1 {
		return "no point satisfies " + names[0], nil
	}
	return "these exclude each other: " + strings.Join(names, ", ") + more, nil
}
