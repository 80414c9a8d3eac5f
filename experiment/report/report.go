package report

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/experiment"
)

// Report is what Make makes of the data.
type Report struct {
	Title   string
	Tables  []*Table
	Figures []*Figure

	// What the page says first: the conclusion, and what the report is of.
	verdict string
	lead    string

	sections []section
}

// Make computes all tables and figures. It depends on nothing but the data.
func Make(d *Data) *Report {
	r := &Report{Title: d.Title}
	// The lead and the verdict are computed from the same shapes as the tables.
	shapes := group(d.Records)
	r.lead = introduction(d, shapes)
	r.verdict = verdict(d, shapes)

	// The summary has the table of all methods, and what the networks are worth.
	overview := section{ID: "overview", Title: "Summary", Parts: []part{{Table: summaryTable(shapes)}}}
	overview.addTables(controlsTable(d.Trainings), againstTable(shapes))
	r.add(overview)

	// Without runs by the paper's schemes there are no tables of the paper.
	if s := paperSection(shapes); len(s.Parts) > 0 {
		r.add(s)
	}

	// A section for each family, and then one for each question over all families.
	for _, g := range byFamily(shapes) {
		s := section{ID: g[0].family, Title: strings.ToUpper(g[0].family), Parts: []part{{Table: familyTable(g)}}}
		for _, f := range []*Figure{gapFigure(g), scalingFigure(g), convergenceFigure(g)} {
			if f != nil {
				s.Parts = append(s.Parts, part{Figure: f})
			}
		}
		r.add(s)
	}

	// Each question is a section with one table over all families.
	r.add(section{ID: "selection", Title: "True-cost selection", Parts: []part{{Table: ablationTable(shapes)}}})
	r.add(section{ID: "bounds", Title: "Upper bounds", Parts: []part{{Table: boundsTable(shapes)}}})
	r.add(section{ID: "validity", Title: "Feasibility", Parts: []part{{Table: feasibilityTable(shapes)}}})
	r.add(section{ID: "costs", Title: "Effort", Parts: []part{{Table: effortTable(shapes)}}})
	// Results alone, without the folder of the experiment, say nothing of trainings.
	if len(d.Trainings) > 0 {
		var losses []*Figure
		for k := range d.Trainings {
			if f := lossFigure(&d.Trainings[k]); f != nil {
				losses = append(losses, f)
			}
		}
		r.add(section{ID: "models", Title: "Training", Parts: []part{
			{Table: trainingTable(d.Trainings, shapes)},
			{Gallery: losses},
		}})
	}

	// The list of all runs is long, so that the page shows it only when it is opened.
	all := section{ID: "all", Title: "Runs"}
	if len(d.Stages) > 0 {
		all.Parts = append(all.Parts, part{Table: stagesTable(d.Stages)})
	}
	all.Parts = append(all.Parts, part{Table: instanceTable(shapes), Summary: "Every run"})
	r.add(all)

	for _, f := range r.Figures {
		f.name()
	}
	return r
}

// add adds a section, and its tables and figures to those that become files of their own.
func (r *Report) add(s section) {
	r.sections = append(r.sections, s)
	// Parts of the page become files: a CSV file of each table, an SVG file of each figure.
	for _, p := range s.Parts {
		if p.Table != nil {
			r.Tables = append(r.Tables, p.Table)
		}
		if p.Figure != nil {
			r.Figures = append(r.Figures, p.Figure)
		}
		r.Figures = append(r.Figures, p.Gallery...)
	}
}

// introduction says what the report is of.
func introduction(d *Data, shapes []*shape) string {
	// What the records have in common, each value once, and how many of them had trouble.
	var hosts, versions, goals []string
	instances := 0
	errors := 0
	unstable := 0
	note := func(list *[]string, v string) {
		if !slices.Contains(*list, v) {
			*list = append(*list, v)
		}
	}

	for _, s := range shapes {
		instances += len(s.instances)
	}

	// Records of several machines, versions or limits are named, since they do not compare.
	for k := range d.Records {
		r := &d.Records[k]
		note(&hosts, r.Host)
		note(&versions, r.Version)
		// A run without a limit has NaN there.
		limit := "none"
		if v := float64(r.TimeLimit); !math.IsNaN(v) {
			limit = significant(v) + " s"
		}
		note(&goals, fmt.Sprintf("gap %g, limit %s", float64(r.GapGoal), limit))
		if r.Status == "error" {
			errors++
		}
		if r.Unstable {
			unstable++
		}
	}

	text := fmt.Sprintf("%d held-out instances of %d shapes, %d runs (%s) by version %s on %s.", instances, len(shapes),
		len(d.Records), strings.Join(goals, "; "), strings.Join(versions, ", "), strings.Join(hosts, ", "))
	text += " The true gap is that of the exactly priced design against the cheapest design that any method returned; " +
		"the time is the run's, the model loaded, instance reading and exact pricing afterwards left out."
	// Trouble is mentioned only where there was some.
	if errors+unstable+d.Broken > 0 {
		text += fmt.Sprintf(" %d runs ended in an error, %d gave different results when repeated, %d result lines were cut "+
			"off.", errors, unstable, d.Broken)
	}
	return text
}

// WriteText writes all tables but the list of runs.
func (r *Report) WriteText(w io.Writer) error {
	// The text begins as the page does.
	if _, err := fmt.Fprintf(w, "%s\n\n%s\n\n%s\n\n\n", r.Title, r.verdict, r.lead); err != nil {
		return err
	}
	for _, t := range r.Tables {
		// The list of runs is for the CSV file.
		if t.ID == "runs" {
			continue
		}
		if err := t.writeText(w); err != nil {
			return err
		}
	}
	return nil
}

// put writes a file of a report by a function.
type put func(name string, write func(io.Writer) error) error

// Write writes report.html, report.txt, tables/*.csv and figures/*.svg into a folder.
func (r *Report) Write(dir string) error {
	return inFolder(dir, func(file put) error {
		err := r.writeParts(file, ".csv", (*Table).writeCSV, ".svg", func(f *Figure) string { return f.SVG })
		if err != nil {
			return err
		}
		if err := file("report.txt", r.WriteText); err != nil {
			return err
		}
		return file("report.html", r.writeHTML)
	})
}

// writeParts writes each table and each figure into a file of its own, with the endings given.
func (r *Report) writeParts(file put, tableEnd string, table func(*Table, io.Writer) error, figureEnd string,
	figure func(*Figure) string) error {
	// Tables and figures have their identifiers as names.
	for _, t := range r.Tables {
		write := func(w io.Writer) error { return table(t, w) }
		if err := file(filepath.Join("tables", t.ID+tableEnd), write); err != nil {
			return err
		}
	}
	for _, f := range r.Figures {
		write := func(w io.Writer) error { _, err := io.WriteString(w, figure(f)); return err }
		if err := file(filepath.Join("figures", f.ID+figureEnd), write); err != nil {
			return err
		}
	}
	return nil
}

// inFolder calls write with a function that puts files into a folder with the folders tables and figures in it.
func inFolder(dir string, write func(put) error) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}

	// Nothing is written outside the folder, whatever links it holds.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, sub := range []string{"tables", "figures"} {
		if err := root.MkdirAll(sub, 0o777); err != nil {
			return err
		}
	}

	// A file is made in memory first, so that one that fails leaves no part behind.
	return write(func(name string, write func(io.Writer) error) error {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			return err
		}
		return root.WriteFile(name, b.Bytes(), 0o666)
	})
}

// WriteLosses draws the loss of every training run to models/FAMILY-SHAPE.svg in the folder of an experiment.
func WriteLosses(dir string, trainings []experiment.Training) error {
	// Nothing is written outside the folder of the experiment.
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for k := range trainings {
		// A training that has just begun has no history.
		f := lossFigure(&trainings[k])
		if f == nil {
			continue
		}
		path := filepath.Join("models", trainings[k].Family+"-"+trainings[k].Shape+trainings[k].Preset.Suffix()+".svg")
		if err := root.WriteFile(path, []byte(f.SVG), 0o666); err != nil {
			return err
		}
	}
	return nil
}
