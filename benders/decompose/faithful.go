package decompose

import (
	"fmt"

	"github.com/proxybd/proxybd/benders"
)

// Faithful is how a program is run as in the paper: what differs from the program's own best. Such a run has no
// heuristic, no starting design and no fixing, and no run with proxy cuts alone stops by a rule of its own.
type Faithful struct {
	Program *Program                           // with the paper's master and no more
	Scheme  Scheme                             // BBC or Outer
	Set     func(m Method, o *benders.Options) // sets the paper's options of the driver
}

// faithful replaces the program and the options of a run by the scheme Paper or Classic.
func faithful(p *Program, o Options) (*Program, Options, error) {
	if o.Scheme != Paper && o.Scheme != Classic {
		return p, o, nil
	}
	// A family that is not in the paper has no such run.
	var f *Faithful
	if p.Model.Paper != nil {
		f = p.Model.Paper(o.Scheme)
	}
	switch {
	case f == nil:
		return nil, o, fmt.Errorf("decompose: %w: scheme %q: the paper has none", ErrUnsupported, o.Scheme)
	case o.Method == Full || o.Method == Started:
		return nil, o, fmt.Errorf("decompose: %w: the scheme %s goes with a master, not with the method %s",
			ErrUnsupported, o.Scheme, o.Method)
	}

	// StallGiven keeps the program from setting a rule of its own.
	o.Scheme, o.StallGiven = f.Scheme, true
	o.Benders.Heuristic = false
	f.Set(o.Method, &o.Benders)

	// The copy has nothing that comes before a master, and no limits of runs by predictions.
	own := *f.Program
	own.Preparation = Preparation{}
	own.Proxy.Rounds, own.Proxy.Stall = 0, nil
	return &own, o, nil
}
