package families

import (
	"compress/gzip"
	"io"
	"strings"

	"github.com/proxybd/proxybd/internal/atomicfile"
)

// WriteFile writes what encode writes to a file, whole or not at all, gzipped if the path ends in .gz.
func WriteFile(path string, encode func(io.Writer) error) error {
	if !strings.HasSuffix(path, ".gz") {
		return atomicfile.Write(path, encode)
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		z := gzip.NewWriter(w)
		if err := encode(z); err != nil {
			return err
		}
		return z.Close()
	})
}
