package mps

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/lp"
)

// dataDir holds the public instances; tests on them are skipped where they are absent.
const dataDir = "../../../shared/data"

func dataFiles(t testing.TB, folder string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dataDir, folder, "*.mps.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Skipf("no instances in %s", filepath.Join(dataDir, folder))
	}
	return files
}

func baseName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".mps.gz") }

// size is a line of SIZES.tsv; its non-zeros count explicit zeros and the objective.
type size struct{ rows, cols, nonzeros, freeRows int }

// readSizes returns the sizes by set and name.
func readSizes(t *testing.T) map[string]size {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir, "netlib", "SIZES.tsv"))
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	sizes := map[string]size{}
	for sc := bufio.NewScanner(f); sc.Scan(); {
		c := strings.Split(sc.Text(), "\t")
		if strings.HasPrefix(c[0], "#") {
			continue
		}
		n := func(k int) int {
			v, err := strconv.Atoi(c[k])
			if err != nil {
				t.Fatalf("SIZES.tsv: %s: %v", c[1], err)
			}
			return v
		}
		sizes[c[0]+"/"+c[1]] = size{rows: n(2), cols: n(3), nonzeros: n(4), freeRows: n(5)}
	}
	return sizes
}

// measure counts what SIZES.tsv counts.
func measure(m *lp.Model, zeros int) size {
	s := size{rows: len(m.Rows) + 1, cols: len(m.Cols), nonzeros: m.NumEntries() + zeros}
	for _, c := range m.Cols {
		if c.Cost != 0 {
			s.nonzeros++
		}
	}
	for _, r := range m.Rows {
		if r.Lower == -lp.Inf && r.Upper == lp.Inf {
			s.freeRows++
		}
	}
	return s
}

func TestNetlibSizes(t *testing.T) {
	sizes := readSizes(t)
	checked := 0
	for set, folder := range map[string]string{"feasible": "netlib", "infeas": "netlib/infeasible", "kennington": "netlib/kennington"} {
		for _, path := range dataFiles(t, folder) {
			p := parseFile(t, path)
			for _, w := range p.warn.list(path) {
				t.Log(w)
			}
			if want, ok := sizes[set+"/"+baseName(path)]; ok {
				checked++
				if got := measure(p.model, p.zeros); got != want {
					t.Errorf("%s: %+v, want %+v", path, got, want)
				}
			}
		}
	}
	if checked < 90 {
		t.Errorf("only %d files had a size to check", checked)
	}
}

// parseFile reads a file as Read does and returns the parser, which holds more than the model.
func parseFile(t *testing.T, path string) *parser {
	t.Helper()
	data := unpacked(t, path)
	p := newParser(data, false, false)
	if p.parse() != nil {
		p = newParser(data, true, false)
		if err := p.parse(); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	return p
}

func TestMIPLIBReads(t *testing.T) {
	for _, folder := range []string{"miplib", "miplib/2017", "miplib/small", "miplib/fctp"} {
		for _, path := range dataFiles(t, folder) {
			m, warnings, err := ReadFile(path)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, w := range warnings {
				t.Log(w)
			}
			if m.NumInteger() == 0 {
				t.Errorf("%s: no integer column", path)
			}
		}
	}
}

func unpacked(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := readAll(f, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return data
}
