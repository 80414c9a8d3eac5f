package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// helpWidth is what lines of the help are wrapped at.
const helpWidth = 100

// addHelp sets how the help of the tree looks, and adds the help command and the topics.
// The texts of topics are long: each is made when its help is shown.
func addHelp(root *cobra.Command, known catalogue) {
	cobra.AddTemplateFunc("about", about)
	cobra.AddTemplateFunc("wrap", wrap)
	cobra.AddTemplateFunc("helpFlags", helpFlags)
	root.SetFlagErrorFunc(unknownFlag)
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags:\n{{.LocalFlags.FlagUsages ", "{{helpFlags . ",
		".InheritedFlags.FlagUsages", fmt.Sprint(".InheritedFlags.FlagUsagesWrapped ", helpWidth),
		"Additional Commands:", "Others:", "Additional help topics:", "Topics:",
		"{{rpad .CommandPath .CommandPathPadding}}", "proxybd help {{rpad .Name 11}}").Replace(root.UsageTemplate()))
	root.SetHelpTemplate(`{{with about .}}{{wrap .}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`)
	for _, t := range topics {
		c := &cobra.Command{Use: t.name, Short: t.short}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			c.Long = t.text(known)
			root.HelpFunc()(c, args)
		})
		root.AddCommand(c)
	}
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return badInput(fmt.Errorf("%w (see proxybd help)", unknownCommand(root, err)))
			}
			if c.HasParent() && len(rest) > 0 {
				return badInput(fmt.Errorf("help takes one command or topic, and %q is one argument more", rest[0]))
			}
			c.InitDefaultHelpFlag()
			return c.Help()
		},
	})
}

// about returns what the help of a command or a topic begins with.
func about(c *cobra.Command) string { return cmp.Or(c.Long, c.Short) }

// wrap fills the paragraphs of a text to helpWidth. Lines that begin with a space are left as they are.
func wrap(text string) string {
	var out []string
	var paragraph []string
	end := func() {
		line := ""
		for _, word := range strings.Fields(strings.Join(paragraph, " ")) {
			if line != "" && len(line)+1+len(word) > helpWidth {
				out = append(out, line)
				line = ""
			}
			line = strings.TrimPrefix(line+" "+word, " ")
		}
		if line != "" {
			out = append(out, line)
		}
		paragraph = nil
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			end()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	end()
	return strings.Join(out, "\n")
}
