package experiment

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
)

// SplitOptions steer Split. Start from DefaultSplitOptions.
type SplitOptions struct {
	Shapes                  []Shape // in this order; bases of other shapes are left out
	MinBases                int     // a shape with fewer bases gets generated ones; at least 3
	Train, Validation, Test int     // variants a shape, spread evenly over the bases of the part
	Sigma                   float64
	Seed                    uint64
	Notify                  func(line string)
}

// DefaultSplitOptions returns the defaults: sigma 0.1, at least eight bases a shape.
func DefaultSplitOptions() SplitOptions {
	return SplitOptions{MinBases: 8, Train: 24, Validation: 8, Test: 12, Sigma: 0.1, Seed: 1, Notify: func(string) {}}
}

// Validate reports the first option that has no meaning.
func (o *SplitOptions) Validate() error {
	bad := func(field string, v any) error { return fmt.Errorf("%w: %s = %v", ErrOptions, field, v) }
	switch {
	case len(o.Shapes) == 0:
		return bad("Shapes", "none")
	case o.MinBases < 3:
		return bad("MinBases", o.MinBases)
	case o.Train < 1:
		return bad("Train", o.Train)
	case o.Validation < 1:
		return bad("Validation", o.Validation)
	case o.Test < 1:
		return bad("Test", o.Test)
	case !(o.Sigma >= 0 && o.Sigma <= 2):
		return bad("Sigma", o.Sigma)
	}
	return nil
}

// Split makes the folder of an experiment (paper, section 5.2): it draws for each shape a half of the bases for
// training, a quarter for validation and a quarter for testing, and variants of each; no base has variants in two
// parts. Bases of equal content count once. Those that cannot be perturbed are left out and listed. An existing
// manifest is an error, unless it says the same. It returns the error of a cancelled context; the manifest is written
// last.
func Split(ctx context.Context, dir string, list []families.Family, bases []families.Instance,
	o SplitOptions) (*Experiment, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	s := splitter{dir: dir, families: list, o: o, m: Manifest{Schema: Schema, Seed: o.Seed, Sigma: o.Sigma},
		seen: map[string]bool{}}
	s.there = IsFolder(dir)
	if err := os.MkdirAll(filepath.Join(dir, "bases"), 0o777); err != nil {
		return nil, err
	}
	for _, shape := range o.Shapes {
		if err := s.shape(ctx, shape, bases); err != nil {
			return nil, fmt.Errorf("%s: %w", shape, err)
		}
	}
	if err := s.m.check(); err != nil {
		return nil, err
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	return Open(dir, list)
}

// splitter is a running Split.
type splitter struct {
	dir      string
	families []families.Family
	o        SplitOptions
	m        Manifest
	seen     map[string]bool // hashes of bases
	there    bool            // the folder has a manifest: nothing is written, only compared
}

// candidate is a base before it has a part.
type candidate struct {
	in   families.Instance
	base Base
}

// shape splits the bases of one shape.
func (s *splitter) shape(ctx context.Context, shape Shape, bases []families.Instance) error {
	f, err := (&Experiment{families: s.families}).family(shape.Family)
	if err != nil {
		return err
	}
	pool, err := s.pool(ctx, f, shape, bases)
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(s.o.Seed, seed(shape.String())))
	rng.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
	train, validation := partSizes(len(pool))
	for _, p := range []struct {
		part     Part
		pool     []candidate
		variants int
	}{{Train, pool[:train], s.o.Train}, {Validation, pool[train : train+validation], s.o.Validation}, {Test,
		pool[train+validation:], s.o.Test}} {
		if err := s.part(ctx, f, shape, p.part, p.pool, p.variants); err != nil {
			return err
		}
	}
	s.o.Notify(fmt.Sprintf("%s: %d bases (%d train, %d validation, %d test), %d instances", shape, len(pool), train,
		validation,
		len(pool)-train-validation, s.o.Train+s.o.Validation+s.o.Test))
	return nil
}

// partSizes returns how many of n bases are for training and for validation; at least one is left for testing.
func partSizes(n int) (train, validation int) {
	train, validation = n/2, max(1, n/4)
	return max(1, train), validation
}

// pool lists the usable bases of a shape by name and fills them up with generated ones.
func (s *splitter) pool(ctx context.Context, f families.Family, shape Shape, bases []families.Instance) ([]candidate,
	error) {
	var out []candidate
	add := func(in families.Instance, b Base) {
		b.Family, b.Shape, b.Hash = shape.Family, shape.Shape, in.Hash()
		switch err := usable(ctx, in, s.o.Sigma); {
		case ctx.Err() != nil: // the pool is given up
		case s.seen[b.Hash]:
			s.m.Excluded = append(s.m.Excluded, Exclusion{b.Source, "the same content as another base"})
		case err != nil:
			s.m.Excluded = append(s.m.Excluded, Exclusion{b.Source, err.Error()})
		default:
			s.seen[b.Hash] = true
			out = append(out, candidate{in, b})
		}
	}
	sorted := slices.Clone(bases)
	slices.SortStableFunc(sorted, func(a, b families.Instance) int {
		return cmp.Or(strings.Compare(a.Label().Name, b.Label().Name), strings.Compare(a.Hash(), b.Hash()))
	})
	for _, in := range sorted {
		if in.Label().Family == shape.Family && in.Label().Shape == shape.Shape {
			add(in, Base{Source: in.Label().Name})
		}
	}
	for k := 0; len(out) < s.o.MinBases; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if k == 20*s.o.MinBases {
			return nil, fmt.Errorf("%w: %d generated instances, and hardly one that can be used", ErrManifest, k)
		}
		at := seed(fmt.Sprint(s.o.Seed), shape.String(), "base", fmt.Sprint(k))
		in, err := f.Generate(shape.Shape, at)
		if err != nil {
			return nil, err
		}
		if got := in.Label().Shape; got != shape.Shape {
			return nil, fmt.Errorf("%w: the class makes instances of shape %s", ErrOptions, got)
		}
		add(in, Base{Source: "generated", Class: shape.Shape, Seed: at})
	}
	return out, ctx.Err()
}

// usable returns an error if no variant can be made of a base, or if it is infeasible with everything open.
func usable(ctx context.Context, in families.Instance, sigma float64) error {
	v, _, err := in.Perturb("trial", sigma, 0)
	if err != nil {
		return err
	}
	p, err := v.Program()
	if err != nil {
		return err
	}
	y := make([]float64, len(p.Model.Master().Cols))
	for j := range y {
		y[j] = 1
	}
	_, feasible, err := p.Price(ctx, y)
	if err == nil && !feasible {
		err = errors.New("infeasible with everything open")
	}
	return err
}

// part writes the bases of a part and adds them and their variants to the manifest.
func (s *splitter) part(ctx context.Context, f families.Family, shape Shape, part Part, pool []candidate,
	variants int) error {
	for k := range pool {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := &pool[k].base
		b.Part, b.ID = part, fmt.Sprintf("%s-%s-base%d", shape.file(), part, k+1)
		b.File = path.Join("bases", b.ID+"."+strings.TrimPrefix(pool[k].in.Label().Ext, ".")+".gz")
		if err := s.writeBase(f, pool[k].in, b); err != nil {
			return err
		}
		s.m.Bases = append(s.m.Bases, *b)
	}
	for v := range variants {
		if err := ctx.Err(); err != nil {
			return err
		}
		c := &pool[v%len(pool)]
		e := Entry{ID: fmt.Sprintf("%s-%s-%03d", shape.file(), part, v+1), Base: c.base.ID, Family: shape.Family,
			Shape: shape.Shape, Part: part}
		e.Seed = seed(fmt.Sprint(s.o.Seed), c.base.Hash, "variant", fmt.Sprint(v/len(pool)))
		in, raised, err := c.in.Perturb(e.ID, s.o.Sigma, e.Seed)
		if err != nil {
			return err
		}
		e.Raised, e.Hash = raised, in.Hash()
		s.m.Instances = append(s.m.Instances, e)
	}
	return nil
}

// writeBase writes a base and replaces it by what is read back, which must be the same.
func (s *splitter) writeBase(f families.Family, in families.Instance, b *Base) error {
	if s.there {
		return nil
	}
	file := filepath.Join(s.dir, filepath.FromSlash(b.File))
	if err := pipeline.Write(file, in); err != nil {
		return err
	}
	back, err := f.Read(file, families.ReadOptions{})
	if err != nil {
		return err
	}
	if back.Hash() != b.Hash {
		return fmt.Errorf("%w: %s is read back as another instance", ErrManifest, b.File)
	}
	return nil
}

// finish writes the manifest, or makes sure that the one that is there says the same.
func (s *splitter) finish() error {
	if !s.there {
		return s.m.write(s.dir)
	}
	old, err := Open(s.dir, s.families)
	switch {
	case err != nil:
		return err
	case !slices.Equal(old.Manifest.Instances, s.m.Instances) || !slices.Equal(old.Manifest.Bases, s.m.Bases):
		return fmt.Errorf("%w: %s holds another experiment: choose another folder", ErrManifest, s.dir)
	}
	return nil
}

// seed derives a seed from words; it is below 2^53, so that every reader of JSON keeps it.
func seed(words ...string) uint64 {
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return binary.LittleEndian.Uint64(sum[:]) >> 11
}
