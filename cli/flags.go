package cli

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/lp/mps"
)

// solveFlags are the flags that solving commands share.
type solveFlags struct {
	// How the result is shown.
	json    bool
	quiet   bool
	logFile string // of --log, "" for none

	// The layout of events on standard error, "" for none.
	progress string

	// What a search stops at, and the seed of everything random in it.
	timeLimit time.Duration // math.MaxInt64 for none
	seed      uint64
	gap       float64 // relative

	// The files that a solution goes to, "" for none.
	writeSol string
	solStyle mps.SolStyle
	solution string // of --solution
	svg      string // of --svg
	html     string // of --html
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
	// The limit is set before its flag is added, which takes its default from it.
	f.timeLimit = math.MaxInt64
	c.Flags().Var(durationLimit(&f.timeLimit), "time-limit",
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
	f.gap = 1e-4
	c.Flags().Var((*nonnegative)(&f.gap), "gap", "stop when |objective - bound| is at most this fraction of |objective|")
}

// checkThreads reports a negative number of threads.
func checkThreads(threads int) error {
	if threads < 0 {
		return badInput(fmt.Errorf("--threads %d: a negative count", threads))
	}
	return nil
}

// nonnegative is the flag of a number of at least 0.
type nonnegative float64

// String shows the value.
func (v *nonnegative) String() string { return strconv.FormatFloat(float64(*v), 'g', -1, 64) }

// Type names the value in the help.
func (v *nonnegative) Type() string { return "float" }

// Set reads a value.
func (v *nonnegative) Set(text string) error {
	// The comparison is such that NaN fails it.
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) {
		return errors.New("it is a number of at least 0")
	}
	*v = nonnegative(x)
	return nil
}

// remaining returns what is left of the time limit of an invocation; a limit that is used up is 0.
func (a *app) remaining() time.Duration {
	// An unlimited time stays unlimited, whatever has passed of it.
	if a.flags.timeLimit == math.MaxInt64 {
		return math.MaxInt64
	}
	return max(0, a.flags.timeLimit-time.Since(a.began))
}

// limit is the flag of a limit, whose largest value reads as none.
type limit[T int | int64 | float64 | time.Duration] struct {
	// Where the value goes, and the value that reads as none: the largest of the type.
	value *T
	none  T

	// The name of the value in the help.
	kind string

	// What writes a value, and what reads one.
	show  func(T) string
	parse func(string) (T, error)
}

// String shows the value.
func (l *limit[T]) String() string {
	// The value none is shown as the word, not as a number of 19 digits.
	if *l.value == l.none {
		return "none"
	}
	return l.show(*l.value)
}

// Set reads a value.
func (l *limit[T]) Set(text string) (err error) {
	// The word is accepted by every limit.
	if text == "none" {
		*l.value = l.none
		return nil
	}
	v, err := l.parse(text)
	// After an error the flag keeps its value, and cobra ends the command.
	if err == nil {
		*l.value = v
	}
	return err
}

// Type names the value in the help.
func (l *limit[T]) Type() string { return l.kind }

// byteLimit is the flag of a number of bytes, with a unit of powers of 1000 or of 1024.
func byteLimit(value *int64) *limit[int64] {
	return &limit[int64]{value, math.MaxInt64, "bytes",
		func(v int64) string { return strconv.FormatInt(v, 10) }, parseBytes}
}

// byteUnits are the units of sizes. A suffix comes before those that it ends in.
var byteUnits = []struct {
	suffix string
	size   float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40}, {"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6},
	{"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}}

// parseBytes reads a number with a unit.
func parseBytes(text string) (int64, error) {
	for _, u := range byteUnits {
		// The first suffix that fits is the longest one.
		digits, ok := strings.CutSuffix(text, u.suffix)
		if !ok {
			continue
		}

		// A NaN fails the comparison, and a number that int64 cannot hold is none that memory could have.
		v, err := strconv.ParseFloat(digits, 64)
		if err != nil || !(v >= 0) || v*u.size >= math.MaxInt64 {
			break
		}
		return int64(v * u.size), nil
	}
	return 0, errors.New("not a size such as 500MB or 4GiB")
}

// durationLimit is the flag of a time: a number of seconds, or a Go duration.
func durationLimit(value *time.Duration) *limit[time.Duration] {
	return &limit[time.Duration]{value, math.MaxInt64, "DURATION", showDuration, parseDuration}
}

// showDuration shows a duration as Go does, but 0 without a unit.
func showDuration(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	return d.String()
}

// parseDuration reads a number of seconds, a Go duration, or none.
func parseDuration(s string) (time.Duration, error) {
	// The word is accepted here as well, since batch scripts check their flag by this function.
	if s == "none" {
		return math.MaxInt64, nil
	}
	v, err := time.ParseDuration(s)
	// A plain number is one of seconds, which time.ParseDuration refuses, except for 0.
	if seconds, bad := strconv.ParseFloat(s, 64); bad == nil {
		// A NaN, and what is above 292 years, fails the comparison.
		if !(math.Abs(seconds) < math.MaxInt64/float64(time.Second)) {
			return 0, errors.New("more seconds than there can be; none is no limit")
		}
		v = time.Duration(seconds * float64(time.Second))
		err = nil
	}
	switch {
	case err != nil:
		return 0, errors.New("not a duration such as 60 (seconds), 90s, 10m or 1h30m")
	case v < 0:
		return 0, errors.New("negative")
	}
	return v, nil
}

// addCount adds the flag of a count without a limit as its default.
func addCount(c *cobra.Command, target *int, name, usage string) {
	// Without the flag the count is as good as unlimited.
	*target = math.MaxInt
	c.Flags().Var(&limit[int]{target, math.MaxInt, "N", strconv.Itoa, func(s string) (int, error) {
		v, err := strconv.Atoi(s)
		// A count of 0 stops at once, which is allowed.
		if err != nil || v < 0 {
			return 0, errors.New("not a count")
		}
		return v, nil
	}}, name, usage)
}

// workLimit is the flag of an amount of counted work.
func workLimit(value *float64) *limit[float64] {
	show := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return &limit[float64]{value, math.Inf(1), "UNITS", show, func(s string) (float64, error) {
		v, err := strconv.ParseFloat(s, 64)
		// A NaN fails the comparison.
		if err != nil || !(v >= 0) {
			return 0, errors.New("not an amount of work such as 5e9")
		}
		return v, nil
	}}
}

// onOff is a flag that is on or off.
type onOff bool

// String shows the value.
func (b *onOff) String() string {
	if *b {
		return "on"
	}
	return "off"
}

// Set reads a value.
func (b *onOff) Set(s string) error {
	// No other spelling is accepted, such as true or 1, so that scripts look alike.
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

// Type names the values in the help.
func (b *onOff) Type() string { return "on|off" }
