// Package report turns the records of an experiment into the paper's tables and figures (sections 6 and C): text,
// CSV, SVG, LaTeX, and one HTML page that needs no other file.
package report

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// Data is what a report is made from.
type Data struct {
	Title     string
	Records   []experiment.Record
	Trainings []experiment.Training

	// Result lines that a crash cut off.
	Broken int

	Stages []Stage
}

// Stage is how long a stage of the experiment took.
type Stage struct {
	Name    string  `json:"stage"`
	Seconds float64 `json:"seconds"`
}

// baseline is the method that the others are compared with.
const baseline = "exact"

// shape is a shape with its held-out instances.
type shape struct {
	family, name string
	instances    []*instance
}

// instance is a held-out instance with its records by method.
type instance struct {
	id string
	by map[string]*experiment.Record

	// The cost of the cheapest design that any method returned; NaN if none did.
	best float64

	// A method proved that cost optimal, to the gap asked for.
	certified bool
}

// run is the record of a method, nil where there is none or where the run ended in an error.
func (in *instance) run(method string) *experiment.Record {
	if r := in.by[method]; r != nil && r.Status != "error" {
		return r
	}
	return nil
}

// group sorts the records by family, shape and instance. Of two records of an instance and a method the later one
// counts.
func group(records []experiment.Record) []*shape {
	// The shapes and instances are found by their names, in the order in which the records first have them.
	var out []*shape
	index := map[string]*shape{}
	ids := map[string]*instance{}
	for k := range records {
		r := &records[k]
		at := r.Family + " " + r.Shape
		s := index[at]
		if s == nil {
			s = &shape{family: r.Family, name: r.Shape}
			index[at] = s
			out = append(out, s)
		}

		// Instances of different shapes may have the same name.
		in := ids[at+" "+r.ID]
		if in == nil {
			in = &instance{id: r.ID, by: map[string]*experiment.Record{}}
			ids[at+" "+r.ID] = in
			s.instances = append(s.instances, in)
		}

		// Times of the start are texts that sort as times do.
		if old := in.by[r.Method]; old == nil || r.Started >= old.Started {
			in.by[r.Method] = r
		}
	}

	// The reference cost of an instance needs all of its records.
	for _, s := range out {
		slices.SortFunc(s.instances, func(a, b *instance) int { return strings.Compare(a.id, b.id) })
		for _, in := range s.instances {
			in.setReference()
		}
	}

	// The order of the paper comes first, and other families follow by name; within a family small shapes come first.
	slices.SortStableFunc(out, func(a, b *shape) int {
		return cmp.Or(cmp.Compare(familyRank(a.family), familyRank(b.family)), strings.Compare(a.family, b.family),
			cmp.Compare(size(a.name), size(b.name)))
	})
	return out
}

// setReference finds the reference cost of an instance.
func (in *instance) setReference() {
	// The negation lets the first cost replace NaN.
	in.best = math.NaN()
	for _, r := range in.by {
		if c := float64(r.TrueCost); r.Feasible && !(c >= in.best) {
			in.best = c
		}
	}

	// One certificate is enough, since all costs are of the same instance.
	for _, r := range in.by {
		in.certified = in.certified || r.Certified()
	}
}

// gap is the true optimality gap of a cost, a fraction of the best known cost; +Inf without a design, NaN where no
// method has one.
func (in *instance) gap(cost float64) float64 {
	// Infinite gaps are kept: they belong in a median, as the worst.
	switch {
	case math.IsNaN(in.best):
		return math.NaN()
	case math.IsNaN(cost):
		return math.Inf(1)
	case cost <= in.best:
		return 0
	case in.best == 0:
		return math.Inf(1)
	}
	return (cost - in.best) / math.Abs(in.best)
}

// familyRank gives the paper's order of the families.
func familyRank(name string) int {
	// Families that the paper does not have come last.
	k := slices.Index([]string{"cap", "ufl", "mcndp"}, name)
	if k < 0 {
		return 3
	}
	return k
}

// size is the product of the numbers in a shape.
func size(shape string) float64 {
	// Shapes are words such as 50x16 or 10x35x50, whose numbers count clients, facilities, nodes, arcs or commodities.
	p := 1.0
	for _, part := range strings.FieldsFunc(shape, func(r rune) bool { return r < '0' || r > '9' }) {
		if v, err := strconv.ParseFloat(part, 64); err == nil {
			p *= v
		}
	}
	return p
}

// methodRank gives the order of the methods in tables: a control comes after its network.
func methodRank(name string) int {
	// A name is METHOD+CONTROL/SCHEME; the last two may be missing.
	word, scheme, _ := strings.Cut(name, "/")
	// Methods are a hundred apart, schemes five, so that no two of them overlap.
	word, control, _ := strings.Cut(word, "+")
	rank := 100 * slices.Index([]string{"exact", "aggregated", "start", "proxy", "hybrid", "full", "dual"}, word)
	schemes := []string{"", "bbc", "outer", "dual", "plain", "bbc/plain", "outer/plain", "paper", "classic"}
	rank += 5 * max(0, slices.Index(schemes, scheme))
	return rank + slices.Index([]string{"", "zero", "random"}, control)
}

// methods lists the methods that shapes have records of, in the order of tables.
func methods(shapes ...*shape) []string {
	var out []string
	for _, s := range shapes {
		for _, in := range s.instances {
			for m := range in.by {
				if !slices.Contains(out, m) {
					out = append(out, m)
				}
			}
		}
	}

	// The names of a map come in any order: sorting makes the result the same in every run.
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(methodRank(a), methodRank(b)), strings.Compare(a, b))
	})
	return out
}

// pair is an instance's record of a method beside the baseline's, which may be missing.
type pair struct {
	in        *instance
	r, oracle *experiment.Record
}

// pairs lists the instances that have a record of the method without an error.
func (s *shape) pairs(method string) []pair {
	var out []pair
	for _, in := range s.instances {
		if r := in.run(method); r != nil {
			out = append(out, pair{in, r, in.run(baseline)})
		}
	}
	return out
}

// collect maps pairs to values, NaN left out.
func collect(pairs []pair, value func(pair) float64) []float64 {
	var out []float64
	for _, p := range pairs {
		if v := value(p); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// count returns how many pairs are of a kind.
func count(pairs []pair, yes func(pair) bool) (n int) {
	for _, p := range pairs {
		if yes(p) {
			n++
		}
	}
	return n
}

// What tables and figures show of a run: gaps in per cent, times in seconds, counts, and how the run ended.

func trueGap(p pair) float64   { return 100 * p.in.gap(float64(p.r.TrueCost)) }
func lastGap(p pair) float64   { return 100 * p.in.gap(float64(p.r.Terminal)) }
func provenGap(p pair) float64 { return 100 * float64(p.r.Gap) }
func runTime(p pair) float64   { return float64(p.r.Seconds) }
func cuts(p pair) float64      { return float64(p.r.Cuts.Total()) }
func censored(p pair) bool     { return p.r.Censored() }
func stalled(p pair) bool      { return p.r.Stalled() }
func certified(p pair) bool    { return p.r.Certified() }
func fixedPoint(p pair) bool   { return p.r.Status == "fixed_point" }

// speedup is the ratio of the oracle's time to the method's; NaN without both.
func speedup(p pair) float64 { return timeRatio(p.oracle, p.r) }

// timeRatio is the time of a slow run divided by that of a fast one, at least a microsecond; NaN without the slow one.
func timeRatio(slow, fast *experiment.Record) float64 {
	if slow == nil {
		return math.NaN()
	}
	return float64(slow.Seconds) / seconds(fast)
}

// byFamily groups shapes that follow each other.
func byFamily(shapes []*shape) [][]*shape {
	var out [][]*shape
	// A new group begins where the family changes.
	for k, s := range shapes {
		if k == 0 || s.family != shapes[k-1].family {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], s)
	}
	return out
}
