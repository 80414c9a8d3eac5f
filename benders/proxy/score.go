package proxy

import (
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

// Shares are mean certified shares over bases: of the network alone, and of what a run makes of its predictions. They
// differ where a view is Bare.
type Shares struct{ Alone, Run float64 }

// Lead is by how much a network's share in runs exceeds a control's: the mean over the bases, and the lower limit of
// its 95 % confidence interval by Student's t, NaN of fewer than two bases.
type Lead struct{ Mean, Low float64 }

// Score compares a network with its controls at states of bases that training has not seen.
type Score struct {
	Bases                 int
	Trained, Zero, Random Shares
	OverZero, OverRandom  Lead
}

// Helps reports whether the network beats both controls: both lower limits are above 0.
func (s *Score) Helps() bool { return s.OverZero.Low > 0 && s.OverRandom.Low > 0 }

// String is one line for people.
func (s *Score) String() string {
	p := func(v float64) string { return strconv.FormatFloat(100*v, 'f', 3, 64) }
	pair := func(x Shares) string {
		if x.Alone == x.Run {
			return p(x.Run)
		}
		return fmt.Sprintf("%s (network alone %s)", p(x.Run), p(x.Alone))
	}
	verdict := "the network is not shown to help"
	if s.Helps() {
		verdict = "the network helps"
	}
	return fmt.Sprintf("certified share on %d held-out bases, %%: trained %s, zero weights %s, random weights %s; "+
		"lead over zero %s (95 %% limit %s), over random %s (95 %% limit %s): %s", s.Bases, pair(s.Trained), pair(s.Zero),
		pair(s.Random), p(s.OverZero.Mean), p(s.OverZero.Low), p(s.OverRandom.Mean), p(s.OverRandom.Low), verdict)
}

// Meta is what a model's metadata says of its score.
func (s *Score) Meta() map[string]string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	pair := func(x Shares) string { return strings.Join([]string{f(x.Run), f(x.Alone)}, " ") }
	lead := func(x Lead) string { return strings.Join([]string{f(x.Mean), f(x.Low)}, " ") }
	return map[string]string{"held_out_bases": strconv.Itoa(s.Bases), "share": pair(s.Trained), "share_zero": pair(s.Zero),
		"share_random": pair(s.Random), "lead_over_zero": lead(s.OverZero), "lead_over_random": lead(s.OverRandom)}
}

// maxScored is how many states of a sample are scored, evenly spread: they are alike, and bases are what counts.
const maxScored = 60

// Score compares the model with its controls on held-out samples; those of one Base count together, and one without
// such a name is a base of its own. Bases at whose states nothing has a recourse are left out. seed is that of the
// random weights.
func (m *Model) Score(ctx context.Context, held []Sample, seed uint64) (*Score, error) {
	models := []*Model{m}
	for _, c := range Controls {
		other, err := m.Control(c, seed)
		if err != nil {
			return nil, err
		}
		models = append(models, other)
	}
	var names []string
	var tallies [][6]tally // of a base: run and alone of each model
	for k, s := range held {
		name := s.Base
		if name == "" {
			name = "\x00" + strconv.Itoa(k)
		}
		at := slices.Index(names, name)
		if at < 0 {
			at, names, tallies = len(names), append(names, name), append(tallies, [6]tally{})
		}
		if err := m.tally(ctx, s, models, &tallies[at]); err != nil {
			return nil, err
		}
	}
	var shares [6][]float64
	for _, t := range tallies {
		if t[0].whole > 0 {
			for k := range shares {
				shares[k] = append(shares[k], t[k].share())
			}
		}
	}
	if len(shares[0]) == 0 {
		return nil, errors.Join(ErrOptions, errors.New("proxy: no held-out state has a recourse that costs anything"))
	}
	mean := func(k int) Shares { return Shares{Run: stat.Mean(shares[k], nil), Alone: stat.Mean(shares[k+1], nil)} }
	return &Score{Bases: len(shares[0]), Trained: mean(0), Zero: mean(2), Random: mean(4),
		OverZero: lead(shares[0], shares[2]), OverRandom: lead(shares[0], shares[4])}, nil
}

// tally adds what the models certify on a sample.
func (m *Model) tally(ctx context.Context, s Sample, models []*Model, t *[6]tally) error {
	v, err := m.On(s.Instance)
	if err != nil {
		return err
	}
	truth, err := costs(ctx, v, spread(s.States))
	if err != nil {
		return err
	}
	for k, model := range models {
		run, err := model.separator(v, true)
		if err != nil {
			return err
		}
		if err := t[2*k].add(ctx, run, truth); err != nil {
			return err
		}
		bare, ok := v.(Bare)
		if !ok {
			t[2*k+1] = t[2*k]
			continue
		}
		p, err := bare.Bare(model.Net)
		if err != nil {
			return err
		}
		c, err := v.Certifier(true)
		if err != nil {
			return err
		}
		if err := t[2*k+1].add(ctx, NewSeparator(p, c), truth); err != nil {
			return err
		}
	}
	return nil
}

// spread returns at most maxScored states.
func spread(states []benders.State) []benders.State {
	n := len(states)
	if n <= maxScored {
		return states
	}
	out := make([]benders.State, maxScored)
	for k := range out {
		out[k] = states[k*n/maxScored]
	}
	return out
}

// lead compares paired shares.
func lead(a, b []float64) Lead {
	d := make([]float64, len(a))
	for k := range a {
		d[k] = a[k] - b[k]
	}
	if len(d) < 2 {
		return Lead{d[0], math.NaN()}
	}
	mean, deviation := stat.MeanStdDev(d, nil)
	n := float64(len(d))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: n - 1}.Quantile(0.975)
	return Lead{mean, mean - t*deviation/math.Sqrt(n)}
}
