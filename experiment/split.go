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
	// In this order; bases of other shapes are left out.
	Shapes []Shape

	// A shape with fewer bases gets generated ones; at least 3.
	MinBases int

	// Variants a shape, spread evenly over the bases of the part.
	Train, Validation, Test int

	// The standard deviation of the logarithm of a factor, and the seed of everything random.
	Sigma float64
	Seed  uint64

	Notify func(line string)
}

// DefaultSplitOptions returns the defaults: sigma 0.1, at least eight bases a shape.
func DefaultSplitOptions() SplitOptions {
	return SplitOptions{MinBases: 8, Train: 24, Validation: 8, Test: 12, Sigma: 0.1, Seed: 1, Notify: func(string) {}}
}

// Validate reports the first option that has no meaning.
func (o *SplitOptions) Validate() error {
	// Three bases are the least number that gives every part one. The comparisons are such that NaN fails.
	checks := []struct {
		ok    bool
		field string
		v     any
	}{
		{len(o.Shapes) > 0, "Shapes", "none"},
		{o.MinBases >= 3, "MinBases", o.MinBases},
		{o.Train >= 1, "Train", o.Train},
		{o.Validation >= 1, "Validation", o.Validation},
		{o.Test >= 1, "Test", o.Test},
		{o.Sigma >= 0 && o.Sigma <= 2, "Sigma", o.Sigma},
	}

	for _, c := range checks {
		if !c.ok {
			return fmt.Errorf("%w: %s = %v", ErrOptions, c.field, c.v)
		}
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
	// Where there is a manifest, nothing is written, and the result is compared with it.
	s.there = IsFolder(dir)

	if err := os.MkdirAll(filepath.Join(dir, "bases"), 0o777); err != nil {
		return nil, err
	}

	// The shapes do not depend on each other, so that another list of them changes no shape.
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

	// The hashes of the bases, to find those of equal content.
	seen map[string]bool

	// The folder has a manifest: nothing is written, only compared.
	there bool
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

	// The bases that can be used come in an order that does not depend on the command line.
	pool, err := s.pool(ctx, f, shape, bases)
	if err != nil {
		return err
	}

	// The order of the bases is random, but depends on the seed and the shape alone.
	rng := rand.New(rand.NewPCG(s.o.Seed, seed(shape.String())))
	rng.Shuffle(len(pool), func(a, b int) { pool[a], pool[b] = pool[b], pool[a] })
	// A half is for training and a quarter for validation; the rest is for testing.
	train, validation := partSizes(len(pool))
	learning := train + validation
	for _, p := range []struct {
		part     Part
		pool     []candidate
		variants int
	}{
		{Train, pool[:train], s.o.Train},
		{Validation, pool[train:learning], s.o.Validation},
		{Test, pool[learning:], s.o.Test},
	} {
		if err := s.part(ctx, f, shape, p.part, p.pool, p.variants); err != nil {
			return err
		}
	}
	s.o.Notify(fmt.Sprintf("%s: %d bases (%d train, %d validation, %d test), %d instances", shape, len(pool), train,
		validation, len(pool)-learning, s.o.Train+s.o.Validation+s.o.Test))
	return nil
}

// partSizes returns how many of n bases are for training and for validation; at least one is left for testing.
func partSizes(n int) (train, validation int) {
	// With at least three bases, the two parts leave one.
	return max(1, n/2), max(1, n/4)
}

// pool lists the usable bases of a shape by name and fills them up with generated ones.
func (s *splitter) pool(ctx context.Context, f families.Family, shape Shape, bases []families.Instance) ([]candidate,
	error) {
	var out []candidate
	// The fields of the base are those of the shape, whatever its file was called.
	add := func(in families.Instance, b Base) {
		b.Family = shape.Family
		b.Shape = shape.Shape
		b.Hash = in.Hash()
		// A base is excluded with the reason, so that the manifest has every file.
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

	// The given bases, by name and content, whatever order they come in.
	sorted := slices.Clone(bases)
	slices.SortStableFunc(sorted, func(a, b families.Instance) int {
		return cmp.Or(strings.Compare(a.Label().Name, b.Label().Name), strings.Compare(a.Hash(), b.Hash()))
	})
	for _, in := range sorted {
		if in.Label().Family == shape.Family && in.Label().Shape == shape.Shape {
			add(in, Base{Source: in.Label().Name})
		}
	}

	// Then generated ones, until there are enough that can be used.
	for k := 0; len(out) < s.o.MinBases; k++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if k == 20*s.o.MinBases {
			return nil, fmt.Errorf("%w: %d generated instances, and hardly one that can be used", ErrManifest, k)
		}

		// The seed of a generated base depends on its number alone, and not on how many were excluded.
		at := seed(fmt.Sprint(s.o.Seed), shape.String(), "base", fmt.Sprint(k))
		in, err := f.Generate(shape.Shape, at)
		if err != nil {
			return nil, err
		}

		// A class may be a name for another shape, whose instances do not belong here.
		if got := in.Label().Shape; got != shape.Shape {
			return nil, fmt.Errorf("%w: the class makes instances of shape %s", ErrOptions, got)
		}
		add(in, Base{Source: "generated", Class: shape.Shape, Seed: at})
	}
	return out, ctx.Err()
}

// usable returns an error if no variant can be made of a base, or if it is infeasible with everything open.
func usable(ctx context.Context, in families.Instance, sigma float64) error {
	// The trial has a seed of its own, which no variant has.
	v, _, err := in.Perturb("trial", sigma, 0)
	if err != nil {
		return err
	}
	p, err := v.Program()
	if err != nil {
		return err
	}

	// With everything open an instance has a recourse, if it has one at all.
	_, feasible, err := p.Price(ctx, slices.Repeat([]float64{1}, len(p.Model.Master().Cols)))
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
		// The number of a base is its place in the shuffled part.
		b.Part = part
		b.ID = fmt.Sprintf("%s-%s-base%d", shape.file(), part, k+1)
		b.File = path.Join("bases", b.ID+"."+strings.TrimPrefix(pool[k].in.Label().Ext, ".")+".gz")
		if err := s.writeBase(f, pool[k].in, b); err != nil {
			return err
		}
		s.m.Bases = append(s.m.Bases, *b)
	}

	// The variants go round the bases, so that every base has as many, up to one.
	for v := range variants {
		if err := ctx.Err(); err != nil {
			return err
		}

		// Variant v is of base v modulo the number of bases.
		c := &pool[v%len(pool)]
		e := Entry{
			ID:     fmt.Sprintf("%s-%s-%03d", shape.file(), part, v+1),
			Base:   c.base.ID,
			Family: shape.Family,
			Shape:  shape.Shape,
			Part:   part,
		}

		// The seed depends on the content of the base, so that other bases do not change its variants.
		e.Seed = seed(fmt.Sprint(s.o.Seed), c.base.Hash, "variant", fmt.Sprint(v/len(pool)))
		in, raised, err := c.in.Perturb(e.ID, s.o.Sigma, e.Seed)
		if err != nil {
			return err
		}
		e.Raised = raised
		e.Hash = in.Hash()
		s.m.Instances = append(s.m.Instances, e)
	}
	return nil
}

// writeBase writes a base and replaces it by what is read back, which must be the same.
func (s *splitter) writeBase(f families.Family, in families.Instance, b *Base) error {
	if s.there {
		return nil
	}

	// The manifest has paths with slashes, the system may not.
	file := filepath.Join(s.dir, filepath.FromSlash(b.File))
	if err := pipeline.Write(file, in); err != nil {
		return err
	}

	// The file is read back, since only what it holds can be used later.
	back, err := f.Read(file, families.ReadOptions{})
	if err != nil {
		return err
	}
	if back.Hash() != b.Hash {
		return fmt.Errorf("%w: %s is read back as another instance", ErrManifest, b.File)
	}
	return nil
}

// finish writes the manifest, or makes sure that the existing one is the same.
func (s *splitter) finish() error {
	if !s.there {
		return s.m.write(s.dir)
	}

	// The existing manifest must have the same bases and instances, and their hashes.
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
	// A hash of all words is as good as random for different words. The shift leaves 53 bits.
	sum := sha256.Sum256([]byte(strings.Join(words, "\x00")))
	return binary.LittleEndian.Uint64(sum[:]) >> 11
}
