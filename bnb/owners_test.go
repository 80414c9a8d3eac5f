package bnb

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestOwnersWriteTheirFields reads the sources: a field of search is set where the search is made, and a field of what
// it holds by methods of that type or in the file that declares it. Everything else asks.
func TestOwnersWriteTheirFields(t *testing.T) {
	w := readWriters(t)
	if len(w.owners) < 20 {
		t.Errorf("%d owners", len(w.owners))
	}
	writes := 0
	for _, f := range w.files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			for _, e := range written(fn.Body) {
				writes++
				if owner := w.trespass(fn, e); owner != "" {
					t.Errorf("%s: %s is written by %s", w.fset.Position(e.Pos()), owner, fn.Name.Name)
				}
			}
		}
	}
	if writes < 500 {
		t.Errorf("%d writes", writes)
	}
}

// writers are the sources of the package with their types.
type writers struct {
	fset   *token.FileSet
	files  []*ast.File
	info   *types.Info
	search types.Type
	owners map[types.Type]bool
}

// readWriters checks the types of the package alone: what it imports stays unknown, which no field of its own needs.
func readWriters(t *testing.T) *writers {
	t.Helper()
	w := &writers{fset: token.NewFileSet(), owners: map[types.Type]bool{},
		info: &types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}, Types: map[ast.Expr]types.TypeAndValue{}}}
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(w.fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		w.files = append(w.files, f)
	}
	none := func(string) (*types.Package, error) { return nil, errors.New("not asked") }
	conf := types.Config{Importer: importerFunc(none), Error: func(error) {}}
	pkg, _ := conf.Check("bnb", w.fset, w.files, w.info)
	w.search = pkg.Scope().Lookup("search").Type()
	w.include(w.search, false)
	return w
}

type importerFunc func(string) (*types.Package, error)

func (f importerFunc) Import(path string) (*types.Package, error) { return f(path) }

// include makes the types of the fields of t owners, and those of their fields. Nodes are plain data, and what is
// exported is the caller's.
func (w *writers) include(t types.Type, owner bool) {
	named, ok := pointee(t).(*types.Named)
	if !ok || w.owners[named] || owner && (named == w.search || named.Obj().Exported() || named.Obj().Name() == "node") {
		return
	}
	fields, ok := named.Underlying().(*types.Struct)
	if !ok {
		return
	}
	if owner {
		w.owners[named] = true
	}
	for k := range fields.NumFields() {
		w.include(fields.Field(k).Type(), true)
	}
}

func pointee(t types.Type) types.Type {
	if p, ok := t.(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// written lists what is assigned to, or copied into, in a function.
func written(body ast.Node) (list []ast.Expr) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				list = append(list, n.Lhs...)
			}
		case *ast.IncDecStmt:
			list = append(list, n.X)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "copy" || id.Name == "clear") {
				list = append(list, n.Args[0])
			}
		}
		return true
	})
	return list
}

// trespass returns the field of an owner that a write to e in fn changes without its leave, empty if there is none.
func (w *writers) trespass(fn *ast.FuncDecl, e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.SelectorExpr:
			if sel := w.info.Selections[x]; sel != nil {
				t := pointee(sel.Recv())
				if (t == w.search || w.owners[t]) && !w.allowed(fn, t) {
					return types.TypeString(t, func(*types.Package) string { return "" }) + "." + x.Sel.Name
				}
				if t != sel.Recv() {
					return "" // what the pointer leads to is not part of what holds the pointer
				}
			}
			e = x.X
		default:
			return ""
		}
	}
}

// allowed reports whether fn may write the fields of t.
func (w *writers) allowed(fn *ast.FuncDecl, t types.Type) bool {
	file := func(pos token.Pos) string { return w.fset.Position(pos).Filename }
	if file(fn.Pos()) == file(t.(*types.Named).Obj().Pos()) {
		return true
	}
	if t == w.search || fn.Recv == nil {
		return false
	}
	return pointee(w.info.Types[fn.Recv.List[0].Type].Type) == t
}
