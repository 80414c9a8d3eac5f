package experiment

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// Limits of the files of a folder.
const (
	maxManifest = 1 << 26 // bytes of manifest.json
	maxValues   = 1 << 21 // commas in it, so that little text cannot become many entries in memory
	maxTraining = 1 << 28 // bytes of the record of a training
)

// folder makes a folder of the experiment and returns its path. A symbolic link must not lead out of the experiment.
func (e *Experiment) folder(name string) (string, error) {
	// The folder is made through a root, which does not follow links out of the experiment.
	root, err := os.OpenRoot(e.Dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	return filepath.Join(e.Dir, name), root.MkdirAll(name, 0o777)
}

// openLocked opens a file, or makes one, and locks it for this process. The lock ends when the file is closed, or with
// the process, however that ends.
func openLocked(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// inside returns the path of a file that is in a folder. A name that leads out of it, by a symbolic link too, is an
// error.
func inside(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()

	// Names in manifests have slashes on every system.
	name = filepath.FromSlash(name)
	if _, err := root.Stat(name); err != nil {
		return "", fmt.Errorf("%s: %w", dir, err)
	}
	return filepath.Join(dir, name), nil
}

// readIn reads a file in a folder, which no symbolic link leads out of, of at most limit bytes.
func readIn(dir, name string, limit int64) ([]byte, error) {
	f, err := os.OpenInRoot(dir, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	// One byte more than the limit is read, to find a file that is too large.
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("%w: it has more than %d bytes", ErrManifest, limit)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), err)
	}
	return data, nil
}

// fileName reports whether a name can be part of the name of a file: it is not empty, is not hidden, and has no
// separator of any system and no control character.
func fileName(s string) bool {
	const longest = 200
	if len(s) > longest || strings.HasPrefix(s, ".") || !filepath.IsLocal(s) { // as the empty name is not
		return false
	}

	// A colon stands for a drive or a stream on Windows, and separators lead into other folders.
	return !strings.ContainsFunc(s, func(r rune) bool {
		return strings.ContainsRune(`/\:`, r) || unicode.IsControl(r)
	})
}

// optional reports whether a name is empty or can be part of the name of a file.
func optional(s string) bool { return s == "" || fileName(s) }
