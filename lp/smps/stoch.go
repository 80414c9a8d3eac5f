package smps

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/lp/stoch"
)

// stochParser reads a stoch file into a program, whose core and periods are known.
type stochParser struct {
	*file
	core     *core
	p        *Program
	warnings []string

	// section is the one that the current line belongs to: INDEP, BLOCKS or SCENARIOS, "" before the first.
	section string
	// law is DISCRETE or the name of a continuous distribution, for the lines of the section.
	law string
	// mode is REPLACE, ADD or MULTIPLY: how a value of the section acts on the one of the core.
	mode string
	// random has the part of each number of INDEP and BLOCKS, and blocks that of each block by its name.
	random map[target]int
	blocks map[string]int
	// fixed has the values that scenarios give to numbers of the first period, which all scenarios share.
	fixed map[target]float64
	// byName has the index of each scenario.
	byName map[string]int32
	// current is the part or scenario that entries belong to, -1 for none.
	current int
	// sections are those that have begun.
	sections map[string]bool
}

// unsupported are the sections that the format has and this reader refuses, with the reason.
var unsupported = map[string]string{
	"CHANCE":   chances,
	"ICC":      chances,
	"NODES":    "not supported",
	"DISTRIB":  "not supported",
	"SIMPLE":   "not supported",
	"ROBUST":   "not supported",
	"PLINQUAD": "not supported",
}

// chances is the reason for the sections of constraints that need hold only with a probability.
const chances = "not supported: probabilistic and integrated chance constraints"

// laws are the words for distributions in the head of a section. DISCRETE is the default.
var laws = map[string]string{
	"DISCRETE":  "DISCRETE",
	"UNIFORM":   "UNIFORM",
	"NORMAL":    "NORMAL",
	"GAMMA":     "GAMMA",
	"BETA":      "BETA",
	"LOGNORM":   "LOGNORMAL",
	"LOGNORMAL": "LOGNORMAL",
}

// readStoch reads the stoch file.
func readStoch(path string, c *core, p *Program) ([]string, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	s := &stochParser{
		file:     f,
		core:     c,
		p:        p,
		random:   map[target]int{},
		blocks:   map[string]int{},
		fixed:    map[target]float64{},
		byName:   map[string]int32{},
		current:  -1,
		sections: map[string]bool{},
	}
	if err := s.parse(); err != nil {
		return nil, err
	}
	return s.warnings, nil
}

// parse reads the file to ENDATA, which may be missing.
func (s *stochParser) parse() error {
	for fields, header := range s.lines {
		switch {
		case header && strings.EqualFold(fields[0], "ENDATA"):
			return s.finish()
		case header:
			if err := s.header(fields); err != nil {
				return err
			}
		default:
			if err := s.data(fields); err != nil {
				return err
			}
		}
	}

	if s.section == "" {
		return s.fail("", "", "the file ends without a section")
	}
	s.warnings = append(s.warnings, fmt.Sprintf("%s: the file ends without ENDATA", s.path))
	return s.finish()
}

// header begins a section.
func (s *stochParser) header(fields []string) error {
	word := strings.ToUpper(fields[0])

	// The name of the stoch file goes before that of the core file.
	switch word {
	case "STOCH", "NAME":
		if len(fields) > 1 {
			s.p.Name = fields[1]
		}
		return nil
	case "INDEP", "BLOCKS", "SCENARIOS":
	default:
		return s.fail("section", fields[0], "%s", cmp.Or(unsupported[word], "unknown"))
	}

	// A tree of scenarios is the whole distribution; independent parts may come in several sections.
	if s.sections["SCENARIOS"] || word == "SCENARIOS" && len(s.sections) > 0 {
		return s.fail("section", fields[0], "SCENARIOS and other sections do not go together")
	}

	// What the head of the section does not say has a default.
	s.section = word
	s.sections[word] = true
	s.law = "DISCRETE"
	s.mode = "REPLACE"
	s.current = -1
	for _, f := range fields[1:] {
		f = strings.ToUpper(f)
		law := laws[f]
		switch {
		case f == "REPLACE" || f == "ADD" || f == "MULTIPLY":
			s.mode = f
		case law == "DISCRETE" || law != "" && word == "INDEP":
			s.law = law
		default:
			return s.fail("distribution", f, "not supported in section %s", word)
		}
	}
	return nil
}

// data handles a line of a section.
func (s *stochParser) data(fields []string) error {
	switch s.section {
	case "INDEP":
		return s.independent(fields)
	case "BLOCKS":
		if strings.EqualFold(fields[0], "BL") {
			return s.block(fields)
		}
	case "SCENARIOS":
		if strings.EqualFold(fields[0], "SC") {
			return s.scenario(fields)
		}
	default:
		return s.fail("", "", "data outside any section")
	}

	// The other lines of these two sections are entries of the block or scenario at hand.
	if s.current < 0 {
		return s.fail("", "", "an entry before the first BL or SC line")
	}
	return s.entries(fields)
}

// boundTypes are the types of bounds that may be random.
var boundTypes = []string{"UP", "LO", "FX"}

// target reads the place that the first fields name and returns the fields left.
func (s *stochParser) target(fields []string) (target, []string, error) {
	c := s.core
	if len(fields) < 2 {
		return target{}, nil, s.fail("", "", "expected a column, a row and a value, found %d fields", len(fields))
	}

	// A type of bound, unless a column has its name.
	j, isCol := c.cols[fields[0]]
	if word := strings.ToUpper(fields[0]); !isCol && slices.Contains(boundTypes, word) && len(fields) >= 3 {
		j, ok := c.cols[fields[2]]
		if !ok {
			return target{}, nil, s.fail("column", fields[2], "not in the core file")
		}
		return target{kind: theBound, col: j, bound: word}, fields[3:], nil
	}

	// A column or the right-hand side, and a row.
	if isCol && fields[1] == c.Model.Objective {
		return target{kind: theCost, col: j}, fields[2:], nil
	}
	if !isCol && !c.isRight(fields[0]) {
		err := s.fail("column", fields[0], "neither a column of the core file nor its right-hand side set %q", c.RHS)
		return target{}, nil, err
	}
	i, ok := c.rows[fields[1]]
	switch {
	case !ok && fields[1] == c.Model.Objective:
		return target{}, nil, s.fail("row", fields[1], "a random constant of the objective is not supported")
	case !ok:
		return target{}, nil, s.fail("row", fields[1], "not in the core file")
	case c.Types[i] == 'N':
		return target{}, nil, s.fail("row", fields[1], "a free row has no random numbers")
	case isCol:
		return target{kind: theEntry, row: i, col: j}, fields[2:], nil
	}
	return target{kind: theRight, row: i}, fields[2:], nil
}

// isRight reports whether a name is one of the right-hand side.
func (c *core) isRight(name string) bool {
	// Whatever the set is called, the two usual words stand for it too.
	return name == c.RHS || slices.ContainsFunc([]string{c.RHS, "RHS", "RIGHT"}, func(right string) bool {
		return strings.EqualFold(name, right)
	})
}

// natural returns the period in which a number of the core is needed.
func (s *stochParser) natural(t target) int32 {
	// Costs and bounds belong to the period of the column, all else to that of the row.
	if t.kind == theCost || t.kind == theBound {
		return s.p.ColPeriod[t.col]
	}
	return s.p.RowPeriod[t.row]
}

// realised returns the number that the value v makes of the core's, in the mode of the section.
func (s *stochParser) realised(t target, v float64) float64 {
	// A change of the core may be relative in the file; in the program it is a value.
	switch s.mode {
	case "ADD":
		return s.core.value(t) + v
	case "MULTIPLY":
		return s.core.value(t) * v
	}
	return v
}

// independent reads a line of INDEP: a place, a value, a period or nothing, and a probability or a second parameter.
func (s *stochParser) independent(fields []string) error {
	t, rest, err := s.target(fields)
	if err != nil {
		return err
	}
	if len(rest) != 2 && len(rest) != 3 {
		const want = "a place, a value, a period or nothing, and a probability"
		return s.fail("", "", "expected %s; found %d fields", want, len(fields))
	}

	// In a continuous section the two numbers are the parameters of the distribution.
	a, err := s.number("value", rest[0])
	if err != nil {
		return err
	}
	b, err := s.number("probability", rest[len(rest)-1])
	if err != nil {
		return err
	}

	// The number is known in the period in which it is needed, or before.
	period := s.natural(t)
	if len(rest) == 3 {
		if period, err = s.stated(rest[1], period); err != nil {
			return err
		}
	}
	if period == 0 {
		return s.fail("", "", "a random number in the first period, which is decided before anything is known")
	}

	// All lines of a number make one part, which is known in one period.
	k, known := s.random[t]
	switch {
	case !known:
		k = len(s.p.Parts)
		s.random[t] = k
		s.p.Parts = append(s.p.Parts, Part{Name: fields[0] + " " + fields[1], Period: period})
	case s.isBlock(k):
		return s.fail("", "", "the number is in the block %s already", s.p.Parts[k].Name)
	case s.p.Parts[k].Period != period:
		return s.fail("", "", "the number is known in %s by a line before, not in %s", s.p.Periods[s.p.Parts[k].Period],
			s.p.Periods[period])
	}
	if s.law == "DISCRETE" {
		return s.outcome(k, b, s.core.changes(t, s.realised(t, a)))
	}

	// A continuous number has one distribution. Its values act on the core in the mode of this section, which may not be
	// that of a later one.
	if known {
		return s.fail("", "", "the second distribution of this number")
	}
	law := &Law{Name: s.law, A: a, B: b}
	mode := *s
	law.change = func(v float64) []stoch.Change { return mode.core.changes(t, mode.realised(t, v)) }
	if err := law.check(); err != nil {
		return s.fail("", "", "%v", err)
	}
	s.p.Parts[k].Law = law
	return nil
}

// isBlock reports whether a part is a block, and no number of INDEP.
func (s *stochParser) isBlock(k int) bool {
	b, known := s.blocks[s.p.Parts[k].Name]
	return known && b == k
}

// outcome adds a realisation to a part.
func (s *stochParser) outcome(k int, probability float64, changes []stoch.Change) error {
	if probability < 0 || probability > 1+sumTolerance {
		return s.fail("", "", "a probability of %g", probability)
	}

	// A number cannot be discrete and continuous at once.
	q := &s.p.Parts[k]
	if q.Law != nil {
		return s.fail("", "", "the second distribution of this number")
	}
	q.Outcomes = append(q.Outcomes, Outcome{Probability: probability, Changes: changes})
	return nil
}

// stated returns the period that a line names, which must not be after the one in which the number is needed.
func (s *stochParser) stated(name string, natural int32) (int32, error) {
	// A number may be known before it is needed, not after.
	p, err := periodOf(s.file, s.p.Periods, name)
	if err == nil && p > natural {
		return 0, s.fail("period", name, "the number is needed before, in %s", s.p.Periods[natural])
	}
	return p, err
}

// block reads a line that begins a realisation of a block.
func (s *stochParser) block(fields []string) error {
	if len(fields) != 3 && len(fields) != 4 {
		return s.fail("", "", "expected BL, a block, a period and a probability, found %d fields", len(fields))
	}
	probability, err := s.number("probability", fields[len(fields)-1])
	if err != nil {
		return err
	}

	// A period is that of all realisations of a block. Without one it is the second.
	k, known := s.blocks[fields[1]]
	period := int32(1)
	if len(fields) == 4 {
		if period, err = periodOf(s.file, s.p.Periods, fields[2]); err != nil {
			return err
		}
		if known && s.p.Parts[k].Period != period {
			return s.fail("period", fields[2], "the block %s is known in %s by a line before", fields[1],
				s.p.Periods[s.p.Parts[k].Period])
		}
	}
	if !known {
		if len(fields) == 3 && len(s.p.Periods) > 2 {
			return s.fail("", "", "a block without a period, of %d", len(s.p.Periods))
		}
		if period == 0 {
			const early = "random numbers in the first period, which is decided before anything is known"
			return s.fail("period", fields[2], early)
		}
		k = len(s.p.Parts)
		s.blocks[fields[1]] = k
		s.p.Parts = append(s.p.Parts, Part{Name: fields[1], Period: period})
	}

	// The entries that follow belong to this realisation.
	s.current = k
	return s.outcome(k, probability, nil)
}

// scenario reads a line that begins a scenario.
func (s *stochParser) scenario(fields []string) error {
	if len(fields) != 5 {
		const want = "SC, a scenario, its parent, a probability and a period"
		return s.fail("", "", "expected %s, found %d fields", want, len(fields))
	}
	if _, known := s.byName[fields[1]]; known {
		return s.fail("scenario", fields[1], "the second one of this name")
	}

	// The parent is a scenario above, or the root.
	parent := int32(-1)
	if name := strings.Trim(fields[2], "'"); !strings.EqualFold(name, "ROOT") {
		k, ok := s.byName[name]
		if !ok {
			return s.fail("parent", fields[2], "no scenario above has this name")
		}
		parent = k
	}

	// Probabilities are those of whole paths, and are normalised at the end.
	probability, err := s.number("probability", fields[3])
	if err != nil {
		return err
	}
	if probability < 0 || probability > 1+sumTolerance {
		return s.fail("probability", fields[3], "not between 0 and 1")
	}
	branch, err := periodOf(s.file, s.p.Periods, fields[4])
	if err != nil {
		return err
	}
	if parent >= 0 && branch == 0 {
		return s.fail("period", fields[4], "a scenario with a parent shares the first period with it")
	}

	// The entries that follow belong to this scenario.
	s.byName[fields[1]] = int32(len(s.p.Scenarios))
	s.current = len(s.p.Scenarios)
	one := Scenario{Name: fields[1], Parent: parent, Branch: branch, Probability: probability}
	s.p.Scenarios = append(s.p.Scenarios, one)
	return nil
}

// entries reads a line of entries of the current block or scenario.
func (s *stochParser) entries(fields []string) error {
	// Several rows may follow a column, each with its value.
	first := fields[0]
	for {
		t, rest, err := s.target(fields)
		if err != nil {
			return err
		}
		if len(rest) == 0 {
			return s.fail("", "", "a value is missing")
		}
		v, err := s.number("value", rest[0])
		if err != nil {
			return err
		}
		if err := s.enter(t, v); err != nil {
			return err
		}

		// A bound has one value; a column may have more rows.
		if rest = rest[1:]; len(rest) == 0 {
			return nil
		}
		if t.kind == theBound {
			return s.fail("", "", "%d fields too many", len(rest))
		}
		fields = append([]string{first}, rest...)
	}
}

// enter adds a value to the current block or scenario.
func (s *stochParser) enter(t target, v float64) error {
	// natural is the period in which the number is needed.
	value := s.realised(t, v)
	changes := s.core.changes(t, value)
	natural := s.natural(t)

	// A scenario may not change what it shares with its parent. The root may set numbers of the first period.
	if s.section == "SCENARIOS" {
		sc := &s.p.Scenarios[s.current]
		if natural < sc.Branch && !(sc.Parent < 0 && natural == 0) {
			return s.fail("", "", "a number of period %s in a scenario that branches in %s", s.p.Periods[natural],
				s.p.Periods[sc.Branch])
		}

		// All scenarios share the numbers of the first period.
		if natural == 0 {
			if before, known := s.fixed[t]; known && before != value {
				return s.fail("", "", "a number of the first period, which all scenarios share, with a second value")
			}
			s.fixed[t] = value
		}
		sc.Changes = append(sc.Changes, changes...)
		return nil
	}

	// A number is in one part, and a block must be known when its numbers are needed.
	q := &s.p.Parts[s.current]
	if k, known := s.random[t]; known && k != s.current {
		return s.fail("", "", "the number is random already, in the part %s", s.p.Parts[k].Name)
	}
	s.random[t] = s.current
	if natural < q.Period {
		return s.fail("", "", "the block is known in %s, the number is needed before, in %s", s.p.Periods[q.Period],
			s.p.Periods[natural])
	}
	o := &q.Outcomes[len(q.Outcomes)-1]
	o.Changes = append(o.Changes, changes...)
	return nil
}
