package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp/scenfolder"
)

// errBinary is wrapped by the error of a file that no family reads whatever is in it.
var errBinary = errors.New("it is a binary file, and no instance")

// notInstance returns an error for a path that is no instance of any family: a directory, a file that is empty or
// damaged, or one that is not text. Other paths, also those that do not exist, are for the readers of the families.
func notInstance(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case info.IsDir() && (scenfolder.Is(path) || scenfolder.IsStructure(path)):
		return nil
	case info.IsDir():
		return badInput(fmt.Errorf("%s: is a directory, not a file", path))
	case !info.Mode().IsRegular() || strings.HasSuffix(unpack.Plain(path), ".nl"): // which may be binary
		return nil // a pipe could be read once only
	}

	f, err := os.Open(path)
	if err != nil {
		return nil // the reader says why
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	text := make([]byte, 1<<10)
	n := 0
	if err == nil {
		n, err = io.ReadFull(r, text)
	}
	short := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) && n > 0
	switch text = text[:n]; {
	case err != nil && !short:
		return badInput(fmt.Errorf("%s: %w", path, err))
	case short && len(bytes.TrimSpace(text)) == 0:
		return badInput(fmt.Errorf("%s: the file is empty", path))
	case bytes.IndexByte(text, 0) >= 0:
		return badInput(fmt.Errorf("%s: %w", path, errBinary))
	}
	return nil
}
