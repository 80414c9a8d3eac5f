package proxybd_test

import (
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLines holds the program's files to 500 lines and their lines to 120 columns, a tab being one. Two things may be
// wider: raw strings, which are texts in another language or are filled when they are printed, and formulas in comments.
func TestLines(t *testing.T) {
	const width, height = 120, 500
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		if err == nil && d.IsDir() && (name == "vendor" || name == "dist" || name != "." && strings.HasPrefix(name, ".")) {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines, raw := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), rawLines(path, text)
		if len(lines) > height {
			t.Errorf("%s has %d lines", path, len(lines))
		}
		for k, line := range lines {
			formula := strings.HasPrefix(strings.TrimLeft(line, "\t"), "//\t")
			if n := utf8.RuneCountInString(line); n > width && !formula && !raw[k+1] {
				t.Errorf("%s:%d: %d columns", path, k+1, n)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNoConflictIsLeft looks for what an unfinished merge leaves in a text.
func TestNoConflictIsLeft(t *testing.T) {
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if ext := filepath.Ext(path); err != nil || d.IsDir() || ext != ".go" && ext != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		for k, line := range strings.Split(string(text), "\n") {
			if strings.HasPrefix(line, "<<<<<<< ") || strings.HasPrefix(line, ">>>>>>> ") {
				t.Errorf("%s:%d: %s", path, k+1, line)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rawLines returns the lines on which a raw string stands.
func rawLines(path string, text []byte) map[int]bool {
	files, raw := token.NewFileSet(), make(map[int]bool)
	file := files.AddFile(path, -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return raw
		}
		if kind == token.STRING && literal[0] == '`' {
			first := file.Line(at)
			for k := range 1 + strings.Count(literal, "\n") {
				raw[first+k] = true
			}
		}
	}
}
