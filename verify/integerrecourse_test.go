package verify_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// TestIntegerRecourseIsWhole prices a design with values of an integer recourse column that it may have, and with
// others: beyond its bounds and between two integers, each of which would make the design cheaper.
func TestIntegerRecourseIsWhole(t *testing.T) {
	inf := record.Number(math.Inf(1))
	data := record.Model{ // min x + 10 e, 3 x + e >= 3.5, with a column y of the first stage and x in {0, 1}
		Cost:     []float64{0, 1, 10},
		Lower:    []record.Number{0, 0, 0},
		Upper:    []record.Number{1, 1.5, inf},
		Integer:  []bool{true, true, false},
		First:    []bool{true, false, false},
		Block:    []int{-1, 0, 0},
		RowLower: []record.Number{3.5},
		RowUpper: []record.Number{inf},
		Start:    []int{0, 2},
		Index:    []int32{1, 2},
		Value:    []float64{3, 1},
	}
	text, err := json.Marshal(data)
	if err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		x, e float64
		cost float64 // 0 where the point is none
	}{{1, 0.5, 6}, {0, 3.5, 35}, {2, 0, 0}, {1.25, 0, 0}, {-1, 6.5, 0}} {
		cost, err := verify.Price(&record.Record{
			Header:   record.Header{Schema: record.Schema, Family: "stoch", Epigraphs: 1},
			Instance: record.Instance{Hash: data.Hash(), Data: text},
			Design:   &record.Design{Y: []float64{0}, Index: []int32{0, 1}, Value: []float64{test.x, test.e}},
		})
		if test.cost == 0 {
			if err == nil {
				t.Errorf("x = %g has the cost %v", test.x, cost)
			}
			continue
		}
		if err != nil {
			t.Errorf("x = %g: %v", test.x, err)
		} else if v, _ := cost.Float64(); v != test.cost {
			t.Errorf("x = %g costs %g, not %g", test.x, v, test.cost)
		}
	}
}
