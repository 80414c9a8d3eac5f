package interior

import "sync"

// workers divides loops over the rows or the columns of A among goroutines. Every number is computed by the same
// operations in the same order for any number of threads, so that results do not depend on it.
type workers struct {
	count     int
	byRows    []int // see parts
	byColumns []int
}

// minSharedEntries is the number of entries of A from which a loop is divided; it takes some 100 microseconds then.
// Chosen by hand.
const minSharedEntries = 1 << 16

// newWorkers divides the rows and columns of a form.
func newWorkers(f *form, count int) workers {
	if f.cols.NNZ() < minSharedEntries {
		count = 1
	}
	return workers{
		count:     count,
		byRows:    parts(f.rows.Start, count),
		byColumns: parts(f.cols.Start, count),
	}
}

// parts divides vectors, which begin at the given places, into a number of parts of about equally many entries. It
// returns where each part begins, and the end.
func parts(start []int, count int) []int {
	last := len(start) - 1
	bounds := make([]int, count+1)
	at := 0
	for k := 1; k < count; k++ {
		for at < last && start[at]*count < start[last]*k {
			at++
		}
		bounds[k] = at
	}
	bounds[count] = last
	return bounds
}

// run calls work for each part, with its number and its range, and returns once all have ended.
func (w *workers) run(bounds []int, work func(part, from, to int)) {
	var others sync.WaitGroup
	for k := 1; k < w.count; k++ {
		others.Go(func() { work(k, bounds[k], bounds[k+1]) })
	}
	work(0, bounds[0], bounds[1])
	others.Wait()
}
