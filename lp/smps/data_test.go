package smps

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const shared = "../../../shared/data/smps"

// refused are the programs of the shared data that cannot be read or enumerated, and why.
var refused = map[string]string{
	"dakota-cc":    `section "CHANCE"`,
	"dakota-icc":   `section "ICC"`,
	"hv21-cc":      `section "CHANCE"`,
	"hv21-icc":     `section "ICC"`,
	"fxmev":        "nothing is random",
	"pltexpb-3-6":  `period "PERIOD03": not in the time file`, // theirs is that of pltexpa
	"pltexpb-4-6":  `period "PERIOD03": not in the time file`,
	"pltexpb-5-6":  `period "PERIOD03": not in the time file`,
	"pltexpa-5-16": "too many scenarios",
	"pltexpa-6-16": "too many scenarios",
	"pltexpa-7-16": "too many scenarios",
	"pltexpa-7-6":  "too many scenarios",
}

// TestSharedFilesRead reads every program of the shared data, whose core and time files may have other stems, and makes
// two stages of it.
func TestSharedFilesRead(t *testing.T) {
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no shared data")
	}
	read := 0
	err := filepath.WalkDir(shared, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || part(filepath.Ext(strings.TrimSuffix(path, ".gz"))) != 2 {
			return err
		}
		name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".gz"), ".sto")
		if err := readShared(path); err != nil {
			if why, known := refused[name]; !known || !strings.Contains(err.Error(), why) {
				t.Errorf("%s: %v", path, err)
			}
			return nil
		}
		read++
		return nil
	})
	if err != nil || read < 170 {
		t.Errorf("%d programs read, %v", read, err)
	}
}

func readShared(path string) error {
	f, err := Find(path, closest(path))
	if err != nil {
		return err
	}
	p, _, err := ReadFiles(f)
	if err != nil {
		return err
	}
	o := DefaultOptions()
	o.MaxNodes = 20000
	if p.Leaves() > float64(o.MaxNodes) && len(p.Periods) == 2 && p.Parts != nil {
		o.Sample = 10
	}
	q, err := p.TwoStage(o)
	if err != nil {
		return err
	}
	return q.Validate()
}

// closest returns the core and time files in the folder whose names begin most like that of a stoch file.
func closest(path string) Files {
	var out Files
	base := filepath.Base(path)
	best := [2]int{}
	list, _ := os.ReadDir(filepath.Dir(path))
	for _, d := range list {
		k := 0
		for k < len(base) && k < len(d.Name()) && base[k] == d.Name()[k] {
			k++
		}
		for which, to := range []*string{&out.Core, &out.Time} {
			if part(filepath.Ext(strings.TrimSuffix(d.Name(), ".gz"))) == which && k > best[which] {
				best[which], *to = k, filepath.Join(filepath.Dir(path), d.Name())
			}
		}
	}
	return out
}

// TestLineOfOtherBlanksIsBlank: a line with nothing but a no-break space has no fields, and is passed over.
func TestLineOfOtherBlanksIsBlank(t *testing.T) {
	f := &file{rest: []byte("TIME x\n\u00a0\n \u2003\nPERIODS\n")}
	var words []string
	for fields, header := range f.lines {
		if !header {
			t.Errorf("line %d begins with a blank", f.line)
		}
		words = append(words, fields[0])
	}
	if !slices.Equal(words, []string{"TIME", "PERIODS"}) {
		t.Errorf("the sections are %q", words)
	}
}
