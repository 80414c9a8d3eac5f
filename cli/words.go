package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// nameArguments makes every command of the tree say by name which argument it lacks, or which one it cannot use. The
// names are those of its usage line.
func nameArguments(c *cobra.Command) {
	if check := c.Args; check != nil {
		// What cobra says of a number of arguments has no names in it.
		c.Args = func(c *cobra.Command, args []string) error {
			// The check of cobra decides, and only its message is replaced.
			if check(c, args) == nil {
				return nil
			}
			return wrongArguments(c, args)
		}
	}
	for _, sub := range c.Commands() {
		nameArguments(sub)
	}
}

// wrongArguments says what is wrong with the number of arguments.
func wrongArguments(c *cobra.Command, args []string) error {
	// A command with two forms, such as train, may take arguments by either.
	forms := positional(c.Use)
	var missing []string
	// The first missing argument of each form is named.
	for _, names := range forms {
		if len(names) > len(args) {
			missing = append(missing, names[len(args)])
		}
	}
	switch {
	case len(missing) > 0:
		return fmt.Errorf("%s needs %s: %s", c.Name(), strings.Join(missing, " or "), c.UseLine())
	case len(forms[0]) == 0:
		return fmt.Errorf("%s takes no argument, and %q is one", c.Name(), args[0])
	}

	// All forms take too few arguments: the first one is shown.
	return fmt.Errorf("%s takes %s, and %q is one argument more", c.Name(), strings.Join(forms[0], " "),
		args[len(forms[0])])
}

// positional lists the names of the arguments of a usage line, one list for each of its forms, which | divides.
func positional(use string) (forms [][]string) {
	// The usage line begins with the name of the command.
	_, rest, _ := strings.Cut(use, " ")
	for _, form := range strings.Split(rest, " | ") {
		var names []string
		for _, word := range strings.Fields(form) {
			// Options and optional arguments end the names.
			if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "[") {
				break
			}
			names = append(names, word)
		}
		forms = append(forms, names)
	}
	return forms
}

// unknownFlag adds the flag that was meant to the error of one that the command does not have, and says what a number
// is that cannot be read.
func unknownFlag(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	if errors.As(err, &value) && errors.Is(err, strconv.ErrSyntax) {
		f := value.GetFlag()
		kinds := map[string]string{"uint64": "a whole number of at least 0", "int": "a whole number"}
		return fmt.Errorf("--%s %s: not %s", f.Name, value.GetValue(), cmp.Or(kinds[f.Value.Type()], "a number"))
	}
	var unknown *pflag.NotExistError
	// A flag of one letter is too short to guess what was meant.
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var names []string
	// Hidden flags are not proposed.
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if meant := nearest(unknown.GetSpecifiedName(), names); meant != "" {
		return fmt.Errorf("%w of %s: did you mean --%s?", err, c.Name(), meant)
	}
	return fmt.Errorf("%w of %s", err, c.Name())
}

// unknownCommand makes cobra's error of a command that does not exist one line, with the command that was meant.
func unknownCommand(root *cobra.Command, err error) error {
	// Cobra has no type for this error, so that its text is taken apart.
	rest, ok := strings.CutPrefix(err.Error(), "unknown command ")
	quoted, bad := strconv.QuotedPrefix(rest)
	word, bad2 := strconv.Unquote(quoted)
	if !ok || errors.Join(bad, bad2) != nil {
		return err
	}
	return fmt.Errorf("unknown command %q%s", word, didYouMean(word, commandNames(root)))
}

// commandNames lists the commands that the help shows, and the topics.
func commandNames(root *cobra.Command) (names []string) {
	for _, c := range root.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// didYouMean asks for the word that is meant, if there is one: ": did you mean lp?".
func didYouMean(word string, among []string) string {
	if meant := nearest(word, among); meant != "" {
		return ": did you mean " + meant + "?"
	}
	return ""
}

// nearest returns the word that another one is most likely to stand for: the only one that it begins, or else the first
// of the closest ones, by changed, missing, added and swapped letters, a third of the letters at most; "" for none.
func nearest(word string, among []string) string {
	word = strings.ToLower(word)
	var begun []string
	best := ""
	least := len(word)/3 + 1 // the least number of edits that is too many
	for _, w := range among {
		// A single letter begins too many words.
		if len(word) > 1 && strings.HasPrefix(w, word) {
			begun = append(begun, w)
		}

		// The first of several words with the same distance is kept.
		if d := edits(word, strings.ToLower(w)); d < least {
			best = w
			least = d
		}
	}
	if len(begun) == 1 {
		return begun[0]
	}
	return best
}

// edits counts the letters to change, leave out, add or swap with the next one that turn a into b (the optimal string
// alignment distance).
func edits(a, b string) int {
	// Three rows of the table are enough: a swap goes back by two.
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	// The empty word becomes the first j letters of b by adding them.
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before := rows[0]
		last := rows[1]
		row := rows[2]
		// The first i letters of a become the empty word by leaving them out.
		row[0] = i
		for j := 1; j <= len(b); j++ {
			// A letter that is the same costs nothing.
			change := last[j-1]
			if a[i-1] != b[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			// The last two letters are swapped.
			if i > 1 && j > 1 && a[i-2:i] == string([]byte{b[j-1], b[j-2]}) {
				row[j] = min(row[j], before[j-2]+1)
			}
		}

		// The oldest row becomes the next one to fill.
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}

// oneOf checks a flag with a fixed set of values.
func oneOf[S ~string](flag, value string, allowed []S) error {
	if slices.Contains(allowed, S(value)) {
		return nil
	}

	// The message lists all values, and the nearest one.
	list := words(allowed)
	return badInput(fmt.Errorf("--%s %s: it is one of %s%s", flag, value, strings.Join(list, ", "),
		didYouMean(value, list)))
}

// optional checks a flag with a fixed set of values that need not be given.
func optional[S ~string](flag, value string, allowed []S) error {
	if value == "" {
		return nil
	}
	return oneOf(flag, value, allowed)
}

// words are values of a type of their own as texts.
func words[S ~string](values []S) (list []string) {
	for _, v := range values {
		list = append(list, string(v))
	}
	return list
}

// join lists the values of a flag for its usage.
func join[S ~string](values []S) string { return strings.Join(words(values), "|") }
