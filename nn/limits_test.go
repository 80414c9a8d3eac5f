package nn

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSizesRefused returns errors for layers, batches and headers of a size that no memory has.
func TestSizesRefused(t *testing.T) {
	x := [][]float64{{1}, {2}, {3}, {4}}
	for _, hidden := range [][]int{{1 << 40}, {1 << 62}, {1 << 20, 1 << 20}, {4, 1 << 40}} {
		o := DefaultFitOptions()
		o.Hidden = hidden
		if _, _, err := Fit(context.Background(), x, x, o); err == nil {
			t.Errorf("layers %d: no error", hidden)
		}
	}
	o := DefaultFitOptions()
	o.Batch = 1 << 40
	if _, _, err := Fit(context.Background(), x, x, o); err == nil {
		t.Error("batches of 2^40 rows: no error")
	}
	path := filepath.Join(t.TempDir(), "h.safetensors")
	if err := os.WriteFile(path, append(binary.LittleEndian.AppendUint64(nil, 1<<40), "{}"...), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTensors(path); !errors.Is(err, ErrFormat) {
		t.Errorf("a header of 2^40 bytes: %v", err)
	}
}
