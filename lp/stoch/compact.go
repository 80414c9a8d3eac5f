package stoch

import (
	"math"
	"slices"
)

// Compact holds the scenarios of a program in little memory. A place that has the same number as another one in every
// scenario, as the coefficients of a commodity's demand do in the rows of all arcs, shares a row of numbers with it. It
// is read-only and may be shared.
type Compact struct {
	frame  *Program  // with the names and probabilities of the scenarios, and without their changes
	places []Change  // without values, in an order that the changes of all scenarios have
	kind   []int32   // of each place
	first  []int32   // positions of the places in the order of their first appearance
	kinds  int       // places of a kind have the same number in every scenario
	values []float64 // scenarios x kinds; NaN where a scenario has no change
}

// Bytes of a number in a Compact and of a Change.
const (
	numberBytes = 8
	changeBytes = 24
)

// NewCompact returns the scenarios of a program, which must be valid. It reports false where they would take more than
// half the memory of the changes, or where scenarios have their changes in orders that contradict each other.
func NewCompact(l *Lazy) (*Compact, bool) {
	known, changes := placesOf(l)
	order, ok := known.order()
	if !ok {
		return nil, false
	}
	c := tabulate(l, known, changeBytes*changes/(2*numberBytes))
	if c == nil {
		return nil, false
	}

	// The places take the order of the scenarios.
	places, kind := c.places, c.kind
	c.places, c.kind, c.first = nil, nil, make([]int32, len(order))
	for at, k := range order {
		c.places = append(c.places, places[k])
		c.kind = append(c.kind, kind[k])
		c.first[k] = int32(at)
	}
	return c, true
}

// NewTable is NewCompact where the order of the changes does not matter, which is that of their first appearance: it
// reports false where the scenarios would take more than the given number of numbers.
func NewTable(p *Program, most int) (*Compact, bool) {
	l := p.Lazy()
	known, _ := placesOf(l)
	c := tabulate(l, known, most)
	return c, c != nil
}

// placesOf returns the places that the scenarios of a program change, and the number of changes.
func placesOf(l *Lazy) (known *Places, changes int) {
	known = NewPlaces()
	l.Each(func(_ int, list []Change) {
		known.Restart()
		changes += len(list)
		for _, c := range list {
			known.Of(c)
		}
	})
	return known, changes
}

// tabulate returns the scenarios with their places in the order of their appearance, nil where they would take more
// than the given number of numbers.
func tabulate(l *Lazy, known *Places, most int) *Compact {
	p := l.frame
	kind, kinds := kindsOf(l, known)
	if kinds*len(p.Scenarios) > most {
		return nil
	}
	c := &Compact{places: known.At, kind: kind, kinds: kinds}
	for k := range known.At {
		c.first = append(c.first, int32(k))
	}

	// The frame keeps names and probabilities; a number that a scenario does not change is NaN.
	frame := *p
	frame.Scenarios = slices.Clone(p.Scenarios)
	c.values = slices.Repeat([]float64{math.NaN()}, kinds*len(p.Scenarios))
	l.Each(func(s int, list []Change) {
		row := c.values[s*kinds : (s+1)*kinds]
		known.Restart()
		for _, change := range list {
			row[kind[known.Of(change)]] = change.Value
		}
		frame.Scenarios[s].Changes = nil
	})
	c.frame = &frame
	return c
}

// kindsOf returns the kind of each place, and how many there are. Places are of one kind until a scenario has different
// numbers for them.
func kindsOf(l *Lazy, known *Places) (kind []int32, kinds int) {
	type split struct {
		kind int32
		bits uint64
	}
	kind = make([]int32, len(known.At))
	first := []int{0} // place of each kind
	row := make([]float64, len(known.At))
	l.Each(func(_ int, list []Change) {
		for k := range row {
			row[k] = math.NaN()
		}
		known.Restart()
		for _, c := range list {
			row[known.Of(c)] = c.Value
		}

		// A place whose number is another one than that of the first place of its kind begins a new kind, or joins one that
		// began in this scenario.
		fresh := map[split]int32{}
		for k, v := range row {
			bits := math.Float64bits(v)
			if bits == math.Float64bits(row[first[kind[k]]]) {
				continue
			}
			to, found := fresh[split{kind[k], bits}]
			if !found {
				to = int32(len(first))
				fresh[split{kind[k], bits}] = to
				first = append(first, k)
			}
			kind[k] = to
		}
	})
	return kind, len(first)
}

// Len returns the number of scenarios.
func (c *Compact) Len() int { return len(c.frame.Scenarios) }

// Frame returns the program without the changes of its scenarios, which have their names and probabilities. It must not
// be changed.
func (c *Compact) Frame() *Program { return c.frame }

// Places returns the places that scenarios change, without values. They must not be changed.
func (c *Compact) Places() []Change { return c.places }

// Appearance returns the positions of the places in the order in which scenarios first change them. They must not be
// changed.
func (c *Compact) Appearance() []int32 { return c.first }

// Kind returns the kind of a place, by its position: places of a kind have the same number in every scenario.
func (c *Compact) Kind(place int32) int32 { return c.kind[place] }

// Value returns the number of a scenario in a place, by its position in Places, and NaN where it has no change.
func (c *Compact) Value(s int, place int32) float64 { return c.values[s*c.kinds+int(c.kind[place])] }

// Changes returns the changes of a scenario in the first part of a list, which is allocated where it is too short, and
// the positions of their places in that of another one.
func (c *Compact) Changes(s int, list []Change, at []int32) ([]Change, []int32) {
	if len(list) < len(c.places) || len(at) < len(c.places) {
		list = make([]Change, len(c.places))
		at = make([]int32, len(c.places))
	}
	n := 0
	row := c.values[s*c.kinds : (s+1)*c.kinds]
	for k, kind := range c.kind {
		// A value that is not a number is none.
		if v := row[kind]; v == v {
			list[n] = c.places[k]
			list[n].Value = v
			at[n] = int32(k)
			n++
		}
	}
	return list[:n], at[:n]
}

// Program returns the program with the changes of its scenarios, as it was given. It takes the memory that c saves.
func (c *Compact) Program() *Program {
	p := *c.frame
	p.Scenarios = slices.Clone(p.Scenarios)
	var list []Change
	var at []int32
	for s := range p.Scenarios {
		list, at = c.Changes(s, list[:cap(list)], at[:cap(at)])
		p.Scenarios[s].Changes = slices.Clone(list)
	}
	return &p
}
