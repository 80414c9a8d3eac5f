package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/nn"
	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/simplex"
)

// Exit codes.
const (
	exitSolved     = 0 // optimal, or the end of a run by its own rule: fixed_point and stalled
	exitFailure    = 1 // anything that the others do not say, not_solved among it: an exact run that left a gap
	exitBadInput   = 2 // usage or bad input
	exitInfeasible = 3
	exitUnbounded  = 4
	exitLimit      = 5 // a limit or an interrupt; the best point and bound are reported
)

// statusCode returns the exit code of a finished solve.
func statusCode(s lp.Status) int {
	// The statuses that a run reaches by its own rule are success, whether or not a gap is proven.
	switch {
	case s == lp.Optimal || s == lp.FixedPoint || s == lp.Stalled:
		return exitSolved
	case s == lp.Infeasible:
		return exitInfeasible
	case s == lp.Unbounded:
		return exitUnbounded
	case s.Limited():
		return exitLimit
	}
	return exitFailure
}

// errBadInput is wrapped by errors that the user can repair: flags, arguments, files.
var errBadInput = errors.New("bad input")

// inputError marks an error as bad input without changing its text.
type inputError struct{ err error }

// Error is the text of the error.
func (e inputError) Error() string   { return e.err.Error() }
func (e inputError) Unwrap() []error { return []error{errBadInput, e.err} }

// badInput marks an error so that errorCode maps it to exitBadInput; nil stays nil.
func badInput(err error) error {
	if err == nil {
		return nil
	}
	return inputError{err}
}

// errInterrupted is wrapped by the error of a command that Ctrl-C or SIGTERM ended and that has no result to show for
// it.
var errInterrupted = errors.New("interrupted")

// interruption makes the error of a cancelled context say so.
func interruption(ctx context.Context, err error) error {
	// A deadline of the context is a limit of the run, and not an interrupt.
	if ctx.Err() == nil || !errors.Is(err, context.Canceled) {
		return err
	}

	// What precedes the text of the context is what the command was doing when it was interrupted.
	doing, more := strings.CutSuffix(err.Error(), ": "+context.Canceled.Error())
	if !more {
		return errInterrupted
	}
	return fmt.Errorf("%w: %s", errInterrupted, doing)
}

// errorCode returns the exit code of an error.
func errorCode(err error) int {
	// A limit while reading comes before bad input: the file may be all right.
	if isAny(err, errInterrupted, errTimeLimit) {
		return exitLimit
	}

	if isAny(err, inputErrors...) {
		return exitBadInput
	}
	return exitFailure
}

// inputErrors are the sentinels of this package and of others that a user's files and flags can cause.
var inputErrors = []error{errBadInput, mps.ErrFormat, lp.ErrModel, simplex.ErrOptions, bnb.ErrOptions, bnb.ErrRange,
	benders.ErrOptions, decompose.ErrState, pipeline.ErrCheckpoint, families.ErrModel, families.ErrOptions,
	families.ErrUnsupported, families.ErrForeign, nn.ErrFormat, record.ErrFormat}

// isAny reports whether an error wraps one of the sentinels.
func isAny(err error, sentinels ...error) bool {
	return slices.ContainsFunc(sentinels, func(s error) bool { return errors.Is(err, s) })
}

// packagePrefix matches the name of a package that an error begins with, at the beginning of a text or after another
// part of it. Go programs look at it; on the command line it is left out.
var packagePrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|: )(?:assess|autodiff|benders|bnb|cap|cluster|crossover|cutset|decompose|experiment|` +
		`families|generic|graph|hybrid|iis|instance|integer|interior|json|lagrange|location|lp|mcndp|models|mps|mpsmodel|` +
		`nested|netdes|nl|nn|pipeline|presolve|prove|proxy|record|scenario|scenfolder|scflp|simplex|smps|sslp|stoch|tables|` +
		`twostage|ufl|variants|verify): `)
})

// parsedNumber matches what strconv puts before the reason why a value is not a number: the value is named already.
var parsedNumber = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`strconv\.\w+: parsing "[^"]*": `)
})

// oneLine is the text of an error on one line, without the names of packages, but for files of such a name that the
// command line has.
func oneLine(err error, args []string) string {
	// Line breaks of a message become blanks: an error is one line on standard error.
	text := strings.Join(strings.Fields(err.Error()), " ")
	text = parsedNumber().ReplaceAllString(text, "")

	// Two names in a row share their colon, so that one pass leaves the second.
	for {
		shorter := packagePrefix().ReplaceAllStringFunc(text, func(match string) string {
			name := strings.Trim(match, ": ")
			// A file of the command line may be called like a package, such as lp, and its name stays.
			if slices.Contains(args, name) {
				return match
			}
			return strings.TrimSuffix(match, name+": ")
		})
		if shorter == text {
			return text
		}
		text = shorter
	}
}
