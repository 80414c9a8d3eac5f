package interior

import "sync"

// team divides loops over the rows or the columns of A among goroutines. Every number is computed by the same
// operations in the same order for any number of threads, so that results do not depend on it.
type team struct {
	threads   int
	byRows    []int // where the part of each thread begins, and the end: parts of about equally many entries of A
	byColumns []int
}

// minTeamEntries is the number of entries of A from which a loop is divided; it takes some 100 microseconds then.
// Chosen by hand.
const minTeamEntries = 1 << 16

// newTeam divides the rows and columns of a form.
func newTeam(f *form, threads int) team {
	if f.cols.NNZ() < minTeamEntries {
		threads = 1
	}
	return team{
		threads:   threads,
		byRows:    shares(f.rows.Start, threads),
		byColumns: shares(f.cols.Start, threads),
	}
}

// shares divides vectors, which begin at the given places, into parts of about equally many entries.
func shares(start []int, parts int) []int {
	last := len(start) - 1
	bounds := make([]int, parts+1)
	at := 0
	for k := 1; k < parts; k++ {
		for at < last && start[at]*parts < start[last]*k {
			at++
		}
		bounds[k] = at
	}
	bounds[parts] = last
	return bounds
}

// run calls work for each part, with its number and its range, and returns once all have ended.
func (t *team) run(bounds []int, work func(part, from, to int)) {
	var others sync.WaitGroup
	for k := 1; k < t.threads; k++ {
		others.Go(func() { work(k, bounds[k], bounds[k+1]) })
	}
	work(0, bounds[0], bounds[1])
	others.Wait()
}
