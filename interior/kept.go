package interior

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// choose sets the columns that are kept and returns the analysis of the matrix. The error is errCostly, or wraps
// ErrMemory where no choice needs less memory than the limit, or cholesky.ErrStopped once stop returns true.
func (k *kkt) choose(opt Options, stop func() bool) (best *cholesky.Symbolic, err error) {
	analysis := cholesky.Options{Ordering: opt.Ordering, Threads: opt.Threads, MaxBytes: opt.MaxBytes, Stop: stop}
	analysis.MaxFlops = opt.maxFlops * float64(k.m+k.n)

	// The choices with most columns come first: the others are held against the operations of these, where each kept
	// column has to save a part, since it costs one more row at each solve.
	lengths := k.lengths()
	slices.Reverse(lengths)
	for _, most := range lengths {
		kept, place := k.keep(most)
		pat, ok := k.normalPattern(kept, place)
		if !ok {
			continue
		}

		symbolic, failed := cholesky.Analyse(k.m+len(kept), pat.start, pat.index, analysis)
		switch {
		case errors.Is(failed, cholesky.ErrFlops):
			err = errCostly
			continue
		case errors.Is(failed, cholesky.ErrMemory):
			err = fmt.Errorf("interior: %w: %w", ErrMemory, failed)
			continue
		case failed != nil:
			return nil, failed
		}

		// A later choice is taken only if it needs far fewer operations than this one.
		best = symbolic
		if most := symbolic.Flops() / keepGain; analysis.MaxFlops == 0 || most < analysis.MaxFlops {
			analysis.MaxFlops = most
		}
		k.kept = kept
		k.place = place
		k.pattern = pat
	}

	// Without a choice the error is that of the last analysis. Without any analysis, every pattern has too many entries.
	switch {
	case best != nil:
		return best, nil
	case err == nil:
		err = fmt.Errorf("interior: %w: the pattern of the linear system has more than %d entries", ErrMemory, maxPattern)
	}
	return nil, err
}

// lengths returns the numbers of entries beyond which a column may be kept: none, those above a gap in the lengths, and
// one where the products of the columns have far more entries than these.
func (k *kkt) lengths() []int {
	sorted := make([]int, k.n)
	for j := range sorted {
		sorted[j] = k.cols.Start[j+1] - k.cols.Start[j]
	}
	slices.Sort(sorted)

	// A column is dense if it has many times the entries of almost all others.
	limit := denseFactor * max(sorted[k.n*99/100], denseLength)
	first, _ := slices.BinarySearch(sorted, limit+1)
	squares := sumOfSquares(sorted[:first])
	var list []int
	if first == k.n || sumOfSquares(sorted[first:]) <= denseShare*float64(k.cols.NNZ()) {
		list = append(list, math.MaxInt)
	}
	if first < k.n {
		list = append(list, limit)
	}
	if squares > augmentedShare*float64(k.cols.NNZ()) {
		list = append(list, augmentedLength)
	}
	return list
}

// sumOfSquares returns the sum of squares.
func sumOfSquares(lengths []int) float64 {
	sum := 0.0
	for _, v := range lengths {
		sum += float64(v) * float64(v)
	}
	return sum
}

// keep returns the columns that are free or have more entries than the limit, and their places.
func (k *kkt) keep(limit int) (kept, place []int32) {
	place = make([]int32, k.n)
	for j := range k.n {
		place[j] = -1
		length := k.cols.Start[j+1] - k.cols.Start[j]
		if length > limit || k.free[j] {
			place[j] = int32(len(kept))
			kept = append(kept, int32(j))
		}
	}
	return kept, place
}

// normalPattern returns the pattern of the matrix, with its diagonal. It returns false where that has too many entries.
func (k *kkt) normalPattern(kept, place []int32) (pat pattern, ok bool) {
	size := k.m + len(kept)
	pat.start = make([]int32, size+1)
	mark := make([]int32, k.m)
	for i := range mark {
		mark[i] = -1
	}

	// Entries of a column of A that come before row i have had their turn.
	next := slices.Clone(k.cols.Start[:k.n])
	for i := range k.m {
		pat.index = append(pat.index, int32(i))
		mark[i] = int32(i)

		// Row i has an entry with each row that has an eliminated column in common with it.
		columns, _ := k.rows.Vec(i)
		for _, j := range columns {
			if place[j] >= 0 {
				continue
			}
			for _, r := range k.cols.Index[next[j]:k.cols.Start[j+1]] {
				if mark[r] != int32(i) {
					mark[r] = int32(i)
					pat.index = append(pat.index, r)
				}
			}
			next[j]++
		}

		// The kept columns are rows of the matrix below those of A, in the order of their places.
		for _, j := range columns {
			if place[j] >= 0 {
				pat.index = append(pat.index, int32(k.m)+place[j])
			}
		}

		if len(pat.index) > maxPattern {
			return pat, false
		}
		pat.start[i+1] = int32(len(pat.index))
	}

	// The part of the kept columns alone is diagonal.
	for p := k.m; p < size; p++ {
		pat.index = append(pat.index, int32(p))
		pat.start[p+1] = int32(len(pat.index))
	}
	return pat, true
}
