package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/proxybd/proxybd/benders"
)

// Shares are mean certified shares over bases: of the predictions of the network alone, and of those that a run
// improves by other means. They differ where a view is Bare.
type Shares struct{ Alone, Run float64 }

// Lead is by how much a network's share in runs exceeds a control's: the mean over the bases, and the lower limit of
// its 95 % confidence interval by Student's t, NaN of fewer than two bases.
type Lead struct{ Mean, Low float64 }

// Rival is a control that reuses multipliers, and the network's lead over it.
type Rival struct {
	Control
	Shares
	Over Lead
}

// Score compares a network with its controls at states of bases that are not in the training data. For a single program
// with scenarios every design is a base, since its scenarios are many.
type Score struct {
	Bases                 int
	Designs               bool // the bases are designs of one program
	Trained, Zero, Random Shares
	OverZero, OverRandom  Lead
	Reused                []Rival // in programs with scenarios
}

// Helps reports whether the network beats all controls: all lower limits are above 0.
func (s *Score) Helps() bool {
	helps := s.OverZero.Low > 0 && s.OverRandom.Low > 0
	for _, r := range s.Reused {
		helps = helps && r.Over.Low > 0
	}
	return helps
}

// String returns one line for people.
func (s *Score) String() string {
	p := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 3, 64) }
	pair := func(x Shares) string {
		if x.Alone == x.Run {
			return p(x.Run)
		}
		return fmt.Sprintf("%s (network alone %s)", p(x.Run), p(x.Alone))
	}

	// An interval needs two bases.
	lead := func(over Control, l Lead) string {
		if s.Bases < 2 {
			return fmt.Sprintf("over %s %s", over, p(l.Mean))
		}
		return fmt.Sprintf("over %s %s (95 %% limit %s)", over, p(l.Mean), p(l.Low))
	}
	verdict := "the network is not shown to help"
	switch {
	case s.Helps():
		verdict = "the network helps"
	case s.Bases < 2:
		verdict = "one base does not show whether the network helps, two or more do"
	}
	bases := "held-out bases"
	if s.Designs {
		bases = "held-out designs of one program"
	}

	// Shares and leads of the controls that every family has, then those that reuse multipliers.
	shares := fmt.Sprintf("trained %s, zero weights %s, random weights %s", pair(s.Trained), pair(s.Zero), pair(s.Random))
	leads := "lead " + lead(Zero, s.OverZero) + ", " + lead(Random, s.OverRandom)
	for _, r := range s.Reused {
		shares += fmt.Sprintf(", %s %s", reused[r.Control], pair(r.Shares))
		leads += ", " + lead(r.Control, r.Over)
	}
	return fmt.Sprintf("certified share on %d %s, %%: %s; %s: %s", s.Bases, bases, shares, leads, verdict)
}

// reused describes the multipliers of the controls that reuse them.
var reused = map[Control]string{Mean: "mean scenario's multipliers", Nearest: "nearest scenario's", Pool: "the pool's"}

// Meta returns the score as metadata of a model.
func (s *Score) Meta() map[string]string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	pair := func(x Shares) string { return strings.Join([]string{f(x.Run), f(x.Alone)}, " ") }
	lead := func(x Lead) string { return strings.Join([]string{f(x.Mean), f(x.Low)}, " ") }
	meta := map[string]string{"held_out_bases": strconv.Itoa(s.Bases), "share": pair(s.Trained),
		"share_zero": pair(s.Zero), "share_random": pair(s.Random), "lead_over_zero": lead(s.OverZero),
		"lead_over_random": lead(s.OverRandom)}
	for _, r := range s.Reused {
		meta["share_"+string(r.Control)] = pair(r.Shares)
		meta["lead_over_"+string(r.Control)] = lead(r.Over)
	}
	return meta
}

// maxScored is the largest number of states of a sample that are scored, evenly spread: they are alike, and the
// confidence interval is over bases.
const maxScored = 60

// scoring is a running Score.
type scoring struct {
	models []*Model // the trained one, and the controls
	names  []string // of the bases
	bases  [][]tally
}

// Score compares the model with its controls on held-out samples. Samples of one Base count together, and one without
// such a name is a base of its own. Of a program with scenarios that is the only sample every design is a base. States
// without a recourse, or whose exact cost is not known, are left out, and so are bases without any other. seed is that
// of the random weights.
func (m *Model) Score(ctx context.Context, held []Sample, seed uint64) (*Score, error) {
	views, reusing, err := m.views(held)
	if err != nil {
		return nil, err
	}

	// The trained network and its controls, in the order of the tallies.
	s := scoring{}
	for _, c := range append([]Control{Trained, Zero, Random}, reusing...) {
		model, err := m.Control(c, seed)
		if err != nil {
			return nil, err
		}
		s.models = append(s.models, model)
	}

	// Of a single program with scenarios every design is a base. Variants of one program are not: their designs are
	// not independent of each other.
	designs := len(reusing) > 0 && len(held) == 1
	for k, sample := range held {
		// A name that no base has stands for a sample without a base.
		name := cmp.Or(sample.Base, "\x00"+strconv.Itoa(k))
		if err := s.sample(ctx, views[k], name, sample.States, designs); err != nil {
			return nil, err
		}
	}
	return s.score(reusing, designs)
}

// views returns the views of the instances, and the controls that reuse multipliers which all of them have.
func (m *Model) views(held []Sample) (views []View, reusing []Control, err error) {
	for _, s := range held {
		v, err := m.On(s.Instance)
		if err != nil {
			return nil, nil, err
		}
		views = append(views, v)
	}

	// A control that reuses multipliers is compared if it has a predictor for every instance.
	for _, c := range ReusingControls {
		all := len(views) > 0
		for _, v := range views {
			r, ok := v.(Reuse)
			if !ok {
				return views, nil, nil
			}
			p, err := r.Reused(c)
			if err != nil {
				return nil, nil, err
			}
			all = all && p != nil
		}
		if all {
			reusing = append(reusing, c)
		}
	}
	return views, reusing, nil
}

// sample adds the values that the models certify at states of an instance to one base, or to a base for each state
// where designs are bases.
func (s *scoring) sample(ctx context.Context, v View, name string, states []benders.State, designs bool) error {
	truth, err := costs(ctx, v, spread(states))
	if err != nil {
		return err
	}

	// The parts of the states that are a base each.
	parts := [][]priced{truth}
	if designs {
		parts = nil
		for k := range truth {
			parts = append(parts, truth[k:k+1])
		}
	}

	for k, model := range s.models {
		run, err := model.separator(v, true)
		if err != nil {
			return err
		}

		// In most views a run uses the outputs of the network as they are.
		alone := run
		if bare, ok := v.(Bare); ok {
			p, err := bare.Bare(model.Net)
			if err != nil {
				return err
			}
			c, err := v.Certifier(true)
			if err != nil {
				return err
			}
			alone = NewSeparator(p, c)
		}

		// The tallies of model k are 2k in runs, and 2k+1 alone.
		for part, list := range parts {
			base := name
			if designs {
				base += "\x00" + strconv.Itoa(part)
			}

			// Where both are the same, one evaluation is enough.
			t := s.base(base)
			if err := t[2*k].add(ctx, run, list); err != nil {
				return err
			}
			if alone == run {
				t[2*k+1] = t[2*k]
			} else if err := t[2*k+1].add(ctx, alone, list); err != nil {
				return err
			}
		}
	}
	return nil
}

// base returns the tallies of a base: run and alone of each model.
func (s *scoring) base(name string) []tally {
	at := slices.Index(s.names, name)
	if at < 0 {
		at = len(s.names)
		s.names = append(s.names, name)
		s.bases = append(s.bases, make([]tally, 2*len(s.models)))
	}
	return s.bases[at]
}

// score returns the means over the bases, and the leads over the controls.
func (s *scoring) score(reusing []Control, designs bool) (*Score, error) {
	shares := make([][]float64, 2*len(s.models)) // by tally, then by base
	for _, t := range s.bases {
		// A base without any recourse cost has no shares.
		if t[0].whole > 0 {
			for k := range shares {
				shares[k] = append(shares[k], t[k].share())
			}
		}
	}
	if len(shares[0]) == 0 {
		return nil, errors.Join(ErrOptions, errors.New("proxy: no held-out state has a recourse that costs anything"))
	}

	// The trained network is model 0, zero weights 1, random weights 2, and then the reusing controls.
	mean := func(k int) Shares { return Shares{Run: stat.Mean(shares[k], nil), Alone: stat.Mean(shares[k+1], nil)} }
	out := &Score{
		Bases:      len(shares[0]),
		Designs:    designs,
		Trained:    mean(0),
		Zero:       mean(2),
		Random:     mean(4),
		OverZero:   lead(shares[0], shares[2]),
		OverRandom: lead(shares[0], shares[4]),
	}
	for k, c := range reusing {
		out.Reused = append(out.Reused, Rival{c, mean(6 + 2*k), lead(shares[0], shares[6+2*k])})
	}
	return out, nil
}

// spread returns at most maxScored states.
func spread(states []benders.State) []benders.State {
	n := len(states)
	if n <= maxScored {
		return states
	}

	// They are spread evenly, since states are in the order of a run.
	out := make([]benders.State, maxScored)
	for k := range out {
		out[k] = states[k*n/maxScored]
	}
	return out
}

// lead compares paired shares: the mean difference, and its lower limit by Student's t.
func lead(a, b []float64) Lead {
	d := make([]float64, len(a))
	for k := range a {
		d[k] = a[k] - b[k]
	}

	// One difference has no standard deviation.
	if len(d) < 2 {
		return Lead{d[0], math.NaN()}
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Lead{mean, mean - t*deviation/math.Sqrt(n)}
}
