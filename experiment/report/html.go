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

// section is a part of the page.
type section struct {
	id, title string
	intro     string
	parts     []any // *Table, *Figure, gallery or folded
}

// gallery is a row of small figures, folded a table that the reader opens.
type (
	gallery []*Figure
	folded  struct {
		summary string
		table   *Table
	}
)

// What the template reads. A part has one of its fields.
type (
	pageData struct {
		Title, Verdict, Lead string
		Sections             []sectionData
	}
	sectionData struct {
		ID, Title, Intro string
		Parts            []partData
	}
	partData struct {
		Table   *Table
		Figure  *Figure
		Gallery gallery
		Summary string // of a folded table
	}
)

// writePage writes the page.
func writePage(w io.Writer, title, verdict, lead string, sections []section) error {
	// The template has fields of its own, since it can read exported names alone.
	data := pageData{Title: title, Verdict: verdict, Lead: lead}
	for _, s := range sections {
		out := sectionData{ID: s.id, Title: s.title, Intro: s.intro}
		for _, part := range s.parts {
			// The template chooses the form of a part by the field that is set.
			switch p := part.(type) {
			case *Table:
				out.Parts = append(out.Parts, partData{Table: p})
			case *Figure:
				out.Parts = append(out.Parts, partData{Figure: p})
			case gallery:
				out.Parts = append(out.Parts, partData{Gallery: p})
			case folded:
				out.Parts = append(out.Parts, partData{Table: p.table, Summary: p.summary})
			}
		}
		data.Sections = append(data.Sections, out)
	}
	return page().Execute(w, data)
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
