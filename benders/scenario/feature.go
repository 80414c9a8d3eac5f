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
	// The first pass has a digest of each place over all scenarios, which takes no table of places x scenarios.
	known := newPlaces()
	var sums []digest
	p.eachDifference(known, func(k, s int, v float64) {
		for k >= len(sums) {
			sums = append(sums, digest{})
		}
		sums[k].add(s, v)
	})
	count := len(p.weight)
	first := [2][]int{fixed.join(known, sums, false), links.join(known, sums, true)} // places, of each kind
	if max(fixed.kinds, links.kinds)*count > maxNumbers {
		return fixed, links, false
	}

	// The second pass reads the differences of the first place of each kind.
	rows := make([][]float64, len(known.at))
	for i, f := range []*feature{&fixed, &links} {
		f.delta = make([]float64, f.kinds*count)
		for kind, k := range first[i] {
			rows[k] = f.delta[kind*count : (kind+1)*count]
		}
	}
	p.eachDifference(known, func(k, s int, v float64) {
		if rows[k] != nil {
			rows[k][s] = v
		}
	})
	return fixed, links, true
}

// eachDifference calls visit for every number of a scenario that differs from the skeleton, with the number of its
// place, and by how much it differs.
func (p *Problem) eachDifference(known *places, visit func(place, scenario int, by float64)) {
	var base []float64 // of each place, its number in the skeleton
	for s := range p.program.Scenarios {
		known.restart()
		for _, c := range p.program.Scenarios[s].Changes {
			k := known.of(c)
			for k >= len(base) {
				base = append(base, p.scenarios.Skeleton(known.at[len(base)]))
			}

			// Equal values may be infinite: their difference is not a number.
			if c.Value != base[k] {
				visit(k, s, c.Value-base[k])
			}
		}
	}
}

// join makes a feature of the links, or of the other places, and returns the first place of each kind.
func (f *feature) join(known *places, sums []digest, links bool) (first []int) {
	kinds := map[string]int32{}
	for k := range sums {
		// A place whose number is that of the skeleton in all scenarios has no digest.
		if sums[k].hash == nil || links != (known.at[k].Kind == stoch.Entry) {
			continue
		}
		text := string(sums[k].hash.Sum(nil))
		kind, old := kinds[text]
		if !old {
			kind = int32(len(kinds))
			kinds[text] = kind
			first = append(first, k)
		}
		f.at = append(f.at, known.at[k])
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

// places numbers the places of changes in the order in which scenarios have them.
type places struct {
	at     []twostage.Place
	number map[twostage.Place]int
	last   int   // place of the change before, -1 for none
	after  []int // of each place, the one that followed it last; so of the front, at position 0: places are shifted by one
}

func newPlaces() *places { return &places{number: map[twostage.Place]int{}, last: -1, after: []int{0}} }

// restart begins another scenario.
func (p *places) restart() { p.last = -1 }

// of returns the number of the place of a change.
func (p *places) of(c stoch.Change) int {
	// Most scenarios change the same places in the same order, so that the number needs no look-up.
	c.Value = 0
	guess := p.after[p.last+1]
	if guess >= len(p.at) || p.at[guess] != c {
		known := false
		if guess, known = p.number[c]; !known {
			guess = len(p.at)
			p.number[c] = guess
			p.at = append(p.at, c)
			p.after = append(p.after, guess+1)
		}
		p.after[p.last+1] = guess
	}
	p.last = guess
	return guess
}
