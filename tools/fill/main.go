// Fill compares orderings of the normal equations of linear programs: the entries of the factor of A A', where A has
// the rows of a model, the operations of the factorisation, and the processor time of the ordering.
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
	"strings"
	"syscall"
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
	began := processor()

	// The time of METIS is that of its own process.
	var metis time.Duration
	switch method {
	case "minimum degree":
		opts.Ordering = cholesky.MinimumDegree
	case "nested dissection":
		opts.Ordering = cholesky.NestedDissection
	case "ndmetis":
		order, spent, err := runMetis(p)
		if err != nil {
			return err
		}
		opts.Ordering = cholesky.Given
		opts.Permutation = order
		metis = spent
		began = processor()
	}

	s, err := cholesky.Analyse(p.n, p.colPtr, p.rowIdx, opts)
	if err != nil {
		return err
	}
	fmt.Printf("%-10s %7d %9d %-18s %11d %11.4g %8.3f", p.name, p.n, len(p.rowIdx), method,
		s.NonZeros(), s.Flops(), (processor() - began + metis).Seconds())
	if factors > 0 {
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
	least, solve := time.Hour, time.Hour
	for range times {
		began := processor()
		if _, err := f.Factorize(p.values, cholesky.DefaultRegularisation()); err != nil {
			return err
		}
		least = min(least, processor()-began)
		for i := range x {
			x[i] = 1
		}
		began = processor()
		f.Solve(x)
		solve = min(solve, processor()-began)
	}
	fmt.Printf("  factor %.4f s, %.1f GFLOP/s, solve %.4f s, %d MiB", least.Seconds(),
		s.Flops()/least.Seconds()/1e9, solve.Seconds(), s.Bytes()>>20)
	return nil
}

// processor returns the processor time of the program.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
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
