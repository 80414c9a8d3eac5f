package families

import (
	"fmt"
	"time"

	"github.com/proxybd/proxybd/benders"
)

// Logf writes a line for people, if somebody listens.
func (o *SolveOptions) Logf(format string, args ...any) {
	if o.Log != nil {
		o.Log(fmt.Sprintf(format, args...))
	}
}

// LogStart says with which design and bound the run begins, and after what time.
func (o *SolveOptions) LogStart(cost, bound float64, elapsed time.Duration) {
	o.Logf("start: a design of cost %.9g, bound %.9g, %.1fs", cost, bound, elapsed.Seconds())
}

// LogFixing says how many of n columns are settled; what names them.
func (o *SolveOptions) LogFixing(closed, opened, n int, what string) {
	if closed+opened > 0 {
		o.Logf("%d of %d %s are settled: %d closed, %d open", closed+opened, n, what, closed, opened)
	}
}

// LogPhase says how a phase of a hybrid run ended.
func (o *SolveOptions) LogPhase(p benders.Phase) {
	cuts := p.Cuts.Optimality + p.Cuts.Feasibility + p.Cuts.User
	o.Logf("%s phase: %v after %d nodes, %d cuts, %.2fs: a design of cost %.9g, bound %.9g", p.Name, p.Status, p.Nodes, cuts,
		p.Elapsed.Seconds(), p.Objective, p.Bound)
}
