package cli

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/lp/mps"
)

// solveFlags are the flags that solving commands share.
type solveFlags struct {
	json      bool
	quiet     bool
	logFile   string
	timeLimit time.Duration // math.MaxInt64 for none
	seed      uint64
	gap       float64
	writeSol  string
	solStyle  mps.SolStyle
	solution  string // of --solution
	svg       string // of --svg
}

// addOutput adds the flags of every command that reports a result.
func (f *solveFlags) addOutput(c *cobra.Command) {
	c.Flags().BoolVar(&f.json, "json", false,
		"print one JSON object on standard output; the log goes to standard error")
	c.Flags().BoolVarP(&f.quiet, "quiet", "q", false, "no log, only the result")
	c.Flags().StringVar(&f.logFile, "log", "", "write the log to this `FILE` as well")
}

// addSolve adds the flags of every solving command.
func (f *solveFlags) addSolve(c *cobra.Command) {
	f.addOutput(c)
	f.timeLimit = math.MaxInt64
	c.Flags().Var((*durationLimit)(&f.timeLimit), "time-limit",
		"stop after this wall-clock time, reading included, such as 60 (seconds) or 1h30m")
	c.Flags().Uint64Var(&f.seed, "seed", 1, "seed of everything random")
	c.Flags().Var(&f.solStyle, "sol-style",
		"layout of --write-sol: plain (name and value a line), highs, or cbc (for its mipstart)")
	c.Flags().StringVar(&f.writeSol, "write-sol", "",
		"write the best point found to this `FILE`, name and value a line")
	f.addSolution(c)
}

// addGap adds --gap.
func (f *solveFlags) addGap(c *cobra.Command) {
	c.Flags().Float64Var(&f.gap, "gap", 1e-4, "stop when |objective - bound| is at most this fraction of |objective|")
}

// remaining returns what is left of the time limit of an invocation; a limit that is used up is 0.
func (a *app) remaining() time.Duration {
	if a.flags.timeLimit == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(0, a.flags.timeLimit-time.Since(a.began))
}

// output opens the log of a command as its flags say: to standard output, beside a JSON object or a file there to
// standard error, with --quiet nowhere, and with --log to a file too. The caller calls close at the end.
func (a *app) output() (l *solverLog, err error) {
	var streams fanOut
	switch {
	case a.flags.quiet:
	case a.flags.json || a.claimed:
		streams = append(streams, a.stderr)
	default:
		streams = append(streams, a.stdout)
	}
	l = &solverLog{began: a.began}
	switch a.flags.logFile {
	case "":
	case standard:
		streams = fanOut{a.stdout}
	default:
		f, err := createFile(a.flags.logFile)
		if err != nil {
			return nil, err
		}
		l.file, l.copy = f, &stream{w: f}
		streams = append(streams, l.copy)
	}
	l.w = streams
	a.log = l
	return l, nil
}

// byteLimit is a flag for a number of bytes, with a unit of 1000 or 1024, whose default, the largest, reads as none.
type byteLimit int64

var byteUnits = []struct {
	suffix string
	size   float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6},
	{"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

func (b *byteLimit) String() string {
	if *b == math.MaxInt64 {
		return "none"
	}
	return strconv.FormatInt(int64(*b), 10)
}

// Set reads a number with a unit.
func (b *byteLimit) Set(text string) error {
	for _, u := range byteUnits {
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(v >= 0) || v*u.size >= math.MaxInt64 {
			break
		}
		*b = byteLimit(v * u.size)
		return nil
	}
	return errors.New("not a size such as 500MB or 4GiB")
}

// Type names the flag's value in the help.
func (b *byteLimit) Type() string { return "bytes" }

// durationLimit is a duration flag: seconds, or a Go duration. The largest one reads as none.
type durationLimit time.Duration

func (d *durationLimit) String() string {
	switch *d {
	case math.MaxInt64:
		return "none"
	case 0:
		return "0"
	}
	return time.Duration(*d).String()
}

func (d *durationLimit) Set(s string) error {
	v, err := parseDuration(s)
	*d = durationLimit(v)
	return err
}

// parseDuration reads a number of seconds, a Go duration, or none.
func parseDuration(s string) (time.Duration, error) {
	if s == "none" {
		return math.MaxInt64, nil
	}
	v, err := time.ParseDuration(s)
	if seconds, bad := strconv.ParseFloat(s, 64); bad == nil {
		if !(math.Abs(seconds) < math.MaxInt64/float64(time.Second)) {
			return 0, errors.New("more seconds than there can be; none is no limit")
		}
		v, err = time.Duration(seconds*float64(time.Second)), nil
	}
	switch {
	case err != nil:
		return 0, errors.New("not a duration such as 60 (seconds), 90s, 10m or 1h30m")
	case v < 0:
		return 0, errors.New("negative")
	}
	return v, nil
}

func (d *durationLimit) Type() string { return "DURATION" }

// countLimit is a count flag whose default, math.MaxInt, reads as none.
type countLimit int

func (n *countLimit) String() string {
	if *n == math.MaxInt {
		return "none"
	}
	return strconv.Itoa(int(*n))
}

func (n *countLimit) Set(s string) error {
	if s == "none" {
		*n = math.MaxInt
		return nil
	}
	v, err := strconv.Atoi(s)
	if err != nil || v < 0 {
		return errors.New("not a count")
	}
	*n = countLimit(v)
	return nil
}

func (n *countLimit) Type() string { return "N" }

// addCount adds a count flag without a limit as its default.
func addCount(c *cobra.Command, target *int, name, usage string) {
	*target = math.MaxInt
	c.Flags().Var((*countLimit)(target), name, usage)
}

// workLimit is a flag of counted work whose default, +Inf, reads as none.
type workLimit float64

func (w *workLimit) String() string {
	if math.IsInf(float64(*w), 1) {
		return "none"
	}
	return strconv.FormatFloat(float64(*w), 'g', -1, 64)
}

func (w *workLimit) Set(s string) error {
	if s == "none" {
		*w = workLimit(math.Inf(1))
		return nil
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || !(v >= 0) {
		return errors.New("not an amount of work such as 5e9")
	}
	*w = workLimit(v)
	return nil
}

func (w *workLimit) Type() string { return "UNITS" }

// onOff is a flag that is on or off.
type onOff bool

func (b *onOff) String() string {
	if *b {
		return "on"
	}
	return "off"
}

func (b *onOff) Set(s string) error {
	switch s {
	case "on":
		*b = true
	case "off":
		*b = false
	default:
		return errors.New("neither on nor off")
	}
	return nil
}

func (b *onOff) Type() string { return "on|off" }
