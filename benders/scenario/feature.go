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
	known := stoch.NewPlaces()
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
	rows := make([][]float64, len(known.At))
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
func (p *Problem) eachDifference(known *stoch.Places, visit func(place, scenario int, by float64)) {
	var base []float64 // of each place, its number in the skeleton
	p.scenarios.Each(func(s int, changes []stoch.Change) {
		known.Restart()
		for _, c := range changes {
			k := known.Of(c)
			for k >= len(base) {
				base = append(base, p.scenarios.Skeleton(known.At[len(base)]))
			}

			// Equal values may be infinite: their difference is not a number.
			if c.Value != base[k] {
				visit(k, s, c.Value-base[k])
			}
		}
	})
}

// join makes a feature of the links, or of the other places, and returns the first place of each kind.
func (f *feature) join(known *stoch.Places, sums []digest, links bool) (first []int) {
	kinds := map[string]int32{}
	for k := range sums {
		// A place whose number is that of the skeleton in all scenarios has no digest.
		if sums[k].hash == nil || links != (known.At[k].Kind == stoch.Entry) {
			continue
		}
		text := string(sums[k].hash.Sum(nil))
		kind, old := kinds[text]
		if !old {
			kind = int32(len(kinds))
			kinds[text] = kind
			first = append(first, k)
		}
		f.at = append(f.at, known.At[k])
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
