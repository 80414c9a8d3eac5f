package smps

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
)

// Files are the paths of the three files of a program. An empty path is one that Find looks for.
type Files struct{ Core, Time, Stoch string }

// endings are those of the three files, the usual one first.
var endings = [3][]string{{".cor", ".core"}, {".tim", ".time"}, {".sto", ".stoch", ".stoc"}}

// Find returns the three files of a program from the path of one of them, of a .smps file (which names them, or need
// not exist), or of their common stem: the others lie beside it under the same stem, plain or packed. Paths that are
// given in known are kept.
func Find(path string, known Files) (Files, error) {
	// What the path ends in says which of the files it is. The ending of none of them belongs to the stem.
	stem := unpack.Plain(path)
	ext := filepath.Ext(stem)
	if part(ext) >= 0 || ext == ".smps" {
		stem = strings.TrimSuffix(stem, ext)
	}

	out := known
	if _, err := os.Stat(path); err == nil && ext == ".smps" {
		named, err := readDriver(path)
		if err != nil {
			return out, err
		}
		out.Core = named.Core
		out.Time = cmp.Or(out.Time, named.Time)
		out.Stoch = cmp.Or(out.Stoch, named.Stoch)
		return out, nil
	}
	for k, to := range []*string{&out.Core, &out.Time, &out.Stoch} {
		if *to != "" {
			continue
		}
		// The path itself is one of the three.
		if part(ext) == k {
			*to = path
			continue
		}
		if *to = beside(stem, endings[k]); *to == "" {
			return out, fmt.Errorf("smps: %s: there is no %s file beside it: looked for %s, plain, .gz, .bz2 or .zst", path,
				[...]string{"core", "time", "stoch"}[k], stem+strings.Join(endings[k], ", "+stem))
		}
	}
	return out, nil
}

// Beside reports whether a path ends as a time or a stoch file does, which belong to the core file of a program.
func Beside(path string) bool { return part(filepath.Ext(unpack.Plain(path))) > 0 }

// HasScenarios reports whether a path is a core file with a stoch file beside it.
func HasScenarios(path string) bool {
	plain := unpack.Plain(path)
	ext := filepath.Ext(plain)
	return part(ext) == 0 && beside(strings.TrimSuffix(plain, ext), endings[2]) != ""
}

// part returns which of the three files has an ending, or -1.
func part(ext string) int {
	// Endings count in upper and lower case.
	return slices.IndexFunc(endings[:], func(list []string) bool { return slices.Contains(list, strings.ToLower(ext)) })
}

// Names reports whether a path names a program: it ends as one of the three files does or in .smps, or it is no file
// and there is a core file of that stem.
func Names(path string) bool {
	if ext := filepath.Ext(unpack.Plain(path)); part(ext) >= 0 || ext == ".smps" {
		return true
	}

	// A path that is no file may be a stem; one that is a file is a model of its own.
	_, err := os.Stat(path)
	return err != nil && beside(path, endings[0]) != ""
}

// beside returns the first file of a stem with one of the endings, plain or packed; "" for none.
func beside(stem string, list []string) string {
	for _, e := range list {
		for _, packed := range []string{"", ".gz", ".bz2", ".zst"} {
			// A folder of that name is none of the files.
			if info, err := os.Stat(stem + e + packed); err == nil && !info.IsDir() {
				return stem + e + packed
			}
		}
	}
	return ""
}

// ReadFiles reads a program. Where no file names it, its name is that of the core file. It returns warnings, each a
// line, about what it had to interpret; an error about the contents of a file is an *mps.Error that names file, line
// and field.
func ReadFiles(f Files) (*Program, []string, error) {
	c, err := readCore(f.Core)
	if err != nil {
		return nil, nil, err
	}

	// Each file needs what the ones before it have said: the periods name rows and columns, and what is random
	// belongs to a period.
	p := &Program{Name: c.Model.Name, Core: c.Model}
	if p.Periods, p.ColPeriod, p.RowPeriod, err = readTime(f.Time, c); err != nil {
		return nil, nil, err
	}
	warnings, err := readStoch(f.Stoch, c, p)
	if err != nil {
		return nil, nil, err
	}

	// The core file names the program, or the stoch file, or the path.
	if p.Name == "" {
		p.Name = unpack.Stem(f.Core)
	}
	return p, append(c.Warnings, warnings...), nil
}
