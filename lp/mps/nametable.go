package mps

import (
	"hash/maphash"
	"slices"
	"strings"
)

// nameTable numbers different names in the order in which they are added, and finds them again: an open hash table.
// Names lie behind each other in pieces of textBlock bytes, not each in an allocation of its own, and a slot has eight
// bytes. The seed is random, but the numbers depend on the order of the names alone.
type nameTable struct {
	// names are the names by number.
	names []string
	// slots is the table. The number of slots is a power of two, and at most half of them are taken, so that every probe
	// sequence ends at a free one.
	slots []nameSlot
	seed  maphash.Seed
	// text is the piece at whose end the next name is kept.
	text strings.Builder
}

// nameSlot is a place of the table: the number of a name plus one, 0 for a free place, and the hash of the name.
type nameSlot struct{ number, hash uint32 }

const (
	// firstSlots is the number of slots of an empty table: enough for 128 names.
	firstSlots = 256
	// textBlock is the number of bytes of names that are kept in one piece.
	textBlock = 1 << 13
)

// newNameTable returns an empty table.
func newNameTable() nameTable {
	return nameTable{slots: make([]nameSlot, firstSlots), seed: maphash.MakeSeed()}
}

// find returns the number of a name, and whether there is one.
func (t *nameTable) find(name []byte) (int32, bool) {
	k, _ := t.place(name)
	n := t.slots[k].number
	return int32(n) - 1, n > 0
}

// place returns the slot of a name, or the free one where it belongs, and its hash: linear probing from the slot that
// the hash gives.
func (t *nameTable) place(name []byte) (at int, hash uint32) {
	hash = uint32(maphash.Bytes(t.seed, name))
	mask := len(t.slots) - 1
	for k := int(hash) & mask; ; k = (k + 1) & mask {
		s := t.slots[k]
		// Comparing the hashes first spares nearly all comparisons of different names.
		if s.number == 0 || s.hash == hash && t.names[s.number-1] == string(name) {
			return k, hash
		}
	}
}

// add gives a name the next number and returns the copy that the table keeps, or false where the name is there already.
func (t *nameTable) add(name []byte) (kept string, added bool) {
	k, hash := t.place(name)
	if t.slots[k].number > 0 {
		return "", false
	}

	// append alone would make room for a quarter more each time, which copies a name some five times in the mean.
	kept = t.keep(name)
	if n := len(t.names); n == cap(t.names) {
		t.names = slices.Grow(t.names, max(firstSlots/2, n))
	}
	t.names = append(t.names, kept)
	t.slots[k] = nameSlot{uint32(len(t.names)), hash}

	// More than half of the slots are taken now: the table grows, so that probe sequences stay short.
	if 2*len(t.names) > len(t.slots) {
		t.grow()
	}
	return kept, true
}

// keep copies a name to the end of the present piece of text.
func (t *nameTable) keep(name []byte) string {
	// A builder never moves what it holds while there is room, so strings that were cut from it stay valid.
	if t.text.Cap()-t.text.Len() < len(name) {
		t.text = strings.Builder{}
		t.text.Grow(max(textBlock, len(name)))
	}

	// The string is a view of the piece from here to the end.
	from := t.text.Len()
	t.text.Write(name)
	return t.text.String()[from:]
}

// grow makes room for four times the names, and puts every name where its hash belongs in the larger table.
func (t *nameTable) grow() {
	old := t.slots
	t.slots = make([]nameSlot, 4*len(old))
	mask := len(t.slots) - 1
	for _, s := range old {
		if s.number == 0 {
			continue
		}

		// The next free slot from the one of the hash on, as place looks for it.
		k := int(s.hash) & mask
		for t.slots[k].number > 0 {
			k = (k + 1) & mask
		}
		t.slots[k] = s
	}
}
