package assess

import "github.com/proxybd/proxybd/internal/errname"

// inner returns an error of this package, or of a package that it calls, without the name of that package in its text.
func inner(err error) error {
	return errname.Without(err, "assess", "integer", "twostage", "stoch", "bnb", "lp")
}
