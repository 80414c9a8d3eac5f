package instance

import (
	"errors"
	"fmt"
	"math"
)

// ErrInstance is wrapped by every error about data that cannot be used.
var ErrInstance = errors.New("invalid instance")

// ErrFormat is wrapped by every error about the content of an instance file. A family says with a FormatError which
// layout the file does not have.
var ErrFormat = errors.New("malformed instance file")

// FormatError is the text of an error that wraps ErrFormat, such as "not a UflLib file". Two with the same text are the
// same error to errors.Is.
type FormatError string

// Error returns the text.
func (e FormatError) Error() string { return string(e) }

// Unwrap returns ErrFormat.
func (e FormatError) Unwrap() error { return ErrFormat }

// MaxDim bounds the numbers of facilities, clients, nodes and so on: indices are int32, and the rounding bounds of
// package outward hold for sums of up to 2^26 terms.
const MaxDim = 1 << 26

// Numbers is a list of an instance's data: what one of them is, such as the cost of arc, and how many there should be.
type Numbers struct {
	// Of is what one number is, such as "cost of arc".
	Of   string
	List []float64
	// Want is the length that the list should have.
	Want int
}

// CheckNumbers reports the first list that is not as long as it should be, has a number that is negative, NaN or
// infinite, or whose sum is not below limit. The error wraps ErrInstance.
func CheckNumbers(family string, limit float64, lists ...Numbers) error {
	for _, part := range lists {
		if len(part.List) != part.Want {
			return fmt.Errorf("%s: %w: %d numbers for the %s of %d", family, ErrInstance, len(part.List), part.Of, part.Want)
		}
		// A comparison with NaN is false, so that no NaN passes.
		sum := 0.0
		for k, v := range part.List {
			if !(v >= 0 && v <= math.MaxFloat64) {
				return fmt.Errorf("%s: %w: %s %d is %g", family, ErrInstance, part.Of, k, v)
			}
			sum += v
		}
		if !(sum < limit) {
			return fmt.Errorf("%s: %w: the sum over each %s is %g, beyond what sums in float64 can hold", family, ErrInstance,
				part.Of, sum)
		}
	}
	return nil
}
