package unpack

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

const text = "NAME x\nROWS\n N c\nCOLUMNS\nENDATA\n"

// packed is the text in every layout. The bzip2 file is what the program bzip2 made of it: Go's library only reads.
func packed(t testing.TB) map[string][]byte {
	t.Helper()
	var g, z bytes.Buffer
	w := gzip.NewWriter(&g)
	e, err := zstd.NewWriter(&z)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{w, e} {
		if _, err := io.WriteString(w, text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	b, err := base64.StdEncoding.DecodeString(bzip2Text)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{"plain": []byte(text), "gzip": g.Bytes(), "zstd": z.Bytes(), "bzip2": b}
}

const bzip2Text = "QlpoOTFBWSZTWSA1O6IAAAnXgAAQQAAuB56ACAAAQCAAMUNNMABRp6g9BMjTgUGPkUI6R2XB3EilNMtvi7kinChIEBqd0QA="

// TestLayouts reads the text from every layout, twice over too, and from files whose names say nothing.
func TestLayouts(t *testing.T) {
	for name, data := range packed(t) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := File(path); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if got, err := All(bytes.NewReader(append(bytes.Clone(data), data...))); err != nil || string(got) != text+text {
			t.Errorf("%s twice: %q, %v", name, got, err)
		}
		r, err := Reader(iotest{bytes.NewReader(data)})
		if err != nil {
			t.Fatal(name, err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%s byte by byte: %q, %v", name, got, err)
		}
	}
}

// iotest reads a byte at a time.
type iotest struct{ r io.Reader }

func (r iotest) Read(p []byte) (int, error) { return r.r.Read(p[:min(1, len(p))]) }

// TestTruncated cuts every layout at every byte: an error that names the layout, or plain bytes before it is
// recognised, and never the text.
func TestTruncated(t *testing.T) {
	for name, data := range packed(t) {
		if name == "plain" {
			continue
		}
		for n := range data {
			got, err := All(bytes.NewReader(data[:n]))
			switch {
			case err == nil && string(got) != string(data[:n]):
				t.Errorf("%s cut at %d: %q", name, n, got)
			case err == nil && n >= longestMagic:
				t.Errorf("%s cut at %d: no error", name, n)
			case err != nil && !strings.HasPrefix(err.Error(), name+": "):
				t.Errorf("%s cut at %d: %v", name, n, err)
			}
		}
		wrong := bytes.Clone(data)
		wrong[len(wrong)/2] ^= 0x55
		if got, err := All(bytes.NewReader(wrong)); err == nil {
			t.Errorf("%s with a wrong byte: %q", name, got)
		}
	}
}

// TestPlain keeps texts that begin like a packed file, and the errors of readers.
func TestPlain(t *testing.T) {
	for _, s := range []string{"", "B", "BZh", "BZh9 is a column", "BZhx1AY&SY", "\x1f", "(", "\x28\xb5\x2f", "\n\n"} {
		if got, err := All(strings.NewReader(s)); err != nil || string(got) != s {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	bad := errors.New("bad")
	if _, err := Reader(broken{bad}); !errors.Is(err, bad) {
		t.Errorf("%v", err)
	}
	if _, err := File(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	for path, want := range map[string]string{"a.mps.gz": "a.mps", "a.lp.BZ2": "a.lp", "a.zst": "a", ".gz": ".gz", "a.mps": "a.mps", "gz": "gz"} {
		if got := Plain(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for path, want := range map[string]string{"dir/a.mps.gz": "a", "a.b.lp": "a.b", "a": "a", "../r01.1.dow": "r01.1"} {
		if got := Stem(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// FuzzAll reads anything without a panic, and what is no packed file as it is.
func FuzzAll(f *testing.F) {
	for _, data := range packed(f) {
		f.Add(data)
		f.Add(data[:len(data)/2])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Reader(bytes.NewReader(data))
		if err != nil {
			return
		}
		SetLimit(1 << 20)
		defer SetLimit(0)
		if all, err := All(bytes.NewReader(data)); len(all) > 1<<20 || err == nil && len(all) == 0 && len(data) > 0 &&
			find(data[:min(len(data), longestMagic)]) == nil {
			t.Errorf("%d bytes of %d, %v", len(all), len(data), err)
		}
		got, err := io.ReadAll(r)
		if len(got) > 1<<20 {
			t.Errorf("%d bytes are more than the limit", len(got))
		}
		if find(data[:min(len(data), longestMagic)]) == nil && (err != nil || !bytes.Equal(got, data)) && len(data) < 1<<20 {
			t.Errorf("plain bytes changed: %v", err)
		}
	})
}
