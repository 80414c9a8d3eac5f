// Command paired runs two builds of a program on the same commands, one after the other, and compares processor times
// and results.
//
//	go run ./tools/paired [-runs N] [-ignore FIELDS] OLD NEW < COMMANDS
//
// A line of the input is the arguments of one command. Each is run N times with each build, in alternating order, on
// one core (GOMAXPROCS=1); the least processor time counts. The last line is the geometric mean of the ratios. Results
// are what a command prints on standard output: JSON objects without their times and without the fields that -ignore
// names by a regular expression, or else the text. "differs" behind a ratio means that they are not the same.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"time"
)

// limit ends a command that takes too long.
const limit = 10 * time.Minute

func main() {
	runs := flag.Int("runs", 5, "how often each command is run with each build")
	ignore := flag.String("ignore", "", "`fields` of JSON objects that are not compared either, a regular expression")
	flag.Parse()
	if *ignore != "" {
		left = regexp.MustCompile(left.String() + "|" + *ignore)
	}
	if flag.NArg() != 2 || *runs < 1 {
		flag.Usage()
		os.Exit(2)
	}

	sum := 0.0
	count := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		args := strings.Fields(in.Text())
		if len(args) == 0 {
			continue
		}
		old, changed, same := compare(flag.Arg(0), flag.Arg(1), args, *runs)
		ratio := changed.Seconds() / old.Seconds()
		note := ""
		if !same {
			note = "  differs"
		}
		fmt.Printf("%9.3f s %9.3f s %7.3f  %s%s\n", old.Seconds(), changed.Seconds(), ratio, strings.Join(args, " "), note)
		sum += math.Log(ratio)
		count++
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "paired:", err)
		os.Exit(1)
	}
	fmt.Printf("geometric mean of %d: %.3f\n", count, math.Exp(sum/float64(count)))
}

// compare returns the least processor time of a command with each build, and whether the results of all runs are equal.
func compare(old, changed string, args []string, runs int) (first, second time.Duration, same bool) {
	least := [2]time.Duration{math.MaxInt64, math.MaxInt64}
	var results [2]any
	same = true
	for k := range runs {
		// The order alternates, so that neither build always runs on a cache that the other one has filled.
		for _, which := range []int{k % 2, 1 - k%2} {
			took, out := run([]string{old, changed}[which], args)
			least[which] = min(least[which], took)
			result := withoutTimes(out)
			same = same && (k == 0 || reflect.DeepEqual(result, results[which]))
			results[which] = result
		}
	}
	return least[0], least[1], same && reflect.DeepEqual(results[0], results[1])
}

// run returns the processor time of a command, and its standard output. What it exits with is part of the output.
func run(program string, args []string) (time.Duration, []byte) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := c.Output()
	if c.ProcessState == nil {
		fmt.Fprintln(os.Stderr, "paired:", err)
		os.Exit(1)
	}

	took := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	return took, fmt.Appendf(out, "\nexit code %d\n", c.ProcessState.ExitCode())
}

// left matches the names of the fields that are left out: those that hold times, or what depends on the build.
var left = regexp.MustCompile(`seconds|time|elapsed|memory|rate|version|parts`)

// withoutTimes returns what is compared of an output: the value of a JSON object without its times, or the text.
func withoutTimes(out []byte) any {
	var object map[string]any
	dec := json.NewDecoder(bytes.NewReader(out))
	if dec.Decode(&object) != nil {
		return string(out)
	}
	return strip(object)
}

// strip drops the fields that are left out.
func strip(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			if left.MatchString(name) {
				delete(v, name)
			} else {
				v[name] = strip(value)
			}
		}
	case []any:
		for k := range v {
			v[k] = strip(v[k])
		}
	}
	return v
}
