package classes

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// shortest is the least makespan over all starts of the jobs, by enumeration, where the first of them start as given;
// math.MaxInt where no starts fit.
func (s *schedule) shortest(start []int) int {
	if len(start) < len(s.jobs) {
		best := math.MaxInt
		for t := range s.horizon - s.jobs[len(start)].duration + 1 {
			best = min(best, s.shortest(append(start, t)))
		}
		return best
	}

	// The use at each time, and the last end.
	last := 0
	used := make([]float64, s.horizon)
	for k, jb := range s.jobs {
		last = max(last, start[k]+jb.duration)
		for t := start[k]; t < start[k]+jb.duration; t++ {
			if used[t] += jb.use[0]; used[t] > s.capacity[0] {
				return math.MaxInt
			}
		}
	}
	return last
}

// TestMakespan compares the least makespan of few jobs by enumeration with the optima of both forms of the capacity.
func TestMakespan(t *testing.T) {
	for seed := range uint64(5) {
		draw := func() *schedule { return drawSchedule(rand.New(rand.NewPCG(seed, 1)), 4, 1, 1.5) }
		rows, columns := draw(), draw()
		want := rows.shortest(nil)

		// The capacity is a row at each time in one model, and the bound of a column at each time in the other.
		rows.limitUse()
		columns.addProfile()
		for _, s := range []*schedule{rows, columns} {
			s.addMakespan()
			r, err := bnb.Solve(context.Background(), &s.Model, bnb.DefaultOptions(), bnb.Hooks{})
			if err != nil {
				t.Fatal(err)
			}
			if want == math.MaxInt {
				if r.Status != lp.Infeasible {
					t.Errorf("seed %d: %v, no starts fit", seed, r.Status)
				}
			} else if math.Abs(r.Objective-float64(want)) > 1e-6 {
				t.Errorf("seed %d: %v %g, want %d", seed, r.Status, r.Objective, want)
			}
		}
	}
}
