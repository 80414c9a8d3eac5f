package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/experiment"
	tables "github.com/proxybd/proxybd/experiment/report"
)

// reportFlags are the flags of proxybd report.
type reportFlags struct {
	out, title string
	latex      bool
}

// newReportCommand makes the command proxybd report.
func newReportCommand(a *app) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report FOLDER | RESULTS...",
		Short: "Tables and figures from the results of an experiment",
		Long: `Write the paper's tables and figures, with the published ones next to ours: report.html, one page that needs no network,
report.txt, tables/*.csv and figures/*.svg. From the folder of an experiment the report has the training too; from
result files (JSON lines; - is standard input) it has what they say. With --latex the tables and figures are there for a
paper, too: a file each, for \input; report.tex, which has them all; and figures.tex, whose PDF has a page for each figure.

CSV files have every field filled, with all digits: NA is what is not known, Inf what is infinite. Times have shifted
geometric means (by one second) next to arithmetic ones, speedups geometric means.`,
		Example: `  proxybd report small
  proxybd report small --latex && cd small/report && pdflatex report
  cat node*/eval-*.jsonl | proxybd report - -o report`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.writeReport(args, f) },
	}
	a.flags.addOutput(c)
	// The folder depends on what is reported, and so has its default later.
	c.Flags().StringVarP(&f.out, "output", "o", "", "`FOLDER` to write to; FOLDER/report by default")
	c.Flags().BoolVar(&f.latex, "latex", false,
		"also write report.tex, figures.tex, tables/*.tex (booktabs) and figures/*.tex (pgfplots)")
	c.Flags().StringVar(&f.title, "title", "Proxy Benders decomposition: results", "title of the page")
	return c
}

// writeReport runs the command: read the results, write the page and its tables.
func (a *app) writeReport(args []string, f reportFlags) error {
	data, err := a.reportData(args, &f)
	if err != nil {
		return err
	}

	// A report without results has no tables, and most likely the wrong folder was named.
	if len(data.Records) == 0 {
		return badInput(fmt.Errorf("%s: no results", strings.Join(args, " ")))
	}
	data.Title = f.title

	// The text of the tables is the a.log.
	// The tables are made from all results at once.
	r := tables.Make(data)
	if err := r.Write(f.out); err != nil {
		return badPath("", err)
	}
	if f.latex {
		if err := r.WriteLaTeX(f.out); err != nil {
			return badPath("", err)
		}
	}
	if err := r.WriteText(a.log.w); err != nil {
		return err
	}

	// The page is named last, for people to open.
	page := filepath.Join(f.out, "report.html")
	a.log.printf("%s", page)
	return a.printObject(pageReport{newStageReport("report", a.began), page, len(data.Records)})
}

// pageReport is the object of proxybd report.
type pageReport struct {
	stageReport
	Page    string `json:"page"`
	Records int    `json:"records"`
}

// reportData reads a folder or result files.
func (a *app) reportData(args []string, f *reportFlags) (*tables.Data, error) {
	d := &tables.Data{}

	// The folder of an experiment has its trainings and the times of its stages, too.
	if len(args) == 1 && experiment.IsFolder(args[0]) {
		e, err := a.known.openExperiment(args[0])
		if err != nil {
			return nil, err
		}

		// The report is put into the folder of the experiment.
		f.out = cmp.Or(f.out, filepath.Join(e.Dir, "report"))
		if d.Records, d.Broken, err = e.Records(); err != nil {
			return nil, stageError(err)
		}

		// Trainings that are not finished have their part of the page, too.
		if d.Trainings, err = e.Trainings(); err != nil {
			return nil, err
		}
		d.Stages, err = stageTimes(e.Dir)
		return d, err
	}

	// Result files say nothing of trainings, and the report is put into the working folder.
	f.out = cmp.Or(f.out, "report")
	for _, path := range args {
		if err := a.readResults(path, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readResults adds the records of a file.
func (a *app) readResults(path string, d *tables.Data) error {
	// Records may come from several machines by a pipe.
	var in io.Reader = a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return badInput(plainError(path, err))
		}
		defer f.Close()
		in = f
	}
	records, broken, err := experiment.ReadRecords(in)
	if err != nil {
		return badInput(fmt.Errorf("%s: %w", path, err))
	}
	d.Records = append(d.Records, records...)
	// Lines that are no records, such as a last line that was cut off, are counted and shown.
	d.Broken += broken
	return nil
}
