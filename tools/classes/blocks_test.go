package classes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// TestEqualBlocks exchanges each pair of neighbouring blocks: columns and the set of rows stay as they are.
func TestEqualBlocks(t *testing.T) {
	for name, draw := range equalBlocks {
		for seed := range uint64(10) {
			b := draw(rand.New(rand.NewPCG(seed, 0)))
			if b.count < 2 || len(b.columns) == 0 {
				t.Fatalf("%s, seed %d: no equal blocks", name, seed)
			}
			image := make([]int, len(b.Cols))
			for j := range image {
				image[j] = j
			}
			want := rowsOf(t, &b.Model, image)
			for k := range b.count - 1 {
				swapped := slices.Clone(image)
				for _, cols := range b.columns {
					i, j := cols[k], cols[k+1]
					swapped[i], swapped[j] = int(j), int(i)
					if b.Cols[i] != b.Cols[j] {
						t.Errorf("%s, seed %d: columns %d and %d differ", name, seed, i, j)
					}
				}
				if !slices.Equal(rowsOf(t, &b.Model, swapped), want) {
					t.Errorf("%s, seed %d: exchanging blocks %d and %d changes rows", name, seed, k, k+1)
				}
			}
		}
	}
}

// rowsOf writes the rows, each with its bounds and the entries of the columns that image takes its columns to, and
// sorts them.
func rowsOf(t *testing.T, m *lp.Model, image []int) []string {
	a, err := m.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	entries := make([][]string, len(m.Rows))
	for j := range m.Cols {
		index, value := a.Vec(j)
		for k, i := range index {
			entries[i] = append(entries[i], fmt.Sprint(image[j], ":", value[k]))
		}
	}
	rows := make([]string, len(m.Rows))
	for i, r := range m.Rows {
		slices.Sort(entries[i])
		rows[i] = fmt.Sprint(r.Lower, r.Upper, strings.Join(entries[i], " "))
	}
	slices.Sort(rows)
	return rows
}
