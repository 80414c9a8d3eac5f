package bnb

// reason is what a bound follows from: the kind in the upper bits, and a place that means something to that kind. It
// is a hint where conflict analysis looks first: the bound is derived from it once more, and where that fails (a cut
// with another place in another pool, a conflict that was forgotten), the bound counts as assumed.
type reason uint32

// reasonKind is the kind of a reason.
type reasonKind uint32

const (
	byAssumption  reasonKind = iota // a branching, or a bound whose reason is not kept
	byRow                           // a row of the model, or the objective below the cutoff, at the place p.rows
	byCut                           // a cut at its place in the pool
	byProof                         // a learnt row, by the count of learnt rows when it came
	byClause                        // a conflict, by the count of conflicts when it came
	byImplication                   // an implication of the model
)

// reasonBits are the bits of the place.
const reasonBits = 28

// assumed is the reason of a bound that none is kept for.
const assumed reason = 0

// because returns the reason of a kind at a place; assumed where the place is too large.
func because(k reasonKind, place int) reason {
	if place < 0 || place >= 1<<reasonBits {
		return assumed
	}
	return reason(k)<<reasonBits | reason(place)
}

// kind is the kind of the reason.
func (r reason) kind() reasonKind { return reasonKind(r >> reasonBits) }

// place is the place of the reason among those of its kind.
func (r reason) place() int { return int(r & (1<<reasonBits - 1)) }
