package scenfolder

import (
	"fmt"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// maxWarnings is how many warnings about the models of one program are passed on, in lines. The models of scenarios
// are alike, and a folder may have thousands of them.
const maxWarnings = 10

// models reads the model files of a program.
type models struct {
	// warnings are those of the readers of all files.
	warnings []string
	// known has the files that were read before.
	known map[string]bool
}

// read reads a model, which must consist of rows and columns alone.
func (r *models) read(file string) (*lp.Model, error) {
	m, warnings, err := mps.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if m.HasLogic() {
		return nil, fmt.Errorf("scenfolder: %s: %w: sets, semi-continuous columns and indicators are not possible here", file,
			ErrFolder)
	}

	// A file may be read a second time, which gives the same warnings.
	if !r.known[file] {
		r.warnings = append(r.warnings, warnings...)
	}
	if r.known == nil {
		r.known = make(map[string]bool)
	}
	r.known[file] = true
	return m, nil
}

// pass calls warn, which may be nil, with the first warnings and the number of the others.
func (r *models) pass(warn func(line string)) {
	if warn == nil {
		return
	}
	shown := min(len(r.warnings), maxWarnings)
	for _, line := range r.warnings[:shown] {
		warn(line)
	}
	if more := len(r.warnings) - shown; more > 0 {
		warn(fmt.Sprintf("%d more warnings about the models of this program", more))
	}
}
