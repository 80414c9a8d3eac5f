package unpack

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// TestLimit refuses an input that is too large, plain or packed, and takes one that is just as large.
func TestLimit(t *testing.T) {
	defer SetLimit(0)
	for name, data := range packed(t) {
		SetLimit(int64(len(text)))
		if got, err := All(bytes.NewReader(data)); err != nil || string(got) != text {
			t.Errorf("%s at the limit: %q, %v", name, got, err)
		}
		SetLimit(int64(len(text)) - 1)
		var over *LimitError
		if _, err := All(bytes.NewReader(data)); !errors.As(err, &over) || !errors.Is(err, errLimit) ||
			!strings.Contains(err.Error(), "--max-input") {
			t.Errorf("%s over the limit: %v", name, err)
		}
	}
	if SetLimit(0); DefaultLimit() < 1<<20 || Limit() != DefaultLimit() {
		t.Errorf("default limit %d, in force %d", DefaultLimit(), Limit())
	}
}

// TestLongLine refuses a line and a word that are too long, by the number of the line, long before the input ends.
func TestLongLine(t *testing.T) {
	word := strings.Repeat("x", 1<<10)
	for _, c := range []struct {
		unit string
		want string
	}{{word, "line 3: the input is too large: a word has more than"},
		{word + " ", "line 3: the input is too large: the line has more than"}} {
		from := &endless{unit: c.unit}
		_, err := All(io.MultiReader(strings.NewReader("a\nb\n"), from))
		if !errors.Is(err, errLimit) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.3q...: %v", c.unit, err)
		}
		if from.read > maxLine+4*chunk {
			t.Errorf("%d bytes were read", from.read)
		}
	}

	many := strings.Repeat(strings.Repeat("ab ", 1000)+"\n", 1000)
	if got, err := All(strings.NewReader(many)); err != nil || string(got) != many {
		t.Errorf("many lines: %d bytes, %v", len(got), err)
	}
}

// endless repeats a text without an end.
type endless struct {
	unit string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.unit[(e.read+n)%len(e.unit):])
	}
	e.read += n
	return n, nil
}

// TestWindow refuses a zstd frame that asks for a window of a gigabyte.
func TestWindow(t *testing.T) {
	frame := []byte("\x28\xb5\x2f\xfd\x00\xa0\x01\x00\x00") // window descriptor 20<<3: 1 GiB
	if _, err := All(bytes.NewReader(frame)); !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("%v", err)
	}
}
