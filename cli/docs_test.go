package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
)

// block is a fenced block of a page.
type block struct {
	page  string
	line  int // of its first line
	kind  string
	lines []string
}

// blocks reads the fenced blocks of a page.
func blocks(t *testing.T, page string) (list []block) {
	t.Helper()
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var open *block
	for k, line := range strings.Split(string(data), "\n") {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && open == nil:
			open = &block{page: page, line: k + 2, kind: fence}
		case isFence:
			list, open = append(list, *open), nil
		case open != nil:
			open.lines = append(open.lines, line)
		}
	}
	if open != nil {
		t.Errorf("%s:%d: a block without an end", page, open.line)
	}
	return list
}

// pages lists the guide, and what else shows commands.
func pages(t *testing.T) (guide, all []string) {
	t.Helper()
	guide, err := filepath.Glob("../docs/*.md")
	if err != nil || len(guide) < 8 {
		t.Fatalf("%v, %v", guide, err)
	}
	return guide, append(slices.Clone(guide), "../README.md", "../CONTRIBUTING.md", "../CHANGELOG.md", "../models/README.md")
}

// TestDocsRun runs the blocks of every page that are marked so, each page in a folder of its own, and looks for the lines
// of the block output behind them, in their order; ... in it stands for anything.
func TestDocsRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the blocks are for a POSIX shell")
	}
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "proxybd")); err != nil {
		t.Fatal(err)
	}
	guide, _ := pages(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, page := range append(guide, "../README.md") {
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			dir, said := t.TempDir(), ""
			if err := os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")); err != nil {
				t.Fatal(err)
			}
			for _, b := range blocks(t, page) {
				switch b.kind {
				case "sh run":
					c := exec.Command("sh", "-eu", "-c", strings.Join(b.lines, "\n"))
					c.Dir = dir
					c.Env = append(os.Environ(), childEnv+"=command", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
					var stderr strings.Builder
					c.Stderr = &stderr
					out, err := c.Output()
					if said = string(out); err != nil {
						t.Fatalf("%s:%d: %v\n%s%s", page, b.line, err, said, stderr.String())
					}
				case "output":
					if at := missing(said, b.lines); at != "" {
						t.Errorf("%s:%d: no line %q, in this place, in\n%s", page, b.line, at, said)
					}
				}
			}
		})
		for _, b := range blocks(t, page) {
			if b.kind == "sh run" {
				ran++
			}
		}
	}
	if ran < 15 {
		t.Errorf("only %d blocks are marked to run", ran)
	}
}

// missing returns the first pattern that no line of a text has, in the order of both; "" if there is none.
func missing(text string, patterns []string) string {
	lines := strings.Split(text, "\n")
	for _, p := range patterns {
		if strings.TrimSpace(p) == "..." {
			continue
		}
		like := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(p), `\.\.\.`, ".*") + "$")
		k := slices.IndexFunc(lines, like.MatchString)
		if k < 0 {
			return p
		}
		lines = lines[k+1:]
	}
	return ""
}

// TestWorkedCut holds the table of docs/method.md against its recourse program: the completion of each prediction, the
// coefficients of the cut, its value at y = 6, and that it is nowhere above Q.
func TestWorkedCut(t *testing.T) {
	recourse := func(y float64) float64 {
		m := &lp.Model{}
		x := m.Between("x", 2, 0, y)
		m.AtLeast(10, x, m.Nonnegative("s", 7))
		r, err := bnb.Solve(t.Context(), m, bnb.DefaultOptions(), bnb.Hooks{})
		if err != nil || r.Status != lp.Optimal {
			t.Fatal(r.Status, err)
		}
		return r.Objective
	}
	text, err := os.ReadFile("../docs/method.md")
	if err != nil {
		t.Fatal(err)
	}

	rows := 0
	for line := range strings.Lines(string(text)) {
		var predicted, lambda, mu, constant, slope, at6 float64
		n, _ := fmt.Sscanf(line, "| %g | %g | %g | Q(y) >= %g - %gy | %g |", &predicted, &lambda, &mu, &constant, &slope, &at6)
		if n != 6 {
			continue
		}
		rows++
		if lambda != max(0, predicted) || mu != min(7, 2+lambda) || constant != 10*mu || slope != lambda || at6 != constant-6*slope {
			t.Errorf("wrong numbers: %s", line)
		}
		for y := 0.0; y <= 12; y++ {
			if cut, q := constant-slope*y, recourse(y); cut > q+1e-9 {
				t.Errorf("at y = %g the cut is %g and Q is %g: %s", y, cut, q, line)
			}
		}
	}
	if rows != 4 || recourse(6) != 40 {
		t.Errorf("%d rows, Q(6) = %g", rows, recourse(6))
	}
}

// TestDocsCompile compiles the Go programs of the guide, in folders that exist only in an overlay of the compiler.
func TestDocsCompile(t *testing.T) {
	guide, _ := pages(t)
	guide = append(guide, "../README.md")
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir, overlay := t.TempDir(), map[string]string{}
	args := []string{"build", "-overlay", filepath.Join(dir, "overlay.json")}
	for _, page := range guide {
		for _, b := range blocks(t, page) {
			if b.kind != "go" {
				continue
			}
			name := fmt.Sprintf("guide%d", len(overlay))
			file := filepath.Join(dir, name+".go")
			if err := os.WriteFile(file, []byte(fmt.Sprintf("//line %s:%d\n", page, b.line)+strings.Join(b.lines, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
			overlay[filepath.Join(root, "docs", name, "main.go")] = file
			args = append(args, "./docs/"+name)
		}
	}
	if len(overlay) < 3 {
		t.Errorf("only %d programs", len(overlay))
	}
	data, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	c := exec.Command("go", args...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestDocsCommands looks for the commands and flags of all pages, and of the examples of the help, in the command tree.
func TestDocsCommands(t *testing.T) {
	root, found := tree(), 0
	_, all := pages(t)
	check := func(where, line string) {
		for _, words := range invocations(line) {
			found++
			if err := exists(root, amplCall(words)); err != nil {
				t.Errorf("%s: %v: %s", where, err, line)
			}
		}
	}
	for _, page := range all {
		for _, b := range blocks(t, page) {
			if b.kind != "go" && b.kind != "output" {
				for k, line := range b.lines {
					check(fmt.Sprintf("%s:%d", page, b.line+k), line)
				}
			}
		}
	}
	everyCommand(root, func(c *cobra.Command) {
		for _, line := range strings.Split(c.Example, "\n") {
			if !strings.Contains(line, "go run") && (c.Parent() == nil || c.Parent().Name() != "completion") {
				check("help "+c.Name(), line)
			}
		}
	})
	if found < 80 {
		t.Errorf("only %d commands", found)
	}
	for _, line := range []string{"proxybd slove x", "proxybd solve x --metod exact", "proxybd solve x --method exakt", "proxybd lp x -z"} {
		if exists(root, invocations(line)[0]) == nil {
			t.Errorf("%s passes", line)
		}
	}
}

// separators are the words of a shell that end a command.
var separators = []string{"|", "||", "&&", ";", "<", ">", "2>", "<<'END'"}

// invocations are the words of the calls of proxybd in a line of a shell.
func invocations(line string) (list [][]string) {
	line = strings.TrimPrefix(strings.TrimSpace(line), "$ ")
	var words []string
	for _, quoted := range regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s'"]+`).FindAllString(line, -1) {
		if strings.HasPrefix(quoted, "#") {
			break
		}
		words = append(words, quoted)
	}
	for len(words) > 0 {
		end := slices.IndexFunc(words, func(w string) bool { return slices.Contains(separators, w) || strings.HasSuffix(w, ";") })
		part, rest := words, []string(nil)
		if end >= 0 {
			part, rest = words[:end], words[end+1:]
			if w := strings.TrimSuffix(words[end], ";"); !slices.Contains(separators, words[end]) {
				part = append(slices.Clone(part), w)
			}
		}
		if len(part) > 1 && part[0] == "proxybd" {
			list = append(list, part[1:])
		}
		words = rest
	}
	return list
}

// exists reports an error where the tree has no such command, the command no such flag, or the flag no such value.
func exists(root *cobra.Command, words []string) error {
	c, _, err := root.Find(words)
	if err != nil {
		return err
	}
	c.InitDefaultHelpFlag()
	c.InitDefaultVersionFlag()
	for k, w := range words {
		name, value, given := strings.Cut(strings.TrimPrefix(w, "--"), "=")
		switch {
		case strings.HasPrefix(w, "--"):
			f := c.Flags().Lookup(name)
			if f == nil {
				return fmt.Errorf("%s has no flag --%s", c.Name(), name)
			}
			if !given && k+1 < len(words) {
				value = words[k+1]
			}
			if values := flagValues[name]; values != nil && (name == "method" || name == "scheme" || name == "preset" || name == "control" || name == "family") &&
				value != strings.ToUpper(value) && !slices.Contains(values(), value) && value != "fctp" {
				return fmt.Errorf("--%s %s does not exist", name, value)
			}
		case strings.HasPrefix(w, "-") && len(w) == 2 && w != "--":
			if c.Flags().ShorthandLookup(w[1:]) == nil {
				return fmt.Errorf("%s has no flag %s", c.Name(), w)
			}
		}
	}
	return nil
}

// updateEnv makes TestSchema write the schema.
const updateEnv = "PROXYBD_UPDATE"

// TestSchema holds docs/schema.json against the objects. PROXYBD_UPDATE=1 writes it.
func TestSchema(t *testing.T) {
	definitions := map[string]any{}
	var one []map[string]string
	for _, o := range jsonObjects {
		name := strings.NewReplacer(", ", "-", " ", "-", "...", "").Replace(strings.ToLower(o.of))
		command, _, _ := strings.Cut(o.of, " ")
		definitions[name] = schemaOf(reflect.TypeOf(o.value), strings.TrimSuffix(command, ","), nil)
		one = append(one, map[string]string{"$ref": "#/$defs/" + name})
	}
	data, err := json.MarshalIndent(map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "What proxybd prints with --json", "anyOf": one, "$defs": definitions}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	const path = "../docs/schema.json"
	data = append(data, '\n')
	if os.Getenv(updateEnv) != "" {
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != string(data) {
		t.Errorf("%s is not what the code says (%v): %s=1 go test -run TestSchema ./cli writes it", path, err, updateEnv)
	}
}

// schemaOf is the JSON Schema of an object.
func schemaOf(t reflect.Type, command string, path []string) map[string]any {
	properties, required := map[string]any{}, []string{}
	for _, f := range fieldsOf(t, nil) {
		if len(f.path) > 1 {
			continue
		}
		name := f.path[0]
		of := f
		of.path = append(path[:len(path):len(path)], name)
		text, _ := of.meaning(command)
		s := typeSchema(f.of, command, of.path)
		s["description"] = text
		if properties[name] = s; !f.maybe {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// typeSchema is the schema of a value.
func typeSchema(t reflect.Type, command string, path []string) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem(), command, path)
	case reflect.Struct:
		return schemaOf(t, command, path)
	case reflect.Slice:
		return map[string]any{"type": "array", "items": typeSchema(t.Elem(), command, path)}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": []string{"number", "null"}}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}
