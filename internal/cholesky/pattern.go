package cholesky

import (
	"fmt"
	"slices"

	"github.com/proxybd/proxybd/internal/ordering"
)

// checkPattern reports what is wrong with a compressed pattern of order n.
func checkPattern(n int, colPtr, rowIdx []int32) error {
	if n < 0 || len(colPtr) != n+1 {
		return fmt.Errorf("%w: %d column pointers for order %d", ErrPattern, len(colPtr), n)
	}
	if colPtr[0] != 0 || int(colPtr[n]) != len(rowIdx) {
		return fmt.Errorf("%w: columns from %d to %d of %d entries", ErrPattern, colPtr[0], colPtr[n], len(rowIdx))
	}
	for j := range n {
		if colPtr[j+1] < colPtr[j] {
			return fmt.Errorf("%w: column %d ends before it begins", ErrPattern, j)
		}
	}

	return checkEntries(n, colPtr, rowIdx)
}

// checkEntries reports an entry that is outside of the matrix, occurs twice or has no mirror image.
func checkEntries(n int, colPtr, rowIdx []int32) error {
	// mark[i] is the last column, plus one, in which row i occurred.
	mark := make([]int32, n)
	lower, upper := 0, 0
	for j := range n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			switch {
			case uint32(i) >= uint32(n): // as unsigned, a negative number is large
				return fmt.Errorf("%w: column %d has row %d of %d", ErrPattern, j, i, n)
			case mark[i] == int32(j)+1:
				return fmt.Errorf("%w: column %d has row %d twice", ErrPattern, j, i)
			case int(i) > j:
				lower++
			case int(i) < j:
				upper++
			}
			mark[i] = int32(j) + 1
		}
	}
	if upper == 0 {
		return nil
	}
	return checkMirrored(n, colPtr, rowIdx, lower, upper)
}

// checkMirrored reports an entry of one triangle without its mirror image in the other one. There are no entries twice.
func checkMirrored(n int, colPtr, rowIdx []int32, lower, upper int) error {
	// The entries above the diagonal, by rows.
	start := make([]int, n+1)
	for j := range n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) < j {
				start[i+1]++
			}
		}
	}
	for i := range n {
		start[i+1] += start[i]
	}
	cols := make([]int32, upper)
	next := make([]int, n)
	copy(next, start)
	for j := range n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) < j {
				cols[next[i]] = int32(j)
				next[i]++
			}
		}
	}

	// Column j below the diagonal must have the rows that row j has columns above it.
	mark := make([]int32, n)
	for j := range n {
		for _, i := range cols[start[j]:start[j+1]] {
			mark[i] = int32(j) + 1
		}
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) > j && mark[i] != int32(j)+1 {
				return fmt.Errorf("%w: entry (%d, %d) has no mirror image", ErrPattern, i, j)
			}
		}
	}
	if lower != upper {
		return fmt.Errorf("%w: %d entries below the diagonal, %d above", ErrPattern, lower, upper)
	}
	return nil
}

// graphOf returns the graph of a pattern that was checked: an edge for each entry below the diagonal.
func graphOf(n int, colPtr, rowIdx []int32) *ordering.Graph {
	// The degrees, whose sums are the starts of the lists.
	g := &ordering.Graph{Start: make([]int, n+1)}
	for j := range n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) > j {
				g.Start[i+1]++
				g.Start[j+1]++
			}
		}
	}
	for v := range n {
		g.Start[v+1] += g.Start[v]
	}

	// Each edge goes to the lists of both ends.
	g.Adj = make([]int32, g.Start[n])
	next := slices.Clone(g.Start[:n])
	for j := range n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) > j {
				g.Adj[next[i]] = int32(j)
				g.Adj[next[j]] = i
				next[i]++
				next[j]++
			}
		}
	}
	return g
}
