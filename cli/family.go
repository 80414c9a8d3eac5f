package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/cap"
	"github.com/proxybd/proxybd/families/mcndp"
	"github.com/proxybd/proxybd/families/mpsmodel"
	"github.com/proxybd/proxybd/families/netdes"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/families/scflp"
	"github.com/proxybd/proxybd/families/sslp"
	"github.com/proxybd/proxybd/families/ufl"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/models"
)

// Families lists the built-in families in the order in which a file is tried. A new family adds a line.
func Families() []families.Family {
	return []families.Family{
		mpsmodel.Family, // MPS and LP files
		mcndp.Family,    // whose files begin with a word of their own
		netdes.Family,   // a line with a +
		scflp.Family,    // JSON
		sslp.Family,     // JSON with other keys
		ufl.Family,
		cap.Family,
	}
}

// catalogue lists the families of a command line in the order in which a file is tried.
type catalogue []families.Family

// addFamily adds the flags that say how an instance is read.
func (a *app) addFamily(c *cobra.Command, name *string, o *families.ReadOptions) {
	c.Flags().StringVar(name, "family", "", "family of the instance ("+a.known.joined()+"); else the file says")
	// The options of all families are flags of every command that reads instances.
	o.Set = make(map[string]string)
	for _, opt := range a.known.options() {
		flag := c.Flags().VarPF(&readFlag{opt, o.Set}, opt.Name, "", opt.Help)
		// A flag of a truth value needs no value on the command line.
		if opt.Kind == families.Bool {
			flag.NoOptDefVal = "true"
		}
	}
	o.Stdin = input{c}
	o.Warn = a.warn
}

// instanceArgs accepts the path of an instance, or none where the first of its tables is given by an option.
func instanceArgs(o *families.ReadOptions) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if o.Set[facilitiesFile] != "" {
			return cobra.MaximumNArgs(1)(c, args)
		}
		return cobra.ExactArgs(1)(c, args)
	}
}

// instancePath is the path of the instance that instanceArgs accepted.
func instancePath(args []string, o *families.ReadOptions) string {
	if len(args) > 0 {
		return args[0]
	}
	return o.Set[facilitiesFile]
}

// facilitiesFile is the option of the table that an instance in several files begins with.
const facilitiesFile = "facilities"

// input is the standard input of a command, which it has only when it runs.
type input struct{ c *cobra.Command }

// Read implements io.Reader.
func (i input) Read(p []byte) (int, error) { return i.c.InOrStdin().Read(p) }

// options lists the options of all families, each once.
func (known catalogue) options() (list []families.Option) {
	for _, f := range known {
		// Families share options, such as --scenarios, under one name.
		for _, o := range f.Options {
			if !slices.ContainsFunc(list, func(k families.Option) bool { return k.Name == o.Name }) {
				list = append(list, o)
			}
		}
	}
	return list
}

// readFlags lists the flags that say how an instance is read.
func (known catalogue) readFlags() []string {
	names := []string{"family"}
	for _, o := range known.options() {
		names = append(names, o.Name)
	}
	return names
}

// readFlag is the flag of an option. Its zero is as good as not given.
type readFlag struct {
	families.Option
	set map[string]string
}

// String shows the value.
func (f *readFlag) String() string {
	// Only values that differ from the default are in the map.
	if v, ok := f.set[f.Name]; ok {
		return v
	}

	// The default is the zero of the kind.
	switch f.Kind {
	case families.Text:
		return ""
	case families.Bool:
		return "false"
	}
	return "0"
}

// Type is what the usage calls the values.
func (f *readFlag) Type() string {
	// The names are those that pflag gives its own types, so that the usage looks alike.
	return [...]string{families.Text: "string", families.Float: "float64", families.Int: "int",
		families.Uint64: "uint64", families.Bool: "bool"}[f.Kind]
}

// Set reads a value. The default is not kept, so that an option that is given is one that changes something.
func (f *readFlag) Set(s string) error {
	// Values that mean the same, such as 8e3 and 8000, have one text.
	s, err := canonical(f.Kind, s)
	if err != nil {
		return err
	}

	// A flag may be given twice: the last value counts.
	delete(f.set, f.Name)
	if s != f.String() {
		f.set[f.Name] = s
	}
	return nil
}

// canonical checks a value of a kind, and returns its shortest text.
func canonical(kind families.OptionKind, s string) (string, error) {
	// The text is that of strconv, whose error says what is wrong.
	switch kind {
	case families.Float:
		v, err := strconv.ParseFloat(s, 64)
		return strconv.FormatFloat(v, 'g', -1, 64), err
	case families.Int:
		// The base 0 accepts what Go accepts, such as 0x10, as pflag does.
		v, err := strconv.ParseInt(s, 0, strconv.IntSize)
		return strconv.FormatInt(v, 10), err
	case families.Uint64:
		v, err := strconv.ParseUint(s, 0, 64)
		return strconv.FormatUint(v, 10), err
	case families.Bool:
		v, err := strconv.ParseBool(s)
		return strconv.FormatBool(v), err
	}
	return s, nil
}

// open opens an instance of the named family, or of the one that its content says. A program of several periods is
// opened with its scenarios.
func (known catalogue) open(name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	// Scenarios are added here, so that most commands have no case for several periods.
	f, in, err := known.openAny(name, path, o)
	if err == nil {
		in, err = withScenarios(in)
	}
	return f, in, err
}

// withScenarios returns an instance with its scenarios.
func withScenarios(in families.Instance) (families.Instance, error) {
	in, err := pipeline.WithScenarios(in)
	if err != nil {
		return nil, badInput(err)
	}
	return in, nil
}

// openAny opens an instance as open does, but a program of several periods without its scenarios.
func (known catalogue) openAny(name, path string, o families.ReadOptions) (families.Family, families.Instance, error) {
	if err := notInstance(path); err != nil {
		return families.Family{}, nil, err
	}
	if name != "" {
		// With --family the file is read as that family's, and its error is the one to show.
		f, err := known.find(name)
		if err != nil {
			return families.Family{}, nil, err
		}
		o.Named = true
		in, err := known.read(f, path, o)
		return f, in, err
	}

	// Otherwise the families are tried in turn; a file is foreign to all but its own.
	for _, f := range known {
		in, err := known.read(f, path, o)
		if err == nil {
			return f, in, nil
		}

		// A packed file that ends early is damaged, whatever family it is of.
		if errors.Is(err, unpack.ErrTruncated) {
			return families.Family{}, nil, badInput(fmt.Errorf("%s: %w", path, unpack.ErrTruncated))
		}

		// An error other than ErrForeign is from the family that recognised the file.
		if !errors.Is(err, families.ErrForeign) {
			return families.Family{}, nil, err
		}
	}
	return families.Family{}, nil, known.unknownFile(path)
}

// read reads a file of a family. What the options say must be what the file leaves open.
func (known catalogue) read(f families.Family, path string, o families.ReadOptions) (families.Instance, error) {
	in, err := f.Read(path, o)
	// The error of a reader names the file, and here it becomes bad input.
	if err != nil {
		return nil, readError(err)
	}
	return in, known.checkRead(f, path, o)
}

// readError is the error of a command whose instance could not be read. The file that cannot be opened may be one that
// an option names.
func readError(err error) error {
	var pathErr *fs.PathError
	var missing families.Missing
	switch {
	case errors.As(err, &pathErr):
		// The message names the file of the error.
		err = plainError(pathErr.Path, err)
	case errors.Is(err, twostage.ErrProblem):
		err = fmt.Errorf("%w; proxybd mip solves a model as a whole", err)
	case errors.As(err, &missing):
		// An error about a missing option says which flag gives it.
		err = fmt.Errorf("%w: give one with --%s, such as %s", err, missing.Option, missing.Example)
	}
	return badInput(err)
}

// find returns the family of a name.
func (known catalogue) find(name string) (families.Family, error) {
	// Family names are few, and a linear search is enough.
	for _, f := range known {
		if f.Name == name {
			return f, nil
		}
	}
	return families.Family{}, badInput(fmt.Errorf("unknown family %q (known: %s)%s", name, known.joined(),
		didYouMean(name, known.names())))
}

// joined lists the names for a message.
func (known catalogue) joined() string { return strings.Join(known.names(), ", ") }

// names lists the names of the families.
func (known catalogue) names() (names []string) {
	for _, f := range known {
		names = append(names, f.Name)
	}
	return names
}

// openModel reads a trained proxy of the family from a file, or takes a shipped one that fits the instance. It
// returns the name to show, too.
func openModel(f families.Family, in families.Instance, path string) (*proxy.Model, string, error) {
	if path == "" {
		// Without a file it is a shipped model that fits the instance, if there is one.
		m, name, err := models.For(f, in)
		if err != nil {
			return nil, "", badInput(fmt.Errorf("%w: %s", err, makeModel(f, in)))
		}
		return m, name + " (shipped)", nil
	}

	// A model of a file must be of the family, and fit the instance.
	m, err := pipeline.LoadModel(f, path)
	if err == nil {
		if err = m.Fits(in); err != nil {
			err = fmt.Errorf("%s: %w: %s", path, err, makeModel(f, in))
		}
	}

	// A file that cannot be opened is shown without the operation of the os package.
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = plainError(path, err)
	}
	return m, path, badInput(err)
}
