package scenario

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/lp/stoch"
)

// feature is what differs between scenarios, by kind: the places of a kind differ by the same numbers in all scenarios,
// as the coefficients of a commodity's demand do in the rows of all arcs.
type feature struct {
	at    []twostage.Place
	kind  []int32 // of each place
	kinds int
	delta []float64 // kinds x scenarios: the difference from the skeleton
}

// features collects the places that differ: the coefficients of first-stage columns, called links, and the others. It
// reports false if the tables would be too large.
func (p *Problem) features() (fixed, links feature, ok bool) {
	table := p.scenarios.Table(maxNumbers)
	if table == nil {
		return fixed, links, false
	}

	// The first pass has a digest of each column over all scenarios.
	d := p.differences(table)
	sums := make([]digest, len(d.columns))
	d.each(table, len(p.weight), func(k, s int, v float64) { sums[k].add(s, v) })
	count := len(p.weight)
	first := [2][]int{fixed.join(d, sums, false), links.join(d, sums, true)}
	if max(fixed.kinds, links.kinds)*count > maxNumbers {
		return fixed, links, false
	}

	// The second pass reads the columns of the first place of each kind.
	rows := make([][]float64, len(d.columns))
	for i, f := range []*feature{&fixed, &links} {
		f.delta = make([]float64, f.kinds*count)
		for kind, k := range first[i] {
			rows[k] = f.delta[kind*count : (kind+1)*count]
		}
	}
	d.each(table, count, func(k, s int, v float64) {
		if rows[k] != nil {
			rows[k][s] = v
		}
	})
	return fixed, links, true
}

// differences are the columns of numbers by which scenarios differ from the skeleton.
type differences struct {
	at      []twostage.Place
	of      []int // of each place, its column
	columns []column
}

// column is a place of a table with its number in the skeleton.
type column struct {
	place int32
	base  float64
}

// differences returns the columns of a table, in the order in which scenarios first change a place of each.
func (p *Problem) differences(table *stoch.Compact) *differences {
	type key struct {
		kind int32
		base uint64
		link bool
	}
	d := &differences{}
	known := map[key]int{}
	for _, place := range table.Appearance() {
		at := table.Places()[place]
		base := p.scenarios.Skeleton(at)
		id := key{table.Kind(place), math.Float64bits(base), at.Kind == stoch.Entry}
		k, old := known[id]
		if !old {
			k = len(d.columns)
			known[id] = k
			d.columns = append(d.columns, column{place, base})
		}
		d.at = append(d.at, at)
		d.of = append(d.of, k)
	}
	return d
}

// each calls visit for every number of a scenario that differs from the skeleton, with its column.
func (d *differences) each(table *stoch.Compact, scenarios int, visit func(column, scenario int, by float64)) {
	for s := range scenarios {
		for k, c := range d.columns {
			// A place that the scenario does not change has no number, and equal values may be infinite: their difference is
			// not a number.
			if v := table.Value(s, c.place); v != c.base && !math.IsNaN(v) {
				visit(k, s, v-c.base)
			}
		}
	}
}

// join makes a feature of the links, or of the other places, and returns the first column of each kind.
func (f *feature) join(d *differences, sums []digest, links bool) (first []int) {
	kinds := map[string]int32{}
	for i, at := range d.at {
		// A place whose number is that of the skeleton in all scenarios has no digest.
		sum := &sums[d.of[i]]
		if sum.hash == nil || links != (at.Kind == stoch.Entry) {
			continue
		}
		text := string(sum.hash.Sum(nil))
		kind, old := kinds[text]
		if !old {
			kind = int32(len(kinds))
			kinds[text] = kind
			first = append(first, d.of[i])
		}
		f.at = append(f.at, at)
		f.kind = append(f.kind, kind)
	}
	f.kinds = len(kinds)
	return first
}

// digest is a hash of how a place differs in all scenarios.
type digest struct{ hash hash.Hash } // nil before the first difference

// add adds the difference of a scenario, which is not 0.
func (d *digest) add(scenario int, v float64) {
	if d.hash == nil {
		d.hash = sha256.New()
	}
	var text [16]byte
	binary.LittleEndian.PutUint64(text[:], uint64(scenario))
	binary.LittleEndian.PutUint64(text[8:], math.Float64bits(v))
	d.hash.Write(text[:])
}
