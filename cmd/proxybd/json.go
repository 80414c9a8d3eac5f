package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
)

// schemaVersion is carried by every object and record; it changes when a field changes its meaning.
const schemaVersion = 1

// number is a float64 whose infinities and NaN are null in JSON.
type number float64

// MarshalJSON writes the shortest decimal that gives the same float64.
func (v number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(v), 'g', -1, 64), nil
}

// writeJSON writes one object as one line.
func writeJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	if _, err := w.Write(append(data, '\n')); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
