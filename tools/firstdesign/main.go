// Command firstdesign runs two builds of the program on the same instances, side by side, and compares how early they
// have a design and how good their designs are over time.
//
//	go run ./tools/firstdesign [-limit 60s] OLD NEW < COMMANDS
//
// A line of the input is the arguments of one command that solves an instance. Both builds run it at the same time, on
// one core each, with the time limit. A design counts from the moment at which a line of the log shows its cost. The
// primal integral is the area below the relative distance to the best cost of either run, which is 1 as long as there
// is no design (Berthold, Measuring the impact of primal heuristics, Operations Research Letters 41, 2013); here in
// seconds. A run that ends early keeps its last design.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() {
	limit := flag.Duration("limit", time.Minute, "time limit of a run")
	flag.Parse()
	if flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}

	fmt.Printf("%-44s %19s %19s %21s\n", "", "first design, s", "primal integral, s", "cost after the limit")
	ratios := 0.0
	count := 0
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		args := strings.Fields(in.Text())
		if len(args) == 0 {
			continue
		}

		// Both builds see the same machine.
		var runs [2]history
		var errs [2]error
		var wait sync.WaitGroup
		for k := range runs {
			wait.Go(func() { runs[k], errs[k] = watch(flag.Arg(k), args, *limit) })
		}
		wait.Wait()
		for _, err := range errs {
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}

		best := math.Min(runs[0].last(), runs[1].last())
		old, changed := runs[0].integral(best, *limit), runs[1].integral(best, *limit)
		fmt.Printf("%-44s %9s %9s %9.2f %9.2f %10.7g %10.7g\n", tail(in.Text(), 44), runs[0].first(), runs[1].first(), old,
			changed, runs[0].last(), runs[1].last())
		ratios += math.Log((changed + shift) / (old + shift))
		count++
	}
	if count > 0 {
		fmt.Printf("integral after over before, geometric mean shifted by %g s: %.3f\n", float64(shift),
			math.Exp(ratios/float64(count)))
	}
}

// shift keeps integrals of next to nothing from deciding a mean of ratios.
const shift = 0.1

// tail is the end of a text, at most n bytes.
func tail(s string, n int) string { return s[max(0, len(s)-n):] }

// design is the cost of a design and when it was shown, in seconds.
type design struct{ at, cost float64 }

// history lists the designs of a run, each cheaper than the one before.
type history []design

// first is when the first design was shown.
func (h history) first() string {
	if len(h) == 0 {
		return "--"
	}
	return fmt.Sprintf("%.2f", h[0].at)
}

// last is the cost of the last design, +Inf without one.
func (h history) last() float64 {
	if len(h) == 0 {
		return math.Inf(1)
	}
	return h[len(h)-1].cost
}

// integral is the primal integral up to a limit, in seconds.
func (h history) integral(best float64, limit time.Duration) float64 {
	area := 0.0
	from := 0.0
	distance := 1.0
	for _, d := range h {
		at := min(d.at, limit.Seconds())
		area += distance * (at - from)
		from = at

		// Costs of different signs, or an infinite one, are as far apart as can be.
		distance = 1
		if scale := max(math.Abs(d.cost), math.Abs(best)); d.cost == best {
			distance = 0
		} else if d.cost*best > 0 && !math.IsInf(scale, 1) {
			distance = math.Abs(d.cost-best) / scale
		}
	}
	return area + distance*max(0, limit.Seconds()-from)
}

// watch runs a command and follows its log.
func watch(program string, args []string, limit time.Duration) (history, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*limit+time.Minute)
	defer cancel()
	args = append(args[:len(args):len(args)], "--time-limit", limit.String(), "--log-every", "50ms")
	c := exec.CommandContext(ctx, program, args...)
	c.Env = append(os.Environ(), "GOMAXPROCS=1")
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := c.Start(); err != nil {
		return nil, err
	}
	h := follow(out, func() float64 { return time.Since(began).Seconds() })

	// A limit has an exit code of its own, which is no failure.
	if err := c.Wait(); err != nil && c.ProcessState.ExitCode() != 5 {
		return nil, fmt.Errorf("%s %s: %w", program, strings.Join(args, " "), err)
	}
	return h, nil
}

// logged are the forms in which a log shows the cost of a design: a row, whose incumbent stands before the bound and
// the gap, a line of the start, and the summary.
var logged = []*regexp.Regexp{
	regexp.MustCompile(`\s(\S+)\s+\S+\s+(?:[0-9.]+%|--)(?:\s+\S+)?\s+[0-9.]+s$`),
	regexp.MustCompile(`a design of cost ([0-9.e+-]+)`),
	regexp.MustCompile(`^objective\s+(\S+)`),
}

// follow reads a log, and lists its designs with the time of a clock.
func follow(log io.Reader, clock func() float64) (h history) {
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		for _, form := range logged {
			m := form.FindStringSubmatch(lines.Text())
			if m == nil {
				continue
			}
			cost, err := strconv.ParseFloat(strings.TrimRight(m[1], ","), 64)
			if err == nil && !math.IsInf(cost, 0) && cost < h.last() {
				h = append(h, design{clock(), cost})
			}
		}
	}
	return h
}
