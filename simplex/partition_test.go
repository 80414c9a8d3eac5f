package simplex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// checkPartition compares the parts of the rows with the basis, and both copies of the matrix with one another.
func checkPartition(s *Solver) error {
	type entry struct {
		i, j  int32
		value float64
	}
	var byCol, byRow []entry
	for j := range s.n {
		index, value := s.cols.Vec(j)
		for k, i := range index {
			byCol = append(byCol, entry{i, int32(j), value[k] / s.rowScale[i] / s.colScale[j]})
		}
	}
	for i := range s.m {
		index, value := s.rows.Vec(i)
		for k, j := range index {
			byRow = append(byRow, entry{int32(i), j, value[k]})
			if first := k < int(s.partition.nonbasic[i]); first == s.partition.basic[j] {
				return fmt.Errorf("row %d: entry %d of %d, first part %d, column %d basic %t", i, k, len(index),
					s.partition.nonbasic[i], j, s.partition.basic[j])
			}
		}
	}
	order := func(a, b entry) int { return int(a.i-b.i)*1000 + int(a.j-b.j) }
	slices.SortFunc(byCol, order)
	slices.SortFunc(byRow, order)
	if !slices.Equal(byCol, byRow) {
		return fmt.Errorf("the copies differ: %v, %v", byCol, byRow)
	}
	if !s.basis.ok || !s.partition.on {
		return nil
	}
	for j := range s.n {
		if s.partition.basic[j] != (s.basis.where[j] >= 0) {
			return fmt.Errorf("column %d at position %d, in the part of the basic ones: %t", j, s.basis.where[j],
				s.partition.basic[j])
		}
	}
	return nil
}

// TestPartition changes models at random, solves and goes back to older bases; after every step the rows are split
// as the statuses of the basis require.
func TestPartition(t *testing.T) {
	split := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 22))
		w := newWarm(t, seed, randomModel(rng, 2+rng.IntN(12), 2+rng.IntN(20)))
		for range 20 {
			w.change(rng)
			if err := checkPartition(w.s); err != nil {
				t.Fatalf("seed %d: after a change: %v", seed, err)
			}
			if rng.IntN(2) == 0 {
				w.compare()
				if err := checkPartition(w.s); err != nil {
					t.Fatalf("seed %d: after a solve: %v", seed, err)
				}
			}
		}
		if w.s.partition.on {
			split++
		}
	}
	if split < 100 {
		t.Errorf("only %d models have partitioned rows", split)
	}
}
