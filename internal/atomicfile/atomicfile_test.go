package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestWriteIsAtomic(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txt")
	put := func(text string, fault error) error {
		return Write(path, func(w io.Writer) error {
			io.WriteString(w, text)
			return fault
		})
	}
	fault := errors.New("fault")
	if err := put("none", fault); !errors.Is(err, fault) {
		t.Errorf("error %v, want the writer's", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a fault left a file")
	}
	if err := put("first", nil); err != nil {
		t.Fatal(err)
	}
	if err := put("half of the sec", fault); !errors.Is(err, fault) {
		t.Errorf("error %v, want the writer's", err)
	}
	if text, _ := os.ReadFile(path); string(text) != "first" {
		t.Errorf("after a fault the file holds %q", text)
	}
	if err := put("second", nil); err != nil {
		t.Fatal(err)
	}
	if text, _ := os.ReadFile(path); string(text) != "second" {
		t.Errorf("the file holds %q", text)
	}
	if files, _ := os.ReadDir(filepath.Dir(path)); len(files) != 1 {
		t.Errorf("files left behind: %v", files)
	}
}

// TestWritersDoNotMix lets many writers write one path: one of them wins, whole.
func TestWritersDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.txt")
	var all sync.WaitGroup
	for k := range 16 {
		all.Go(func() {
			text := strings.Repeat(fmt.Sprint(k%10), 200000)
			if err := Write(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(path)
	if err != nil || len(text) != 200000 || strings.Trim(string(text), string(text[:1])) != "" {
		t.Errorf("%v, %d bytes", err, len(text))
	}
}

func TestWritePlaces(t *testing.T) {
	if err := Write(os.DevNull, func(w io.Writer) error { _, err := w.Write([]byte("x")); return err }); err != nil {
		t.Errorf("a device: %v", err)
	}
	if err := Write(filepath.Join(t.TempDir(), "none", "x.txt"), func(io.Writer) error { return nil }); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
}
