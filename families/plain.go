package families

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/benders/proxy/variants"
	"github.com/proxybd/proxybd/benders/scenario"
	"github.com/proxybd/proxybd/benders/twostage"
	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
	"github.com/proxybd/proxybd/nn"
)

// Plain is an instance of which nothing is known but its model. It has every method, record, states and proxies from
// benders/twostage. A family that gives no more than models makes these; one that knows more embeds it and overrides
// that.
type Plain struct {
	*twostage.Problem
	family string
	model  *lp.Model // as given
	first  []string  // names of the first-stage columns, nil for the integer ones
}

// NewPlain splits a model of a family; patterns of twostage.Match name its first-stage columns, none for the integer
// columns.
func NewPlain(family string, m *lp.Model, patterns []string) (*Plain, error) {
	in := &Plain{family: family, model: m}
	var first []lp.Var
	if len(patterns) > 0 {
		var err error
		if first, err = twostage.Match(m, patterns); err != nil {
			return nil, err
		}
		for _, v := range first {
			in.first = append(in.first, m.ColName(v))
		}
	}
	var err error
	in.Problem, err = twostage.New(m, first, twostage.Options{})
	return in, err
}

// Model returns the model as it was given. It must not be changed.
func (in *Plain) Model() *lp.Model { return in.model }

// TwoStage returns the problem, for variants.Architecture.
func (in *Plain) TwoStage() *twostage.Problem { return in.Problem }

// Program implements Instance.
func (in *Plain) Program() (*decompose.Program, error) { return in.Problem.Program(), nil }

// Hash implements Instance: it is that of the program as a record holds it.
func (in *Plain) Hash() string {
	program := in.Record()
	return program.Hash()
}

// Label implements Instance. The shape is first-stage columns x recourse columns x rows.
func (in *Plain) Label() Label {
	p := in.Problem
	first, recourse, rows := p.First, len(p.Compact.Cols)-p.First, len(p.Compact.Rows)
	return Label{Family: in.family, Name: in.model.Name, Shape: FormatShape(first, recourse, rows), Ext: ".mps",
		Title: fmt.Sprintf("%s: two-stage model, %d first-stage and %d recourse columns, %d rows, %d independent recourse "+
			"parts",
			in.model.Name, first, recourse, rows, p.Components())}
}

// NewModel returns an untrained proxy for instances of the shape of like: of programs with scenarios one for every
// scenario, else that of the family or, if it has none, one for the variants of like's model.
func NewModel(f Family, like Instance, o ModelOptions) (*proxy.Model, proxy.TrainOptions, error) {
	budget := o.Preset.Budget(o.Seed)
	if in, ok := like.(interface{ ByScenario() *scenario.Problem }); ok {
		a, err := scenario.NewArchitecture(f.Name, in.ByScenario())
		if err != nil {
			return nil, budget, err
		}
		m, err := proxy.New(a, o.Widths([]int{64, 64}, []int{256, 256}), o.Seed)
		return m, budget, err
	}
	if f.NewModel != nil {
		return f.NewModel(like, o)
	}
	in, ok := like.(interface{ TwoStage() *twostage.Problem })
	if !ok {
		return nil, budget, fmt.Errorf("families: %w: a model for a %T", ErrUnsupported, like)
	}
	p := in.TwoStage()
	if p == nil {
		return nil, budget, fmt.Errorf("families: %w: a model without a recourse", ErrUnsupported)
	}
	v, err := variants.New(f.Name, p, variants.Projection(o.Features))
	if err != nil {
		return nil, budget, err
	}
	m, err := proxy.New(v, o.Widths([]int{64, 64}, []int{256, 256}), o.Seed)
	return m, budget, err
}

// LoadModel reads the trained model of a family from a safetensors file.
func LoadModel(f Family, path string) (*proxy.Model, error) {
	t, err := nn.ReadTensors(path)
	if err != nil {
		return nil, err
	}
	return TensorModel(f, t)
}

// TensorModel builds the model that the tensors of a file hold.
func TensorModel(f Family, t *nn.Tensors) (*proxy.Model, error) {
	if scenario.Predicts(t.Meta) {
		return scenario.LoadModel(t, f.Name)
	}
	if f.LoadModel != nil {
		return f.LoadModel(t)
	}
	return variants.Load(t, f.Name)
}

// firstStage marks the comment line of a written file that lists first-stage columns, one a line.
const firstStage = "* first-stage "

// ReadPlain reads an MPS or LP file. first is a comma-separated list of patterns, or @FILE with one a line; where it is
// empty, the file's own comment lines that Write made say it, else the first stage is the integer columns. The error of
// a file that is no model at all wraps ErrForeign.
func ReadPlain(family, path, first string) (*Plain, error) {
	head, err := sniff(path)
	if err != nil {
		return nil, err
	}
	m, _, err := mps.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("families: %w", err)
	}
	patterns, err := parsePatterns(first)
	if err != nil {
		return nil, err
	}
	if len(patterns) == 0 {
		patterns = head
	}
	if m.Name == "" {
		m.Name = unpack.Stem(path)
	}
	in, err := NewPlain(family, m, patterns)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return in, nil
}

// parsePatterns splits a list of patterns, or reads it from the file after an @.
func parsePatterns(list string) ([]string, error) {
	if file, ok := strings.CutPrefix(list, "@"); ok {
		data, err := unpack.File(file)
		if err != nil {
			return nil, fmt.Errorf("families: the first-stage columns: %w", err)
		}
		names := strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' || r == '\r' })
		var out []string
		for _, n := range names {
			if n = strings.TrimSpace(n); n != "" && n[0] != '#' {
				out = append(out, n)
			}
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("families: %w: %s names no column", ErrOptions, file)
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

// sniff looks at the first lines of a file: a name that ends in .mps or .lp, or a first line that begins a model, makes
// it one. It returns the first-stage columns that comment lines name.
func sniff(path string) (first []string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("families: %w", err)
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return nil, Foreign(fmt.Sprintf("families: %s: %v", path, err))
	}
	name := strings.ToLower(unpack.Plain(path))
	known := strings.HasSuffix(name, ".mps") || strings.HasSuffix(name, ".lp")
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if c, ok := strings.CutPrefix(line, firstStage); ok {
			first = append(first, c)
			continue
		}
		if layout, told := mps.LayoutOf([]byte(line)); told {
			known = known || layout != mps.Unknown
			break
		}
	}
	if !known {
		return nil, Foreign(fmt.Sprintf("families: %s: neither MPS nor LP", path))
	}
	return first, nil
}

// Encode implements Instance: it writes the model as MPS, with its first stage where that is not the integer columns.
func (in *Plain) Encode(w io.Writer) error {
	b := bufio.NewWriter(w)
	for _, n := range in.first {
		fmt.Fprintf(b, "%s%s\n", firstStage, n)
	}
	if err := mps.Write(b, in.model); err != nil {
		return err
	}
	return b.Flush()
}

// Perturb implements Instance: it multiplies the costs and the sides of the inequalities with a recourse column by
// lognormal factors, hidden rows apart. Equations keep their right-hand side, which balances others; the two sides of a
// range move together.
func (in *Plain) Perturb(name string, sigma float64, seed uint64) (Instance, float64, error) {
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return nil, 0, fmt.Errorf("families: %w: a lognormal factor with sigma %g", ErrOptions, sigma)
	}
	rng := rand.New(rand.NewPCG(seed, 0x6e4e7a1))
	factor := func() float64 { return math.Exp(sigma * rng.NormFloat64()) }
	m := in.model.Clone()
	m.Name = name
	for j := range m.Cols {
		m.Cols[j].Cost *= factor()
	}
	recourse := in.RecourseRows()
	for i := range m.Rows {
		if f := factor(); recourse[i] && !m.Rows[i].Hidden && m.Rows[i].Lower != m.Rows[i].Upper {
			m.Rows[i].Lower *= f
			m.Rows[i].Upper *= f
		}
	}
	out, err := NewPlain(in.family, m, in.first)
	return out, 1, err
}
