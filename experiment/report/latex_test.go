package report

import (
	"bytes"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// texComment is a comment up to the end of its line.
var texComment = regexp.MustCompile(`(?m)(^| )% .*$`)

// soundTeX checks what a compiler would refuse: braces and environments that do not match, and characters with a meaning
// where a text stands.
func soundTeX(t *testing.T, name, text string) {
	t.Helper()
	text = texComment.ReplaceAllString(text, "")
	depth := 0
	for k := 0; k < len(text); k++ {
		switch text[k] {
		case '\\':
			k++ // the character after it is not by itself
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		t.Errorf("%s: braces do not match", name)
	}

	var open []string
	for _, m := range regexp.MustCompile(`\\(begin|end)\{(\w+)\}`).FindAllStringSubmatch(text, -1) {
		if m[1] == "begin" {
			open = append(open, m[2])
		} else if len(open) == 0 || open[len(open)-1] != m[2] {
			t.Errorf("%s: the environment %s ends and has not begun", name, m[2])
		} else {
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: the environments %v do not end", name, open)
	}
	if bad := regexp.MustCompile(`(^|[^\\])[#%]|NaN|Inf|[^\n\x20-\x7e\x{c0}-\x{17f}]`).FindString(text); bad != "" {
		t.Errorf("%s: it has %q", name, bad)
	}
}

// cellsOf counts the columns of a line of a tabular.
func cellsOf(line string) (n int) {
	for _, cell := range strings.Split(strings.ReplaceAll(line, `\&`, ""), "&") {
		n++
		if m := regexp.MustCompile(`\\multicolumn\{(\d+)\}`).FindStringSubmatch(cell); m != nil {
			n += int(m[1][0]-'0') - 1
		}
	}
	return n
}

// TestLaTeX writes a report for LaTeX: sound files, every line of a table with all of its columns, and a document that
// takes in files that are there.
func TestLaTeX(t *testing.T) {
	dir := t.TempDir()
	d := sample()
	d.Title = `50% of $x_1 & {y} \ #2 ~ ^`
	r := Make(d)
	if err := r.WriteLaTeX(dir); err != nil {
		t.Fatal(err)
	}
	read := func(parts ...string) string {
		text, err := os.ReadFile(filepath.Join(append([]string{dir}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, tab := range r.Tables {
		text := read("tables", tab.ID+".tex")
		soundTeX(t, tab.ID, text)
		rows := 0
		for line := range strings.Lines(text) {
			if line, isRow := strings.CutSuffix(strings.TrimSpace(line), ` \\`); isRow {
				rows++
				if cellsOf(line) != len(tab.Columns) {
					t.Errorf("%s: %d of %d columns: %s", tab.ID, cellsOf(line), len(tab.Columns), line)
				}
			}
		}
		if headings := rows - len(tab.Rows); headings < 1 || headings > 2 {
			t.Errorf("%s: %d lines for %d rows", tab.ID, rows, len(tab.Rows))
		}
	}
	for _, f := range r.Figures {
		soundPlot(t, f.ID, read("figures", f.ID+".tex"))
	}
	for _, document := range []string{"report.tex", "figures.tex"} {
		text := read(document)
		soundTeX(t, document, text)
		inputs := regexp.MustCompile(`\\input\{(.*?)\}`).FindAllStringSubmatch(text, -1)
		for _, m := range inputs {
			read(m[1] + ".tex")
		}
		if len(inputs) < len(r.Figures) {
			t.Errorf("%s has %d files for %d figures", document, len(inputs), len(r.Figures))
		}
	}
	text := read("report.tex")
	if !strings.Contains(text, `50\% of \$x\_1 \& \{y\} \textbackslash{} \#2 \textasciitilde{} \textasciicircum{}`) {
		t.Error("the title is not escaped")
	}
}

// soundPlot checks the picture of a figure: every axis with its limits, and every coordinate a number within them.
func soundPlot(t *testing.T, name, text string) {
	t.Helper()
	// The parameter of a transformation is no character of a text.
	soundTeX(t, name, strings.ReplaceAll(text, "#1", "1"))
	axes := strings.Split(text, `\begin{axis}`)[1:]
	if len(axes) == 0 {
		t.Errorf("%s: no axis", name)
	}
	limits := regexp.MustCompile(`xmin=(\S+), xmax=(\S+), ymin=(\S+), ymax=(\S+),`)
	pair := regexp.MustCompile(`\(([^(),]*),([^(),]*)\)`)
	for _, axis := range axes {
		m := limits.FindStringSubmatch(axis)
		if m == nil {
			t.Errorf("%s: an axis has no limits", name)
			continue
		}
		parse := func(s string) float64 {
			v, err := strconv.ParseFloat(s, 64)
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return v
		}
		lowX, highX, lowY, highY := parse(m[1]), parse(m[2]), parse(m[3]), parse(m[4])
		if !(lowX < highX && lowY < highY) || strings.Contains(axis, "ymode=log") && lowY <= 0 {
			t.Errorf("%s: limits %v", name, m[1:])
		}
		drawn := 0
		for _, plot := range strings.Split(axis, " coordinates {")[1:] {
			points, _, _ := strings.Cut(plot, "}")
			for _, at := range pair.FindAllStringSubmatch(points, -1) {
				x, y := parse(at[1]), parse(at[2])
				if !(x >= lowX && x <= highX && y >= lowY && y <= highY) {
					t.Errorf("%s: (%g, %g) is beyond the axis", name, x, y)
				}
				drawn++
			}
		}
		if drawn == 0 && name != "random" {
			t.Errorf("%s: an axis is empty", name)
		}
	}
}

// TestTeXText has texts that LaTeX would read as something else.
func TestTeXText(t *testing.T) {
	for _, c := range [][2]string{{"a_b", `a\_b`}, {"[x]*", `{[}x{]}{*}`}, {"--time", `-{\kern0pt}-time`},
		{"---", `-{\kern0pt}-{\kern0pt}-`},
		{"a\tb\x00", "a b "}, {"Zürich Łódź", "Zürich Łódź"}, {"中", "U+4E2D"}, {"≥1×", `$\ge$1$\times$`}, {"\xff", "U+FFFD"}} {
		if got := tex(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
	}
	if got := texName(`ufl-a b/{%}é_1.x`); got != "ufl-a-b-----_1.x" {
		t.Error(got)
	}
}

// FuzzTeX puts any text where names of methods, shapes and families stand.
func FuzzTeX(f *testing.F) {
	for _, s := range []string{`a_b{c}%`, `\begin{x}`, `[2pt]`, "\x00\xff中é", "--", `x & y \\`, "../../x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rows := []Row{{Cells: []Cell{word(s), word("b")}}, {Cells: []Cell{word("b"), word(s)}}}
		table := Table{ID: "t", Columns: left("A", s), Rows: rows}
		var b bytes.Buffer
		if err := table.writeLaTeX(io.Writer(&b)); err != nil {
			t.Fatal(err)
		}
		soundTeX(t, "table", strings.NewReplacer("NaN", "", "Inf", "").Replace(b.String()))
		for line := range strings.Lines(b.String()) {
			if line, isRow := strings.CutSuffix(strings.TrimSpace(line), ` \\`); isRow && cellsOf(line) != 2 {
				t.Errorf("%d columns: %s", cellsOf(line), line)
			}
		}

		// A figure has its text in options and labels.
		var c canvas
		p := &plot{c: &c, w: 100, h: 100, xs: linear, ys: fromZero(1), xr: [2]float64{0, 1}, yr: [2]float64{0, 1}}
		p.axes("", s)
		p.title(0, 0, "start", s)
		p.name(0.5, s)
		p.draw([][2]float64{{0, 0}, {1, math.Inf(1)}}, look{colour: ink, width: 1})
		c.legend([]string{s})
		soundPlot(t, "figure", strings.NewReplacer("NaN", "", "Inf", "").Replace(c.pgf.String()))
	})
}
