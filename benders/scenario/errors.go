package scenario

import (
	"fmt"

	"github.com/proxybd/proxybd/internal/errname"
)

// inner returns an error of this package, or of a package that it calls, without the name of that package in its text:
// a message has one package name in front, that of the function which the caller called.
func inner(err error) error {
	return errname.Without(err, "scenario", "twostage", "lp", "simplex", "stoch")
}

// must returns the result of a function that cannot fail on a program that New has accepted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// prefixed puts the name of this package in front of such an error, once.
func prefixed(err error) error { return fmt.Errorf("scenario: %w", inner(err)) }
