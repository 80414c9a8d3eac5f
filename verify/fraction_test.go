package verify_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// TestLongDenominators has a cut whose multipliers are fractions of 60,000 digits without a common factor: to add up
// all of them would take hours. Multipliers with one denominator of that size are added up.
func TestLongDenominators(t *testing.T) {
	const rows = 100
	m := record.Model{
		Cost:    []float64{0, 1},
		Lower:   []record.Number{0, 0},
		Upper:   []record.Number{1, 1},
		Integer: []bool{true, false},
		First:   []bool{true, false},
		Block:   []int{-1, 0},
		Start:   []int{0},
	}

	// Each row says that the second column is between 0 and 1.
	for range rows {
		m.RowLower = append(m.RowLower, 0)
		m.RowUpper = append(m.RowUpper, 1)
		m.Index = append(m.Index, 1)
		m.Value = append(m.Value, 1)
		m.Start = append(m.Start, len(m.Index))
	}

	data, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}

	proves, err := verify.Cuts(&record.Record{
		Header:   record.Header{Family: "mps", Epigraphs: 1},
		Instance: record.Instance{Hash: m.Hash(), Data: data},
	})
	if err != nil {
		t.Fatal(err)
	}

	for _, differ := range []bool{false, true} {
		c := record.Cut{Certificate: make([]float64, rows)}
		for k := range rows {
			last := 7
			if differ {
				last += 2 * k
			}
			c.Exact = append(c.Exact, fmt.Sprintf("1/1%s%03d", strings.Repeat("0", 60000), last))
		}
		if err := proves(&c); (err != nil) != differ || differ && !strings.Contains(err.Error(), "common denominator") {
			t.Errorf("different denominators %v: %v", differ, err)
		}
	}
}
