package cli

import (
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
}

func newReportCommand(a *app) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report FOLDER | RESULTS...",
		Short: "Tables and figures from the results of an experiment",
		Long: `Write the paper's tables and figures, with the published ones beside ours: report.html, one page that needs no network,
report.txt, tables/*.csv and figures/*.svg. From the folder of an experiment the report has the training too; from
result files (JSON lines; - is standard input) it has what they say.`,
		Example: `  proxybd report small
  cat node*/eval-*.jsonl | proxybd report - -o report`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return a.writeReport(args, f) },
	}
	a.flags.addOutput(c)
	c.Flags().StringVarP(&f.out, "output", "o", "", "`FOLDER` to write to; FOLDER/report by default")
	c.Flags().StringVar(&f.title, "title", "Proxy Benders decomposition: results", "title of the page")
	return c
}

func (a *app) writeReport(args []string, f reportFlags) error {
	log, err := a.output()
	if err != nil {
		return err
	}
	defer log.close()
	data, err := a.reportData(args, &f)
	if err != nil {
		return err
	}
	if len(data.Records) == 0 {
		return badInput(fmt.Errorf("%s: no results", strings.Join(args, " ")))
	}
	data.Title = f.title
	r := tables.Make(data)
	if err := r.Write(f.out); err != nil {
		return badPath("", err)
	}
	if err := r.WriteText(log.w); err != nil {
		return err
	}
	page := filepath.Join(f.out, "report.html")
	log.printf("%s", page)
	return a.finishStage(pageReport{newStageReport("report", a.began), page, len(data.Records)})
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
	if len(args) == 1 && experiment.IsFolder(args[0]) {
		e, err := a.known.openExperiment(args[0])
		if err != nil {
			return nil, err
		}
		if f.out == "" {
			f.out = filepath.Join(e.Dir, "report")
		}
		if d.Records, d.Broken, err = e.Records(); err != nil {
			return nil, stageError(err)
		}
		if d.Trainings, err = e.Trainings(); err != nil {
			return nil, err
		}
		d.Stages, err = stageTimes(e.Dir)
		return d, err
	}
	if f.out == "" {
		f.out = "report"
	}
	for _, path := range args {
		if err := a.readResults(path, d); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// readResults adds the records of a file.
func (a *app) readResults(path string, d *tables.Data) error {
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
	d.Records, d.Broken = append(d.Records, records...), d.Broken+broken
	return nil
}
