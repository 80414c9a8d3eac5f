package nested

import (
	"context"

	"github.com/proxybd/proxybd/internal/replay"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/simplex"
)

// A run may have its stage programs in other processes. They are divided into sections, each of which is held by one
// process at a time and gets the cuts, bases and tasks of its programs, in their order. Programs answer the same
// wherever they are, so that a section that is lost with its process is made again from all that it was given.

// sections is the number of sections at most, and so that of processes that work at the same time. With more of them a
// batch is more messages.
const sections = 8

// sectionOf returns the section of each group: the programs of every period are dealt out in turn, since those of a
// batch are mostly of one period.
func (l *layout) sectionOf() []int {
	of := make([]int, len(l.groups))
	dealt := make([]int, len(l.periods)) // programs of each period
	for g, nodes := range l.groups {
		t := l.p.Nodes[nodes[0]].Period
		of[g] = (int(t) + dealt[t]) % sections
		dealt[t]++
	}
	return of
}

// operation is what a section is given at once.
type operation struct {
	seed  uint64        // of the simplex method
	parts int           // Options.Parts
	bases []periodBasis // that it has not got before
	cuts  []futureCut   // of the futures of its tasks, that it has not got before
	tasks []task
}

// periodBasis is where the programs of a period begin.
type periodBasis struct {
	period int32
	basis  *simplex.Basis
}

// futureCut is a cut of a future.
type futureCut struct {
	future int32
	cut    *cut
}

// remote has the sections of a run in a team.
type remote struct {
	log     *replay.Log[*operation]
	parts   int
	section []int           // of each group
	cuts    []map[int32]int // of each section, how many cuts of each future it has
	bases   [][]bool        // of each section, the periods whose bases it has
}

// newRemote returns the sections of a team, which have done nothing, by the options of the run.
func newRemote(l *layout, o *Options) *remote {
	r := &remote{
		log:     replay.NewLog[*operation](o.Team),
		parts:   o.Parts,
		section: l.sectionOf(),
		cuts:    make([]map[int32]int, sections),
		bases:   make([][]bool, sections),
	}
	for s := range sections {
		r.cuts[s] = map[int32]int{}
		r.bases[s] = make([]bool, len(l.periods))
	}
	return r
}

// solve is programs.solve by the team; p has the cuts and bases of now.
func (r *remote) solve(ctx context.Context, p *programs, tasks []task) ([]outcome, error) {
	var keys []uint64 // sections in the order of their first tasks, from 1
	var ops []*operation
	var positions [][]int // of the tasks of each operation
	at := map[int]int{}
	for k := range tasks {
		s := r.section[p.groupOf[tasks[k].node]]
		i, ok := at[s]
		if !ok {
			i = len(keys)
			at[s] = i
			keys = append(keys, uint64(s)+1)
			ops = append(ops, &operation{seed: p.seed, parts: r.parts})
			positions = append(positions, nil)
		}
		r.give(ops[i], s, p, &tasks[k])
		positions[i] = append(positions[i], k)
	}

	answers, err := r.log.Run(ctx, keys, ops)
	if err != nil {
		return nil, err
	}
	out := make([]outcome, len(tasks))
	for i, text := range answers {
		found, err := decodeOutcomes(text, len(positions[i]))
		if err != nil {
			return nil, err
		}
		for j, k := range positions[i] {
			if err := found[j].fits(p.layout, &tasks[k]); err != nil {
				return nil, err
			}
			if out[k] = found[j]; tasks[k].node == 0 && out[k].status == lp.Optimal && out[k].own == nil {
				out[k].own = []float64{} // A decision without columns is one.
			}
		}
	}
	return out, nil
}

// give adds a task of a section to an operation, with the cuts and the basis of its program that the section has not.
func (r *remote) give(op *operation, section int, p *programs, t *task) {
	op.tasks = append(op.tasks, *t)
	period := p.p.Nodes[t.node].Period
	if b := p.bases[period]; b != nil && !r.bases[section][period] {
		r.bases[section][period] = true
		op.bases = append(op.bases, periodBasis{period, b})
	}

	// Pools only grow, and their cuts do not change.
	f := p.of[t.node]
	if f < 0 {
		return
	}
	list := p.pools[f].cuts
	for k := r.cuts[section][f]; k < len(list); k++ {
		c := list[k]
		op.cuts = append(op.cuts, futureCut{f, &c})
	}
	r.cuts[section][f] = len(list)
}
