package experiment

import (
	"bufio"
	"io"
	"os"
	"path/filepath"
)

// writeFile writes a file so that it is there whole or not at all, also after a crash. One process at a time writes a
// path.
func writeFile(path string, write func(io.Writer) error) error {
	temp := path + ".tmp"
	f, err := os.Create(temp)
	if err != nil {
		return err
	}
	b := bufio.NewWriter(f)
	err = write(b)
	if err == nil {
		err = b.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// folder makes a folder of the experiment and returns its path.
func (e *Experiment) folder(name string) (string, error) {
	path := filepath.Join(e.Dir, name)
	return path, os.MkdirAll(path, 0o777)
}
