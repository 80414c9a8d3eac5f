package mps

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/lp"
)

// section is a section of an MPS file.
type section uint8

const (
	// noSection is before the first section, and after NAME.
	noSection section = iota
	// inObjSense and inObjName are sections of one argument, each on the same line or on the next.
	inObjSense
	inObjName
	// inRows has the types and names of the rows.
	inRows
	// inColumns has the coefficients, all those of a column together, and the costs as those of the objective row.
	inColumns
	// inRHS has the right-hand sides; a row without one has 0.
	inRHS
	// inRanges gives rows a second side.
	inRanges
	// inBounds has the bounds of columns; without a line they are 0 and infinity.
	inBounds
	// inSOS has special ordered sets.
	inSOS
	// inIndicators makes rows conditional on 0-1 columns.
	inIndicators
	// sections is the number of the constants above.
	sections
)

// sectionNames are the names of the sections that may appear once, as the file has them.
var sectionNames = [sections]string{
	inRows:       "ROWS",
	inColumns:    "COLUMNS",
	inRHS:        "RHS",
	inRanges:     "RANGES",
	inBounds:     "BOUNDS",
	inSOS:        "SOS",
	inIndicators: "INDICATORS",
}

// objective is the entry of parser.modelRow for the row that is the objective.
const objective = -1

// parser reads one file in one of the two formats into a model. A row of the file (a file row) is a line of ROWS; the
// objective is a file row and no row of the model.
type parser struct {
	scan scanner
	// fixed says that the fields are at the columns of fixed MPS, else that blanks separate them.
	fixed bool
	// core says that the file is the core file of a stochastic program, which has rows and columns alone.
	core  bool
	model *lp.Model
	warn  warnings
	// section is the one that the current line belongs to, and seen are those that have begun.
	section section
	seen    [sections]bool

	// sensed says that the file has given the sense of the objective.
	sensed bool
	// objName is the argument of OBJNAME; "" makes the first N row the objective.
	objName string
	// rows numbers the file rows, kind is the type of each (N, L, G or E), and modelRow its index in the model, or the
	// constant objective.
	rows     nameTable
	kind     []byte
	modelRow []int32
	// rhs and rng are the right-hand side and the range of each file row. A range of NaN is none.
	rhs, rng []float64
	// hasRHS marks the file rows whose right-hand side a line has given.
	hasRHS []bool
	// extra says that the rows are those of LAZYCONS or USERCUTS.
	extra bool
	// objRow is the file row of the objective, -1 for none.
	objRow int32

	// cols numbers the columns.
	cols nameTable
	// colsFrom is the number of bytes of the file from the first column on.
	colsFrom int
	// lastCol is, by file row, the last column with a coefficient there, plus one: it finds repeated coefficients.
	lastCol []int32
	// current is the name of the column that is being read, nil for none.
	current []byte
	// integer is set between the markers INTORG and INTEND.
	integer bool
	// zeros counts the coefficients of zero, which are not stored.
	zeros int
	// bounded has, by column, the flags of the bounds that a line has set.
	bounded []uint8
	// sets is, by section, the name of the set that counts, where setsKnown says that a line has named one.
	sets      [sections][]byte
	setsKnown [sections]bool

	logic logic
	// set is the special ordered set that is being read, nil for none.
	set *members
	// final is set once all fields were read without an error: another layout of the fields cannot mend the model then.
	final bool
}

// newParser returns a parser at the beginning of a file.
func newParser(data []byte, fixed, core bool) *parser {
	return &parser{
		scan:   scanner{data: data},
		fixed:  fixed,
		core:   core,
		model:  &lp.Model{},
		objRow: -1,
		rows:   newNameTable(),
		cols:   newNameTable(),
	}
}

// fail makes an error at the current line. what is the kind of the field, text its contents; what may be empty.
func (p *parser) fail(what string, text []byte, format string, args ...any) *Error {
	return failure(p.scan.line, what, text, fmt.Sprintf(format, args...))
}

// parse reads the file to ENDATA and finishes the model.
func (p *parser) parse() *Error {
	if len(bytes.TrimSpace(p.scan.data)) == 0 {
		return &Error{Msg: "the file is empty"}
	}

	// A line that starts in the first column opens a section; all others are data of the current one.
	for done := false; !done; {
		line := p.scan.next()
		if line == nil {
			return p.fail("", nil, "the file ends without ENDATA: it is truncated")
		}
		var err *Error
		if blank(line[0]) {
			err = p.data(line)
		} else {
			done, err = p.header(line)
		}
		if err != nil {
			return err
		}
	}

	if err := p.finish(); err != nil {
		return err
	}
	if line := p.scan.sense; line > 0 && !p.sensed {
		p.warn.add("sense", line, "the comment *SENSE:Maximize of PuLP is no part of the format: the model is minimised; "+
			"OBJSENSE MAX makes it a maximisation")
	}
	if p.scan.next() != nil {
		p.warn.add("tail", p.scan.line, "what follows ENDATA is ignored")
	}
	return nil
}

// header handles a line that starts in the first column; done is set at ENDATA.
func (p *parser) header(line []byte) (done bool, err *Error) {
	var tok [maxTokens][]byte
	n := split(line, &tok)
	word := strings.ToUpper(string(tok[0]))

	// Sections are in upper case, but some writers have them in lower case.
	switch word {
	case "NAME":
		if n > 1 {
			p.model.Name = string(tok[1])
		}
		p.section = noSection
		return false, nil
	case "OBJSENSE", "OBJNAME":
		return false, p.objectiveHeader(word, tok[1:n])

	// The sections of the format, each after the names that its lines refer to.
	case "ROWS":
		return false, p.enter(inRows, noSection)
	case "LAZYCONS", "USERCUTS":
		return false, p.moreRows(word)
	case "COLUMNS":
		if err := p.enter(inColumns, inRows); err != nil {
			return false, err
		}
		return false, p.chooseObjective()
	case "RHS", "RANGES", "BOUNDS", "SOS", "INDICATORS":
		return false, p.enter(section(slices.Index(sectionNames[:], word)), inColumns)
	case "ENDATA":
		if !p.seen[inColumns] {
			return false, p.fail("", nil, "ENDATA before the sections ROWS and COLUMNS")
		}
		return true, nil
	}
	return false, p.fail("section", tok[0], "%s", cmp.Or(unsupported[word], "unknown"))
}

// unsupported are the sections of other programs, with what is wrong with them here.
var unsupported = map[string]string{"SOS1": setsElsewhere, "SOS2": setsElsewhere, "SETS": setsElsewhere,
	"QSECTION": notLinear, "QUADOBJ": notLinear, "QMATRIX": notLinear, "QCMATRIX": notLinear, "CSECTION": notLinear,
	"GENCONS": notLinear, "PWLOBJ": notLinear}

const (
	setsElsewhere = "not supported: special ordered sets belong in a section SOS"
	notLinear     = "not supported: only linear models with integer columns are"
)

// enter starts a section that may appear once, after another one.
func (p *parser) enter(s, after section) *Error {
	switch {
	case p.seen[s]:
		return p.fail("", nil, "a second %s section", sectionNames[s])
	case after != noSection && !p.seen[after]:
		return p.fail("", nil, "section %s before section %s", sectionNames[s], sectionNames[after])
	}

	// INTEND may be missing behind the last column.
	if p.section == inColumns && p.integer {
		p.warn.add("marker", p.scan.line, "the columns end without an INTEND marker")
		p.integer = false
	}

	// The lines up to the next header are those of this section.
	p.section = s
	p.seen[s] = true
	return nil
}

// moreRows starts a section LAZYCONS or USERCUTS: lines as those of ROWS, whose coefficients stand in COLUMNS like all
// others. A solver may add lazy rows late and leave user cuts out; here both are rows from the beginning.
func (p *parser) moreRows(word string) *Error {
	if !p.seen[inRows] || p.seen[inColumns] {
		return p.fail("", nil, "section %s is not between ROWS and COLUMNS", word)
	}
	if word == "USERCUTS" {
		p.warn.add("user cut", p.scan.line, userCutText)
	}
	p.section = inRows
	p.extra = true
	return nil
}

// objectiveHeader handles OBJSENSE and OBJNAME, whose argument is on the same line or on the next.
func (p *parser) objectiveHeader(word string, args [][]byte) *Error {
	p.section = inObjSense
	if word == "OBJNAME" {
		if p.seen[inColumns] {
			return p.fail("", nil, "OBJNAME after COLUMNS")
		}
		p.section = inObjName
	}

	// Without an argument here it is on the next line.
	if len(args) == 0 {
		return nil
	}
	return p.objectiveArgument(args[0])
}

// objectiveArgument takes the sense or the name of the objective.
func (p *parser) objectiveArgument(arg []byte) *Error {
	if p.section == inObjName {
		p.objName = string(arg)
		return nil
	}

	// The sense may be a short word or the whole one.
	maximize, ok := senses[lower(arg)]
	if !ok {
		return p.fail("objective sense", arg, "neither MIN nor MAX")
	}
	p.model.Maximize = maximize
	p.sensed = true
	return nil
}

// senses are the words of OBJSENSE; true stands for a maximisation.
var senses = map[string]bool{"max": true, "maximize": true, "maximise": true,
	"min": false, "minimize": false, "minimise": false}

// data handles a line of the current section.
func (p *parser) data(line []byte) *Error {
	// These sections have no fixed columns.
	switch p.section {
	case inObjSense, inObjName:
		return p.objectiveArgument(trim(line))
	case noSection:
		return p.fail("", nil, "data outside any section")
	case inSOS:
		if err := p.refuseLogic("section", "SOS", "special ordered sets"); err != nil {
			return err
		}
		return p.specialLine(line)
	case inIndicators:
		if err := p.refuseLogic("section", "INDICATORS", "indicators"); err != nil {
			return err
		}
		return p.indicatorLine(line)
	}
	line = p.withoutComment(line)

	var f fields
	if p.fixed {
		// Files do not agree on the columns of a marker.
		if p.section == inColumns && bytes.Contains(line, markerWord) {
			return p.markerLine(line)
		}
		if !splitFixed(line, &f) {
			return p.fail("line", trim(line), "text between the fields of fixed MPS")
		}
		if p.section == inRows && len(f.code) == 0 {
			return p.fail("", nil, "a row needs a type in columns 2-3")
		}
	} else if err := p.align(line, &f); err != nil {
		return err
	}

	// Free and fixed lines are in the same fields from here on.
	switch p.section {
	case inRows:
		return p.row(&f)
	case inColumns:
		return p.column(&f)
	case inRHS:
		return p.pairs(&f, "right-hand side", p.setRHS)
	case inRanges:
		return p.pairs(&f, "range", p.setRange)
	default:
		return p.bound(&f)
	}
}

// withoutComment cuts a line at a dollar sign that begins a field, for there a comment begins, unless the field is the
// name of a row or column. In fixed MPS only the third and the fifth field can begin a comment.
func (p *parser) withoutComment(line []byte) []byte {
	for at := 0; ; at++ {
		next := bytes.IndexByte(line[at:], '$')
		if next < 0 {
			return line
		}
		at += next

		// The first field of a line and the name of a row in ROWS are new names.
		before := trim(line[:at])
		newName := len(before) == 0 || p.section == inRows && len(before) == 1

		// A comment begins a field, and a field ends at the next blank or, in fixed MPS, after eight characters.
		begins := !newName && blank(line[at-1])
		end := at
		for end < len(line) && !blank(line[end]) {
			end++
		}
		if p.fixed {
			begins = begins && (at == fixedColumns[2][0] || at == fixedColumns[4][0])
			end = min(at+fixedWidth, len(line))
		}

		// A name of the model that begins with a dollar sign is a name.
		name := trimRight(line[at:end])
		if _, isRow := p.rows.find(name); begins && !isRow && !p.isColumn(name) {
			return trimRight(line[:at])
		}
	}
}

// align puts the tokens of a free line into the fields that fixed MPS has them in.
func (p *parser) align(line []byte, f *fields) *Error {
	var tok [maxTokens][]byte
	n := split(line, &tok)

	switch p.section {
	case inRows:
		if n != 2 {
			return p.fail("", nil, "a row needs a type and a name, found %d fields", n)
		}
		f.code = tok[0]
		f.name = tok[1]

	case inBounds:
		return p.alignBound(tok[:n], f)

	default:
		// Pairs are even in number, so an odd number of fields begins with a name. A set may go without one, a column not.
		at := n % 2
		if at == 1 {
			f.name = tok[0]
		}
		unnamed := p.section == inColumns && at == 0
		if unnamed || n < at+2 || n > at+4 {
			return p.fail("", nil, "expected %s, found %d fields", lineShape[p.section], n)
		}

		// Each pair is a row and a number.
		for k := 0; at < n; k++ {
			f.key[k], f.value[k] = tok[at], tok[at+1]
			at += 2
		}
	}
	return nil
}

// lineShape says what a line of a section consists of.
var lineShape = map[section]string{
	inColumns: "a column and one or two pairs of row and value",
	inRHS:     "a set (or none) and one or two pairs of row and value",
	inRanges:  "a set (or none) and one or two pairs of row and value",
}

// row adds a line of ROWS.
func (p *parser) row(f *fields) *Error {
	if len(f.code) != 1 || bytes.IndexByte([]byte("NLGEnlge"), f.code[0]) < 0 {
		return p.fail("row type", f.code, "none of N, L, G and E")
	}

	// In fixed MPS a line may end before the name, or go on behind it.
	if len(f.name) == 0 {
		return p.fail("", nil, "a row without a name")
	}
	if len(f.key[0]) > 0 {
		return p.fail("field", f.key[0], "unexpected after the row's name")
	}

	if p.extra && f.code[0]|0x20 == 'n' {
		return p.fail("row type", f.code, "a lazy constraint or a user cut needs a side")
	}

	if _, added := p.rows.add(f.name); !added {
		return p.fail("row name", f.name, "the second row of this name")
	}
	p.kind = append(p.kind, f.code[0]&^0x20) // in upper case
	return nil
}

// chooseObjective decides which N row is the objective, and lays out the rows of the model.
func (p *parser) chooseObjective() *Error {
	// Without OBJNAME the first N row is the objective.
	p.objRow = int32(bytes.IndexByte(p.kind, 'N'))
	if p.objName != "" {
		// OBJNAME must name an N row.
		i, ok := p.rows.find([]byte(p.objName))
		if !ok || p.kind[i] != 'N' {
			return p.fail("objective name", []byte(p.objName), "no N row has this name")
		}
		p.objRow = i
	}
	if p.objRow < 0 {
		p.warn.add("noobjective", 0, "no N row: the objective is zero")
	} else {
		p.model.Objective = p.rows.names[p.objRow]
	}

	// The other rows keep the order of the file.
	n := len(p.kind)
	p.modelRow = make([]int32, n)
	p.model.Rows = make([]lp.Row, 0, n)
	for i := range p.kind {
		if int32(i) == p.objRow {
			p.modelRow[i] = objective
			continue
		}
		p.modelRow[i] = int32(len(p.model.Rows))
		p.model.Rows = append(p.model.Rows, lp.Row{Name: p.rows.names[i]})
	}

	// Right-hand sides and ranges come by file row, and are put together in finish.
	p.rhs = make([]float64, n)
	p.hasRHS = make([]bool, n)
	p.lastCol = make([]int32, n)
	p.rng = make([]float64, n)
	for i := range p.rng {
		p.rng[i] = math.NaN()
	}

	// A line has at most two coefficients. Room that is not used costs no memory.
	p.colsFrom = len(p.scan.data)
	p.model.Grow(2 * bytes.Count(p.scan.data, []byte{'\n'}))
	return nil
}
