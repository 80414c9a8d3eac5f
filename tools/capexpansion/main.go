// Capexpansion writes linear programs of capacity expansion: how much generation, storage and transmission a network of
// nodes builds, and how it runs them in every hour, at the least cost.
//
//	go run ./tools/capexpansion -hours 450 -nodes 20 -seed 1 -o cap-20-450.mps
//
// Each hour has a balance of energy at each node. Solar, wind and gas plants produce at most what is available of their
// capacity, lines carry at most theirs in both directions, and storage passes energy on to the next hour, the last hour
// to the first one. A row for each node and hour and about ten more make 11 times hours times nodes rows. Profiles have
// a daily and a yearly cycle and weather of a few days; the same seed gives the same model.
package main

import (
	"flag"
	"log"
	"os"

	"github.com/proxybd/proxybd/lp/mps"
)

func main() {
	// The sizes are parameters; everything else is drawn.
	log.SetFlags(0)
	size := size{}
	flag.IntVar(&size.hours, "hours", 450, "number of hours")
	flag.IntVar(&size.nodes, "nodes", 20, "number of nodes")
	flag.IntVar(&size.lines, "lines", 0, "number of lines, 0 for one and a half a node")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	out := flag.String("o", "", "`file` to write, standard output if empty")
	flag.Parse()
	if size.hours < 1 || size.nodes < 2 {
		log.Fatal("capexpansion: at least one hour and two nodes")
	}
	if size.lines == 0 {
		size.lines = size.nodes * 3 / 2
	}

	w := os.Stdout
	if *out != "" {
		f, err := os.Create(*out)
		if err != nil {
			log.Fatal(err)
		}
		w = f
	}
	if err := mps.Write(w, newNetwork(size, *seed).model()); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(); err != nil {
		log.Fatal(err)
	}
}
