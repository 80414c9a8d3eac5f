package mps

import (
	"io"
	"math"

	"github.com/proxybd/proxybd/lp"
)

// ReadLP reads a model in the LP format that CPLEX introduced, packed or plain: an objective, constraints,
// bounds, generals, binaries, semi-continuous columns, special ordered sets and end; rows may have indicators. Both
// sides of a range may be given in one constraint (1 <= x + y <= 5), and the objective may have a constant. Terms of
// the same column are added up, on both sides of a constraint. Lazy constraints are rows like others, and so are user
// cuts, which must not exclude an integer point. Everything that is not linear is refused. It returns warnings and
// errors as Read does.
//
// A row NAME_rhs with an upper side that follows a row NAME_lhs with a lower side and the same left side is joined with
// it to the range NAME. WriteLP and SCIP write a range in this way.
//
// The last bound that is stated for a side of a column counts. A column of Binaries is 0 or 1 besides: its bounds are
// those of Bounds intersected with [0, 1], whichever section comes first. Where nothing is left the model is
// infeasible.
func ReadLP(r io.Reader, name string) (*lp.Model, []string, error) {
	return readModel(r, name, parseLP)
}

// parseLP begins with the first two tokens read.
func parseLP(data []byte, name string) (*lp.Model, []string, error) {
	p := &lpParser{lex: lexer{data: data, line: 1}, model: &lp.Model{}, cols: map[string]int32{}}
	p.drop(2)
	if err := p.parse(); err != nil {
		err.File = name
		return nil, nil, err
	}
	return p.model, p.warn.list(name), nil
}

// lpParser reads one file by recursive descent. It looks one token ahead; where that is not enough, a copy of the
// parser reads on. The copy shares the file and the model, which looking ahead does not change.
type lpParser struct {
	lex lexer
	// cur is the token at hand, peek the one behind it.
	cur, peek token
	model     *lp.Model
	warn      warnings
	logic     logic
	// cols gives the index of a column by its name, in the order of first appearance.
	cols map[string]int32
	// rowNames are the names that constraints of the file have.
	rowNames map[string]bool
	// upperSet marks, by column, that Bounds has set the upper bound.
	upperSet []bool
	// binary is, by column, the line of Binaries that names it, 0 for none.
	binary []int
	// lastLower is the row that was read last, if it may be the lower side of a range, and ranges are the rows that two
	// sides were joined to, by name.
	lastLower rangeSide
	ranges    map[string]lp.Con

	// index and value are the expression that was read last, as a sparse vector: each column once, perhaps with the
	// coefficient 0. place is, by column, the position in index plus one, 0 for none.
	index []int32
	value []float64
	place []int32
}

// advance moves to the next token.
func (p *lpParser) advance() {
	p.cur = p.peek
	p.peek = p.lex.next()
}

// fail makes an error at the current token; what is its kind, which may be empty.
func (p *lpParser) fail(what, msg string) *Error {
	if p.cur.kind == endToken {
		return &Error{Line: p.cur.line, Field: "end of file", Msg: msg}
	}
	return failure(p.cur.line, what, p.cur.text, msg)
}

// lpSection is a section of an LP file.
type lpSection uint8

const (
	// noLPSection stands for a word that is no keyword.
	noLPSection lpSection = iota
	// lpMinimize and lpMaximize begin the objective, which comes first in the file.
	lpMinimize
	lpMaximize
	// lpConstraints is "subject to" in its many spellings.
	lpConstraints
	// lpCuts are rows that every integer point satisfies.
	lpCuts
	// lpBounds are bounds of columns; without an entry they are 0 and infinity.
	lpBounds
	// lpGenerals are names of integer columns, lpBinaries those of columns that are 0 or 1.
	lpGenerals
	lpBinaries
	// lpSemi are names of semi-continuous columns.
	lpSemi
	// lpSets are special ordered sets.
	lpSets
	// lpEnd is the last line of a file.
	lpEnd
	// lpUnsupported are sections that the format has and this reader refuses.
	lpUnsupported
)

// lpKeywords are the keywords of one word, in lower case.
var lpKeywords = map[string]lpSection{
	"minimize": lpMinimize, "minimise": lpMinimize, "minimum": lpMinimize, "min": lpMinimize,
	"maximize": lpMaximize, "maximise": lpMaximize, "maximum": lpMaximize, "max": lpMaximize,
	"st": lpConstraints, "s.t.": lpConstraints, "st.": lpConstraints,
	"bounds": lpBounds, "bound": lpBounds,
	"generals": lpGenerals, "general": lpGenerals, "gen": lpGenerals,
	"integers": lpGenerals, "integer": lpGenerals, "int": lpGenerals,
	"binaries": lpBinaries, "binary": lpBinaries, "bin": lpBinaries,
	"semis": lpSemi, "semi": lpSemi, "semicontinuous": lpSemi,
	"sos": lpSets,
	"end": lpEnd,
	// What other programs have and this one refuses.
	"sos1": lpUnsupported, "sos2": lpUnsupported, "pwlobj": lpUnsupported,
}

// lpPairs are the keywords of two words.
var lpPairs = map[string]lpSection{
	"subject to": lpConstraints, "such that": lpConstraints,
	"lazy constraints": lpConstraints, "user cuts": lpCuts, "general constraints": lpUnsupported,
}

// keyword returns the section that the current token opens and how many tokens it takes. A keyword is the first word of
// its line and no label.
func (p *lpParser) keyword() (s lpSection, words int) {
	// A colon on the next line belongs to something else than this word.
	isLabel := p.peek.symbol(':') && !p.peek.first
	if p.cur.kind != nameToken || !p.cur.first || isLabel {
		return noLPSection, 0
	}

	word := lower(p.cur.text)
	if p.peek.kind == nameToken && p.peek.line == p.cur.line {
		if s := lpPairs[word+" "+lower(p.peek.text)]; s != noLPSection {
			return s, 2
		}
	}

	// A line may begin with "semi - x", where semi is a column.
	if word == "semi" && p.peek.symbol('-') {
		ahead := *p
		ahead.drop(2)
		if lower(ahead.cur.text) != "continuous" {
			return noLPSection, 0
		}
		return lpSemi, 3
	}
	return lpKeywords[word], 1
}

// parse reads the whole file.
func (p *lpParser) parse() *Error {
	if p.cur.kind == endToken {
		return &Error{Msg: "the file is empty"}
	}

	// The objective comes first; the other sections may be missing and come in any order.
	s, words := p.keyword()
	if s != lpMinimize && s != lpMaximize {
		return p.fail("word", "the file must begin with Minimize or Maximize")
	}
	p.drop(words)
	p.model.Maximize = s == lpMaximize
	if err := p.objective(); err != nil {
		return err
	}

	for {
		s, words := p.keyword()
		switch s {
		case noLPSection:
			return p.fail("word", "expected a section or End")
		case lpUnsupported:
			return p.fail("section", "not supported: only linear models with integer columns are")
		}
		p.drop(words)
		if s == lpEnd {
			return p.finish()
		}
		if err := p.section(s); err != nil {
			return err
		}
	}
}

// drop moves past tokens.
func (p *lpParser) drop(words int) {
	for range words {
		p.advance()
	}
}

// section reads the lines of a section up to the next keyword.
func (p *lpParser) section(s lpSection) *Error {
	read := map[lpSection]func() *Error{
		lpConstraints: p.constraint,
		lpCuts:        p.cut,
		lpBounds:      p.bound,
		lpGenerals:    func() *Error { return p.integer(false) },
		lpBinaries:    func() *Error { return p.integer(true) },
		lpSemi:        p.semiContinuous,
		lpSets:        p.set,
	}[s]
	if read == nil {
		return p.fail("", "a second objective")
	}

	// The lines of a section end where a keyword begins a line.
	for !p.opensSection() {
		if p.cur.kind == endToken {
			return p.fail("", "the file ends without End: it is truncated")
		}
		if err := read(); err != nil {
			return err
		}
	}
	return nil
}

// finish completes the bounds, and makes rows and columns of sets and the like.
func (p *lpParser) finish() *Error {
	if p.cur.kind != endToken {
		p.warn.add("tail", p.cur.line, "what follows End is ignored")
	}

	// An integer column without bounds is often one whose bounds were left out by mistake, so a warning names it.
	p.restrictBinaries()
	for j := range p.model.Cols {
		c := &p.model.Cols[j]
		defaults := c.Lower == 0 && math.IsInf(c.Upper, 1) && !p.upperSet[j]
		if c.Integer && defaults {
			p.warn.add("unbounded integer", 0, "integer column %q has no bounds: it may take any value from 0 to +infinity",
				c.Name)
		}
	}

	if err := p.model.Validate(); err != nil {
		return invalid(err)
	}
	return p.logic.impose(p.model)
}

// label reads "name:" if it comes next.
func (p *lpParser) label() string {
	if p.cur.kind != nameToken || !p.peek.symbol(':') {
		return ""
	}

	// The colon goes with the name.
	name := string(p.cur.text)
	p.drop(2)
	return name
}

// objective reads [name:] and an expression, where a constant is the offset.
func (p *lpParser) objective() *Error {
	p.model.Objective = p.label()
	constant, err := p.expression()
	if err != nil {
		return err
	}

	// The expression is the objective; its constant is no term of a column.
	p.model.Offset = constant
	for k, j := range p.index {
		p.model.Cols[j].Cost = p.value[k]
	}
	if p.cur.kind == relation {
		return p.fail("relation", "in the objective")
	}
	return nil
}

// expression reads terms up to a relation, a keyword or a line that does not begin with a sign into index and value,
// and returns the constants among them.
func (p *lpParser) expression() (constant float64, err *Error) {
	// Only the places of the expression before this one are reset, not those of all columns.
	for _, j := range p.index {
		p.place[j] = 0
	}
	p.index = p.index[:0]
	p.value = p.value[:0]

	for first := true; ; first = false {
		if p.opensSection() || p.cur.kind == endToken || p.cur.kind == relation {
			return constant, nil
		}

		// Every term but the first needs a sign. A line without one begins the next constraint.
		sign, signed := p.signs()
		if !signed && !first {
			if p.cur.first {
				return constant, nil
			}
			return 0, p.fail("word", "expected + or - between terms, or a relation")
		}

		// A term is a number, a column, or both, perhaps with a star between them. A name with a colon behind it is no
		// column, but the label of the next constraint.
		coef := 1.0
		numbered := p.cur.kind == numberToken
		starred := false
		if numbered {
			coef = p.cur.value
			p.advance()
			if starred = p.cur.symbol('*'); starred {
				p.advance()
			}
		}

		// A number beyond the range of float64 is read as an infinity.
		if math.IsInf(coef, 0) {
			return 0, p.fail("", "a coefficient too large for a double")
		}
		isLabel := numbered && p.cur.first && p.peek.symbol(':')
		if p.cur.kind == nameToken && !isLabel && !p.opensSection() {
			p.addTerm(p.column(), sign*coef)
			continue
		}

		// A number without a column is a constant, unless the star says that a column was to follow.
		if starred {
			return 0, p.fail("word", "expected a column after the *")
		}
		if !numbered {
			return 0, p.fail("character", "expected a number or a column; only linear expressions are supported")
		}
		constant += sign * coef
	}
}

// opensSection reports whether a keyword comes next.
func (p *lpParser) opensSection() bool {
	s, _ := p.keyword()
	return s != noLPSection
}

// addTerm adds coef times column j to the expression.
func (p *lpParser) addTerm(j int32, coef float64) {
	if k := p.place[j]; k > 0 {
		p.value[k-1] += coef
		return
	}

	// The first term of the column in this expression.
	p.index = append(p.index, j)
	p.value = append(p.value, coef)
	p.place[j] = int32(len(p.index))
}

// column returns the index of the column that the current token names, a new one perhaps, and moves on.
func (p *lpParser) column() int32 {
	j, ok := p.cols[string(p.cur.text)]
	if !ok {
		name := string(p.cur.text)
		j = int32(p.model.AddCol(lp.Col{Name: name, Upper: lp.Inf}))

		// What the parser has by column grows with the columns.
		p.cols[name] = j
		p.place = append(p.place, 0)
		p.upperSet = append(p.upperSet, false)
		p.binary = append(p.binary, 0)
	}
	p.advance()
	return j
}

// signs reads any number of + and -.
func (p *lpParser) signs() (sign float64, any bool) {
	sign = 1
	for p.cur.symbol('+') || p.cur.symbol('-') {
		if p.cur.text[0] == '-' {
			sign = -sign
		}
		any = true
		p.advance()
	}
	return sign, any
}

// side reads a signed number or infinity.
func (p *lpParser) side() (float64, *Error) {
	sign, _ := p.signs()
	v := p.cur.value

	// Infinity is a word in this format.
	switch p.cur.kind {
	case numberToken:
	case nameToken:
		inf, ok := parseInfinity(p.cur.text)
		if !ok {
			return 0, p.fail("word", "expected a number: columns belong on the left")
		}
		v = inf
	default:
		return 0, p.fail("character", "expected a number")
	}
	p.advance()
	return clip(sign * v), nil
}

// relation reads <=, >= or = and returns its deciding character.
func (p *lpParser) relation() (byte, *Error) {
	if p.cur.kind != relation {
		return 0, p.fail("word", "expected <=, >= or =")
	}
	c := p.cur.text[0]
	p.advance()
	return c, nil
}

// sideFirst reports whether a signed number and a relation come next: the left side of a range or bound. It looks
// further ahead than one token, in a copy.
func (p *lpParser) sideFirst() bool {
	ahead := *p
	_, err := ahead.side()
	return err == nil && ahead.cur.kind == relation
}
