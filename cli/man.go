//go:build man

package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// The command man is built with the tag man only: its generator is larger than what it documents.
func init() { tagged = append(tagged, newMan) }

// newMan makes the command proxybd man.
func newMan(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the manual pages of all commands and topics",
		Example: "  SOURCE_DATE_EPOCH=0 go run -tags man ./cmd/proxybd man man",
		Args:    cobra.ExactArgs(1),
		Hidden:  true,
		RunE: func(c *cobra.Command, args []string) error {
			// Cobra fills the text of a topic when its help is shown, and the generator does not ask for it.
			root := c.Root()
			for _, t := range topics {
				if page, _, err := root.Find([]string{t.name}); err == nil {
					page.Long = t.text(a.known)
				}
			}
			return manPages(root, args[0])
		},
	}
}

// manPages writes a page of section 1 for every command that the help shows and of section 7 for every topic. Their
// date is SOURCE_DATE_EPOCH, in seconds, or today.
func manPages(c *cobra.Command, folder string) error {
	// The completion commands of cobra have one page, that of their parent.
	ofShell := c.HasParent() && c.Parent().Name() == "completion"
	if c.Hidden || c.Name() == "help" || ofShell {
		return nil
	}
	for _, sub := range c.Commands() {
		if err := manPages(sub, folder); err != nil {
			return err
		}
	}

	// The folder is made by the first page that is written.
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return badPath(folder, err)
	}

	// A build that can be repeated has the date of its source.
	date := time.Now()
	if epoch := os.Getenv("SOURCE_DATE_EPOCH"); epoch != "" {
		seconds, err := strconv.ParseInt(epoch, 10, 64)
		if err != nil {
			return badInput(fmt.Errorf("SOURCE_DATE_EPOCH: %w", err))
		}
		date = time.Unix(seconds, 0).UTC()
	}

	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	h := &doc.GenManHeader{Title: strings.ToUpper(name), Section: "1", Source: "proxybd " + version, Manual: "proxybd",
		Date: &date}
	// Topics are in the section of miscellanea.
	if c.IsAdditionalHelpTopicCommand() {
		h.Section = "7"
	}

	// The pages have the name of the program and the date alone, so that they are the same on every machine.
	c.DisableAutoGenTag = true
	c.Long = markdown(about(c))
	c.InitDefaultHelpFlag()

	path := filepath.Join(folder, name+"."+h.Section)
	f, err := createFile(path)
	if err != nil {
		return err
	}
	if err := doc.GenMan(c, h, f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// special are the characters that Markdown would take for its own.
var special = regexp.MustCompile("[*_<>|\\[\\]`#\\\\]")

// markdown keeps the text of a help as it is: lines that begin with a space stand as they are, all others have no
// markup.
func markdown(text string) string {
	var out []string
	fenced := false
	// A fence begins or ends where the kind of lines changes.
	fence := func(on bool) {
		if on != fenced {
			out = append(out, "```")
		}
		fenced = on
	}

	// Indented lines, and empty ones between them, stand between fences; in the others what would be markup is escaped.
	lines := strings.Split(text, "\n")
	indentedAfter := func(k int) bool { return k+1 < len(lines) && strings.HasPrefix(lines[k+1], " ") }
	for k, line := range lines {
		switch {
		case strings.HasPrefix(line, " "):
			fence(true)
		case line == "" && fenced && indentedAfter(k):
			// An empty line between two indented ones stays within its fence.
		default:
			fence(false)
			line = special.ReplaceAllString(line, `\$0`)
		}
		out = append(out, line)
	}
	fence(false)
	return strings.Join(out, "\n")
}
