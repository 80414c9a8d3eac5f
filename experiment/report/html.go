package report

import (
	"fmt"
	"html"
	"io"
	"strings"
)

// styleSheet is the page's own: dark text on white, figures in columns of equal digits, a bar of links that stays.
const styleSheet = `
:root{--ink:#1b1b1f;--faint:#5d6168;--rule:#c9ccd1;--soft:#f4f5f7;--accent:#1f3a68}
*{box-sizing:border-box}
html{scroll-padding-top:3.6rem}
body{margin:0;background:#fff;color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
nav{position:sticky;top:0;z-index:1;background:#fff;border-bottom:1px solid var(--rule);padding:.55rem 1.5rem;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;font-size:.9rem}
nav b{margin-right:.5rem}
nav a{color:var(--accent);text-decoration:none}
nav a:hover{text-decoration:underline}
main{max-width:84rem;margin:0 auto;padding:1rem 1.5rem 4rem}
h1{font-size:1.7rem;line-height:1.2;margin:1.2rem 0 .4rem}
h2{font-size:1.25rem;margin:2.6rem 0 .6rem;padding-top:.4rem;border-top:2px solid var(--ink)}
p{max-width:60rem;margin:.5rem 0}
p.note{color:var(--faint);font-size:.82rem;margin:.35rem 0}
figure{margin:1.2rem 0 1.8rem}
figcaption{font-size:.92rem;max-width:64rem;margin-bottom:.5rem}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.8rem;font-variant-numeric:tabular-nums;border-top:2px solid var(--ink);border-bottom:2px solid var(--ink)}
th{font-weight:600;text-align:right;padding:.25rem .5rem;vertical-align:bottom;white-space:nowrap}
th.group{text-align:center;border-bottom:1px solid var(--rule)}
thead tr:last-child th,thead th[rowspan]{border-bottom:1px solid var(--ink)}
td{text-align:right;padding:.18rem .5rem;white-space:nowrap}
.l{text-align:left}
td.l:first-child{font-weight:600}
tr.rule td{border-top:1px solid var(--rule)}
tr.quiet td{color:var(--faint);font-style:italic}
tbody tr:hover td{background:var(--soft)}
td.good{font-weight:700}
svg{max-width:100%;height:auto;display:block}
.grid{display:flex;flex-wrap:wrap;gap:1rem}
.grid figure{margin:0}
details summary{cursor:pointer;color:var(--accent);margin:.6rem 0}
@media print{nav{display:none}h2{break-after:avoid}figure{break-inside:avoid}}
`

// section is a part of the page.
type section struct {
	id, title string
	intro     string
	parts     []any // *Table, *Figure, gallery or folded
}

// gallery is small figures beside each other, folded a table behind a click.
type (
	gallery []*Figure
	folded  struct {
		summary string
		table   *Table
	}
)

// writePage writes the page.
func writePage(w io.Writer, title, lead string, sections []section) error {
	var b strings.Builder
	fmt.Fprintf(&b, "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"><title>%s</title>\n<style>%s</style></head>\n<body>\n<nav><b>%s</b>",
		html.EscapeString(title), styleSheet, html.EscapeString(title))
	for _, s := range sections {
		fmt.Fprintf(&b, "<a href=\"#%s\">%s</a>", s.id, html.EscapeString(s.title))
	}
	fmt.Fprintf(&b, "</nav>\n<main>\n<h1>%s</h1>\n<p>%s</p>\n", html.EscapeString(title), html.EscapeString(lead))
	for _, s := range sections {
		fmt.Fprintf(&b, "<section id=\"%s\"><h2>%s</h2>\n", s.id, html.EscapeString(s.title))
		if s.intro != "" {
			fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(s.intro))
		}
		for _, part := range s.parts {
			writePart(&b, part)
		}
		b.WriteString("</section>\n")
	}
	b.WriteString("</main>\n</body>\n</html>\n")
	_, err := io.WriteString(w, b.String())
	return err
}

func writePart(b *strings.Builder, part any) {
	switch p := part.(type) {
	case *Table:
		p.html(b)
	case *Figure:
		p.html(b)
	case gallery:
		b.WriteString("<div class=\"grid\">\n")
		for _, f := range p {
			f.html(b)
		}
		b.WriteString("</div>\n")
	case folded:
		fmt.Fprintf(b, "<details><summary>%s</summary>\n", html.EscapeString(p.summary))
		p.table.html(b)
		b.WriteString("</details>\n")
	}
}

func (f *Figure) html(b *strings.Builder) {
	fmt.Fprintf(b, "<figure id=\"%s\">\n", html.EscapeString(f.ID))
	if f.Caption != "" {
		fmt.Fprintf(b, "<figcaption><b>%s</b> %s</figcaption>\n", html.EscapeString(f.Title), html.EscapeString(f.Caption))
	}
	b.WriteString(f.SVG)
	b.WriteString("</figure>\n")
}
