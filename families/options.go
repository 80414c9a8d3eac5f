package families

import (
	"fmt"
	"io"
	"strconv"
)

// Option is something that files of a family may leave open and that its reader gets as an option: a flag of the
// command line, and a key of ReadOptions.Set. Families that share an option declare it alike.
type Option struct {
	Name string     // of the flag
	Kind OptionKind // of its values; the empty text and 0 stand for an option that is not given
	Help string     // what it says, on one line; a `WORD` in it names the value
	For  string     // "is for ...", for the error where it is given with a file of another family

	// Unused says why the file of a path has no use for the option, as in "is for models without periods"; "" where it
	// has one. nil where all files of the family may have.
	Unused func(path string) string
}

// OptionKind is what the values of an option are.
type OptionKind uint8

const (
	Text OptionKind = iota
	Float
	Int
	Uint64
	Bool
)

// ReadOptions say what a file leaves open.
type ReadOptions struct {
	Set  map[string]string // values of options by name; a family looks at those that it declares
	Warn func(line string) // called with what had to be interpreted; nil for none

	// Named says that the user has named the family: a file that does not say what it is of is one of this family.
	Named bool

	// Stdin is what the path - stands for where the command line reads an instance; a family never gets that path.
	Stdin io.Reader
}

// Float returns the value of an option, 0 if it is not given.
func (o ReadOptions) Float(name string) (float64, error) {
	return value(o, name, func(s string) (float64, error) { return strconv.ParseFloat(s, 64) })
}

// Int returns the value of an option, 0 if it is not given.
func (o ReadOptions) Int(name string) (int, error) { return value(o, name, strconv.Atoi) }

// Uint64 returns the value of an option, 0 if it is not given.
func (o ReadOptions) Uint64(name string) (uint64, error) {
	return value(o, name, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 64) })
}

// Bool returns the value of an option, false if it is not given.
func (o ReadOptions) Bool(name string) (bool, error) { return value(o, name, strconv.ParseBool) }

// value parses the option of a name; the zero value stands for one that is not given.
func value[T any](o ReadOptions, name string, parse func(string) (T, error)) (v T, err error) {
	s, given := o.Set[name]

	// An option that is not given has the zero value of its kind.
	if !given {
		return v, nil
	}

	// An error names the option.
	if v, err = parse(s); err != nil {
		return v, fmt.Errorf("families: %w: %s: %w", ErrOptions, name, err)
	}
	return v, nil
}

// Missing is wrapped by the error of a file that leaves open what an option has to say.
type Missing struct {
	Option  string
	Example string // a value that it could have
}

// Error says which option the file needs.
func (m Missing) Error() string { return "the " + m.Option + " is left open" }
