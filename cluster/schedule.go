package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// All functions of this file are called with c.mu held. They decide which member works which job; no answer depends on
// what they decide.

// enqueue lets a job of the current run wait: for the holder of its key if there is one.
func (c *Coordinator) enqueue(job int) {
	r := c.current
	key := r.jobs[job].Key
	if key == 0 {
		r.free = append(r.free, job)
		return
	}
	if k := c.holders[key]; k != nil {
		m := k.members[0]
		m.ready = append(m.ready, job)
		return
	}
	if len(r.waiting[key]) == 0 {
		r.unheld = append(r.unheld, key)
	}
	r.waiting[key] = append(r.waiting[key], job)
}

// dispatch gives jobs to members until none is free or no job waits. Each round gives one job to each of those with the
// fewest in flight, so that jobs spread before they are sent ahead.
func (c *Coordinator) dispatch() {
	for load := 0; c.current != nil; load++ {
		deeper := false
		for _, m := range c.members {
			if len(m.inFlight) == load && load < m.window {
				if job, ok := c.next(m); ok {
					c.give(m, job)
				}
			}
			deeper = deeper || m.window > load+1
		}
		if !deeper {
			return
		}
	}
}

// next returns the job that a free member works next: of a key that it holds, of a key that nobody holds, one without a
// key, or one that waits for another member.
func (c *Coordinator) next(m *member) (int, bool) {
	r := c.current
	if job, ok := r.pop(&m.ready); ok {
		return job, true
	}

	for len(r.unheld) > 0 {
		key := r.unheld[0]
		r.unheld = r.unheld[1:]
		m.ready = r.waiting[key]
		delete(r.waiting, key)
		if job, ok := r.pop(&m.ready); ok {
			c.hold(m, key)
			return job, true
		}
	}

	if job, ok := r.pop(&r.free); ok {
		return job, true
	}
	if len(m.inFlight) == 0 && c.takeOver(m) {
		return r.pop(&m.ready)
	}
	return 0, false
}

// pop removes the first job of a list whose answer is needed.
func (r *run) pop(list *[]int) (int, bool) {
	for len(*list) > 0 {
		job := (*list)[0]
		*list = (*list)[1:]
		if r.needed(job) {
			return job, true
		}
	}
	return 0, false
}

// hold makes m the first holder of a key and sends the data, unless m has it.
func (c *Coordinator) hold(m *member, key uint64) {
	k := c.holders[key]
	if k == nil {
		k = &keep{}
		c.holders[key] = k
	}
	if !m.keys[key] {
		m.keys[key] = true
		m.outbox.push(message{kind: typeHold, key: key})
	}
	if at := slices.Index(k.members, m); at >= 0 {
		k.members = slices.Delete(k.members, at, at+1)
	}
	k.members = slices.Insert(k.members, 0, m)
}

// unhold lets a member release the data of a key.
func (c *Coordinator) unhold(m *member, key uint64) {
	delete(m.keys, key)
	m.outbox.push(message{kind: typeDrop, key: key})
	k := c.holders[key]
	at := slices.Index(k.members, m)
	k.members = slices.Delete(k.members, at, at+1)
	if len(k.members) == 0 {
		delete(c.holders, key)
	}
}

// give sends a job to a member.
func (c *Coordinator) give(m *member, job int) {
	r := c.current
	c.attempts++
	m.inFlight[c.attempts] = &attempt{run: r, job: job, sent: time.Now()}
	r.state[job].attempts++
	j := r.jobs[job]
	if k := c.holders[j.Key]; k != nil {
		k.jobs++
	}
	m.outbox.push(message{kind: typeJob, id: c.attempts, key: j.Key, name: j.Kind, payload: j.Payload})
}

// takeOver moves a key with waiting jobs to an idle member, from the one for which the most jobs wait. The data is sent
// again, and the state made again, so that nothing moves for a single job that waits, unless its holder is slow or the
// idle member has no key; and a member keeps its only key.
func (c *Coordinator) takeOver(thief *member) bool {
	var victim *member
	var taken uint64
	for _, m := range c.members {
		if len(m.ready) == 0 || m == thief {
			continue
		}
		isSlow := c.isSlow(m)
		isWorthIt := len(m.ready) >= 2 || isSlow || len(thief.keys) == 0
		if !isWorthIt || !isSlow && !c.hasOtherKey(m) {
			continue
		}
		key, movable := c.movable(m, isSlow)
		if movable && (victim == nil || len(m.ready) > len(victim.ready)) {
			victim = m
			taken = key
		}
	}
	if victim == nil {
		return false
	}

	// All waiting jobs of the key move with it.
	k := c.holders[taken]
	k.moved = k.jobs
	c.moveKey(victim, thief, taken)
	return true
}

// movable returns the key of the last job that waits for a member and may move. A state may have to repeat all jobs of
// its key elsewhere, so that a key that has moved stays until it has had moveAfter times as many jobs: all that is
// repeated is then less than moveAfter/(moveAfter-1) times the jobs of the key. Keys of few jobs, and those of a slow
// member, move at any time.
func (c *Coordinator) movable(m *member, isSlow bool) (key uint64, ok bool) {
	for _, job := range slices.Backward(m.ready) {
		key = c.current.jobs[job].Key
		k := c.holders[key]
		if isSlow || k.jobs <= freeMoves || k.jobs >= moveAfter*k.moved {
			return key, true
		}
	}
	return 0, false
}

// When a key may move again.
const (
	freeMoves = 8 // jobs
	moveAfter = 4 // times the jobs that it had at the last move
)

// moveKey makes another member the only holder of a key. Jobs of the key in flight are finished where they are.
func (c *Coordinator) moveKey(from, to *member, key uint64) {
	var stay []int
	for _, job := range from.ready {
		if c.current.jobs[job].Key == key {
			to.ready = append(to.ready, job)
		} else {
			stay = append(stay, job)
		}
	}
	from.ready = stay
	c.hold(to, key)
	c.unhold(from, key)
}

// hasOtherKey returns whether a member has work of the current run besides the key of its last waiting job.
func (c *Coordinator) hasOtherKey(m *member) bool {
	r := c.current
	key := r.jobs[m.ready[len(m.ready)-1]].Key
	for _, job := range m.ready {
		if r.jobs[job].Key != key {
			return true
		}
	}
	for _, a := range m.inFlight {
		if a.run == r && r.jobs[a.job].Key != key {
			return true
		}
	}
	return false
}

// isSlow returns whether a member has had a job for longer than SlowAfter.
func (c *Coordinator) isSlow(m *member) bool {
	if c.options.SlowAfter == 0 {
		return false
	}
	for _, a := range m.inFlight {
		if time.Since(a.sent) > c.options.SlowAfter {
			return true
		}
	}
	return false
}

// prefer ends the other attempts of a job that m has answered. Where two members hold its key, m keeps it.
func (c *Coordinator) prefer(m *member, job int) {
	r := c.current
	if r.state[job].attempts > 0 {
		for _, other := range c.members {
			for id, a := range other.inFlight {
				if a.run == r && a.job == job {
					other.outbox.push(message{kind: typeCancel, id: id})
				}
			}
		}
	}

	key := r.jobs[job].Key
	k := c.holders[key]
	if k == nil || len(k.members) < 2 || !m.keys[key] {
		return
	}
	for _, other := range slices.Clone(k.members) {
		if other != m {
			c.moveKey(other, m, key)
		}
	}
}

// release gives the keys and jobs of a member that has left to others.
func (c *Coordinator) release(m *member) {
	for key := range m.keys {
		k := c.holders[key]
		at := slices.Index(k.members, m)
		k.members = slices.Delete(k.members, at, at+1)
		if len(k.members) == 0 {
			delete(c.holders, key)
		}
	}
	r := c.current
	if r == nil {
		return
	}

	// Jobs in flight come before those that have waited, in the order of their indices.
	var lost []int
	for _, a := range m.inFlight {
		if a.run != r || !r.needed(a.job) {
			continue
		}
		state := &r.state[a.job]
		state.attempts--
		state.losses++
		if state.losses > c.options.MaxLosses {
			err := fmt.Errorf("cluster: job %d (%s): %d %w", a.job, r.jobs[a.job].Kind, state.losses, errLosses)
			if r.results == nil {
				c.finish(err)
				return
			}
			c.conclude(result{job: a.job, err: err})
			continue
		}
		if state.attempts == 0 {
			lost = append(lost, a.job)
		}
	}
	if r.left == 0 {
		c.finish(nil)
		return
	}
	slices.Sort(lost)
	for _, job := range append(lost, m.ready...) {
		c.enqueue(job)
	}
	m.ready = nil
}

// watch gives jobs that take longer than SlowAfter to a second member, until ctx ends.
func (c *Coordinator) watch(ctx context.Context) {
	ticker := time.NewTicker(max(c.options.SlowAfter/4, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		c.mu.Lock()
		c.dispatch()
		c.duplicate()
		c.mu.Unlock()
	}
}

// duplicate gives the oldest slow jobs to members that have nothing to do.
func (c *Coordinator) duplicate() {
	r := c.current
	if r == nil {
		return
	}
	var slow []*attempt
	for _, m := range c.members {
		for _, a := range m.inFlight {
			isDue := a.run == r && r.needed(a.job) && time.Since(a.sent) > c.options.SlowAfter
			if isDue && r.state[a.job].attempts == 1 {
				slow = append(slow, a)
			}
		}
	}
	slices.SortFunc(slow, func(a, b *attempt) int { return a.sent.Compare(b.sent) })

	// A member that gets a copy is no longer idle, so each gets one at most.
	for _, m := range c.members {
		if len(slow) == 0 {
			return
		}
		if len(m.inFlight) > 0 {
			continue
		}
		job := slow[0].job
		slow = slow[1:]
		if key := r.jobs[job].Key; key != 0 {
			c.lend(m, key)
		}
		c.options.Logger.Info("cluster: slow job given to a second member", "job", job, "member", m.id)
		c.give(m, job)
	}
}

// lend sends the data of a key to a second holder.
func (c *Coordinator) lend(m *member, key uint64) {
	if m.keys[key] {
		return
	}
	k := c.holders[key]
	if k == nil {
		c.hold(m, key)
		return
	}
	m.keys[key] = true
	m.outbox.push(message{kind: typeHold, key: key})
	k.members = append(k.members, m)
}
