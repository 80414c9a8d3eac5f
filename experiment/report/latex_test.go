package report

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// soundTeX checks what a compiler would refuse: braces and environments that do not match, and characters with a meaning
// where a text stands.
func soundTeX(t *testing.T, name, text string) {
	t.Helper()
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
	if bad := regexp.MustCompile(`(^|[^\\])[#%]|NaN|Inf|[^\x00-\x7f]`).FindString(text); bad != "" {
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
		text := read("figures", f.ID+".tex")
		soundTeX(t, f.ID, text)
		if strings.Count(text, ";\n") < 5 {
			t.Errorf("%s: hardly anything is drawn", f.ID)
		}
	}
	text := read("report.tex")
	soundTeX(t, "report.tex", text)
	for _, m := range regexp.MustCompile(`\\input\{(.*?)\}`).FindAllStringSubmatch(text, -1) {
		read(m[1] + ".tex")
	}
	if !strings.Contains(text, `50\% of \$x\_1 \& \{y\} \textbackslash{} \#2 \textasciitilde{} \textasciicircum{}`) {
		t.Error("the title is not escaped")
	}
}

// FuzzTeX escapes any text.
func FuzzTeX(f *testing.F) {
	f.Add(`a_b{c}%`)
	f.Add(`\begin{x}`)
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range s {
			if c > 0x7e || c < ' ' {
				t.Skip("a character of another alphabet")
			}
		}
		table := Table{ID: "t", Columns: left("A", "B"), Rows: []Row{{Cells: []Cell{word(s), word("b")}}}}
		var b bytes.Buffer
		if err := table.writeLaTeX(io.Writer(&b)); err != nil {
			t.Fatal(err)
		}
		soundTeX(t, "table", strings.NewReplacer("NaN", "", "Inf", "").Replace(b.String()))
	})
}
