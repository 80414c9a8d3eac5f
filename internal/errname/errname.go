// Package errname keeps package names in the texts of errors to one. An exported function puts the name of its package
// in front of an error once; where it passes on the error of another package, that package's name comes off here.
package errname

import "strings"

// bare is an error whose text lacks the name of the package that returned it.
type bare struct {
	error
	text string
}

// Error implements error.
func (b bare) Error() string { return b.text }

// Unwrap returns the error with its name, so that errors.Is and errors.As find what they found in it.
func (b bare) Unwrap() error { return b.error }

// Without returns err without the name in front of its text, where that is one of names. It keeps every other error,
// and nil.
func Without(err error, names ...string) error {
	// No error stays no error.
	if err == nil {
		return nil
	}

	// The first of the names that stands in front comes off, and only that one.
	for _, name := range names {
		if text, ok := strings.CutPrefix(err.Error(), name+": "); ok {
			return bare{err, text}
		}
	}
	return err
}
