package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/atomicfile"
)

// Part is what an instance is for.
type Part string

const (
	Train      Part = "train"
	Validation Part = "validation"
	Test       Part = "test" // held out
)

// parts lists the parts.
var parts = []Part{Train, Validation, Test}

// Manifest says what instances an experiment has and how each is made again, bit for bit.
type Manifest struct {
	Schema    int     `json:"schema"`
	Seed      uint64  `json:"seed"`
	Sigma     float64 `json:"sigma"` // of the lognormal factors of every variant
	Bases     []Base  `json:"bases"`
	Instances []Entry `json:"instances"` // by family, shape and part

	// Instances that could not be bases.
	Excluded []Exclusion `json:"excluded,omitempty"`
}

// Base is a base instance. Its variants are all in its part.
type Base struct {
	ID     string `json:"id"`
	Family string `json:"family"`
	Shape  string `json:"shape"`
	Part   Part   `json:"part"`

	// The file in the folder of the manifest, and the hash of its content, as Instance.Hash gives it.
	File string `json:"file"`
	Hash string `json:"hash"`

	// The name that it had, or generated; for a generated one the arguments of Family.Generate.
	Source string `json:"source"`
	Seed   uint64 `json:"seed,omitempty"`
	Class  string `json:"class,omitempty"`
}

// Entry is an instance of the experiment: the variant of a base that belongs to a seed.
type Entry struct {
	ID     string  `json:"id"`
	Base   string  `json:"base"`
	Family string  `json:"family"`
	Shape  string  `json:"shape"`
	Part   Part    `json:"part"`
	Seed   uint64  `json:"seed"`
	Raised float64 `json:"raised"` // the factor by which its capacities were raised so that they suffice
	Hash   string  `json:"hash"`
}

// Exclusion is a base that could not be used, and why.
type Exclusion struct {
	Source string `json:"source"`
	Reason string `json:"reason"`
}

// Experiment is an open folder.
type Experiment struct {
	Dir      string
	Manifest Manifest

	// The families that this program has.
	families []families.Family
}

// manifestName is the name of the manifest within the folder.
const manifestName = "manifest.json"

// IsFolder reports whether a path is the folder of an experiment.
func IsFolder(path string) bool {
	// A link to a manifest counts as one, since Stat follows it.
	info, err := os.Stat(filepath.Join(path, manifestName))
	return err == nil && info.Mode().IsRegular()
}

// Open reads the manifest of a folder.
func Open(dir string, list []families.Family) (*Experiment, error) {
	path := filepath.Join(dir, manifestName)
	// The size of the file is limited, since it may come from anyone.
	data, err := readIn(dir, manifestName, maxManifest)
	if err != nil {
		return nil, err
	}
	e := &Experiment{Dir: dir, families: list}
	if e.Manifest, err = parseManifest(data); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return e, nil
}

// parseManifest decodes a manifest and checks it.
func parseManifest(data []byte) (Manifest, error) {
	var m Manifest
	// Each value of the text has a comma, so that their number bounds the memory that decoding takes.
	if n := bytes.Count(data, []byte{','}); n > maxValues {
		return m, fmt.Errorf("%w: it has %d values, more than %d", ErrManifest, n, maxValues)
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("%w: %w", ErrManifest, err)
	}

	// The fields of another schema may have another meaning.
	if m.Schema != Schema {
		return m, fmt.Errorf("%w: its schema is %d, this version reads %d", ErrManifest, m.Schema, Schema)
	}
	return m, m.check()
}

// check makes sure that the entries are distinct and follow their bases.
func (m *Manifest) check() error {
	// Bases come first, since instances refer to them.
	bases := map[string]*Base{}
	for k := range m.Bases {
		b := &m.Bases[k]
		// These names become parts of file names, and must not lead anywhere else.
		if !fileName(b.ID) || !fileName(b.Family) || !fileName(b.Shape) {
			return fmt.Errorf("%w: base %q, family %q, shape %q: each must be a plain file name", ErrManifest, b.ID, b.Family,
				b.Shape)
		}
		if bases[b.ID] != nil || !slices.Contains(parts, b.Part) || !filepath.IsLocal(b.File) {
			return fmt.Errorf("%w: base %q is there twice, or has no part or no file", ErrManifest, b.ID)
		}
		bases[b.ID] = b
	}

	// An instance is of the family, the shape and the part of its base.
	seen := map[string]bool{}
	for _, in := range m.Instances {
		if !fileName(in.ID) {
			return fmt.Errorf("%w: instance %q: the id must be a plain file name", ErrManifest, in.ID)
		}
		b := bases[in.Base]
		// A base that is missing and an instance that is listed twice are both mistakes of the same list.
		if b == nil || seen[in.ID] {
			return fmt.Errorf("%w: instance %q is there twice, or has no base", ErrManifest, in.ID)
		}
		if b.Part != in.Part || b.Family != in.Family || b.Shape != in.Shape {
			return fmt.Errorf("%w: instance %q does not follow its base", ErrManifest, in.ID)
		}
		seen[in.ID] = true
	}
	return nil
}

// write writes the manifest. Split does this last, so that a folder with a manifest is complete.
func (m *Manifest) write(dir string) error {
	return atomicfile.Write(filepath.Join(dir, manifestName), func(w io.Writer) error {
		// Indented, the file is readable, and differences of two manifests are short.
		e := json.NewEncoder(w)
		e.SetIndent("", " ")
		return e.Encode(m)
	})
}

// family returns the family of that name.
func (e *Experiment) family(name string) (families.Family, error) {
	// The families are those that the program was built with.
	for _, f := range e.families {
		if f.Name == name {
			return f, nil
		}
	}
	return families.Family{}, fmt.Errorf("%w: no family %q in this version", ErrManifest, name)
}

// Instance makes an instance of the manifest again and compares its hash.
func (e *Experiment) Instance(in Entry) (families.Instance, error) {
	// The base of an instance is in the manifest, which check has made sure of for manifests that were read.
	k := slices.IndexFunc(e.Manifest.Bases, func(b Base) bool { return b.ID == in.Base })
	if k < 0 {
		return nil, fmt.Errorf("%w: instance %s has no base", ErrManifest, in.ID)
	}
	b := e.Manifest.Bases[k]
	f, err := e.family(b.Family)
	if err != nil {
		return nil, err
	}

	// The file must be in the folder, whatever the manifest says.
	path, err := inside(e.Dir, b.File)
	if err != nil {
		return nil, err
	}
	base, err := f.Read(path, families.ReadOptions{})
	if err != nil {
		return nil, err
	}

	// The base is the one from which all variants were made.
	if base.Hash() != b.Hash {
		return nil, fmt.Errorf("%w: %s is not the base %s that the manifest describes", ErrManifest, b.File, b.ID)
	}

	// Its seed makes the variant again; rounding may differ on other processors.
	out, _, err := base.Perturb(in.ID, e.Manifest.Sigma, in.Seed)
	if err != nil {
		return nil, err
	}
	if out.Hash() != in.Hash {
		return nil, fmt.Errorf("%w: instance %s differs from the one it describes (made by another version, or on another "+
			"kind of processor)", ErrManifest, in.ID)
	}
	return out, nil
}

// Shape names a family and a shape.
type Shape struct{ Family, Shape string }

// String returns "family:shape".
func (s Shape) String() string { return s.Family + ":" + s.Shape }

// file returns a file name stem.
func (s Shape) file() string { return s.Family + "-" + s.Shape }

// Shapes lists the shapes in the order of the manifest.
func (m *Manifest) Shapes() []Shape {
	// There are few shapes, so that a search through the list is fast enough.
	var out []Shape
	for _, in := range m.Instances {
		if s := (Shape{in.Family, in.Shape}); !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Entries lists the instances of the parts, of the shapes if any are given.
func (m *Manifest) Entries(shapes []Shape, parts ...Part) []Entry {
	var out []Entry
	for _, in := range m.Instances {
		if slices.Contains(parts, in.Part) && wanted(shapes, Shape{in.Family, in.Shape}) {
			out = append(out, in)
		}
	}
	return out
}

// wanted reports whether a shape is among those asked for; none asks for all, and an empty Shape field for all of a
// family.
func wanted(shapes []Shape, s Shape) bool {
	return len(shapes) == 0 || slices.Contains(shapes, s) || slices.Contains(shapes, Shape{Family: s.Family})
}

// learning lists the instances whose states are collected: all for training and validation, and the first of every
// held-out base.
func (m *Manifest) learning(shapes []Shape) []Entry {
	return append(m.Entries(shapes, Train, Validation), m.scored(shapes)...)
}

// scored lists the first instance of every held-out base.
func (m *Manifest) scored(shapes []Shape) (list []Entry) {
	// The variants of a base resemble each other: one of each gives independent comparisons.
	seen := map[string]bool{}
	for _, in := range m.Entries(shapes, Test) {
		if !seen[in.Base] {
			seen[in.Base] = true
			list = append(list, in)
		}
	}
	return list
}
