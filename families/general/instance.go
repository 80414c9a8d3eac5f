// Package general puts any two-stage model in an MPS or LP file behind the contract of package families: its first stage is the
// integer columns, or those that a pattern names. What it does is in benders/twostage.
package general

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// Instance is a model and its split into two stages. It is read-only.
type Instance struct {
	Problem *twostage.Problem
	model   *lp.Model // as read
	first   []string  // names of the first-stage columns, nil for the integer ones
}

// New splits a model; patterns are those of twostage.Match, none for the integer columns.
func New(m *lp.Model, patterns []string) (*Instance, error) {
	in := &Instance{model: m}
	var first func(int) bool
	if len(patterns) > 0 {
		var err error
		if first, err = twostage.Match(m, patterns); err != nil {
			return nil, err
		}
		for j := range m.Cols {
			if first(j) {
				in.first = append(in.first, m.ColName(j))
			}
		}
	}
	var err error
	in.Problem, err = twostage.New(m, first, twostage.Options{})
	return in, err
}

// firstStage marks the comment line of a written file that lists first-stage columns, one a line.
const firstStage = "* first-stage "

// Read reads an MPS or LP file. first is a comma-separated list of patterns, or @FILE with one a line; where it is empty,
// the file's own comment lines that Write made say it, else the first stage is the integer columns. The error of a file that is
// no model at all wraps families.ErrForeign.
func Read(path, first string) (*Instance, error) {
	head, err := sniff(path)
	if err != nil {
		return nil, err
	}
	m, _, err := mps.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("general: %w", err)
	}
	patterns, err := parsePatterns(first)
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		patterns = head
	}
	if m.Name == "" {
		m.Name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), filepath.Ext(strings.TrimSuffix(path, ".gz")))
	}
	in, err := New(m, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

// parsePatterns splits a list of patterns, or reads it from the file after an @.
func parsePatterns(list string) ([]string, error) {
	if file, ok := strings.CutPrefix(list, "@"); ok {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("general: the first-stage columns: %w", err)
		}
		names := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
		var out []string
		for _, n := range names {
			if n = strings.TrimSpace(n); n != "" && n[0] != '#' {
				out = append(out, n)
			}
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("general: %w: %s names no column", families.ErrOptions, file)
		}
		return out, nil
	}
	var out []string
	for _, n := range strings.Split(list, ",") {
		if n = strings.TrimSpace(n); n != "" {
			out = append(out, n)
		}
	}
	return out, nil
}

// sniff looks at the first lines of a file: a name that ends in .mps or .lp, or a first word that begins a model, makes it one.
// It returns the first-stage columns that comment lines name.
func sniff(path string) (first []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("general: %w", err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if magic, err := r.(*bufio.Reader).Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, families.Foreign(fmt.Sprintf("general: %s: %v", path, err))
		}
	}
	name := strings.ToLower(strings.TrimSuffix(path, ".gz"))
	known := strings.HasSuffix(name, ".mps") || strings.HasSuffix(name, ".lp")
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if c, ok := strings.CutPrefix(line, firstStage); ok {
			first = append(first, c)
			continue
		}
		if word := strings.Fields(line); len(word) > 0 && !strings.HasPrefix(line, "*") {
			switch word[0] {
			case "NAME", "ROWS", "OBJSENSE", "OBJNAME":
				known = true
			}
			break
		}
	}
	if !known {
		return nil, families.Foreign(fmt.Sprintf("general: %s: neither MPS nor LP", path))
	}
	return first, nil
}

// Write writes the model as MPS, gzipped if the path ends in .gz, with its first stage where that is not the integer
// columns.
func (in *Instance) Write(path string) error {
	if err := families.WriteFile(path, in.encode); err != nil {
		return fmt.Errorf("general: %w", err)
	}
	return nil
}

func (in *Instance) encode(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, n := range in.first {
		fmt.Fprintf(b, "%s%s\n", firstStage, n)
	}
	if err := mps.Write(b, in.model); err != nil {
		return err
	}
	return b.Flush()
}

// perturb multiplies the costs and the sides of the inequalities with a recourse column by lognormal factors. Equations
// keep their right-hand side, which balances others; the two sides of a range move together.
func (in *Instance) perturb(sigma float64, seed uint64) (*Instance, error) {
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return nil, fmt.Errorf("general: %w: a lognormal factor with sigma %g", families.ErrOptions, sigma)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6e4e7a1))
	factor := func() float64 { return math.Exp(sigma * rng.NormFloat64()) }
	m := in.model.Clone()
	for j := range m.Cols {
		m.Cols[j].Cost *= factor()
	}
	recourse := in.Problem.RecourseRows()
	for i := range m.Rows {
		if f := factor(); recourse[i] && m.Rows[i].Lower != m.Rows[i].Upper {
			m.Rows[i].Lower *= f
			m.Rows[i].Upper *= f
		}
	}
	return New(m, in.first)
}
