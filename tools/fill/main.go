// Fill compares orderings of the normal equations of linear programs: the entries of the factor of A A', where A has
// the rows of a model, the operations of the factorisation, and the time of the ordering.
//
//	go run ./tools/fill ../shared/data/netlib/dfl001.mps.gz ...
//
// The program ndmetis (METIS 5, G. Karypis and V. Kumar) is measured in addition if it is installed.
package main

import (
	"flag"
	"fmt"
	"log"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/internal/cholesky"
	"github.com/proxybd/proxybd/lp/mps"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("fill: ")
	factors := flag.Int("factor", 0, "factorise so many times, with minimum degree and nested dissection")
	threads := flag.Int("threads", 1, "threads of the factorisation")
	flag.Parse()

	methods := []string{"minimum degree", "nested dissection"}
	if _, err := exec.LookPath("ndmetis"); err == nil {
		methods = append(methods, "ndmetis")
	}
	fmt.Printf("%-10s %7s %9s %-18s %11s %11s %8s\n",
		"model", "rows", "entries", "ordering", "nnz(L)", "flops", "seconds")
	for _, path := range flag.Args() {
		p, err := readPattern(path)
		if err != nil {
			log.Fatal(err)
		}
		for _, method := range methods {
			if err := measure(p, method, *factors, *threads); err != nil {
				log.Fatal(err)
			}
		}
	}
}

// measure prints a line for an ordering.
func measure(p *pattern, method string, factors, threads int) error {
	opts := cholesky.DefaultOptions()
	opts.Threads = threads
	began := time.Now()
	switch method {
	case "minimum degree":
		opts.Ordering = cholesky.MinimumDegree
	case "nested dissection":
		opts.Ordering = cholesky.NestedDissection
	case "ndmetis":
		order, err := runMetis(p)
		if err != nil {
			return err
		}
		opts.Ordering = cholesky.Given
		opts.Permutation = order
	}
	s, err := cholesky.Analyse(p.n, p.colPtr, p.rowIdx, opts)
	if err != nil {
		return err
	}
	fmt.Printf("%-10s %7d %9d %-18s %11d %11.4g %8.3f", p.name, p.n, len(p.rowIdx), method,
		s.NonZeros(), s.Flops(), time.Since(began).Seconds())
	if factors > 0 && method != "ndmetis" {
		if err := factorise(p, s, factors); err != nil {
			return err
		}
	}
	fmt.Println()
	return nil
}

// factorise prints the least time of a factorisation and of a solution.
func factorise(p *pattern, s *cholesky.Symbolic, times int) error {
	f := cholesky.NewFactor(s)
	x := make([]float64, p.n)
	var least, solve []float64
	for range times {
		began := time.Now()
		if _, err := f.Factorize(p.values, cholesky.DefaultRegularisation()); err != nil {
			return err
		}
		least = append(least, time.Since(began).Seconds())
		for i := range x {
			x[i] = 1
		}
		began = time.Now()
		f.Solve(x)
		solve = append(solve, time.Since(began).Seconds())
	}
	fmt.Printf("  factor %.4f s, %.1f GFLOP/s, solve %.4f s, %d MiB", slices.Min(least),
		s.Flops()/slices.Min(least)/1e9, slices.Min(solve), s.Bytes()>>20)
	return nil
}

// pattern is the lower triangle of A A', with the values for A scaled by rows plus the identity.
type pattern struct {
	name           string
	n              int
	colPtr, rowIdx []int32
	values         []float64
}

// readPattern reads a model.
func readPattern(path string) (*pattern, error) {
	model, _, err := mps.ReadFile(path)
	if err != nil {
		return nil, err
	}
	columns, err := model.Matrix()
	if err != nil {
		return nil, err
	}
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return normalEquations(name, columns), nil
}
