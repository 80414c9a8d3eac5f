//go:build linux

package main

import "github.com/proxybd/proxybd/benders/scenario"

// linear is how the seconds of rank 0 between two steps grow: fixed + each * scenarios.
type linear struct{ fixed, each float64 }

// at returns the seconds for a number of scenarios.
func (l linear) at(scenarios int) float64 { return l.fixed + l.each*float64(scenarios) }

// growing is how the work of rank 0 grows: what one thread does, and what its threads share.
type growing struct{ alone, spread linear }

// growth returns how rank 0 grows from two traces of a program with few and with many scenarios.
func growth(small, large *trace) growing {
	line := func(of func(s *step) float64) linear {
		mean := func(t *trace) float64 {
			sum := 0.0
			for k := range t.Steps {
				sum += of(&t.Steps[k])
			}
			return sum / float64(max(1, len(t.Steps)))
		}
		each := max(0, (mean(large)-mean(small))/float64(large.Scenarios-small.Scenarios))
		return linear{max(0, mean(large)-each*float64(large.Scenarios)), each}
	}
	return growing{
		alone:  line(func(s *step) float64 { return s.Before - s.Spread }),
		spread: line(func(s *step) float64 { return s.Spread }),
	}
}

// grown returns the trace as it would be with more scenarios: as many steps; those of all scenarios have more jobs and
// longer ones.
func (t *trace) grown(scenarios int, g growing) *trace {
	chunks := scenario.ChunksOf(scenarios)
	out := &trace{Name: t.Name, Scenarios: scenarios, Programs: t.Programs * scenarios / t.Scenarios, Outline: t.Outline}
	size := float64(scenarios) / float64(chunks) // of a chunk
	longer := size / (float64(t.Scenarios) / float64(len(t.Data)))
	for k := range chunks {
		out.Data = append(out.Data, int(float64(t.Data[k%len(t.Data)])*longer))
	}
	each := g.alone.each + g.spread.each
	out.Growing = each * float64(scenarios) / (g.alone.at(scenarios) + g.spread.at(scenarios))
	alone := g.alone.at(scenarios) / g.alone.at(t.Scenarios)
	spread := 0.0
	if of := g.spread.at(t.Scenarios); of > 0 {
		spread = g.spread.at(scenarios) / of
	}
	for k := range t.Steps {
		s := &t.Steps[k]
		if s.coarse(t) {
			out.Steps = append(out.Steps, *s)
			continue
		}

		// The jobs of a step are drawn from those that were measured, so that they differ as these do.
		grown := step{Before: (s.Before-s.Spread)*alone + s.Spread*spread, Spread: s.Spread * spread}
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
	out.Last = t.Last * alone
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
