// Command proxybd solves linear, mixed-integer and two-stage programs from files. `proxybd help` lists its commands;
// the README describes design and formats.
package main

import (
	"os"

	"github.com/proxybd/proxybd/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], cli.Families()...)) }
