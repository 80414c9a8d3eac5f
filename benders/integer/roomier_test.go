package integer

import (
	"math"
	"slices"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

func TestWithRoom(t *testing.T) {
	master := &lp.Model{}
	master.AddCol(lp.Col{Upper: 1, Integer: true})
	master.AddCol(lp.Col{Upper: 3})
	master.AddCol(lp.Col{Upper: math.Inf(1)})
	p := &Problem{master: master}
	s := &tree{lagrangian: &lagrangian{pricer: &pricer{p: p}}, pricedDesigns: &pricedDesigns{}}

	for _, c := range []struct {
		name        string
		down, share float64
		want        []float64
	}{
		{"no room", 0, 0, []float64{1, 1, 2}},
		{"half of the way", 0, 0.5, []float64{1, 2, 2}},
		{"rounded down", 0.25, 0, []float64{0, 1, 2}},
		{"all the way", 0.25, 1, []float64{0, 3, 2}},
	} {
		point := []float64{0.2, 1, 2}
		if got := s.withRoom(point, c.down, c.share); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
