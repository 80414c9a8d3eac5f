//go:build ablation

// Ablation solves models with parts of branch and cut switched off, and compares each configuration with the full
// solver, pair by pair:
//
//	GOMAXPROCS=1 go run -tags ablation ./tools/ablation -work 5e8 -seeds "1 2 3" ../shared/data/miplib/air05.mps.gz
//	go run -tags ablation ./tools/ablation -presolve @stableset @auction
//	go run -tags ablation ./tools/ablation -root -optima ../shared/data/miplib/OPTIMA.tsv ../shared/data/miplib/*.gz
//	go run -tags ablation ./tools/ablation -write /tmp/networks -seeds "1 2" @fixedcharge
//
// Limits are work units, so that the load of the machine does not count. The work on one model varies by a factor from
// one permutation of its rows and columns to the next: only a mean over several seeds has a meaning. The primal
// integral is the mean over the work of the gap between the incumbent and the best value known (1 without an incumbent;
// Berthold, Measuring the impact of primal heuristics, 2013). With -root it is how much of the gap between the linear
// relaxation and the optimum the root closes.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/simplex"
	"github.com/proxybd/proxybd/tools/classes"
)

func main() {
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure() error {
	limit := flag.Float64("work", 1e9, "work units a run (1e9 is some seconds)")
	off := flag.String("off", "", "configurations with blanks between them, each the names of what is switched off with "+
		"commas between them; without it every separator and heuristic alone")
	presolved := flag.Bool("presolve", false, "without -off every reduction of presolve alone")
	seeds := flag.String("seeds", "0", "permutations of rows and columns, or members of a class; 0 for a model as it is")
	root := flag.Bool("root", false, "the root's bounds alone, without heuristics")
	optima := flag.String("optima", "", "a `FILE` with a model's name and its optimum on a line, with a tabulator between")
	folder := flag.String("write", "", "write the models into this `FOLDER` as LP files, and solve nothing")
	flag.Usage = func() {
		fmt.Fprintf(flag.CommandLine.Output(), "ablation [flags] MODEL or CLASS ...\nclasses: %s\n",
			strings.Join(classes.Names(), " "))
		flag.PrintDefaults()
	}
	flag.Parse()

	// The full solver is the first configuration, which the others are compared with.
	configurations := append([]string{"none"}, strings.Fields(*off)...)
	if *off == "" && !*root {
		configurations = append(configurations, bnb.Switches(*presolved)...)
	}
	published, err := readOptima(*optima)
	if err != nil {
		return err
	}

	// Each model is written, or solved in all configurations, in each of its permutations.
	table := make([]sums, len(configurations))
	for _, name := range flag.Args() {
		for _, text := range strings.Fields(*seeds) {
			seed, err := strconv.ParseUint(text, 10, 64)
			if err != nil {
				return err
			}
			m, err := model(name, seed)
			if err != nil {
				return err
			}
			if *folder != "" {
				err = write(filepath.Join(*folder, fmt.Sprintf("%s-%d.lp", strings.TrimPrefix(m.Name, "@"), seed)), m)
			} else {
				err = compare(m, seed, configurations, table, *limit, published, *root)
			}
			if err != nil {
				return err
			}
		}
	}

	// The sums over all models come last.
	if *folder == "" && !*root {
		for k, off := range configurations {
			fmt.Printf("off %-18s %s\n", off, table[k].String())
		}
	}
	return nil
}

// compare solves a model in all configurations.
func compare(m *lp.Model, seed uint64, configurations []string, table []sums, limit float64,
	published map[string]float64, root bool) error {
	best, known := published[m.Name]
	runs := make([]run, len(configurations))
	for k, off := range configurations {
		var err error
		if runs[k], err = solve(m, off, limit, root); err != nil {
			return err
		}
		v := runs[k].res.Objective
		if tolerance := 2e-4 * math.Max(1, math.Abs(best)); known && runs[k].solved() && !(math.Abs(v-best) <= tolerance) {
			return fmt.Errorf("%s permuted by %d without %s: optimum %.12g, published %.12g", m.Name, seed, off, v, best)
		}
		if !known && !math.IsNaN(v) && (math.IsNaN(best) || best == 0 || (v < best) != m.Maximize) {
			best, known = v, runs[k].solved()
		}
	}
	if root {
		return closed(m, seed, configurations, runs, best, known)
	}
	for k, off := range configurations {
		r := &runs[k]
		r.integral = r.primalIntegral(best, limit)
		table[k].add(r, &runs[0])
		fmt.Printf("%-14s seed %d off %-18s %-10v work %9.4g first %9.4g integral %.5f nodes %7d objective %-12.9g "+
			"gap %.5f in %.2fs found %s\n", m.Name, seed, off, r.res.Status, r.work, r.first, r.integral, r.res.Nodes,
			r.res.Objective, r.res.Gap, r.res.Elapsed.Seconds(), foundBy(&r.res))
	}
	return nil
}

// closed prints how much of the gap the roots close.
func closed(m *lp.Model, seed uint64, configurations []string, runs []run, best float64, known bool) error {
	relaxed, err := simplex.Solve(context.Background(), m, simplex.DefaultOptions())
	if err != nil {
		return err
	}
	for k, off := range configurations {
		share := math.NaN()
		if known && best != relaxed.Objective {
			share = 100 * (runs[k].res.Bound - relaxed.Objective) / (best - relaxed.Objective)
		}
		fmt.Printf("%-14s seed %d off %-18s closed %6.2f%% bounds %.9g %.9g work %9.4g in %.2fs\n", m.Name, seed, off, share,
			relaxed.Objective, runs[k].res.Bound, runs[k].res.Work, runs[k].res.Elapsed.Seconds())
	}
	return nil
}

// model is the member of a class, or a file's model with its rows and columns permuted by the seed, 0 for as it is.
func model(name string, seed uint64) (*lp.Model, error) {
	if m := classes.Draw(name, seed); m != nil {
		return m, nil
	}
	m, _, err := mps.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if m.Name = unpack.Stem(name); seed == 0 {
		return m, nil
	}
	return classes.Permuted(m, rand.New(rand.NewPCG(seed, 0)))
}

func write(path string, m *lp.Model) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := mps.WriteLP(f, m); err != nil {
		return err
	}
	return f.Close()
}

func readOptima(path string) (map[string]float64, error) {
	values := map[string]float64{}
	if path == "" {
		return values, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) < 2 {
			continue
		}
		if v, err := strconv.ParseFloat(fields[1], 64); err == nil {
			values[fields[0]] = v
		}
	}
	return values, lines.Err()
}
