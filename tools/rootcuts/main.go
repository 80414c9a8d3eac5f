// Rootcuts measures what sources of cuts close of the gap between the linear relaxation and the optimum of programs
// with integer recourse, in the same processor time, at the root: a master over the relaxed first stage with an
// epigraph for each scenario, without branching.
//
//	GOMAXPROCS=1 go run ./tools/rootcuts -seconds 20 ../shared/data/stoch/sslp/sslp-40-50-50.cor.gz=-401.68 ...
//
// The number after a path is the best cost known; shares are of the distance from the relaxation of the given rows to
// it. Each source runs alone, and with all others but it. Validity of a cut rests on solvers in floating point: this is
// a measurement, not a proof.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/proxybd/proxybd/benders/integer"
	"github.com/proxybd/proxybd/lp/smps"
	"github.com/proxybd/proxybd/lp/stoch"
)

// sources says where the cuts of a run come from.
type sources struct {
	split  bool // the disaggregated rows, in linear and mixed-integer programs
	planes bool // cutting planes of a scenario in its linear program, which then has the disaggregated rows
	every  bool // mixed-integer programs in every round, not only where cuts of linear programs cut nothing off
	steps  int  // mixed-integer programs for a cut: 0 for none, 1 for strengthened Benders cuts
	span   bool // multipliers in the span of the slopes of the scenario's earlier cuts (Chen and Luedtke 2022)
	warm   bool // the last multipliers of the scenario are the first ones of the next ascent
	stop   bool // a mixed-integer program ends where its bound proves a cut that is violated by enough
	raised bool // integer L-shaped cuts at 0-1 points of the master
}

// configuration is a row of the table.
type configuration struct {
	name string
	sources
}

// ascents is the number of mixed-integer programs for a Lagrangian cut, as in package integer.
const ascents = 8

// configurations lists the rows: every source alone, then all without it.
func configurations() []configuration {
	all := sources{split: true, steps: ascents, warm: true, raised: true}
	without := func(name string, change func(s *sources)) configuration {
		s := all
		change(&s)
		return configuration{"all but " + name, s}
	}
	return []configuration{
		{"LP cuts", sources{}},
		{"split rows", sources{split: true}},
		{"cutting planes", sources{split: true, planes: true}},
		{"raised cuts", sources{raised: true}},
		{"strengthened", sources{steps: 1}},
		{"Lagrangian, free", sources{steps: ascents, warm: true}},
		{"Lagrangian, span", sources{steps: ascents, warm: true, span: true}},
		{"all", all},
		{"all and cutting planes", sources{split: true, planes: true, steps: ascents, warm: true, raised: true}},
		without("split rows", func(s *sources) { s.split = false }),
		without("alternating order", func(s *sources) { s.every = true }),
		without("ascent (strengthened)", func(s *sources) { s.steps = 1 }),
		without("Lagrangian", func(s *sources) { s.steps = 0 }),
		without("last multipliers", func(s *sources) { s.warm = false }),
		without("raised cuts", func(s *sources) { s.raised = false }),
		{"all, multipliers in the span", sources{split: true, steps: ascents, warm: true, span: true, raised: true}},
		{"all, MIPs stopped", sources{split: true, steps: ascents, warm: true, stop: true, raised: true}},
	}
}

func main() {
	log.SetFlags(0)
	seconds := flag.Float64("seconds", 20, "seconds of processor time for each run")
	only := flag.String("only", "", "names of rows with commas between them, without it all")
	flag.Parse()
	for _, arg := range flag.Args() {
		path, value, ok := strings.Cut(arg, "=")
		best, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil {
			log.Fatalf("%s: a path, =, and the best cost known are expected", arg)
		}
		if err := measure(path, best, *seconds, *only); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

// measure prints the rows of a program.
func measure(path string, best, seconds float64, only string) error {
	ctx := context.Background()
	p, err := read(path)
	if err != nil {
		return err
	}
	q, err := integer.New(p)
	if err != nil {
		return err
	}
	if p.Core.Maximize {
		best = -best
	}

	// The relaxation of the given rows has as much time as it takes.
	base, err := newRoot(q, p, sources{})
	if err != nil {
		return err
	}
	if err := base.run(ctx, 10*seconds); err != nil {
		return err
	}
	name := strings.SplitN(filepath.Base(path), ".", 2)[0]
	fmt.Printf("%s: relaxation %.9g in %.1f s, best known %.9g\n", name, base.bound, base.spent.Seconds(), best)

	for _, c := range configurations() {
		if only != "" && !strings.Contains(","+only+",", ","+c.name+",") {
			continue
		}
		r, err := newRoot(q, p, c.sources)
		if err != nil {
			return err
		}
		if err := r.run(ctx, seconds); err != nil {
			return err
		}
		fmt.Printf("%s, %-30s closed %6.3f bound %.9g rounds %4d LPs %6d MIPs %5d nodes %6d cuts %5d in %.1f s%s\n", name,
			c.name, (r.bound-base.bound)/(best-base.bound), r.bound, r.rounds, r.lps, r.mips, r.nodes, r.cuts,
			r.spent.Seconds(), r.ended)
	}
	return nil
}

// read reads the program of SMPS files.
func read(path string) (*stoch.Program, error) {
	files, err := smps.Find(path, smps.Files{})
	if err != nil {
		return nil, err
	}
	all, _, err := smps.ReadFiles(files)
	if err != nil {
		return nil, err
	}
	p, err := all.TwoStage(smps.DefaultOptions())
	if err != nil {
		return nil, err
	}
	return p.Possible(), nil
}

// processor is the processor time that this process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
