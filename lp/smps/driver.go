package smps

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
)

// readDriver reads SCIP's file of a program, which names its core, time and stoch file, one a line, in the folder of
// the file. Lines that begin with * are comments.
func readDriver(path string) (Files, error) {
	text, err := unpack.File(path)
	if err != nil {
		return Files{}, fmt.Errorf("smps: %w", err)
	}

	// The ending of a name says which of the files it is.
	var out Files
	for k, line := range strings.Split(string(text), "\n") {
		name := strings.TrimSpace(line)
		if name == "" || name[0] == '*' {
			continue
		}
		at := part(filepath.Ext(unpack.Plain(name)))
		if at < 0 {
			return Files{}, fmt.Errorf("smps: %s:%d: %q is neither a core, a time nor a stoch file by its ending", path, k+1,
				name)
		}
		to := [...]*string{&out.Core, &out.Time, &out.Stoch}[at]
		if *to != "" {
			return Files{}, fmt.Errorf("smps: %s:%d: %s is a second file of this ending", path, k+1, name)
		}
		if *to = name; !filepath.IsAbs(name) {
			*to = filepath.Join(filepath.Dir(path), name)
		}
	}

	// None of them may be missing.
	if out.Core == "" || out.Time == "" || out.Stoch == "" {
		return Files{}, fmt.Errorf("smps: %s: it does not name a core, a time and a stoch file", path)
	}
	return out, nil
}
