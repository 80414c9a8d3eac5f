package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/cpu"
)

// version is set by the linker in a release: -X github.com/proxybd/proxybd/cli.version=v1.2.3.
var version string

// versionReport is the object of proxybd version --json.
type versionReport struct {
	Schema  int    `json:"schema"`
	Module  string `json:"module"`
	Version string `json:"version"`

	// The commit that the program was built from, and whether the checkout had changes.
	Commit   string `json:"commit,omitempty"`
	Modified bool   `json:"modified,omitempty"`

	// The compiler, the platform, and the level of instructions that the program needs, such as GOAMD64=v1.
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Level    string `json:"level,omitempty"`

	CPUs int `json:"cpus"`

	// Vector instructions of the processor that kernels may use.
	Features []string `json:"features"`
}

// newVersion makes the command proxybd version.
func newVersion(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and what the binary was built with",
		Example: "  proxybd version\n  proxybd version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
			// The object goes to standard output, whatever the other flags.
			if asJSON {
				return writeJSON(a.stdout, v)
			}
			_, err := fmt.Fprintln(a.stdout, v)
			return err
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return c
}

// readVersion returns the build information of the binary.
func readVersion() versionReport {
	v := versionReport{
		Schema:   schemaVersion,
		Module:   "github.com/proxybd/proxybd",
		Version:  version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH,
		CPUs:     runtime.NumCPU(),
		Features: features(),
	}

	// A program that was built without modules has no build information.
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}

	// A program that go install has built has the version of its module.
	v.Version = cmp.Or(v.Version, info.Main.Version)

	// The settings are there where the program was built within a repository.
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		case "GO" + strings.ToUpper(runtime.GOARCH):
			v.Level = s.Key + "=" + s.Value
		}
	}
	return v
}

// String returns the version in one line.
func (v versionReport) String() string {
	parts := []string{"proxybd", cmp.Or(v.Version, "(devel)")}
	if v.Commit != "" {
		// Twelve digits are enough to name a commit; a plus sign marks changes after it.
		commit := v.Commit[:min(12, len(v.Commit))]
		if v.Modified {
			commit += "+"
		}
		parts = append(parts, "("+commit+")")
	}
	parts = append(parts, v.Go, v.Platform)
	if v.Level != "" {
		parts = append(parts, v.Level)
	}
	return strings.Join(append(parts, v.Features...), " ")
}

// features lists the vector instructions of this processor.
func features() []string {
	// The list is never nil, so that the object has an empty list and not null.
	list := []string{}
	for _, f := range []struct {
		name string
		has  bool
	}{{"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA}, {"avx512f", cpu.X86.HasAVX512F}, {"asimd", cpu.ARM64.HasASIMD}} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return list
}
