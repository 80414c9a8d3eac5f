package mps

import "github.com/proxybd/proxybd/lp"

// condition reads "column = 0 ->" or "column = 1 ->" if it comes next, which makes a row an indicator constraint.
func (p *lpParser) condition() (c lp.Indicator, is bool, err *Error) {
	if p.cur.kind != nameToken || p.peek.kind != relation || p.peek.text[0] != '=' {
		return c, false, nil
	}

	// Only what follows the value decides: an arrow, whose tokens are - and >, or < and - in the one that is refused.
	ahead := *p
	ahead.drop(2)
	value := ahead.cur
	if value.kind != numberToken {
		return c, false, nil
	}
	ahead.advance()
	implies := ahead.cur.symbol('-') && ahead.peek.relates('>')
	implied := ahead.cur.relates('<') && ahead.peek.symbol('-')
	if !implies && !implied {
		return c, false, nil
	}

	// From here on it is a condition: what does not fit is an error and no longer the beginning of an expression.
	j := p.column()
	p.advance()
	if value.value != 0 && value.value != 1 {
		return c, false, p.fail("indicator value", "neither 0 nor 1")
	}
	p.advance()
	if !implies {
		return c, false, p.fail("relation", "of the implications only -> is supported")
	}
	p.drop(2)
	return lp.Indicator{If: lp.Var(j), Is: int(value.value)}, true, nil
}

// relates reports whether the token is a relation of the given kind.
func (t *token) relates(c byte) bool { return t.kind == relation && t.text[0] == c }

// semiContinuous reads a name of Semi-continuous.
func (p *lpParser) semiContinuous() *Error {
	if p.cur.kind != nameToken {
		return p.fail("word", "expected a column")
	}
	line := p.cur.line
	p.logic.semi(p.known(), line)
	return nil
}

// set reads [name:] S1:: or S2::, and columns with their weights.
func (p *lpParser) set() *Error {
	// One colon ends a name, two end a type.
	s := members{line: p.cur.line}
	if p.cur.kind == nameToken && p.peek.symbol(':') {
		ahead := *p
		ahead.drop(2)
		if !ahead.cur.symbol(':') {
			s.set.Name = p.label()
		}
	}
	if p.cur.kind == nameToken {
		s.set.Kind = setKinds[lower(p.cur.text)]
	}
	if s.set.Kind == 0 {
		return p.fail("word", "expected S1:: or S2::")
	}
	p.advance()
	for range 2 {
		if !p.cur.symbol(':') {
			return p.fail("character", "expected :: after the type of a set")
		}
		p.advance()
	}

	// The weight follows the column and a colon.
	for p.isMember() {
		j := p.known()
		p.advance()
		v, err := p.side()
		if err != nil {
			return err
		}
		s.take(j, v)
	}
	return s.addTo(&p.logic)
}

// isMember reports whether "column: number" comes next.
func (p *lpParser) isMember() bool {
	if p.cur.kind != nameToken || !p.peek.symbol(':') {
		return false
	}
	ahead := *p
	ahead.drop(2)
	return ahead.cur.kind == numberToken || ahead.cur.symbol('-') || ahead.cur.symbol('+')
}
