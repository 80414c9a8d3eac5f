package classes

import (
	"maps"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/lp"
)

// job is a job of a schedule: its duration, what it uses of each resource while it runs, the columns of its starts, one
// for each time, and the column of its start.
type job struct {
	duration int
	use      []float64
	starts   []lp.Var
	start    lp.Var
}

// schedule has jobs that start at one of several times each and share resources.
type schedule struct {
	lp.Model
	horizon  int
	jobs     []job
	capacity []float64 // of each resource
}

// Classes of models in which general integer columns, or continuous ones that are integer in all points, follow from
// others by equations: starts of jobs, the use of a resource, stocks. "@makespan2" has two resources and precedences.
var planned = map[string]func(rng *rand.Rand) *lp.Model{
	"@makespan":   makespanModel,
	"@makespan2":  precedenceModel,
	"@lateness":   latenessModel,
	"@wholepacks": wholePacksModel,
}

func init() { maps.Copy(structured, planned) }

// drawSchedule draws jobs. The time that they may take is spread times what they need of the scarcest resource at the
// least.
func drawSchedule(rng *rand.Rand, jobs, resources int, spread float64) *schedule {
	const capacity = 12
	s := &schedule{}
	for range resources {
		s.capacity = append(s.capacity, capacity)
	}

	needed := make([]float64, resources) // use of all jobs times their durations
	for range jobs {
		jb := job{duration: 2 + rng.IntN(capacity)}
		for r := range resources {
			jb.use = append(jb.use, float64(1+rng.IntN(capacity/2)))
			needed[r] += jb.use[r] * float64(jb.duration)
		}
		s.jobs = append(s.jobs, jb)
	}
	for _, n := range needed {
		s.horizon = max(s.horizon, int(math.Ceil(spread*n/capacity)))
	}
	s.addStarts()
	return s
}

// addStarts adds the columns of the starts: each job starts once, and its start is the sum of the times of its columns.
func (s *schedule) addStarts() {
	for k := range s.jobs {
		jb := &s.jobs[k]
		var once, when []term
		for t := range s.horizon - jb.duration + 1 {
			j := addBinary(&s.Model, 0)
			jb.starts = append(jb.starts, j)
			once = append(once, term{j, 1})
			when = append(when, term{j, float64(t)})
		}
		addTerms(&s.Model, 1, 1, once...)
		jb.start = s.AddCol(lp.Col{Upper: float64(s.horizon)})
		addTerms(&s.Model, 0, 0, append(when, term{jb.start, -1})...)
	}
}

// limitUse bounds the use of each resource at each time by one row.
func (s *schedule) limitUse() {
	for r, capacity := range s.capacity {
		for t := range s.horizon {
			var row []term
			for _, jb := range s.jobs {
				for at := max(0, t-jb.duration+1); at <= t && at < len(jb.starts); at++ {
					row = append(row, term{jb.starts[at], jb.use[r]})
				}
			}
			addTerms(&s.Model, math.Inf(-1), capacity, row...)
		}
	}
}

// addProfile makes the use of each resource at each time a column, at most its capacity: that of the time before, plus
// what starts and minus what ends.
func (s *schedule) addProfile() {
	for r, capacity := range s.capacity {
		before := lp.Var(-1)
		for t := range s.horizon {
			use := s.AddCol(lp.Col{Upper: capacity})
			row := []term{{use, -1}}
			if before >= 0 {
				row = append(row, term{before, 1})
			}

			for _, jb := range s.jobs {
				if t < len(jb.starts) {
					row = append(row, term{jb.starts[t], jb.use[r]})
				}
				if at := t - jb.duration; at >= 0 && at < len(jb.starts) {
					row = append(row, term{jb.starts[at], -jb.use[r]})
				}
			}
			addTerms(&s.Model, 0, 0, row...)
			before = use
		}
	}
}

// addMakespan makes the end of the last job the objective.
func (s *schedule) addMakespan() {
	last := s.AddCol(lp.Col{Cost: 1, Upper: float64(s.horizon)})
	for _, jb := range s.jobs {
		addTerms(&s.Model, float64(jb.duration), math.Inf(1), term{last, 1}, term{jb.start, -1})
	}
}

// makespanModel is the shortest schedule of jobs with one resource, whose use at each time is a column.
func makespanModel(rng *rand.Rand) *lp.Model {
	s := drawSchedule(rng, 32, 1, 1.2)
	s.addProfile()
	s.addMakespan()
	return &s.Model
}

// precedenceModel is the shortest schedule of jobs with two resources, some of which wait for the end of others.
func precedenceModel(rng *rand.Rand) *lp.Model {
	s := drawSchedule(rng, 20, 2, 1.5)
	s.limitUse()

	// About half of the jobs wait for the end of one of those before them in the list.
	for k := range s.jobs[1:] {
		if before := rng.IntN(2 * (k + 1)); before <= k {
			first, then := s.jobs[before], s.jobs[k+1]
			addTerms(&s.Model, float64(first.duration), math.Inf(1), term{then.start, 1}, term{first.start, -1})
		}
	}
	s.addMakespan()
	return &s.Model
}

// latenessModel is a schedule of jobs with one resource whose weighted time beyond due dates is least.
func latenessModel(rng *rand.Rand) *lp.Model {
	s := drawSchedule(rng, 35, 1, 1.2)
	s.limitUse()

	// The time beyond the due date is at least the end less the due date.
	for _, jb := range s.jobs {
		due := rng.IntN(s.horizon)
		late := s.AddCol(lp.Col{Cost: float64(1 + rng.IntN(9)), Upper: math.Inf(1)})
		addTerms(&s.Model, float64(jb.duration-due), math.Inf(1), term{late, 1}, term{jb.start, -1})
	}
	return &s.Model
}

// wholePacksModel makes items in whole packs, with whole stocks, under a common capacity.
func wholePacksModel(rng *rand.Rand) *lp.Model {
	const items, periods = 5, 10
	m := &lp.Model{}
	usage := make([][]term, periods)
	total := 0.0

	// Each item has its own size of a pack, setup cost and demands.
	for range items {
		pack := float64(3 + rng.IntN(15))
		setup := float64(20 + rng.IntN(100))
		stock := lp.Var(-1)
		for p := range periods {
			demand := float64(rng.IntN(60))
			total += demand
			x := m.AddCol(lp.Col{Cost: float64(rng.IntN(20)), Upper: 20, Integer: true})
			next := m.AddCol(lp.Col{Cost: float64(1 + rng.IntN(3)), Upper: 200, Integer: true})
			y := addBinary(m, setup)
			addBalance(m, demand, term{x, pack}, stock, next)
			addTerms(m, math.Inf(-1), 0, term{x, 1}, term{y, -20})
			usage[p] = append(usage[p], term{x, pack}, term{y, 8})
			stock = next
		}
	}

	// The capacity of a period is a little more than the mean demand needs, with the times of setups.
	for _, row := range usage {
		addTerms(m, math.Inf(-1), math.Ceil(1.3*total/periods)+50, row...)
	}
	return m
}
