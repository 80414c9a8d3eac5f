package cholesky

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/proxybd/proxybd/internal/f64"
	"github.com/proxybd/proxybd/internal/parallel"
)

// Factor holds L and D of one matrix. Its methods must not run at the same time as one another.
//
// Of a front with c pivots and r rows it stores the first c rows of the upper triangle of the matrix when the pivots
// are eliminated, W = D L', by rows of length r. The diagonal of W is D.
type Factor struct {
	*Symbolic
	values   []float64
	kept     []float64 // update matrices of the roots of subtrees
	diagonal []float64 // entries of the diagonal of P A P', with the shift
	tiny     []bool    // pivots that were replaced
	replaced []int32
	workers  []worker
	x        []float64 // a solution, in the order of the pivots
	sums     []float64 // parts of subtrees in rows above them
}

// NewFactor allocates the memory of a factor.
func NewFactor(s *Symbolic) *Factor {
	f := &Factor{
		Symbolic: s,
		values:   f64.Aligned(int(s.stored())),
		kept:     f64.Aligned(int(s.schedule.kept)),
		diagonal: make([]float64, s.n),
		tiny:     make([]bool, s.n),
		workers:  make([]worker, s.threads),
		x:        make([]float64, s.n),
		sums:     make([]float64, len(s.solution.rows)),
	}
	for w := range f.workers {
		f.workers[w] = newWorker(int(s.schedule.sizeOf(w)), s.n, s.longest())
	}
	return f
}

// work returns the numbers of a factor that are neither values nor update matrices.
func (s *Symbolic) work() int64 {
	own := workerNumbers + s.n + s.longest()
	return int64(2*s.n + len(s.solution.rows) + s.threads*own)
}

// longest returns the largest order of an update matrix.
func (s *Symbolic) longest() int {
	longest := 0
	for k := range s.fronts {
		longest = max(longest, s.fronts[k].below())
	}
	return longest
}

// Factorize computes L and D of the matrix whose values are given in the order of the pattern of Analyse. The error
// wraps ErrOptions, ErrNotFinite if a value is no finite number or a pivot overflows, or ErrStopped; the factor is then
// of no use until another call succeeds.
func (f *Factor) Factorize(values []float64, reg Regularisation) (Stats, error) {
	if len(values) != f.given {
		return Stats{}, fmt.Errorf("%w: %d values of %d entries", ErrOptions, len(values), f.given)
	}
	if err := reg.Validate(f.n); err != nil {
		return Stats{}, err
	}
	for w := range f.workers {
		f.workers[w].tally = newTally()
	}

	// The subtrees at the same time, then the fronts above them one by one.
	run := numeric{Factor: f, given: values, reg: reg}
	f.spread(len(f.schedule.subtrees), func(w *worker, k int) {
		t := f.schedule.subtrees[k]
		for front := t.first; front <= t.last && !f.stop(); front++ {
			run.eliminate(w, front, 1)
		}
	})
	for _, front := range f.schedule.top {
		if f.stop() {
			break
		}
		run.eliminate(&f.workers[0], front, f.threads)
	}
	if f.stop() {
		return Stats{}, ErrStopped
	}

	total := newTally()
	for w := range f.workers {
		total.join(&f.workers[w].tally)
	}
	f.listReplaced()
	if total.bad < math.MaxInt32 {
		return total.Stats, fmt.Errorf("%w: pivot of row %d", ErrNotFinite, f.perm[total.bad])
	}
	return total.Stats, nil
}

// spread calls do for each number below n, each time with a worker that no other call uses at the same time.
func (f *Factor) spread(n int, do func(w *worker, k int)) {
	if n == 0 {
		return
	}
	count := min(len(f.workers), n)
	if count == 1 {
		for k := range n {
			do(&f.workers[0], k)
		}
		return
	}
	var next atomic.Int64
	_ = parallel.Each(count, count, func(w int) error {
		for k := int(next.Add(1)) - 1; k < n; k = int(next.Add(1)) - 1 {
			do(&f.workers[w], k)
		}
		return nil
	})
}

// listReplaced lists the rows of tiny pivots.
func (f *Factor) listReplaced() {
	f.replaced = f.replaced[:0]
	for i, k := range f.place {
		if f.tiny[k] {
			f.replaced = append(f.replaced, int32(i))
		}
	}
}

// Replaced returns the rows of the matrix whose pivots were tiny and were replaced, in ascending order, valid until the
// next Factorize.
func (f *Factor) Replaced() []int32 { return f.replaced }

// tally counts the pivots of a worker.
type tally struct {
	Stats
	bad int32 // first column whose pivot is no finite number, MaxInt32 if there is none
}

func newTally() tally { return tally{Stats: Stats{MinPivot: math.Inf(1)}, bad: math.MaxInt32} }

// join adds the counts of another worker.
func (t *tally) join(u *tally) {
	t.Tiny += u.Tiny
	t.WrongSign += u.WrongSign
	t.MinPivot = min(t.MinPivot, u.MinPivot)
	t.MaxPivot = max(t.MaxPivot, u.MaxPivot)
	t.bad = min(t.bad, u.bad)
}
