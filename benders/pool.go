package benders

import (
	"encoding/binary"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// pool holds every cut that an outer loop was ever given. Cuts that have been slack for long leave the master, but not
// the pool: every point of the master is checked against all of it. (A tree's pool is that of package bnb.)
type pool struct {
	m     *master
	base  *lp.Model // the master without cuts
	cuts  []*pooled
	known keySet    // of all cuts
	limit int       // rounds in a row that a cut may be slack, 0 for any number
	built *lp.Model // the master with the active cuts, before it became stale
	stale bool
}

// pooled is a cut of the pool.
type pooled struct {
	Cut
	age    int  // rounds in a row in which it was slack
	active bool // in the master
}

// newPool returns an empty pool for a master.
func newPool(m *master, limit int) *pool {
	return &pool{m: m, base: m.model, limit: limit, stale: true}
}

// add puts a cut into the pool and the master, and reports whether it is new.
func (p *pool) add(c Cut) bool {
	if !p.known.add(cutKey(&c)) {
		return false
	}
	p.cuts = append(p.cuts, &pooled{Cut: c, active: true})
	p.stale = true
	return true
}

// keySet is a set of keys of cuts or points. The zero value is empty.
type keySet map[string]bool

// add adds a key, and reports whether it is new.
func (s *keySet) add(key string) bool {
	if (*s)[key] {
		return false
	}
	if *s == nil {
		*s = make(keySet)
	}
	(*s)[key] = true
	return true
}

// cutKey returns a map key of a cut, the same for cuts that are equal bit for bit. The certificate is no part of it.
func cutKey(c *Cut) string {
	key := binary.AppendVarint([]byte{byte(c.Kind)}, int64(c.Theta))
	key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c.Alpha))
	for k, j := range c.Index {
		key = binary.AppendVarint(key, int64(j))
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(c.Beta[k]))
	}
	return string(key)
}

// revive puts those cuts back into the master that (y, theta) violates, and reports whether there are any.
func (p *pool) revive(y, theta []float64, eps float64) bool {
	found := false
	for _, c := range p.cuts {
		if !c.active && c.Cut.Violated(y, theta, eps) {
			c.active, c.age, found = true, 0, true
		}
	}
	p.stale = p.stale || found
	return found
}

// grow counts the rounds that cuts have been slack at the master's solution, and where the bound has moved takes those
// out that were for too long: without that the loop could go in circles.
func (p *pool) grow(y, theta []float64, moved bool) {
	for _, c := range p.cuts {
		if !c.active {
			continue
		}

		// A cut that is tight to the tolerances of a master is not slack.
		t := c.At(theta)
		if t-c.Value(y) <= 1e-6*max(1, math.Abs(t), math.Abs(c.Alpha)) {
			c.age = 0
			continue
		}
		if c.age++; moved && p.limit > 0 && c.age >= p.limit {
			c.active, p.stale = false, true
		}
	}
}

// model returns the master with its cuts.
func (p *pool) model() *lp.Model {
	if !p.stale {
		return p.built
	}
	p.built = p.base.Clone()
	for _, c := range p.cuts {
		if c.active {
			row := p.m.row(&c.Cut)
			p.built.AddRow(lp.Row{Lower: row.Lower, Upper: row.Upper}, row.Index, row.Value)
		}
	}
	p.stale = false
	return p.built
}
