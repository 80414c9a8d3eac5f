package report

import (
	"fmt"
	"io"
	"strings"
)

// WriteLaTeX writes the report for LaTeX into the folder of Write: tables/*.tex, each a tabular of the package
// booktabs, figures/*.tex, each a tikzpicture of the package pgfplots, and two documents that compile as they are:
// report.tex, which has everything, and figures.tex, whose PDF file has a page for each figure. Tables and figures can
// be taken into another document by \input.
func (r *Report) WriteLaTeX(dir string) error {
	return inFolder(dir, func(file put) error {
		err := r.writeParts(file, ".tex", (*Table).writeLaTeX, ".tex", func(f *Figure) string { return f.PGF })
		if err != nil {
			return err
		}
		if err := file("figures.tex", r.writeFigures); err != nil {
			return err
		}
		return file("report.tex", r.writeDocument)
	})
}

// writeLaTeX writes the table as a tabular: headings of groups, headings of columns, and the rows.
func (t *Table) writeLaTeX(w io.Writer) error {
	var b strings.Builder

	// A letter for each column: text at the left, figures at the right.
	b.WriteString(`\begin{tabular}{`)
	for _, c := range t.Columns {
		if c.Left {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}

	// The headings, and the rows between rules.
	b.WriteString("}\n\\toprule\n")
	t.latexGroups(&b)
	t.latexRow(&b, func(k int) string { return tex(t.Columns[k].Name) })
	b.WriteString("\\midrule\n")
	for i, r := range t.Rows {
		// A rule divides the shapes.
		if r.Rule && i > 0 {
			b.WriteString("\\midrule\n")
		}
		t.latexRow(&b, func(k int) string { return r.latex(k) })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// latex is the cell of column k: bold where it is good, in italics where the row quotes the paper.
func (r *Row) latex(k int) string {
	text := tex(r.Cells[k].Text)
	switch {
	case text == "":
		return ""
	case r.Cells[k].Good:
		return `\textbf{` + text + `}`
	case r.Quiet:
		return `\textit{` + text + `}`
	}
	return text
}

// latexGroups writes the names of groups over their columns, with a line below each; nothing where there are none.
func (t *Table) latexGroups(b *strings.Builder) {
	if !t.Grouped() {
		return
	}
	var cells, lines []string
	for k := 0; k < len(t.Columns); {
		n := t.span(k)
		g := t.Columns[k].Group
		if g == "" {
			cells = append(cells, "")
		} else {
			cells = append(cells, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, tex(g)))
			lines = append(lines, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k+1, k+n))
		}
		k += n
	}
	fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(cells, " & "), strings.Join(lines, " "))
}

// latexRow writes a row with a cell for each column.
func (t *Table) latexRow(b *strings.Builder, cell func(k int) string) {
	cells := make([]string, len(t.Columns))
	for k := range cells {
		cells[k] = cell(k)
	}
	fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
}

// What is around the sections of report.tex, and the figures of figures.tex.
const (
	documentHead = `\documentclass[10pt,a4paper]{article}
` + documentFonts + `\usepackage[margin=2cm]{geometry}
\usepackage{booktabs,pgfplots,adjustbox,rotating}
\pgfplotsset{compat=1.16}
\begin{document}
`
	// Characters beyond ASCII: LuaTeX and XeTeX have fonts of all of them, and need no encoding.
	documentFonts = `\usepackage{iftex}
\ifPDFTeX
  \usepackage[T1]{fontenc}
  \usepackage[utf8]{inputenc}
\fi
`
	documentFoot = "\\end{document}\n"
)

// writeFigures writes the document of all figures, each on a page of its size, for \includegraphics.
func (r *Report) writeFigures(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`\documentclass[multi=tikzpicture,border=2pt]{standalone}
` + documentFonts + `\usepackage{pgfplots}
\pgfplotsset{compat=1.16}
\begin{document}
`)
	for k, f := range r.Figures {
		fmt.Fprintf(&b, "\\input{figures/%s} %% page %d\n", f.ID, k+1)
	}
	b.WriteString(documentFoot)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeDocument writes the document with all tables but the list of runs, and all figures.
func (r *Report) writeDocument(w io.Writer) error {
	var b strings.Builder
	b.WriteString(documentHead)
	fmt.Fprintf(&b, "\\title{%s}\n\\date{}\n\\maketitle\n\n%s\n\n%s\n", tex(r.Title), tex(r.verdict), tex(r.lead))
	for _, s := range r.sections {
		fmt.Fprintf(&b, "\n\\section*{%s}\n", tex(s.Title))
		for _, p := range s.Parts {
			if p.Table != nil && p.Table.ID != "runs" {
				p.Table.float(&b)
			}
			if p.Figure != nil {
				p.Figure.float(&b)
			}
			for _, f := range p.Gallery {
				f.float(&b)
			}
		}

		// The floats of a section stay in it.
		b.WriteString("\\clearpage\n")
	}
	b.WriteString(documentFoot)
	_, err := io.WriteString(w, b.String())
	return err
}

// maxUpright is the most columns of a table that is upright on its page; wider ones would be too small to read.
const maxUpright = 14

// float writes the table with its caption and notes, no wider than the page, or than the height of the page if it has
// many columns.
func (t *Table) float(b *strings.Builder) {
	environment := "table"
	if len(t.Columns) > maxUpright {
		environment = "sidewaystable"
	}
	// LaTeX numbers the tables of the report, and those of the paper have other numbers.
	title := t.Title
	if rest, ok := strings.CutPrefix(title, "Table"); ok {
		title = "The paper's table" + rest
	}
	fmt.Fprintf(b, "\n\\begin{%s}[htbp]\n\\centering\\footnotesize\n\\caption{\\textbf{%s} %s}\\label{tab:%s}\n"+
		"\\begin{adjustbox}{max width=\\linewidth}\n\\input{tables/%s}\n\\end{adjustbox}\n", environment, tex(title),
		tex(t.Caption), t.ID, t.ID)
	for _, n := range t.Notes {
		fmt.Fprintf(b, "\\par\\smallskip\\parbox{\\linewidth}{\\scriptsize %s}\n", tex(n))
	}
	fmt.Fprintf(b, "\\end{%s}\n", environment)
}

// float writes the figure with its caption.
func (f *Figure) float(b *strings.Builder) {
	fmt.Fprintf(b, "\n\\begin{figure}[htbp]\n\\centering\n\\begin{adjustbox}{max width=\\textwidth}\n"+
		"\\input{figures/%s}\n\\end{adjustbox}\n\\caption{\\textbf{%s} %s}\\label{fig:%s}\n\\end{figure}\n",
		f.ID, tex(f.Title), tex(f.Caption), f.ID)
}
