package cluster

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/errname"
)

// openSlurm returns the channel of a Slurm step: an address file whose name has the cluster, the job, how often it was
// started again, and the step, in the folder or in the working directory.
func openSlurm(getenv func(string) string, folder string) (*fileChannel, error) {
	name := ".proxybd"
	for _, part := range []struct{ variable, absent string }{
		{"SLURM_CLUSTER_NAME", "cluster"},
		{"SLURM_JOB_ID", ""},
		{"SLURM_RESTART_COUNT", "0"},
		{"SLURM_STEP_ID", ""},
	} {
		value := getenv(part.variable)
		if value == "" {
			value = part.absent
		}
		if value == "" {
			return nil, fmt.Errorf("the variable %s is not set", part.variable)
		}
		if strings.ContainsAny(value, `/\`) {
			return nil, fmt.Errorf("%s: %q is not part of a file name", part.variable, value)
		}
		name += "-" + value
	}

	channel := &fileChannel{path: filepath.Join(folder, name)}
	hosts, err := Hosts(getenv("SLURM_STEP_NODELIST"))
	if err != nil {
		return nil, fmt.Errorf("SLURM_STEP_NODELIST: %w", errname.Without(err, "cluster"))
	}

	// A step on one node needs no other interface than the loopback.
	if len(hosts) == 1 {
		channel.limit.listen = "127.0.0.1:0"
		return channel, nil
	}

	// Rank 0 is on the first host of the list, unless the step was placed by hand (srun --distribution=arbitrary).
	channel.limit.hosts = hosts[:1]
	if own := getenv("SLURMD_NODENAME"); slices.Contains(hosts, own) {
		channel.limit.hosts = []string{own}
	}
	return channel, nil
}
