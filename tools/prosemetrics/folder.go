package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// measureFolder measures the Go files of a folder and its subfolders, by package folder.
func measureFolder(folder string) (map[string]*Figures, error) {
	packages := make(map[string]*Figures)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != folder && skipsFolder(folder, path) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}

		name := filepath.Dir(path)
		f := packages[name]
		if f == nil {
			f = &Figures{}
		}
		measured, err := measureFile(path, f)
		if measured {
			packages[name] = f
		}
		return err
	})
	if err == nil && len(packages) == 0 {
		err = fmt.Errorf("%s: no Go files but tests", folder)
	}
	return packages, err
}

// skipsFolder says whether a folder below root is no part of the program: what the go command leaves out, packages of
// others, what is built, and tools.
func skipsFolder(root, path string) bool {
	name := filepath.Base(path)
	if name == "testdata" || name == "vendor" || name == "dist" || strings.HasPrefix(name, ".") {
		return true
	}
	relative, err := filepath.Rel(root, path)
	return err == nil && relative == "tools"
}

// measureFile adds the figures of a file, unless it is generated for one processor, which it reports by false.
func measureFile(path string, f *Figures) (bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return false, err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	if strings.HasSuffix(path, "_amd64.go") && ast.IsGenerated(file) {
		return false, nil
	}
	f.addFile(files, file, text)
	return true, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
