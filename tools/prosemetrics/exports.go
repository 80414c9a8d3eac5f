package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// export is an exported name of the module and where it is used.
type export struct {
	pkg, kind, name string
	pos             token.Pos

	// byOthers says that program files of another package use it, byOwn those of its own package, byTests any test.
	byOthers, byOwn, byTests bool
}

// exportKinds are the kinds of exported names. A method that some interface has by name is not among them, since a call
// through the interface does not name it; nor is a field with a tag, which an encoder reads.
var exportKinds = []string{"package level", "method", "field"}

// reportExports prints the exported names of the module in dir by their users; with list, those without a user in
// another package, one a line. Commands are left out, since nothing can import them.
func reportExports(out io.Writer, dir string, perPackage, list bool) error {
	m, err := loadModule(dir)
	if err != nil {
		return err
	}
	all := m.exports()
	if list {
		for _, e := range all {
			if !e.byOthers {
				p := m.files.Position(e.pos)
				fmt.Fprintf(out, "%s:%d: %s %s.%s: %s\n", p.Filename, p.Line, e.kind, e.pkg, e.name, e.users())
			}
		}
		return nil
	}

	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "exported\tother packages\town package\tonly tests\tnowhere\t\n")
	line := func(name string, selected func(e *export) bool) {
		count := make(map[string]int)
		number := 0
		for _, e := range all {
			if selected(e) {
				number++
				count[e.users()]++
			}
		}
		if number > 0 {
			fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  %s\n", number, count["other packages"], count["own package"],
				count["only tests"], count["nowhere"], name)
		}
	}
	if perPackage {
		for _, name := range sortedKeys(m.packages) {
			line(name, func(e *export) bool { return e.pkg == name })
		}
	}
	for _, kind := range exportKinds {
		line("all, "+kind, func(e *export) bool { return e.kind == kind })
	}
	line("all", func(e *export) bool { return true })
	return w.Flush()
}

// users says who uses a name, the widest use first.
func (e *export) users() string {
	switch {
	case e.byOthers:
		return "other packages"
	case e.byOwn:
		return "own package"
	case e.byTests:
		return "only tests"
	}
	return "nowhere"
}

// listed is what the go command says of a package.
type listed struct {
	ImportPath, Dir, Name, Export      string
	GoFiles, TestGoFiles, XTestGoFiles []string
	TestImports, XTestImports          []string
	Module                             *struct{ Main bool }
}

// goModule holds the packages of a module, their syntax and types. All variants of a package share one syntax tree, so
// that a position identifies an object in all of them.
type goModule struct {
	files    *token.FileSet
	packages map[string]*listed // those of the module
	outside  map[string]string  // the files with what other packages export
	syntax   map[string]*ast.File
	checked  map[string]*types.Package
	imported types.Importer
	uses     []use
	demanded map[string]bool // names of methods that an interface has
}

// use is a use of an object: its position, and the package and kind of file that use it.
type use struct {
	object token.Pos
	pkg    string
	test   bool
}

// buildTags turn on what the module builds only on demand, so that its uses count.
const buildTags = "ablation,man"

// loadModule reads and checks the types of all packages of the module in dir, and of their tests.
func loadModule(dir string) (*goModule, error) {
	m := &goModule{
		files:    token.NewFileSet(),
		packages: make(map[string]*listed),
		outside:  make(map[string]string),
		syntax:   make(map[string]*ast.File),
		checked:  make(map[string]*types.Package),
		demanded: map[string]bool{"Error": true, "Unwrap": true, "Is": true, "As": true},
	}
	m.imported = importer.ForCompiler(m.files, "gc", func(path string) (io.ReadCloser, error) {
		file, ok := m.outside[path]
		if !ok {
			return nil, fmt.Errorf("no export data of %s", path)
		}
		return os.Open(file)
	})

	// The tests import packages that the program does not; the second call of the go command finds those.
	if err := m.list(dir, "./..."); err != nil {
		return nil, err
	}
	var missing []string
	for _, name := range sortedKeys(m.packages) {
		for _, path := range slices.Concat(m.packages[name].TestImports, m.packages[name].XTestImports) {
			if m.packages[path] == nil && m.outside[path] == "" && path != "unsafe" && path != "C" {
				missing = append(missing, path)
			}
		}
	}
	if len(missing) > 0 {
		if err := m.list(dir, missing...); err != nil {
			return nil, err
		}
	}

	for _, name := range sortedKeys(m.packages) {
		if _, err := m.Import(name); err != nil {
			return nil, err
		}
	}
	for _, name := range sortedKeys(m.packages) {
		if err := m.checkTests(m.packages[name]); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// list asks the go command for packages and all that they import, with the files of what they export.
func (m *goModule) list(dir string, patterns ...string) error {
	args := append([]string{"list", "-export", "-deps", "-tags", buildTags,
		"-json=ImportPath,Dir,Name,Export,GoFiles,TestGoFiles,XTestGoFiles,TestImports,XTestImports,Module"}, patterns...)
	command := exec.Command("go", args...)
	command.Dir = dir
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}

	for dec := json.NewDecoder(strings.NewReader(string(text))); ; {
		p := &listed{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		if p.Module != nil && p.Module.Main {
			m.packages[p.ImportPath] = p
		} else if p.Export != "" {
			m.outside[p.ImportPath] = p.Export
		}
	}
}

// Import returns a package by its path: one of the module from its source, any other from what it exports.
func (m *goModule) Import(path string) (*types.Package, error) {
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if done := m.checked[path]; done != nil {
		return done, nil
	}
	p := m.packages[path]
	if p == nil {
		return m.imported.Import(path)
	}
	checked, err := m.check(p, p.GoFiles, m, true)
	m.checked[path] = checked
	return checked, err
}

// withTests imports like the module, but for one package, which is the variant with its tests.
type withTests struct {
	*goModule
	path    string
	variant *types.Package
}

func (w *withTests) Import(path string) (*types.Package, error) {
	if path == w.path {
		return w.variant, nil
	}
	return w.goModule.Import(path)
}

// checkTests checks the tests of a package, those inside it and those in a package of their own. The latter may see two
// variants of one package, whose types differ; such errors do not change what a name refers to.
func (m *goModule) checkTests(p *listed) error {
	variant := m.checked[p.ImportPath]
	if len(p.TestGoFiles) > 0 {
		var err error
		if variant, err = m.check(p, slices.Concat(p.GoFiles, p.TestGoFiles), m, true); err != nil {
			return err
		}
	}
	if len(p.XTestGoFiles) > 0 {
		if _, err := m.check(p, p.XTestGoFiles, &withTests{m, p.ImportPath, variant}, false); err != nil {
			return err
		}
	}
	return nil
}

// check checks the types of some files of a package and records what they use.
func (m *goModule) check(p *listed, names []string, from types.Importer, strict bool) (*types.Package, error) {
	var files []*ast.File
	for _, name := range names {
		file, err := m.parse(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}

	info := &types.Info{Uses: make(map[*ast.Ident]types.Object), Types: make(map[ast.Expr]types.TypeAndValue)}
	config := types.Config{Importer: from}
	if !strict {
		config.Error = func(error) {}
	}
	checked, err := config.Check(p.ImportPath, m.files, files, info)
	if err != nil && strict {
		return nil, err
	}

	for ident, object := range info.Uses {
		test := strings.HasSuffix(m.files.Position(ident.Pos()).Filename, "_test.go")
		m.uses = append(m.uses, use{object.Pos(), p.ImportPath, test})
	}
	for _, t := range info.Types {
		m.demand(t.Type)
	}
	for _, imported := range checked.Imports() {
		m.demandOf(imported)
	}
	return checked, nil
}

// demand records the names of the methods of an interface.
func (m *goModule) demand(t types.Type) {
	if t == nil {
		return
	}
	if i, ok := t.Underlying().(*types.Interface); ok {
		for k := range i.NumMethods() {
			m.demanded[i.Method(k).Name()] = true
		}
	}
}

// demandOf records the methods of all interfaces that a package declares: fmt calls String, and its callers need not
// mention fmt.Stringer.
func (m *goModule) demandOf(p *types.Package) {
	for _, name := range p.Scope().Names() {
		if t, ok := p.Scope().Lookup(name).(*types.TypeName); ok {
			m.demand(t.Type())
		}
	}
}

// parse returns the syntax of a file, which is read once.
func (m *goModule) parse(path string) (*ast.File, error) {
	if file := m.syntax[path]; file != nil {
		return file, nil
	}
	file, err := parser.ParseFile(m.files, path, nil, parser.SkipObjectResolution)
	m.syntax[path] = file
	return file, err
}

// exports returns the exported names of the module with their uses, by package and position.
func (m *goModule) exports() []*export {
	var all []*export
	at := make(map[token.Pos]*export)
	for _, path := range sortedKeys(m.packages) {
		if m.packages[path].Name == "main" {
			continue
		}
		add := func(kind, name string, object types.Object) {
			if object.Exported() && at[object.Pos()] == nil {
				e := &export{pkg: path, kind: kind, name: name, pos: object.Pos()}
				at[object.Pos()] = e
				all = append(all, e)
			}
		}
		scope := m.checked[path].Scope()
		for _, name := range scope.Names() {
			object := scope.Lookup(name)
			add("package level", name, object)
			if t, ok := object.(*types.TypeName); ok && object.Exported() && !t.IsAlias() {
				m.members(t, add)
			}
		}
	}

	for _, u := range m.uses {
		e := at[u.object]
		switch {
		case e == nil:
		case u.test:
			e.byTests = true
		case u.pkg == e.pkg:
			e.byOwn = true
		default:
			e.byOthers = true
		}
	}
	return all
}

// members adds the exported methods and fields of a type.
func (m *goModule) members(t *types.TypeName, add func(kind, name string, object types.Object)) {
	named, ok := t.Type().(*types.Named)
	if !ok {
		return
	}
	for k := range named.NumMethods() {
		if method := named.Method(k); !m.demanded[method.Name()] {
			add("method", t.Name()+"."+method.Name(), method)
		}
	}
	if s, ok := named.Underlying().(*types.Struct); ok {
		for k := range s.NumFields() {
			if field := s.Field(k); !field.Embedded() && s.Tag(k) == "" {
				add("field", t.Name()+"."+field.Name(), field)
			}
		}
	}
}
