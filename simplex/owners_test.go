package simplex

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// TestOwnersWriteTheirFields reads the sources: what belongs to an owner is written by methods of that type, and in the
// file that declares it. Everything else only reads it.
func TestOwnersWriteTheirFields(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	owners := map[string]owner{} // by the name of the field that holds it
	for _, f := range files {
		findOwners(f, fset, owners)
	}
	if len(owners) < 10 {
		t.Fatalf("%d owners", len(owners))
	}
	for _, f := range files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				checkWrites(t, fset, fn, owners)
			}
		}
	}
}

// owner is a type that owns its fields, and the file that declares it.
type owner struct {
	name, file string
	fields     map[string]bool // that are promoted to Solver
}

// findOwners adds the types of the fields of Solver and basicSolution, and of what is embedded there, that are structs
// of this package in f.
func findOwners(f *ast.File, fset *token.FileSet, owners map[string]owner) {
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		fields, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		name := spec.Name.Name
		if ownerFields[name] == "" {
			return true
		}
		o := owner{name: name, file: fset.File(spec.Pos()).Name(), fields: map[string]bool{}}
		if name == "problem" || name == "matrix" {
			for _, field := range fields.Fields.List {
				for _, id := range field.Names {
					o.fields[id.Name] = true
				}
			}
		}
		owners[ownerFields[name]] = o
		return true
	})
}

// ownerFields returns, by type, the name under which Solver holds an owner.
var ownerFields = map[string]string{
	"problem": "problem", "matrix": "matrix", "basis": "basis", "bounds": "bounds", "primals": "primals", "duals": "duals",
	"edgeWeights": "weights", "factor": "factor", "pivotRow": "row", "tabu": "tabu", "devex": "devex", "rays": "rays",
	"changes": "changes", "snapshot": "snapshot", "vectors": "vectors", "control": "ctl", "ratioTest": "ratio",
	"fingerprint": "fingerprint", "partition": "partition", "infeasibilities": "infeasible",
}

// checkWrites reports assignments in fn to fields of an owner that fn is no method of.
func checkWrites(t *testing.T, fset *token.FileSet, fn *ast.FuncDecl, owners map[string]owner) {
	receiver, self := receiverOf(fn)
	file := fset.File(fn.Pos()).Name()
	written := func(e ast.Expr) {
		chain := selectors(e)
		for k, name := range chain {
			o, ok := owners[name]
			if ok && k > 0 && k+1 < len(chain) && o.name != receiver && o.file != file && receiver != "factor" &&
				receiver != "kernel" {
				t.Errorf("%s: %s is written by %s", fset.Position(e.Pos()), strings.Join(chain, "."), fn.Name.Name)
			}
		}
		if len(chain) == 2 && chain[0] == self && (receiver == "Solver" || receiver == "basicSolution") {
			for _, o := range owners {
				if o.fields[chain[1]] && o.file != file {
					t.Errorf("%s: %s of %s is written by %s", fset.Position(e.Pos()), chain[1], o.name, fn.Name.Name)
				}
			}
		}
	}
	ast.Inspect(fn.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, e := range n.Lhs {
				written(e)
			}
		case *ast.IncDecStmt:
			written(n.X)
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "copy" || id.Name == "clear") {
				written(n.Args[0])
			}
		}
		return true
	})
}

// receiverOf returns the type and the name of the receiver.
func receiverOf(fn *ast.FuncDecl) (typ, name string) {
	if fn.Recv == nil || len(fn.Recv.List[0].Names) == 0 {
		return "", ""
	}
	e := fn.Recv.List[0].Type
	if star, ok := e.(*ast.StarExpr); ok {
		e = star.X
	}
	if id, ok := e.(*ast.Ident); ok {
		typ = id.Name
	}
	return typ, fn.Recv.List[0].Names[0].Name
}

// selectors returns the names of a chain such as s.primals.basic[p], without indices.
func selectors(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}
	case *ast.SelectorExpr:
		return append(selectors(e.X), e.Sel.Name)
	case *ast.IndexExpr:
		return selectors(e.X)
	case *ast.SliceExpr:
		return selectors(e.X)
	case *ast.StarExpr:
		return selectors(e.X)
	case *ast.ParenExpr:
		return selectors(e.X)
	}
	return nil
}
