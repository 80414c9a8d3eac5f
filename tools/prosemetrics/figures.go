package main

import (
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"
)

// longFunction is the number of lines, from the one with func to the one with the closing brace, from which on a
// function is expected to be divided into paragraphs. longCondition is the number of operands from which on a condition
// is expected to have a name.
const (
	longFunction  = 25
	longCondition = 4
)

// kinds are the kinds of places that -list prints.
var kinds = []string{"blank", "comment", "parallel", "conditions", "expressions", "exports", "subjects"}

// Figures are the counts of a package, or of several.
type Figures struct {
	Statements int // all nodes of the syntax tree that are statements, blocks and case clauses among them

	Long        int // functions and methods with longFunction lines or more; function literals belong to theirs
	LongBlank   int // those with a blank line between the braces
	LongComment int // those with a comment between the braces

	TextLines    int // lines that are not blank
	CommentLines int // those that have only a comment; build constraints are comments

	Assignments int // statements with = or :=
	Parallel    int // those with two or more operands on the left and as many on the right

	// Conditions counts the conditions of if and for that join longCondition operands or more by && and ||, and
	// Expressions the same in switch, case, return and assignments, where the expression has a name or a single use.
	Conditions, Expressions int

	// BodyStatements are the statements of function bodies, the bodies themselves among them, and BodyLines their lines,
	// those of the braces among them. BodyCode are those lines that are neither blank nor only a comment.
	BodyStatements, BodyLines, BodyCode int

	Places []Place
}

// Place is where something is that -list prints.
type Place struct {
	Kind     string
	Position token.Position
	Text     string
}

// add adds the counts and places of other.
func (f *Figures) add(other *Figures) {
	f.Statements += other.Statements
	f.Long += other.Long
	f.LongBlank += other.LongBlank
	f.LongComment += other.LongComment
	f.TextLines += other.TextLines
	f.CommentLines += other.CommentLines
	f.Assignments += other.Assignments
	f.Parallel += other.Parallel
	f.Conditions += other.Conditions
	f.Expressions += other.Expressions
	f.BodyStatements += other.BodyStatements
	f.BodyLines += other.BodyLines
	f.BodyCode += other.BodyCode
	f.Places = append(f.Places, other.Places...)
}

// addFile adds what a file has.
func (f *Figures) addFile(files *token.FileSet, file *ast.File, text []byte) {
	lines := classify(files, file, text)
	for _, l := range lines {
		if l != blankLine {
			f.TextLines++
		}
		if l == commentLine {
			f.CommentLines++
		}
	}

	for _, d := range file.Decls {
		if function, ok := d.(*ast.FuncDecl); ok && function.Body != nil {
			f.addFunction(files, file, function, lines)
		}
	}

	f.Statements += statements(file)
	ast.Inspect(file, func(n ast.Node) bool {
		f.addNode(files, n)
		return true
	})
}

// addFunction adds what is counted by function: paragraphs and density.
func (f *Figures) addFunction(files *token.FileSet, file *ast.File, function *ast.FuncDecl, lines []lineKind) {
	first := files.Position(function.Pos()).Line
	open := files.Position(function.Body.Lbrace).Line
	last := files.Position(function.Body.Rbrace).Line

	hasBlank := false
	for l := open; l <= last; l++ {
		f.BodyLines++
		switch lines[l-1] {
		case blankLine:
			hasBlank = true
		case codeLine:
			f.BodyCode++
		}
	}
	f.BodyStatements += statements(function.Body)

	if last-first+1 < longFunction {
		return
	}
	f.Long++
	size := fmt.Sprintf("%s, %d lines", function.Name.Name, last-first+1)
	if hasBlank {
		f.LongBlank++
	} else {
		f.note(files, "blank", function, size)
	}
	if hasComment(file, function.Body) {
		f.LongComment++
	} else {
		f.note(files, "comment", function, size)
	}
}

// addNode adds what is counted by statement: assignments and conditions.
func (f *Figures) addNode(files *token.FileSet, n ast.Node) {
	switch s := n.(type) {
	case *ast.IfStmt:
		f.addCondition(files, &f.Conditions, "conditions", s.Cond)
	case *ast.ForStmt:
		f.addCondition(files, &f.Conditions, "conditions", s.Cond)
	case *ast.SwitchStmt:
		f.addCondition(files, &f.Expressions, "expressions", s.Tag)
	case *ast.CaseClause:
		f.addCondition(files, &f.Expressions, "expressions", s.List...)
	case *ast.ReturnStmt:
		f.addCondition(files, &f.Expressions, "expressions", s.Results...)
	case *ast.AssignStmt:
		f.addCondition(files, &f.Expressions, "expressions", s.Rhs...)
		if s.Tok == token.ASSIGN || s.Tok == token.DEFINE {
			f.Assignments++
			if len(s.Lhs) > 1 && len(s.Lhs) == len(s.Rhs) {
				f.Parallel++
				f.note(files, "parallel", s, source(files, s))
			}
		}
	}
}

// addCondition adds to count the expressions that join many operands.
func (f *Figures) addCondition(files *token.FileSet, count *int, kind string, expressions ...ast.Expr) {
	for _, e := range expressions {
		if operands(e) >= longCondition {
			*count++
			f.note(files, kind, e, source(files, e))
		}
	}
}

func (f *Figures) note(files *token.FileSet, kind string, n ast.Node, text string) {
	f.Places = append(f.Places, Place{Kind: kind, Position: files.Position(n.Pos()), Text: text})
}

// statements is the number of statements in the tree of a node, itself included.
func statements(n ast.Node) int {
	count := 0
	ast.Inspect(n, func(n ast.Node) bool {
		if _, ok := n.(ast.Stmt); ok {
			count++
		}
		return true
	})
	return count
}

// operands is the number of operands that && and || join in an expression, through parentheses and negations.
func operands(e ast.Expr) int {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return operands(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.NOT {
			return operands(x.X)
		}
	case *ast.BinaryExpr:
		if x.Op == token.LAND || x.Op == token.LOR {
			return operands(x.X) + operands(x.Y)
		}
	}
	return 1
}

// hasComment says whether a comment is inside a body.
func hasComment(file *ast.File, body *ast.BlockStmt) bool {
	for _, group := range file.Comments {
		if group.Pos() > body.Lbrace && group.End() <= body.Rbrace {
			return true
		}
	}
	return false
}

// source is a node as text on one line, cut after 100 characters.
func source(files *token.FileSet, n ast.Node) string {
	var b strings.Builder
	if err := printer.Fprint(&b, files, n); err != nil {
		return err.Error()
	}
	text := []rune(strings.Join(strings.Fields(b.String()), " "))
	if len(text) > 100 {
		return string(text[:97]) + "..."
	}
	return string(text)
}

// lineKind is what a line has.
type lineKind byte

const (
	codeLine lineKind = iota
	commentLine
	blankLine
)

// classify returns the kind of every line of a file. A line with code and a comment is a code line.
func classify(files *token.FileSet, file *ast.File, text []byte) []lineKind {
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	kinds := make([]lineKind, len(lines))
	for k, line := range lines {
		if strings.TrimSpace(line) == "" {
			kinds[k] = blankLine
		}
	}

	for _, group := range file.Comments {
		for _, c := range group.List {
			first := files.Position(c.Pos())
			last := files.Position(c.End()).Line
			for l := first.Line; l <= last; l++ {
				startsLine := l > first.Line || strings.TrimSpace(lines[l-1][:first.Column-1]) == ""
				if startsLine && kinds[l-1] != blankLine {
					kinds[l-1] = commentLine
				}
			}
		}
	}
	return kinds
}
