package families

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// WriteFile writes what encode writes to a file, gzipped if the path ends in .gz, by way of a temporary file in the same
// folder that is renamed: whoever reads the path sees the old content or the new.
func WriteFile(path string, encode func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	var out io.WriteCloser = f
	if strings.HasSuffix(path, ".gz") {
		out = gzip.NewWriter(f)
	}
	err = encode(out)
	if err == nil && out != f {
		err = out.Close()
	}
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	return err
}
