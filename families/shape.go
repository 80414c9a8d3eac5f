package families

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShape splits a shape such as 50x16 into its sizes, all at least 1. The error wraps ErrOptions.
func ParseShape(shape string, parts int) ([]int, error) {
	fields := strings.Split(shape, "x")
	sizes := make([]int, 0, parts)

	// A size that is no number of at least 1 is missing in the list.
	for _, f := range fields {
		if v, err := strconv.Atoi(f); err == nil && v >= 1 {
			sizes = append(sizes, v)
		}
	}
	if len(sizes) != parts || len(fields) != parts {
		return nil, fmt.Errorf("%w: %q is no shape of %d sizes such as %s", ErrOptions, shape, parts,
			strings.Repeat("50x", parts-1)+"50")
	}

	// An instance has about as many numbers as its first two sizes have pairs.
	if parts > 1 && float64(sizes[0])*float64(sizes[1]) > mostPairs {
		return nil, fmt.Errorf("%w: %q has %.3g pairs of its first two sizes, %.0f GB of numbers; at most %d are "+
			"possible", ErrOptions, shape, float64(sizes[0])*float64(sizes[1]),
			8*float64(sizes[0])*float64(sizes[1])/1e9, mostPairs)
	}
	return sizes, nil
}

// mostPairs is the largest product of the first two sizes of a shape: 4 GB of numbers.
const mostPairs = 500_000_000

// FormatShape joins sizes into a shape.
func FormatShape(sizes ...int) string {
	parts := make([]string, len(sizes))

	// The inverse of ParseShape.
	for k, v := range sizes {
		parts[k] = strconv.Itoa(v)
	}
	return strings.Join(parts, "x")
}
