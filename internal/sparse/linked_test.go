package sparse

import (
	"math/rand/v2"
	"testing"
)

// TestLinked changes a matrix at random and compares it with a dense one, by rows and by columns.
func TestLinked(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 5))
		rows, cols := 1+rng.IntN(8), 1+rng.IntN(8)
		dense := make([][]float64, rows)
		var entries []Triplet
		for i := range dense {
			dense[i] = make([]float64, cols)
			for j := range cols {
				if rng.IntN(2) == 0 {
					dense[i][j] = float64(rng.IntN(5) - 2)
					entries = append(entries, Triplet{int32(j), int32(i), dense[i][j]})
				}
			}
		}
		a, err := Compress(cols, rows, entries)
		if err != nil {
			t.Fatal(err)
		}
		var m Linked
		m.Load(a)
		for range 30 {
			changeLinked(rng, &m, dense)
			compareLinked(t, seed, &m, dense)
		}
	}
}

func changeLinked(rng *rand.Rand, m *Linked, dense [][]float64) {
	i, r := int32(rng.IntN(len(dense))), int32(rng.IntN(len(dense)))
	switch k := m.RowHead[i]; {
	case rng.IntN(3) > 0 && i != r: // whole numbers: nothing rounds
		var index []int32
		var value []float64
		for ; k >= 0; k = m.E[k].NextR {
			index, value = append(index, m.E[k].Col), append(value, m.E[k].Val)
		}
		f := float64(rng.IntN(3) - 1)
		if f == 0 {
			return
		}
		m.SubtractRow(r, index, value, f)
		for j := range dense[r] {
			dense[r][j] -= f * dense[i][j]
			if max(dense[r][j], -dense[r][j]) > 1e6 { // start the row anew
				dense[r][j] = 0
			}
		}
		for k := m.RowHead[r]; k >= 0; k = m.E[k].NextR {
			if dense[r][m.E[k].Col] == 0 {
				m.Remove(k)
			}
		}
	case k >= 0:
		dense[i][m.E[k].Col] = 0
		m.Remove(k)
	default:
		j := rng.IntN(len(dense[i]))
		dense[i][j] = 3
		m.add(i, int32(j), 3)
	}
}

func compareLinked(t *testing.T, seed uint64, m *Linked, dense [][]float64) {
	t.Helper()
	nnz := 0
	for i, row := range dense {
		n := 0
		for k := m.RowHead[i]; k >= 0; k = m.E[k].NextR {
			if e := m.E[k]; int(e.Row) != i || row[e.Col] != e.Val {
				t.Fatalf("seed %d: entry %+v, want %g", seed, e, row[e.Col])
			}
			n++
		}
		want := 0
		for _, v := range row {
			if v != 0 {
				want++
			}
		}
		if n != want || int(m.RowLen[i]) != n {
			t.Fatalf("seed %d: row %d has %d entries, says %d, want %d", seed, i, n, m.RowLen[i], want)
		}
		nnz += n
	}
	for j := range dense[0] {
		n := 0
		for k := m.ColHead[j]; k >= 0; k = m.E[k].NextC {
			if e := m.E[k]; int(e.Col) != j || dense[e.Row][j] != e.Val {
				t.Fatalf("seed %d: entry %+v by columns", seed, e)
			}
			n++
		}
		if int(m.ColLen[j]) != n {
			t.Fatalf("seed %d: column %d has %d entries, says %d", seed, j, n, m.ColLen[j])
		}
		nnz -= n
	}
	if nnz != 0 {
		t.Fatalf("seed %d: rows and columns differ by %d entries", seed, nnz)
	}
}

// TestParallel finds every planted multiple, and nothing else.
func TestParallel(t *testing.T) {
	a, err := Compress(3, 4, []Triplet{{0, 0, 1}, {1, 0, 2}, {0, 1, -3}, {1, 1, -6}, {0, 2, 1}, {1, 2, 2.5}, {2, 3, 1}})
	if err != nil {
		t.Fatal(err)
	}
	var m Linked
	m.Load(a)
	var found [][2]int32
	Pairs(m.RowLines(make([]bool, 4)), make([]bool, 4), func(a, b int32) {
		if s, ok := m.RowRatio(a, b); ok {
			if s != -3 {
				t.Errorf("ratio %g, want -3", s)
			}
			found = append(found, [2]int32{a, b})
		}
	})
	if len(found) != 1 || found[0] != [2]int32{0, 1} {
		t.Errorf("parallel rows %v", found)
	}
	if _, ok := m.ColRatio(0, 1); ok {
		t.Error("columns 0 and 1 are not parallel")
	}
}
