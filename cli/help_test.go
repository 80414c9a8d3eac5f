package cli

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/proxybd/proxybd/lp"
)

// tree is the command tree without streams.
func tree() *cobra.Command {
	return newRoot(&app{known: Families(), streams: streams{stdin: strings.NewReader(""),
		stdout: &stream{w: &bytes.Buffer{}}, stderr: &bytes.Buffer{}}})
}

// everyCommand calls a function for every command that the help shows, and for the topics.
func everyCommand(c *cobra.Command, visit func(c *cobra.Command)) {
	visit(c)
	for _, sub := range c.Commands() {
		everyCommand(sub, visit)
	}
}

// TestHelpPages asks for the help of everything: it has no backtick, no line of text or flags that is too wide, and every
// command has a line about itself.
func TestHelpPages(t *testing.T) {
	everyCommand(tree(), func(c *cobra.Command) {
		if c.Short == "" {
			t.Errorf("%s: nothing about itself", c.CommandPath())
		}
		if c.HasParent() && c.Parent().Name() == "completion" {
			return // cobra's own text
		}
		o := invoke(t, t.Context(), append([]string{"help"}, strings.Fields(c.CommandPath())[1:]...)...)
		if o.code != 0 || o.stderr != "" || strings.Contains(o.stdout, "`") {
			t.Errorf("help %s: exit code %d, %s", c.CommandPath(), o.code, o.stderr)
		}
		example := false
		for _, line := range strings.Split(o.stdout, "\n") {
			example = line == "Examples:" || example && line != ""
			indented := strings.HasPrefix(line, "  ") && !strings.HasPrefix(strings.TrimSpace(line), "-")
			if len(line) > helpWidth() && !example && !indented {
				t.Errorf("help %s: %d columns: %s", c.CommandPath(), len(line), line)
			}
		}
	})
	for _, args := range [][]string{{"help", "solv"}, {"help", "solve", "lp"}} {
		if o := invoke(t, t.Context(), args...); o.code != exitBadInput {
			t.Errorf("%v: exit code %d", args, o.code)
		}
	}
}

// TestAskedCommand holds the tree of a command line that begins with a command against the whole tree: it has that
// command alone, and the same help of it.
func TestAskedCommand(t *testing.T) {
	for _, c := range commands {
		root := newRoot(&app{known: Families(), args: []string{c.name}, streams: streams{stdout: &stream{w: &bytes.Buffer{}}}})
		if names := commandNames(root); !slices.Contains(names, c.name) || len(names) != len(topics)+1 {
			t.Errorf("the tree of %s has %v", c.name, names)
		}
		alone, of := invoke(t, t.Context(), c.name, "--help"), invoke(t, t.Context(), "help", c.name)
		if alone.code != 0 || alone.stdout != of.stdout {
			t.Errorf("%s --help is not help %s:\n%s", c.name, c.name, alone.stdout)
		}
	}
}

// TestFlagGroups checks of the commands with groups that every flag is in exactly one group, that the help fits on one
// screen, and that the topic has all flags.
func TestFlagGroups(t *testing.T) {
	for _, of := range []struct {
		make   func(*app) *cobra.Command
		groups []groupOfFlags
	}{{newSolve, solveFlagGroups}, {newMIP, mipFlagGroups}, {newTrain, trainFlagGroups}} {
		c := of.make(&app{known: Families(), streams: streams{stdout: &stream{w: &bytes.Buffer{}}}})
		c.InitDefaultHelpFlag()
		var have, want []string
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				want = append(want, f.Name)
			}
		})
		for _, group := range of.groups {
			have = append(have, group.names...)
		}
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			t.Errorf("the groups have\n%v\nand %s has\n%v", have, c.Name(), want)
		}

		text := invoke(t, t.Context(), c.Name(), "--help").stdout
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%s --help has %d lines", c.Name(), n)
		}
		all := invoke(t, t.Context(), "help", c.Name()+"-flags").stdout
		for _, name := range want {
			if !strings.Contains(all, "--"+name+" ") {
				t.Errorf("help %s-flags has no --%s", c.Name(), name)
			}
		}
	}
}

// TestExitCodesTopic holds the topic against the table of the code: every status stands below its exit code.
func TestExitCodesTopic(t *testing.T) {
	text := invoke(t, t.Context(), "help", "exit-codes").stdout
	for _, s := range statuses() {
		if statusMeanings[s] == "" {
			t.Errorf("nothing is said of the status %s", s)
		}
		at := strings.Index(text, fmt.Sprintf("\n       %-16s ", s))
		if at < 0 {
			t.Fatalf("no line about %s", s)
		}
		code := -1
		for _, line := range strings.Split(text[:at], "\n") {
			fmt.Sscanf(line, "  %d  ", &code)
		}
		if code != statusCode(s) {
			t.Errorf("%s stands below the exit code %d, and commands end with %d", s, code, statusCode(s))
		}
	}
	for s := range statusMeanings {
		if s.String() == "unknown" {
			t.Errorf("status %d does not exist", s)
		}
	}
	if statuses()[len(statuses())-1] != lp.Stalled {
		t.Errorf("the statuses end with %v", statuses())
	}
}

// TestJSONTopic holds the table of fields against the objects: every field has a text, and every text a field.
func TestJSONTopic(t *testing.T) {
	used := map[string]bool{}
	objects := map[string]map[string]bool{}
	for _, o := range jsonObjects {
		for _, command := range strings.Split(o.of, ", ") {
			name, _, _ := strings.Cut(command, " ")
			fields := map[string]bool{}
			for _, f := range fieldsOf(reflect.TypeOf(o.value), nil) {
				text, key := f.meaning(name)
				if used[key] = true; text == "" {
					t.Errorf("%s: nothing is said of the field %s", name, strings.Join(f.path, "."))
				}
				if len(f.path) == 1 {
					fields[f.path[0]] = true
				}
			}
			if objects[name] == nil {
				objects[name] = fields
			}
		}
	}
	for key := range fieldTexts() {
		if !used[key] {
			t.Errorf("no field has the text of %s", key)
		}
	}
	everyCommand(tree(), func(c *cobra.Command) {
		if c.Flags().Lookup("json") != nil && objects[c.Name()] == nil {
			t.Errorf("%s has --json, and the topic nothing about it", c.Name())
		}
	})
	path := generated(t, "1")[0]
	for _, args := range [][]string{{"lp", "testdata/knapsack.mps"}, {"mip", "testdata/knapsack.mps"}, {"solve", path}, {"version"}, {"lp", "nowhere"},
		{"solve", path, "--method", "proxy"}, {"solve", path, "--method", "hybrid", "--no-heuristic"}} {
		for name := range invoke(t, t.Context(), append(args, "--json")...).object(t) {
			if !objects[args[0]][name] {
				t.Errorf("%v prints the field %s, and the topic does not have it", args, name)
			}
		}
	}
}

// TestFormatsTopic looks for every family with its options, and for every kind of file that a flag names.
func TestFormatsTopic(t *testing.T) {
	text := invoke(t, t.Context(), "help", "formats").stdout
	for _, f := range Families() {
		if !strings.Contains(text, "\n  "+f.Name+" ") || !strings.Contains(text, f.About) {
			t.Errorf("no family %s", f.Name)
		}
		for _, o := range f.Options {
			if !strings.Contains(text, "--"+o.Name) {
				t.Errorf("no option %s", o.Name)
			}
		}
	}
	for _, endings := range flagFiles {
		for _, e := range endings {
			if !strings.Contains(text, "."+e+" ") {
				t.Errorf("no files %s", e)
			}
		}
	}
}

// TestVersionFlag compares the flag with the command.
func TestVersionFlag(t *testing.T) {
	flag, command := invoke(t, t.Context(), "--version"), invoke(t, t.Context(), "version")
	if flag.code != 0 || flag.stdout == "" || flag.stdout != command.stdout {
		t.Errorf("%q, %q", flag.stdout, command.stdout)
	}
}

func TestNearest(t *testing.T) {
	list := []string{"solve", "split", "states", "saa", "score", "lp", "mip", "time-limit", "threads"}
	for word, want := range map[string]string{"slove": "solve", "sovle": "solve", "lpp": "lp", "Solve": "solve", "stat": "states",
		"tim-limit": "time-limit", "timelimit": "time-limit", "x": "", "banana": "", "scroe": "score", "thread": "threads", "": ""} {
		if got := nearest(word, list); got != want {
			t.Errorf("nearest to %q is %q, want %q", word, got, want)
		}
	}
	for _, c := range []struct {
		a, b string
		d    int
	}{{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"ca", "abc", 3}, {"abcd", "acbd", 1}} {
		if got := edits(c.a, c.b); got != c.d {
			t.Errorf("%q to %q: %d edits, want %d", c.a, c.b, got, c.d)
		}
	}
}

// TestMeant gives wrong words and looks for the right ones in the error.
func TestMeant(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"slove", "x"}, "did you mean solve?"},
		{[]string{"help", "exitcodes"}, "did you mean exit-codes?"},
		{[]string{"solve", "x", "--metod", "exact"}, "did you mean --method?"},
		{[]string{"solve", "x", "--method", "exakt"}, "did you mean exact?"},
		{[]string{"solve", "x", "--scheme", "outre"}, "did you mean outer?"},
		{[]string{"solve", "x", "--family", "uf"}, "did you mean ufl?"},
		{[]string{"solve"}, "solve needs INSTANCE or FOLDER: proxybd solve INSTANCE"},
		{[]string{"evaluate", "x"}, "evaluate needs DESIGN"},
		{[]string{"train"}, "train needs INSTANCE... or FOLDER"},
		{[]string{"report"}, "report needs FOLDER or RESULTS..."},
		{[]string{"slurm"}, "slurm needs FOLDER"},
		{[]string{"demo", "x"}, "demo takes no argument"},
	} {
		if o := invoke(t, t.Context(), c.args...); o.code != exitBadInput || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, o.code, o.stderr, c.want)
		}
	}
}

// TestCompletion asks as a shell does.
func TestCompletion(t *testing.T) {
	for _, c := range []struct {
		args []string
		want []string
	}{
		{[]string{"solve", "x", "--method", ""}, []string{"exact", "aggregated", "proxy", "hybrid", "full", "start", "dual"}},
		{[]string{"solve", "x", "--scheme", ""}, []string{"auto", "bbc", "outer", "dual", "paper", "classic"}},
		{[]string{"train", "x", "--preset", ""}, []string{"fast", "paper"}},
		{[]string{"solve", "x", "--family", ""}, []string{"ufl", "cap", "mcndp", "mps"}},
		{[]string{"generate", "--family", "cap", "--class", ""}, []string{"50x16", "1000x100"}},
		{[]string{"eval", "x", "--methods", "exact,"}, []string{"exact,proxy", "exact,exact/paper"}},
		{[]string{"solve", "x", "--model", ""}, []string{"safetensors"}},
		{[]string{"lp", "x", "--presolve", ""}, []string{"on", "off"}},
		{[]string{"split", "--shape", ""}, []string{"cap:50x16"}},
		{[]string{"slurm", "x", ""}, []string{"states", "report"}},
		{[]string{"help", ""}, []string{"solve", "json"}},
	} {
		got := strings.Split(invoke(t, t.Context(), append([]string{"__complete"}, c.args...)...).stdout, "\n")
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%v: no %s among %v", c.args, w, got)
			}
		}
	}
	// A flag whose usage lists its values has them completed, and they are those.
	everyCommand(tree(), func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			list, _, _ := strings.Cut(f.Usage, ":")
			if values := strings.Split(list, "|"); len(values) > 1 && !strings.Contains(list, " ") {
				if of := catalogue(Families()).valuesOf(f.Name); of == nil || !slices.Equal(of(), values) {
					t.Errorf("%s --%s: %v are not what is completed", c.Name(), f.Name, values)
				}
			}
		})
	})
}
