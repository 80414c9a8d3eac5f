//go:build linux

package main

import "github.com/proxybd/proxybd/benders/scenario"

// linear is how the seconds of rank 0 between two steps grow: fixed + each * scenarios.
type linear struct{ fixed, each float64 }

// growth returns how rank 0 grows from two traces of a program with few and with many scenarios.
func growth(small, large *trace) linear {
	mean := func(t *trace) float64 {
		_, rank0 := t.busy()
		return rank0 / float64(max(1, len(t.Steps)))
	}
	each := max(0, (mean(large)-mean(small))/float64(large.Scenarios-small.Scenarios))
	return linear{max(0, mean(large)-each*float64(large.Scenarios)), each}
}

// grown returns the trace as it would be with more scenarios: as many steps, of which those of all scenarios have more
// jobs and longer ones.
func (t *trace) grown(scenarios int, g linear) *trace {
	chunks := scenario.ChunksOf(scenarios)
	out := &trace{Name: t.Name, Scenarios: scenarios, Programs: t.Programs * scenarios / t.Scenarios, Outline: t.Outline}
	size := float64(scenarios) / float64(chunks) // of a chunk
	longer := size / (float64(t.Scenarios) / float64(len(t.Data)))
	for k := range chunks {
		out.Data = append(out.Data, int(float64(t.Data[k%len(t.Data)])*longer))
	}
	out.Growing = g.each * float64(scenarios) / (g.fixed + g.each*float64(scenarios))
	rank0 := (g.fixed + g.each*float64(scenarios)) / (g.fixed + g.each*float64(t.Scenarios))
	for k := range t.Steps {
		s := &t.Steps[k]
		if s.coarse(t) {
			out.Steps = append(out.Steps, *s)
			continue
		}

		// The jobs of a step are drawn from those that were measured, so that they differ as these do.
		grown := step{Before: s.Before * rank0}
		for n := range max(1, len(s.Jobs)*chunks/len(t.Data)) {
			j := s.Jobs[n%len(s.Jobs)]
			chunk := n
			if len(s.Jobs) == 1 {
				chunk = j.Chunk
			}
			j.Chunk = chunk
			j.Seconds *= longer
			j.In = int(float64(j.In) * longer)
			j.Out = int(float64(j.Out) * longer)
			grown.Jobs = append(grown.Jobs, j)
			if len(s.Jobs) == 1 {
				break // the chunk that is tried first
			}
		}
		out.Steps = append(out.Steps, grown)
	}
	out.Last = t.Last * rank0
	return out
}

// coarse reports whether a step is one of the relaxation with few scenarios, which has one in every job.
func (s *step) coarse(t *trace) bool {
	longest := 0.0
	for _, j := range s.Jobs {
		longest = max(longest, j.Seconds)
	}
	size := float64(t.Scenarios) / float64(len(t.Data))
	return longest < t.perProgram()*size/4
}
