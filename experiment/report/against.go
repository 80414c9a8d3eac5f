package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// bare are the methods that are set beside the paper's proxy, the first that there is: the paper's own network and run,
// else ours without heuristics.
func (s *shape) bare() (method string, p []pair) {
	for _, method = range []string{"proxy/paper", "proxy/plain"} {
		if p = s.pairs(method); len(p) > 0 {
			return method, p
		}
	}
	return "–", nil
}

// againstTable holds our medians beside the paper's: bare proxy beside bare proxy, and ours with everything apart.
func againstTable(shapes []*shape) *Table {
	t := &Table{ID: "against", Title: "Against the paper.", Caption: "Medians on each shape beside the published ones (one thread, Gurobi 12, Cascade Lake 6226, other instances of the same distribution; mcndp gaps on the instances with a certified optimum). Like stands beside like: a bare proxy beside the paper's, the exact oracle of the paper's scheme beside the paper's.",
		Columns: []Column{{"", "Shape", true}, {"", "Bare proxy", true}, {"", "N", false}, {"Bare proxy gap (%)", "ours", false},
			{"Bare proxy gap (%)", "paper", false}, {"Bare proxy time (s)", "ours", false}, {"Bare proxy time (s)", "paper", false},
			{"Bare proxy cuts", "ours", false}, {"Bare proxy cuts", "paper", false}, {"Paper's oracle, time (s)", "ours", false},
			{"Paper's oracle, time (s)", "paper", false}, {"Ours with everything", "proxy gap (%)", false},
			{"Ours with everything", "proxy time (s)", false}, {"Ours with everything", "exact time (s)", false},
			{"Ours with everything", "start alone, gap (%)", false}},
		Notes: []string{"Ours in bold where it is at most the paper's. ≥: most runs reached the time limit, so the median is a lower bound. proxy/paper: the paper's network, trained for as much of its budget as the table of trainings says, in the paper's run. proxy/plain: our network without heuristics.",
			"Ours with everything: with the family's own starting designs, local search and fixing, which the paper's runs do not have. What the start alone gives is its part of that."}}
	for _, s := range shapes {
		p := publishedFor(s.family, s.name)
		method, bare := s.bare()
		if p == nil || len(bare) == 0 {
			continue
		}
		gaps := collect(bare, trueGap)
		if !math.IsNaN(p.certifiedGap) {
			gaps = collect(bare, func(p pair) float64 {
				if !p.in.certified {
					return math.NaN()
				}
				return trueGap(p)
			})
		}
		cells := []Cell{word(s.family + " " + s.name), word(method), whole(len(bare))}
		add := func(show func(float64) string, ours, theirs float64, bound string) {
			c := figure(show, ours)
			c.Good, c.Text = ours <= theirs, bound+c.Text
			cells = append(cells, c, figure(show, theirs))
		}
		own := func(method string, timed bool) {
			q := s.pairs(method)
			c := figure(percent, Median(collect(q, trueGap)))
			if timed {
				c = figure(significant, Median(collect(q, runTime)))
				c.Text = atLeast(q) + c.Text
			}
			cells = append(cells, c)
		}
		oracle := s.pairs("exact/paper")
		add(percent, Median(gaps), p.gap(), "")
		add(significant, Median(collect(bare, runTime)), p.proxyMedian, atLeast(bare))
		add(rounded, Median(collect(bare, cuts)), p.proxyCuts, "")
		add(significant, Median(collect(oracle, runTime)), p.oracleMedian, atLeast(oracle))
		own("proxy", false)
		own("proxy", true)
		own(baseline, true)
		own("start", false)
		t.Rows = append(t.Rows, Row{Cells: cells})
	}
	return t
}

// publishedClassic are the paper's figures of its plain scheme for ufl (its table in Appendix C): gap, time of the
// oracle and of the proxy, speedup.
var publishedClassic = map[string][6]float64{
	"200x200": {1.41, 1.44, 153.6, .18, 646, 737}, "300x300": {1.48, 1.34, 90.6, .18, 672, 1776},
	"500x500": {.86, .91, 3600, 6.94, 505, 663}, "1000x1000": {71.4, 71.3, 3600, .05, none, none},
	"2000x2000": {70.1, 70.1, 3600, .20, none, none},
}

// classicTable is the paper's table of Appendix C; nil without runs of that scheme.
func classicTable(shapes []*shape) *Table {
	t := &Table{ID: "classic", Title: "Plain branch-and-Benders-cut (Appendix C).", Caption: "ufl without stabilisation, integer points alone, a cut for every client: the paper's network against the exact oracle of the same scheme.",
		Columns: []Column{{"", "Shape", true}, {"", "", true}, {"", "N", false}, {"True gap (%)", "med", false}, {"True gap (%)", "mean", false},
			{"Time (s, med)", "oracle", false}, {"Time (s, med)", "proxy", false}, {"Speedup", "med", false}, {"Speedup", "mean", false}},
		Notes: []string{"The gap is against the cheapest design of any method. ≥: most runs reached the time limit."}}
	for _, s := range shapes {
		p, oracle := s.pairs("proxy/classic"), s.pairs("exact/classic")
		if len(p) == 0 {
			continue
		}
		against := func(p pair) float64 {
			o := p.in.by["exact/classic"]
			if o == nil || o.Status == "error" {
				return math.NaN()
			}
			return float64(o.Seconds) / max(float64(p.r.Seconds), 1e-6)
		}
		cells := append([]Cell{word(s.family + " " + s.name), word("ours"), whole(len(p))}, medianMean(percent, collect(p, trueGap))...)
		exact := figure(significant, Median(collect(oracle, runTime)))
		exact.Text = atLeast(oracle) + exact.Text
		cells = append(cells, exact, figure(significant, Median(collect(p, runTime))))
		t.Rows = append(t.Rows, Row{Rule: true, Cells: append(cells, medianMean(ratio, collect(p, against))...)})
		if q, ok := publishedClassic[s.name]; ok && s.family == "ufl" {
			t.Rows = append(t.Rows, Row{Quiet: true, Cells: []Cell{word(""), word("paper"), word("–"), figure(percent, q[0]), figure(percent, q[1]),
				figure(significant, q[2]), figure(significant, q[3]), figure(ratio, q[4]), figure(ratio, q[5])}})
		}
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// controlsTable compares the networks with weights of zero and random ones.
func controlsTable(trainings []experiment.Training) *Table {
	t := &Table{ID: "controls", Title: "What the networks are worth.", Caption: "Certified share of the exact recourse cost on bases that no training saw: of runs, and of the prediction alone where steps follow it. Lead: mean of the paired differences over these bases, with the lower limit of its 95 % interval.",
		Columns: []Column{{"", "Model", true}, {"", "Preset", true}, {"", "Bases", false}, {"Trained (%)", "run", false}, {"Trained (%)", "alone", false},
			{"Zero (%)", "run", false}, {"Zero (%)", "alone", false}, {"Random (%)", "run", false}, {"Random (%)", "alone", false},
			{"Lead over zero", "mean", false}, {"Lead over zero", "limit", false}, {"Lead over random", "mean", false},
			{"Lead over random", "limit", false}, {"", "Helps", true}},
		Notes: []string{"A network helps where both limits are above 0. Fewer than two bases have no limit."}}
	for k := range trainings {
		r := &trainings[k]
		s := &r.Score
		if s.Bases == 0 {
			continue
		}
		cells := []Cell{word(r.Family + " " + r.Shape), word(string(r.Preset)), whole(s.Bases)}
		for _, v := range [][2]float64{{float64(s.Trained[0]), float64(s.Trained[1])}, {float64(s.Zero[0]), float64(s.Zero[1])},
			{float64(s.Random[0]), float64(s.Random[1])}} {
			cells = append(cells, figure(percent, 100*v[0]), figure(percent, 100*v[1]))
		}
		for _, v := range [][2]float64{{float64(s.OverZero[0]), float64(s.OverZero[1])}, {float64(s.OverRandom[0]), float64(s.OverRandom[1])}} {
			cells = append(cells, figure(signed, 100*v[0]), figure(signed, 100*v[1]))
		}
		t.Rows = append(t.Rows, Row{Cells: append(cells, word(map[bool]string{true: "yes", false: "not shown"}[s.Helps]))})
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}

// verdict says on which shapes the network helps, and where a proxy run saves time after how many solves.
func verdict(d *Data, shapes []*shape) string {
	var helps, not, pays, slow []string
	for k := range d.Trainings {
		r := &d.Trainings[k]
		if r.Score.Bases == 0 || r.Preset != experiment.DefaultTrainOptions().Model.Preset {
			continue
		}
		name := r.Family + " " + r.Shape
		if r.Score.Helps {
			helps = append(helps, fmt.Sprintf("%s (certified share %s points above zero weights)", name, percent(100*float64(r.Score.OverZero[0]))))
		} else {
			not = append(not, name)
		}
	}
	for _, s := range shapes {
		saved := s.saved()
		switch {
		case math.IsNaN(saved):
		case saved > 0:
			text := fmt.Sprintf("%s %s (%s s a solve, at a median gap of %s %%", s.family, s.name, significant(saved),
				figure(percent, Median(collect(s.pairs("proxy"), trueGap))).Text)
			for k := range d.Trainings {
				if r := &d.Trainings[k]; r.Family == s.family && r.Shape == s.name && r.Preset == experiment.DefaultTrainOptions().Model.Preset {
					text += fmt.Sprintf(", training is paid back after %s solves", rounded(math.Ceil((float64(r.Seconds)+float64(r.Collecting))/saved)))
				}
			}
			pays = append(pays, text+")")
		default:
			slow = append(slow, s.family+" "+s.name)
		}
	}
	var text []string
	say := func(format string, list []string) {
		if len(list) > 0 {
			text = append(text, fmt.Sprintf(format, strings.Join(list, ", ")))
		}
	}
	say("The network beats zero and random weights on held-out bases for %s.", helps)
	say("The network is not shown to help for %s.", not)
	say("A proxy run saves time at the median, against our own exact method, for %s.", pays)
	say("A proxy run saves no time for %s.", slow)
	return strings.Join(text, " ")
}

// saved is the median time that a proxy run saves against exact on an instance.
func (s *shape) saved() float64 {
	return Median(collect(s.pairs("proxy"), func(p pair) float64 {
		if p.oracle == nil {
			return math.NaN()
		}
		return float64(p.oracle.Seconds) - float64(p.r.Seconds)
	}))
}
