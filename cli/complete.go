package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/families"
)

// flagValues are the values of flags that have few, by name; a flag of one name has the same values in every command.
var flagValues = map[string]func() []string{
	"method":     func() []string { return words(decompose.Methods) },
	"scheme":     func() []string { return words(decompose.Schemes) },
	"cuts":       func() []string { return words(decompose.CutsChoices) },
	"control":    func() []string { return words(proxy.Controls) },
	"preset":     func() []string { return words(families.Presets) },
	"fractional": func() []string { return fractional },
	"features":   func() []string { return []string{"raw", "sorted", "nearest", "support", "joint", "v1"} },
	"presolve":   switches,
	"fold":       switches,
	"dualize":    switches,
	"solver":     lpSolvers,
	"format":     func() []string { return []string{"csv", "json"} },
	"methods":    specNames,
	"time-limit": func() []string { return []string{"10s", "60s", "10m", "1h", "none"} },
}

// flagFiles are the endings of the files that a flag names.
var flagFiles = map[string][]string{
	"model":      {"safetensors"},
	"save-model": {"safetensors"},
	"basis":      {"bas"},
	"start":      {"sol", "mst"},
	"write-sol":  {"sol"},
	"solution":   {"json", "csv"},
	"svg":        {"svg"},
	"html":       {"html"},
	"record":     {"record"},
}

// valuesOf returns what lists the values of a flag, nil where they are not a list.
func (known catalogue) valuesOf(flag string) func() []string {
	// The families known to this command line are not among flagValues, since a program may pass its own to Main.
	switch flag {
	case "family":
		return known.names
	case "shape":
		return known.shapes
	}
	return flagValues[flag]
}

// addCompletions gives the shell the values of the flags of every command of a tree, and of its first argument where
// that is a folder or a record.
func addCompletions(c *cobra.Command, known catalogue) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		// The values of --class depend on --family, and all others on the name of the flag alone.
		switch {
		case f.Name == "class":
			c.RegisterFlagCompletionFunc(f.Name, known.classesOf)
		case known.valuesOf(f.Name) != nil:
			complete := cobra.CompletionFunc(func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
				return known.valuesOf(f.Name)(), cobra.ShellCompDirectiveNoFileComp
			})

			// A list separated by commas is completed at its last value.
			if f.Value.Type() == "stringSlice" {
				complete = listed(known.valuesOf(f.Name))
			}
			c.RegisterFlagCompletionFunc(f.Name, complete)
		case flagFiles[f.Name] != nil:
			c.MarkFlagFilename(f.Name, flagFiles[f.Name]...)
		}
	})

	// The first argument may be a folder, or may not be; else it is a file.
	switch form := positional(c.Use)[0]; {
	case c.ValidArgsFunction != nil:
	case len(form) == 0:
		c.ValidArgsFunction = cobra.NoFileCompletions
	case form[0] == "FOLDER":
		c.ValidArgsFunction = func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			// A second argument of slurm is the name of a stage.
			if len(args) > 0 && strings.Contains(c.Use, "[STAGE]") {
				return slurmStages, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}

	for _, sub := range c.Commands() {
		addCompletions(sub, known)
	}
}

// switches are the values of flags that are on or off.
func switches() []string { return []string{"on", "off"} }

// classesOf completes --class by --family.
func (known catalogue) classesOf(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	// The flag --family is known by the time that --class is completed, if it stands before it.
	f, err := known.find(c.Flag("family").Value.String())
	if err != nil {
		// An unknown family has no classes to offer, and a file name would be no help either.
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return f.Classes, cobra.ShellCompDirectiveNoFileComp
}

// specNames lists the methods that eval compares by itself, and the schemes of the exact one.
func specNames() (list []string) {
	// The default specifications come first, as eval runs them.
	for _, s := range experiment.DefaultSpecs {
		list = append(list, s.String())
	}

	// The first scheme is auto, which the plain name of the method means.
	for _, s := range decompose.Schemes[1:] {
		list = append(list, "exact/"+string(s))
	}
	return list
}

// shapes lists the families with their classes as --shape has them.
func (known catalogue) shapes() (list []string) {
	for _, f := range known {
		// A class is only meaningful with its family, so that --shape names both.
		for _, class := range f.Classes {
			list = append(list, f.Name+":"+class)
		}
	}
	return list
}

// listed completes the last of several values with commas between them, by those that are not there yet.
func listed(values func() []string) cobra.CompletionFunc {
	// What precedes the last comma is kept as it was typed.
	return func(_ *cobra.Command, _ []string, begun string) (list []string, _ cobra.ShellCompDirective) {
		before := begun[:strings.LastIndexByte(begun, ',')+1]
		// A method that is listed already would run twice.
		for _, v := range values() {
			if !slices.Contains(strings.Split(before, ","), v) {
				list = append(list, before+v)
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}
