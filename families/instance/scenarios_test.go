package instance

import (
	"strings"
	"testing"
)

// TestWeighScenarios divides by the sum, leaves out what has the probability 0 and refuses a list with nothing else.
func TestWeighScenarios(t *testing.T) {
	same := func(p *float64) *float64 { return p }
	for _, c := range []struct {
		list, want []float64
		warnings   string
	}{
		{[]float64{0.25, 0.75}, []float64{0.25, 0.75}, ""},
		{[]float64{0, 0.5, 0, 0.5}, []float64{0.5, 0.5}, "f: 2 scenarios with probability 0: left out"},
		{[]float64{0, 1, 3}, []float64{0.25, 0.75},
			"f: the probabilities sum to 4, each is divided by that|f: 1 scenarios with probability 0: left out"},
	} {
		var warnings []string
		got, err := WeighScenarios(c.list, same, "f", func(s string) { warnings = append(warnings, s) })
		if err != nil || len(got) != len(c.want) || strings.Join(warnings, "|") != c.warnings {
			t.Fatalf("%v, %v, %q", got, err, warnings)
		}
		for k := range got {
			if got[k] != c.want[k] {
				t.Errorf("%v, want %v", got, c.want)
			}
		}
	}
	if _, err := WeighScenarios([]float64{0, 0}, same, "f", nil); err == nil || !strings.Contains(err.Error(), "sum to 0") {
		t.Errorf("%v", err)
	}
}
