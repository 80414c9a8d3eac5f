package cli

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/proxybd/proxybd/internal/jsonl"
)

// schemaVersion is carried by every object and record; it changes when a field changes its meaning.
const schemaVersion = 1

// number is a float64 whose infinities and NaN are null in JSON.
type number = jsonl.Number

// writeJSON writes one object as one line.
func writeJSON(w io.Writer, v any) error {
	data, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
