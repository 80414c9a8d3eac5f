package twostage

import (
	"fmt"

	"github.com/proxybd/proxybd/internal/errname"
)

// inner returns an error of this package, or of a package that it calls, without the name of that package in its text.
func inner(err error) error { return errname.Without(err, "twostage", "lp", "simplex", "stoch") }

// prefixed puts the name of this package in front of such an error, once.
func prefixed(err error) error { return fmt.Errorf("twostage: %w", inner(err)) }
