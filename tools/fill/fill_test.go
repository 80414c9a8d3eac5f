package main

import (
	"os"
	"testing"

	"github.com/proxybd/proxybd/internal/cholesky"
)

// TestFill keeps the operations of the automatic ordering at most a few percent above what they were when it was written,
// which was no more than those of METIS 5.1 and of minimum degree.
func TestFill(t *testing.T) {
	const folder = "../../../shared/data/netlib/"
	for name, most := range map[string]float64{
		"dfl001":            6.5e8,
		"pilot87":           1.66e8,
		"stocfor3":          3.78e6,
		"maros-r7":          4.69e8,
		"kennington/pds-06": 7.3e7,
		"kennington/ken-11": 4.13e6,
	} {
		path := folder + name + ".mps.gz"
		if _, err := os.Stat(path); err != nil {
			t.Skip("no data")
		}
		p, err := readPattern(path)
		if err != nil {
			t.Fatal(err)
		}
		s, err := cholesky.Analyse(p.n, p.colPtr, p.rowIdx, cholesky.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		if s.Flops() > most {
			t.Errorf("%s: %g operations by %v, more than %g", name, s.Flops(), s.Method(), most)
		}
	}
}
