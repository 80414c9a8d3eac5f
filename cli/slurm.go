package cli

import (
	"cmp"
	"fmt"
	"strings"
	"text/template"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/families"
)

// slurmFlags are the flags of proxybd slurm.
type slurmFlags struct {
	// The experiment, and the program on the nodes.
	Folder string
	Binary string

	// Tasks of the arrays of states and eval, tasks of the array of train, and processes of a task.
	Shards int
	Models int
	Jobs   int

	// How the stages are run: the preset, and the time limit of a run.
	Preset string
	Limit  string

	// What Slurm gives a task: its wall clock, its memory, and where it runs.
	Wall      string
	Memory    string
	Partition string
	Account   string
}

// slurmStages are the job arrays of an experiment, in their order.
var slurmStages = []string{"states", "train", "eval", "report"}

// newSlurm makes the command proxybd slurm.
func newSlurm(a *app) *cobra.Command {
	var f slurmFlags
	c := &cobra.Command{
		Use:   "slurm FOLDER [STAGE]",
		Short: "Print Slurm batch scripts that run an experiment as job arrays",
		Long: `Print a script that submits the stages of an experiment to Slurm, each a job array whose tasks take a share of the
jobs and whose stages wait for each other; or, with a stage (states, train, eval or report), the batch script of that
stage alone. Tasks use one core, or --jobs. A task that is killed, by its wall clock too, goes on where it was when it is
submitted again: submit the script a second time until nothing is left to do.`,
		Example: `  proxybd slurm small --shards 64 > small.sh && bash small.sh
  proxybd slurm small eval --shards 200 --time-limit 1h --wall 24:00:00 > eval.sbatch && sbatch eval.sbatch`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(_ *cobra.Command, args []string) error { return a.slurm(args, f) },
	}
	c.Flags().StringVar(&f.Binary, "binary", "proxybd", "the program on the nodes")
	c.Flags().IntVar(&f.Shards, "shards", 16, "tasks of the arrays of states and eval")
	c.Flags().IntVar(&f.Models, "models", 0, "tasks of the array of train; the number of shapes by default")
	c.Flags().IntVar(&f.Jobs, "jobs", 1, "cores of a task, and processes on them")

	// What the stages are run with, and what Slurm gives a task.
	c.Flags().StringVar(&f.Preset, "preset", "paper", "of states and train: fast or paper")
	c.Flags().StringVar(&f.Limit, "time-limit", "1h", "of a run of states and eval")
	c.Flags().StringVar(&f.Wall, "wall", "24:00:00", "wall clock of a task, as Slurm writes it")
	c.Flags().StringVar(&f.Memory, "memory", "8G", "memory of a task")
	c.Flags().StringVar(&f.Partition, "partition", "", "partition, if it has to be named")
	c.Flags().StringVar(&f.Account, "account", "", "account, if it has to be named")
	return c
}

// slurmBatch is the batch script of a stage.
const slurmBatch = `#!/bin/bash
#SBATCH --job-name=proxybd-{{.Stage}}
{{- if gt .Tasks 0}}
#SBATCH --array=1-{{.Tasks}}
#SBATCH --output={{.Stage}}-%A-%a.log
{{- else}}
#SBATCH --output={{.Stage}}-%j.log
{{- end}}
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.Cores}}
#SBATCH --mem={{.Memory}}
#SBATCH --time={{.Wall}}
{{- if .Partition}}
#SBATCH --partition={{.Partition}}
{{- end}}
{{- if .Account}}
#SBATCH --account={{.Account}}
{{- end}}
# Slurm sends SIGTERM a minute before the wall clock ends the task; what is finished is kept either way.
#SBATCH --signal=B:TERM@60
set -eu
export GOMAXPROCS=1
exec {{.Command}}
`

// slurmStage is what slurmBatch shows.
type slurmStage struct {
	slurmFlags
	Stage, Command string
	Tasks          int // of the array; 0 for a single job
	Cores          int // of a task
}

// script returns the batch script of a stage.
func (f slurmFlags) script(stage string) (string, error) {
	// Every stage has the folder as its argument.
	s := slurmStage{slurmFlags: f, Stage: stage, Tasks: f.Shards, Cores: f.Jobs}
	command := []string{quote(f.Binary), stage, quote(f.Folder)}
	// The stages differ in what their shares are of: instances, shapes, or nothing.
	switch stage {
	case "train":
		s.Tasks = f.Models
		command = append(command, "--preset", quote(f.Preset))
	case "report":
		s.Tasks = 0
		s.Cores = 1
	case "states":
		command = append(command, "--preset", quote(f.Preset), "--time-limit", quote(f.Limit))
	default:
		command = append(command, "--time-limit", quote(f.Limit))
		// The paper's networks are compared under the paper's schemes.
		if f.Preset == string(families.Paper) {
			command = append(command, "--methods", paperMethods)
		}
	}

	// The tasks of an array are numbered from 1, as shares are.
	if s.Cores > 1 {
		command = append(command, fmt.Sprintf("--jobs %d", s.Cores))
	}
	if s.Tasks > 0 {
		command = append(command, `--shard "$SLURM_ARRAY_TASK_ID/`+fmt.Sprint(s.Tasks)+`"`)
	}
	s.Command = strings.Join(command, " ")

	var b strings.Builder
	// The template is a constant of the program, and parsing it cannot fail.
	err := template.Must(template.New("batch").Parse(slurmBatch)).Execute(&b, s)
	return b.String(), err
}

// paperMethods are what eval compares where the networks are the paper's.
const paperMethods = "exact,exact/paper,aggregated,start,proxy/paper,proxy+zero/paper,proxy+random/paper,proxy,hybrid"

// quote makes one word of the shell.
func quote(s string) string {
	// What has only these characters is one word of the shell as it is.
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-+:=@%,") == "" {
		return s
	}

	// Within single quotes only a single quote needs care: it ends the quotes and comes escaped.
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// slurm runs the command: check the flags, print the script of a stage or that of all.
func (a *app) slurm(args []string, f slurmFlags) error {
	f.Folder = args[0]
	// The folder must be that of an experiment also where the scripts run elsewhere.
	e, err := a.known.openExperiment(f.Folder)
	if err != nil {
		return err
	}

	// A task trains the network of a shape.
	f.Models = cmp.Or(f.Models, len(e.Manifest.Shapes()))
	if err := f.check(); err != nil {
		return err
	}

	var text string
	// With a stage the batch script alone is printed.
	if len(args) == 2 {
		if err := oneOf("stage", args[1], slurmStages); err != nil {
			return err
		}
		text, err = f.script(args[1])
	} else {
		text, err = f.submission()
	}
	if err != nil {
		return err
	}

	// The script goes to standard output, for sbatch or a file.
	_, err = fmt.Fprint(a.stdout, text)
	return err
}

// check reports flags that make no script.
func (f slurmFlags) check() error {
	// An array without a task is an error of Slurm.
	if min(f.Shards, f.Models, f.Jobs) < 1 {
		return badInput(fmt.Errorf("--shards %d, --models %d, --jobs %d: at least one each", f.Shards, f.Models, f.Jobs))
	}

	// The time limit would otherwise fail in every task.
	if _, err := parseDuration(f.Limit); err != nil {
		return badInput(fmt.Errorf("--time-limit %s: %w", f.Limit, err))
	}

	// A line break would end a line of the script.
	for _, s := range []string{f.Folder, f.Binary, f.Preset, f.Wall, f.Memory, f.Partition, f.Account} {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return badInput(fmt.Errorf("%q has a control character, which no line of a script can hold", s))
		}
	}
	return nil
}

// submission returns a script that submits all stages, each after the one before.
func (f slurmFlags) submission() (string, error) {
	// The shell ends at the first failure, so that no stage is submitted without the one before.
	var b strings.Builder
	b.WriteString("#!/bin/bash\n# Submits the stages of the experiment in " + quote(f.Folder) +
		"; each waits until the one before has succeeded.\nset -euo pipefail\nafter=\n")
	for _, stage := range slurmStages {
		text, err := f.script(stage)
		if err != nil {
			return "", err
		}

		// sbatch --parsable prints the number of the job, and the cluster after a semicolon.
		const submit = "\n# %s\nid=$(sbatch --parsable ${after:+--dependency=afterok:$after --kill-on-invalid-dep=yes} " +
			"<<'BATCH'\n%sBATCH\n)\necho \"%s: job $id\"\nafter=${id%%%%;*}\n"
		fmt.Fprintf(&b, submit, stage, text, stage)
	}
	return b.String(), nil
}
