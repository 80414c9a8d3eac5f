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

// Matrix is a part of an instance's data by its name in files: rows of numbers from 0 to below Limit.
type Matrix struct {
	Name          string
	Rows          [][]float64
	Height, Width int
	Limit         float64
}

// CheckMatrices reports the first part that has another size than it should, or a number out of its range. A list of
// numbers is a matrix of one row. The error wraps ErrInstance.
func CheckMatrices(family string, parts ...Matrix) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", family, ErrInstance, fmt.Sprintf(format, args...))
	}
	for _, part := range parts {
		if len(part.Rows) != part.Height {
			return bad("%s: %d rows, not %d", part.Name, len(part.Rows), part.Height)
		}
		for i, row := range part.Rows {
			if len(row) != part.Width {
				return bad("%s: %d numbers in row %d, not %d", part.Name, len(row), i+1, part.Width)
			}
			// A comparison with NaN is false, so that no NaN passes.
			for j, v := range row {
				if !(v >= 0 && v < part.Limit) {
					return bad("%s: number %d of row %d is %g", part.Name, j+1, i+1, v)
				}
			}
		}
	}
	return nil
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
