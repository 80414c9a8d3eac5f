package cli

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// helpWidth is what lines of the help are wrapped at: 100, or the width of a narrower terminal.
var helpWidth = sync.OnceValue(func() int {
	const widest, least = 100, 60
	width, _, err := term.GetSize(int(os.Stdout.Fd()))
	if err != nil || width == 0 {
		return widest
	}
	return max(least, min(widest, width))
})

// addHelp sets how the help of the tree looks, and adds the help command and the topics.
func addHelp(root *cobra.Command, known catalogue) {
	// The functions that the templates below call.
	cobra.AddTemplateFunc("about", about)
	cobra.AddTemplateFunc("wrap", wrap)
	cobra.AddTemplateFunc("helpFlags", helpFlags)
	root.SetFlagErrorFunc(unknownFlag)

	// Cobra's template is changed in places: groups of flags, lines of one width, the titles of topics.
	root.SetUsageTemplate(strings.NewReplacer(
		"Flags:\n{{.LocalFlags.FlagUsages ", "{{helpFlags . ",
		".InheritedFlags.FlagUsages", fmt.Sprint(".InheritedFlags.FlagUsagesWrapped ", helpWidth()),
		"Additional Commands:", "Others:", "Additional help topics:", "Topics:",
		"{{rpad .CommandPath .CommandPathPadding}}", "proxybd help {{rpad .Name 11}}").Replace(root.UsageTemplate()))
	root.SetHelpTemplate(`{{with about .}}{{wrap .}}

{{end}}{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}`)

	// The text of a topic is long. It is made when its help is shown.
	for _, t := range topics {
		c := &cobra.Command{Use: t.name, Short: t.short}
		c.SetHelpFunc(func(c *cobra.Command, args []string) {
			c.Long = t.text(known)
			root.HelpFunc()(c, args)
		})

		// Topics are commands without a function, which cobra lists apart.
		root.AddCommand(c)
	}

	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command or a topic",
		// The argument of help is a command or a topic.
		ValidArgsFunction: func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(root), cobra.ShellCompDirectiveNoFileComp
		},

		// Cobra's own help prints an unknown command as a text and succeeds; here it is an error.
		RunE: func(_ *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil {
				return badInput(fmt.Errorf("%w (see proxybd help)", unknownCommand(root, err)))
			}

			// Only the command itself may follow: Find returns the words that it has not used.
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
	var out, words []string
	end := func() {
		if len(words) > 0 {
			out = append(out, folded(strings.Join(words, " "), helpWidth(), 0)...)
		}
		words = nil
	}
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		// An empty line or an indented one ends a paragraph.
		if line == "" || strings.HasPrefix(line, " ") {
			end()
			out = append(out, line)
			continue
		}
		words = append(words, strings.Fields(line)...)
	}
	end()
	return strings.Join(out, "\n")
}
