//go:build linux

// Scalesim says how long a run of several processes takes on more machines than are at hand. It solves a program with
// scenarios once, in one process, and notes what rank 0 and each job cost (trace.go); then it plays the same rounds for
// any number of processes, with a latency and a bandwidth (play.go), also for more scenarios (scale.go).
//
//	scalesim measure -family mcndp -scenarios r04-0-1000.scen.gz -gap 1e-2 r04.4.dow small.json
//	scalesim play small.json
//	scalesim act -latency 50us small.json       the same by members that sleep (act.go), to check the player
//	scalesim scale -nodes 1,10,100,1000 -to 100000,1000000 small.json large.json
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("scalesim: ")
	if len(os.Args) < 2 {
		log.Fatal("measure, play, act or scale")
	}
	commands := map[string]func(args []string) error{"measure": measure, "play": play, "act": act, "scale": scale}
	command := commands[os.Args[1]]
	if command == nil {
		log.Fatalf("%s is none of measure, play, act and scale", os.Args[1])
	}
	if err := command(os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

// measure solves a program and writes its trace.
func measure(args []string) error {
	f := flag.NewFlagSet("measure", flag.ExitOnError)
	family := f.String("family", "", "family of the instance")
	scenarios := f.String("scenarios", "", "file or number of scenarios, where the family has the option")
	gap := f.Float64("gap", 1e-4, "relative gap of the run")
	f.Parse(args)
	if f.NArg() != 2 {
		return errors.New("measure [flags] INSTANCE TRACE")
	}

	t, err := record(context.Background(), *family, f.Arg(0), *scenarios, *gap)
	if err != nil {
		return err
	}
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	fmt.Println(t)
	return os.WriteFile(f.Arg(1), text, 0o644)
}

// addNetwork adds the flags of a network.
func addNetwork(f *flag.FlagSet, c *machines) {
	f.DurationVar(&c.latency, "latency", 200*time.Microsecond, "time of a message of no length")
	f.Float64Var(&c.bandwidth, "bandwidth", 1e9/8, "bytes a second of the link of rank 0, in each direction")
	f.Float64Var(&c.slow, "slow", 1, "seconds that a second of processor time takes")
}

// play plays traces for 1 to 4 processes of one thread.
func play(args []string) error {
	f := flag.NewFlagSet("play", flag.ExitOnError)
	c := machines{slots: 1}
	addNetwork(f, &c)
	f.Parse(args)
	for _, path := range f.Args() {
		t, err := load(path)
		if err != nil {
			return err
		}
		fmt.Println(t)
		for c.nodes = 1; c.nodes <= 4; c.nodes++ {
			fmt.Println(c.run(t))
		}
	}
	return nil
}

// scale plays runs of more scenarios; two traces of the same program give how they grow.
func scale(args []string) error {
	f := flag.NewFlagSet("scale", flag.ExitOnError)
	c := machines{}
	addNetwork(f, &c)
	nodes := f.String("nodes", "1,10,100,1000", "processes")
	to := f.String("to", "100000,1000000", "scenarios")
	f.IntVar(&c.slots, "threads", 4, "threads of a process")
	f.BoolVar(&c.shared, "shared", false, "what rank 0 does for each scenario is done by the processes")
	f.Parse(args)
	if f.NArg() != 2 {
		return errors.New("scale [flags] SMALL LARGE")
	}

	// What a step costs is a line through both traces.
	small, err := load(f.Arg(0))
	if err != nil {
		return err
	}
	large, err := load(f.Arg(1))
	if err != nil {
		return err
	}
	g := growth(small, large)
	fmt.Printf("rank 0 before a step: %.3g s + %.3g s a scenario, and by its threads %.3g s + %.3g s; "+
		"a linear program: %.3g s\n", g.alone.fixed, g.alone.each, g.spread.fixed, g.spread.each, large.perProgram())

	// The larger trace is stretched to each number of scenarios, and played by each number of processes.
	sizes, err := numbers(*to)
	if err != nil {
		return err
	}
	counts, err := numbers(*nodes)
	if err != nil {
		return err
	}
	for _, s := range sizes {
		t := large.grown(s, g)
		for _, c.nodes = range counts {
			fmt.Println(c.run(t))
		}
	}
	return nil
}

// numbers reads a list with commas.
func numbers(list string) (out []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no positive number", text)
		}
		out = append(out, n)
	}
	return out, nil
}

// load reads a trace.
func load(path string) (*trace, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := new(trace)
	if err := json.Unmarshal(text, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}
