package cholesky

import (
	"slices"

	"github.com/proxybd/proxybd/internal/ordering"
)

// findRows finds the rows of each front, which are those of its columns in A and those that its children pass on, and
// the places of these in the front of the parent.
func (s *Symbolic) findRows(g *ordering.Graph) {
	total := 0
	for k := range s.fronts {
		total += s.fronts[k].below()
	}
	s.rows = make([]int32, 0, total)
	s.parentAt = make([]int32, total)

	// mark[row] is the last front, plus one, that has the row.
	mark := make([]int32, s.n)
	for k := range s.fronts {
		f := &s.fronts[k]
		end := f.first + f.pivots
		add := func(row int32) {
			if row >= end && mark[row] != int32(k)+1 {
				mark[row] = int32(k) + 1
				s.rows = append(s.rows, row)
			}
		}

		// The rows of the entries of A, then those of the update matrices of the children.
		for _, v := range s.perm[f.first:end] {
			for _, u := range g.Neighbours(v) {
				add(s.place[u])
			}
		}
		for _, c := range s.children[k] {
			for _, row := range s.frontRows(&s.fronts[c]) {
				add(row)
			}
		}
		slices.Sort(s.frontRows(f))
	}
	s.findPlaces()
}

// frontRows returns a view of the rows of a front below its pivots.
func (s *Symbolic) frontRows(f *front) []int32 { return s.rows[f.rows : f.rows+f.below()] }

// findPlaces finds the places of rows in the fronts of parents. Both lists are ascending.
func (s *Symbolic) findPlaces() {
	for k := range s.fronts {
		f := &s.fronts[k]
		if f.parent < 0 {
			continue
		}

		// The first rows are pivots of the parent, the others are below them.
		parent := &s.fronts[f.parent]
		end := parent.first + parent.pivots
		below := s.frontRows(parent)
		at := 0
		for i, row := range s.frontRows(f) {
			if row < end {
				s.parentAt[f.rows+i] = row - parent.first
				f.passed = i + 1
				continue
			}
			for below[at] != row {
				at++
			}
			s.parentAt[f.rows+i] = parent.pivots + int32(at)
		}
		f.tail = consecutive(s.parentAt[f.rows : f.rows+f.below()])
	}
}

// consecutive returns the index from which on ascending numbers are consecutive.
func consecutive(at []int32) int {
	tail := max(0, len(at)-1)
	for tail > 0 && at[tail-1]+1 == at[tail] {
		tail--
	}
	return tail
}

// assembly holds, for each column of the lower triangle of P A P', where its entries come from and go to.
type assembly struct {
	start []int
	from  []int32 // where the value is among those of the caller
	to    []int32 // place among the rows of the column's front
}

// newAssembly finds the places of the entries of a pattern.
func newAssembly(s *Symbolic, colPtr, rowIdx []int32) assembly {
	// An entry belongs to the column that is eliminated first.
	a := assembly{start: make([]int, s.n+1)}
	for j := range s.n {
		for _, i := range rowIdx[colPtr[j]:colPtr[j+1]] {
			if int(i) >= j {
				a.start[min(s.place[i], s.place[j])+1]++
			}
		}
	}
	for k := range s.n {
		a.start[k+1] += a.start[k]
	}

	// The entries by column; to has their rows, which findPlaces replaces.
	a.from = make([]int32, a.start[s.n])
	a.to = make([]int32, a.start[s.n])
	next := slices.Clone(a.start[:s.n])
	for j := range s.n {
		for p := colPtr[j]; p < colPtr[j+1]; p++ {
			if i := rowIdx[p]; int(i) >= j {
				column := min(s.place[i], s.place[j])
				a.from[next[column]] = p
				a.to[next[column]] = max(s.place[i], s.place[j])
				next[column]++
			}
		}
	}

	a.findPlaces(s)
	return a
}

// findPlaces replaces the rows of the entries by places in the front.
func (a *assembly) findPlaces(s *Symbolic) {
	at := make([]int32, s.n)
	for k := range s.fronts {
		f := &s.fronts[k]
		for i := range f.pivots {
			at[f.first+i] = i
		}
		for i, row := range s.frontRows(f) {
			at[row] = f.pivots + int32(i)
		}
		for p := a.start[f.first]; p < a.start[f.first+f.pivots]; p++ {
			a.to[p] = at[a.to[p]]
		}
	}
}
