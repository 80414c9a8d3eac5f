package experiment

import (
	"os"
	"path/filepath"
)

// folder makes a folder of the experiment and returns its path.
func (e *Experiment) folder(name string) (string, error) {
	path := filepath.Join(e.Dir, name)
	return path, os.MkdirAll(path, 0o777)
}
