package cli

import (
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
	Schema   int      `json:"schema"`
	Module   string   `json:"module"`
	Version  string   `json:"version"`
	Commit   string   `json:"commit,omitempty"`
	Modified bool     `json:"modified,omitempty"`
	Go       string   `json:"go"`
	Platform string   `json:"platform"`
	Level    string   `json:"level,omitempty"` // GOAMD64=v1 and the like
	CPUs     int      `json:"cpus"`
	Features []string `json:"features"` // of the processor, those that kernels may use
}

func newVersion(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version, the commit and what the binary was built with",
		Example: "  proxybd version\n  proxybd version --json",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			v := readVersion()
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

// readVersion asks the build information of the binary.
func readVersion() versionReport {
	v := versionReport{Schema: schemaVersion, Module: "github.com/proxybd/proxybd", Version: version,
		Go:       runtime.Version(),
		Platform: runtime.GOOS + "/" + runtime.GOARCH, CPUs: runtime.NumCPU(), Features: features()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "" {
		v.Version = info.Main.Version
	}
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
	parts := []string{"proxybd", v.Version}
	if v.Version == "" {
		parts[1] = "(devel)"
	}
	if v.Commit != "" {
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
