package cluster

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// ErrNoLauncher is wrapped by the error of Spec.Locate when no launcher has started the process.
var ErrNoLauncher = errors.New("no launcher")

// Launcher names what has placed the processes of a run.
type Launcher string

// The values of --cluster. Auto stands for the first of PMI, Slurm and Kubernetes whose variables are set.
const (
	Auto       Launcher = "auto"
	Slurm      Launcher = "slurm"
	Kubernetes Launcher = "k8s"
	PMI        Launcher = "pmi"
	File       Launcher = "file"
)

// Spec is a parsed value of --cluster.
type Spec struct {
	Launcher Launcher
	Path     string // the address file, of File alone
}

// ParseSpec reads auto, slurm, k8s, pmi or file:PATH.
func ParseSpec(value string) (Spec, error) {
	path, isFile := strings.CutPrefix(value, "file:")
	if isFile && path == "" {
		return Spec{}, fmt.Errorf("cluster: %q: file: is followed by the path of the address file", value)
	}
	if isFile {
		return Spec{Launcher: File, Path: path}, nil
	}

	switch launcher := Launcher(value); launcher {
	case Auto, Slurm, Kubernetes, PMI:
		return Spec{Launcher: launcher}, nil
	}
	return Spec{}, fmt.Errorf("cluster: %q is none of auto, slurm, k8s, pmi and file:PATH", value)
}

// String returns the value that ParseSpec reads.
func (s Spec) String() string {
	if s.Launcher == File {
		return "file:" + s.Path
	}
	return string(s.Launcher)
}

// Place is the position of this process among those that were started together.
type Place struct {
	Launcher Launcher
	Rank     int // 0 is the coordinator; -1 is a worker that no launcher has numbered
	Size     int // number of processes; 0 where the launcher does not state it
	path     string
	getenv   func(string) string
}

// Coordinator returns whether this process is rank 0.
func (p Place) Coordinator() bool { return p.Rank == 0 }

// AsWorker returns the place of a worker beside the coordinator of p. A worker that joins by an address file is one:
// the file alone does not say which of two processes is rank 0, so the command does.
func (p Place) AsWorker() Place {
	if p.Rank == 0 {
		p.Rank = -1
	}
	return p
}

// String returns the launcher, rank and size for a log.
func (p Place) String() string {
	if p.Size == 0 {
		return fmt.Sprintf("%s, rank %d", p.Launcher, p.Rank)
	}
	return fmt.Sprintf("%s, rank %d of %d", p.Launcher, p.Rank, p.Size)
}

// Locate finds the place of this process from its environment. For File the place is that of rank 0 (see AsWorker).
// The error names the variable that is missing or wrong; for Auto it wraps ErrNoLauncher where no launcher is found.
func (s Spec) Locate() (Place, error) { return s.locate(os.Getenv) }

func (s Spec) locate(getenv func(string) string) (Place, error) {
	launcher := s.Launcher
	if launcher == Auto {
		launcher = detect(getenv)
	}

	// Each launcher has variables of its own for rank and size.
	place := Place{Launcher: launcher, path: s.Path, getenv: getenv}
	var err error
	switch launcher {
	case PMI:
		place.Rank, place.Size, err = rankAndSize(getenv, "PMI_RANK", "PMI_SIZE")
	case Slurm:
		place.Rank, place.Size, err = rankAndSize(getenv, "SLURM_PROCID", "SLURM_STEP_NUM_TASKS")
		if getenv("SLURM_STEP_NUM_TASKS") == "" {
			place.Rank, place.Size, err = rankAndSize(getenv, "SLURM_PROCID", "SLURM_NTASKS")
		}
	case Kubernetes:
		place.Rank, place.Size, err = rankAndSize(getenv, "JOB_COMPLETION_INDEX", envSize)
	case File:
	default:
		err = missingLauncher(getenv)
	}

	if err != nil {
		return Place{}, fmt.Errorf("cluster: %w", err)
	}
	return place, nil
}

// detect returns the launcher whose variables are set, or Auto. PMI comes first: mpiexec inside of a Slurm allocation
// starts its own helper by srun, whose SLURM_PROCID numbers nodes and not processes.
func detect(getenv func(string) string) Launcher {
	switch {
	case getenv("PMI_FD") != "":
		return PMI
	case getenv("SLURM_STEP_NODELIST") != "" && getenv("SLURM_PROCID") != "":
		return Slurm
	case getenv("JOB_COMPLETION_INDEX") != "":
		return Kubernetes
	}
	return Auto
}

// missingLauncher says why no launcher was found, where a common mistake is visible.
func missingLauncher(getenv func(string) string) error {
	switch {
	case getenv("PMI_PORT") != "":
		return fmt.Errorf("%w: PMI_PORT is set, but only PMI_FD is supported (mpiexec without -pmi-port)", ErrNoLauncher)
	case getenv("SLURM_JOB_ID") != "":
		return fmt.Errorf("%w: this is a Slurm job, but no step of it: start the program by srun", ErrNoLauncher)
	}
	return fmt.Errorf("%w: none of PMI_FD, SLURM_STEP_NODELIST and JOB_COMPLETION_INDEX is set: "+
		"start by mpiexec, srun or an Indexed Job, or give file:PATH", ErrNoLauncher)
}

// rankAndSize reads two variables with 0 <= rank < size.
func rankAndSize(getenv func(string) string, rankName, sizeName string) (int, int, error) {
	rank, err := envInt(getenv, rankName)
	if err != nil {
		return 0, 0, err
	}
	size, err := envInt(getenv, sizeName)
	if err != nil {
		return 0, 0, err
	}
	if rank >= size {
		return 0, 0, fmt.Errorf("%s is %d, but %s is %d", rankName, rank, sizeName, size)
	}
	return rank, size, nil
}

// envInt reads a variable that is an integer of at most nine digits and no sign.
func envInt(getenv func(string) string, name string) (int, error) {
	text := getenv(name)
	if text == "" {
		return 0, fmt.Errorf("the variable %s is not set", name)
	}
	n, ok := digits(text)
	if !ok {
		return 0, fmt.Errorf("%s: %q is not a number of at most nine digits", name, text)
	}
	return n, nil
}

// digits reads a number of one to nine decimal digits.
func digits(text string) (int, bool) {
	if text == "" || len(text) > 9 {
		return 0, false
	}
	n := 0
	for _, c := range []byte(text) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}
