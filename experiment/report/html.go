package report

import (
	_ "embed"
	"html/template"
	"io"
	"slices"
	"sync"
)

//go:embed page.html
var pageText string

// page is parsed where a page is written.
var page = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(pageText)) })

// What the template reads: the page, its sections and their parts.
type (
	pageData struct {
		Title, Verdict, Lead string
		Sections             []section
	}
	section struct {
		ID, Title string
		Parts     []part
	}

	// A part is a table, a figure or a row of small figures.
	part struct {
		Table   *Table
		Figure  *Figure
		Gallery []*Figure
		Summary string // of a table that is folded until the reader opens it
	}
)

// addTables adds the tables that have rows.
func (s *section) addTables(list ...*Table) {
	for _, t := range list {
		if t != nil && len(t.Rows) > 0 {
			s.Parts = append(s.Parts, part{Table: t})
		}
	}
}

// writeHTML writes the page.
func (r *Report) writeHTML(w io.Writer) error {
	return page().Execute(w, pageData{r.Title, r.verdict, r.lead, r.sections})
}

// Image returns the drawing of a figure as it stands: package report made it and escaped its texts.
func (f *Figure) Image() template.HTML { return template.HTML(f.SVG) }

// heading is a cell of the first row of headings: a column of its own, or a group of columns.
type heading struct {
	Name string

	// The columns of a group, 0 for a column of its own.
	Span int

	// Text, not figures.
	Left bool

	// The columns of the group, whose names are in the second row.
	Inner []Column
}

// Headings returns the first row of headings.
func (t *Table) Headings() (list []heading) {
	// The index advances by a group at a time.
	for k := 0; k < len(t.Columns); {
		c := t.Columns[k]
		n := t.span(k)
		if c.Group == "" {
			list = append(list, heading{Name: c.Name, Left: c.Left})
		} else {
			list = append(list, heading{Name: c.Group, Span: n, Inner: t.Columns[k : k+n]})
		}
		k += n
	}
	return list
}

// Grouped reports whether there is a second row of headings.
func (t *Table) Grouped() bool {
	return slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Group != "" })
}
