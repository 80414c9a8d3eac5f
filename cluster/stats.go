package cluster

import (
	"slices"
	"time"
)

// MemberStats is what a member has done so far.
type MemberStats struct {
	ID       int    // in the order of joining
	Name     string // host and address
	Local    bool   // the coordinator's own process
	Present  bool   // false for a member that has left or was lost
	Slots    int
	Keys     int           // held now
	Jobs     int           // answered, copies of slow jobs included
	BytesIn  int64         // received from the member; 0 for the local one
	BytesOut int64         // sent to the member; 0 for the local one
	Busy     time.Duration // in handlers, as the member measures it, the sum over its slots
	Idle     time.Duration // the rest of the time since it joined, over its slots
}

// stats returns the statistics of a member at a time. The coordinator's lock is held.
func (m *member) stats(now time.Time) MemberStats {
	in, out := m.link.traffic()
	return MemberStats{
		ID: m.id, Name: m.name, Local: m.local, Present: !m.left, Slots: m.slots, Keys: len(m.keys), Jobs: m.jobs,
		BytesIn: in, BytesOut: out, Busy: m.busy,
		Idle: max(0, time.Duration(m.slots)*now.Sub(m.since)-m.busy),
	}
}

// Stats returns the statistics of all members that have ever joined, by id.
func (c *Coordinator) Stats() []MemberStats {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := slices.Clone(c.past)
	for _, m := range c.members {
		all = append(all, m.stats(time.Now()))
	}
	slices.SortFunc(all, func(a, b MemberStats) int { return a.ID - b.ID })
	return all
}
