package presolve

import (
	"maps"
	"math"
	"slices"
)

// residues uses equations modulo small primes. An equation over integer columns with integral coefficients is a
// congruence without the columns whose coefficients are multiples of the prime; Gaussian elimination over the field
// of residues leaves the residue of a column, or relates those of two binary ones. No linear relaxation implies that:
// where sum x_j - 2 k = b, the column k can take any value that the others need.
func (p *problem) residues() {
	if !p.has(Residues) {
		return
	}

	// An equation that no integers satisfy ends the presolve.
	equations := p.integralEquations()
	at := p.changes()
	for k := range equations {
		if !p.running() {
			return
		}
		if !p.representable(&equations[k]) {
			p.infeasible = true
			return
		}
	}

	for _, prime := range [...]int64{2, 3, 5, 7} {
		// What the last prime has fixed or substituted may be in the equations.
		if p.changes() != at {
			equations = p.integralEquations()
			at = p.changes()
		}
		s := newCongruences(prime, equations)
		if len(s.rows) == 0 || !p.running() {
			continue
		}
		s.eliminate()
		p.Work += s.work
		p.conclude(s)
	}
}

// congruence is an equation: the sum of its terms is side, modulo a number or not; columns ascend.
type congruence struct {
	terms []integerTerm
	side  int64
}

// integerTerm is a coefficient and its column.
type integerTerm struct {
	col int32
	val int64
}

// integralEquations lists the equations over integer columns in units of the common divisor of their coefficients.
func (p *problem) integralEquations() []congruence {
	var list []congruence
	for i := range int32(len(p.RowLo)) {
		b := p.RowLo[i]
		length := p.A.RowLen[i]
		equation := !p.GoneRow[i] && b == p.RowUp[i]
		if !equation || length < 2 || length > residueLen {
			continue
		}

		// The unit must be clear of the tolerance, and the side a multiple of it that float64 holds exactly.
		unit, ok := p.commonDivisor(i)
		exact := ok && unit >= unitMin*p.opt.Feasibility && math.Abs(b) <= maxSide*unit
		if !exact || !integral(b/unit, unit) || p.drift(i, unit) > sidePart*p.opt.Feasibility {
			continue
		}

		// In units of the divisor all numbers are integers.
		c := congruence{side: int64(math.Round(b / unit))}
		for e := range p.A.Row(i) {
			c.terms = append(c.terms, integerTerm{e.Col, int64(math.Round(e.Val / unit))})
		}
		slices.SortFunc(c.terms, func(a, b integerTerm) int { return int(a.col - b.col) })
		list = append(list, c)
	}
	return list
}

// congruences is a system modulo a prime.
type congruences struct {
	prime  int64
	rows   []congruence
	alone  []congruence      // taken out first: each has a column that no later one of these, and none of rows, has
	uses   map[int32][]int32 // the rows of a column, and some that no longer have it
	pivot  []int32           // by row, the column that it was solved for, -1 for none
	solved []int32           // rows, in the order of elimination
	work   int               // entries touched
}

// newCongruences reads equations modulo a prime. It is empty where every equation keeps all of its columns.
func newCongruences(prime int64, equations []congruence) *congruences {
	s := &congruences{prime: prime, uses: map[int32][]int32{}}
	rows := make([]congruence, len(equations))
	shorter := make([]bool, len(equations)) // the rows that have fewer columns than their equations
	count := map[int32]int{}
	for i, e := range equations {
		// Coefficients that are multiples of the prime drop out.
		c := congruence{side: s.mod(e.side)}
		for _, t := range e.terms {
			if v := s.mod(t.val); v != 0 {
				c.terms = append(c.terms, integerTerm{t.col, v})
				count[t.col]++
			}
		}
		rows[i] = c
		shorter[i] = len(c.terms) < len(e.terms)
	}

	// Without a shorter row the system implies no more than the equations themselves.
	if slices.Contains(shorter, true) {
		s.strip(rows, shorter, count)
	}
	return s
}

// strip takes out the rows with a column of their own, which restrict no other column, and keeps the others if one of
// them is more than the equation that it comes from.
func (s *congruences) strip(rows []congruence, shorter []bool, count map[int32]int) {
	// A row that is taken out may leave another one with a column of its own.
	own := func(t integerTerm) bool { return count[t.col] == 1 }
	gone := make([]bool, len(rows))
	again := true
	for pass := 0; again && pass < residuePasses; pass++ {
		again = false
		for i, c := range rows {
			if gone[i] || !slices.ContainsFunc(c.terms, own) {
				continue
			}
			gone[i] = true
			again = true
			s.alone = append(s.alone, c)
			for _, t := range c.terms {
				count[t.col]--
			}
		}
	}

	useful := false
	for i, c := range rows {
		if !gone[i] {
			s.rows = append(s.rows, c)
			useful = useful || shorter[i]
		}
	}
	if !useful || len(s.rows) > residueRows {
		s.rows = nil
	}
}

// mod is the residue of v, from 0 to prime - 1.
func (s *congruences) mod(v int64) int64 {
	// The remainder of Go has the sign of the dividend.
	if v %= s.prime; v < 0 {
		v += s.prime
	}
	return v
}

// inverse returns 1/v.
func (s *congruences) inverse(v int64) int64 {
	// The primes are small: trying all values is the fastest way.
	r := int64(1)
	for s.mod(r*v) != 1 {
		r++
	}
	return r
}

// solve returns the residue of the only column of a congruence with that coefficient and side.
func (s *congruences) solve(coef, side int64) int64 { return s.mod(side * s.inverse(coef)) }

// coef returns the coefficient of column j in row i.
func (s *congruences) coef(i, j int32) int64 {
	terms := s.rows[i].terms
	k, ok := slices.BinarySearchFunc(terms, j, func(t integerTerm, j int32) int { return int(t.col - j) })
	if !ok {
		return 0
	}
	return terms[k].val
}

// eliminate brings the rows to echelon form and substitutes backward, within the work allowed. Every row is a
// consequence of the given ones at any time, so that it may end early.
func (s *congruences) eliminate() {
	s.pivot = slices.Repeat([]int32{-1}, len(s.rows))

	// The rows of each column are listed once; elimination adds new ones.
	for i, c := range s.rows {
		for _, t := range c.terms {
			s.uses[t.col] = append(s.uses[t.col], int32(i))
		}
	}

	// Short rows and rare columns first keep the rows sparse.
	for s.work < residueWork {
		i := s.shortest()
		if i < 0 {
			break
		}

		// The row is solved for its rarest column, which leaves all rows that are not solved yet.
		j := s.rarest(i)
		s.pivot[i] = j
		s.solved = append(s.solved, i)
		for _, r := range s.uses[j] {
			if s.pivot[r] < 0 {
				s.clear(r, i, j)
			}
		}
	}

	// Backward, each solved column leaves the rows that were solved before.
	for k := len(s.solved) - 1; k >= 0 && s.work < residueWork; k-- {
		i := s.solved[k]
		j := s.pivot[i]
		for _, r := range s.uses[j] {
			if r != i {
				s.clear(r, i, j)
			}
		}
	}
}

// shortest returns the shortest row that is not solved and not empty, -1 for none.
func (s *congruences) shortest() int32 {
	best := int32(-1)
	for i := range s.rows {
		n := len(s.rows[i].terms)
		// A row without columns has nothing to be solved for.
		shorter := best < 0 || n < len(s.rows[best].terms)
		if s.pivot[i] < 0 && n > 0 && shorter {
			best = int32(i)
		}
	}
	s.work += len(s.rows)
	return best
}

// rarest returns the column of row i that the fewest rows have.
func (s *congruences) rarest(i int32) int32 {
	byUse := func(a, b integerTerm) int { return len(s.uses[a.col]) - len(s.uses[b.col]) }
	return slices.MinFunc(s.rows[i].terms, byUse).col
}

// clear takes column j out of row r by means of row i.
func (s *congruences) clear(r, i, j int32) {
	a := s.coef(r, j)
	if a == 0 {
		return
	}

	// Row r becomes x - f y. Columns that it gets from y are added to uses.
	f := s.mod(a * s.inverse(s.coef(i, j)))
	x := s.rows[r].terms
	y := s.rows[i].terms
	s.work += len(x) + len(y)
	out := congruence{side: s.mod(s.rows[r].side - f*s.rows[i].side)}

	// Both lists ascend by column, and are merged.
	for len(x) > 0 || len(y) > 0 {
		var t integerTerm
		switch {
		case len(y) == 0 || len(x) > 0 && x[0].col < y[0].col:
			t = x[0]
			x = x[1:]
		case len(x) == 0 || y[0].col < x[0].col:
			t = integerTerm{y[0].col, s.mod(-f * y[0].val)}
			s.uses[t.col] = append(s.uses[t.col], r)
			y = y[1:]
		default:
			t = integerTerm{x[0].col, s.mod(x[0].val - f*y[0].val)}
			x = x[1:]
			y = y[1:]
		}

		// Coefficients that cancel leave the row.
		if t.val != 0 {
			out.terms = append(out.terms, t)
		}
	}
	s.rows[r] = out
}

// conclude uses the rows that restrict one column or relate two binary ones. The rows that were taken out first come
// last in reverse: by then the residues of all but one of their columns may be known.
func (p *problem) conclude(s *congruences) {
	known := map[int32]int64{}

	// A row without columns is an equation of residues, which may be wrong.
	for i := range s.rows {
		c := &s.rows[i]
		switch {
		case len(c.terms) == 0 && c.side != 0:
			p.infeasible = true
			return
		case len(c.terms) == 1:
			known[c.terms[0].col] = s.solve(c.terms[0].val, c.side)
		}
	}
	for _, c := range slices.Backward(s.alone) {
		if j, residue, ok := s.last(&c, known); ok {
			known[j] = residue
		}
	}

	// The columns are taken in order, so that the result does not depend on the map.
	for _, j := range slices.Sorted(maps.Keys(known)) {
		p.takeResidue(j, known[j], s.prime)
	}
	for i := range s.rows {
		c := &s.rows[i]
		if len(c.terms) != 2 || p.infeasible {
			continue
		}

		// A column with a known residue may count its steps by now, and no longer be the column of the congruence.
		_, first := known[c.terms[0].col]
		_, second := known[c.terms[1].col]
		if !first && !second {
			p.takePair(c, s.prime)
		}
	}
}

// last returns the residue of the only column of c for which none is known.
func (s *congruences) last(c *congruence, known map[int32]int64) (col int32, residue int64, ok bool) {
	// All but one of the columns must have a known residue.
	side := c.side
	at := -1
	for k, t := range c.terms {
		r, has := known[t.col]
		switch {
		case has:
			side -= t.val * r
		case at >= 0:
			return 0, 0, false
		default:
			at = k
		}
	}
	if at < 0 {
		return 0, 0, false
	}
	return c.terms[at].col, s.solve(c.terms[at].val, side), true
}

// takeResidue uses that x_j is r modulo a prime: its bounds move to such values, and where there are several the column
// counts them from now on.
func (p *problem) takeResidue(j int32, r, prime int64) {
	// The values of x_j are a grid of the prime, from the residue on.
	g := grid{start: float64(r), step: float64(prime)}
	lo := g.start + g.step*math.Ceil((p.Lo[j]-g.start)/g.step)
	up := g.start + g.step*math.Floor((p.Up[j]-g.start)/g.step)
	if lo > up {
		p.infeasible = true
		return
	}
	if lo > p.Lo[j] || up < p.Up[j] {
		p.moveBounds(j, lo, up)
		p.count.Residues++
	}

	// Several values remain: the column becomes their number, if the model may change.
	if lo < up && !p.opt.KeepColumns && p.usable(j, g) {
		p.countSteps(j, g)
	}
}

// takePair uses the pairs of values that a congruence leaves two binary columns: one of them may be fixed, or be equal
// to the other or to its complement.
func (p *problem) takePair(c *congruence, prime int64) {
	first := c.terms[0]
	second := c.terms[1]
	j := first.col
	k := second.col
	if !p.isBinary(j) || !p.isBinary(k) {
		return
	}

	// Each pair of values either satisfies the congruence or not.
	var may [2][2]bool // by the values of the two
	for a := range int64(2) {
		for b := range int64(2) {
			may[a][b] = (first.val*a+second.val*b-c.side)%prime == 0
		}
	}

	equal := may[0][0] && may[1][1]
	opposite := may[0][1] && may[1][0]
	onlyEqual := equal && !may[0][1] && !may[1][0]
	onlyOpposite := opposite && !may[0][0] && !may[1][1]

	// No pair, a relation of the two, or values that one of them cannot take.
	switch {
	case may == [2][2]bool{}:
		p.infeasible = true
	case onlyEqual || onlyOpposite:
		if p.opt.KeepColumns || p.A.ColLen[k] == 0 {
			return
		}
		at0 := 0.0 // the value of the second column where the first is 0
		if onlyOpposite {
			at0 = 1
		}
		p.eliminate(k, 1, at0, terms{[]int32{j}, []float64{2*at0 - 1}})
		p.count.Residues++
	default:
		p.narrow(j, may[0][0] || may[0][1], may[1][0] || may[1][1])
		p.narrow(k, may[0][0] || may[1][0], may[0][1] || may[1][1])
	}
}

// isBinary reports whether column j is an integer one with the values 0 and 1.
func (p *problem) isBinary(j int32) bool {
	unit := p.Lo[j] == 0 && p.Up[j] == 1
	return unit && !p.GoneCol[j] && p.integer[j]
}

// narrow fixes the binary column j where it may take one value only.
func (p *problem) narrow(j int32, zero, one bool) {
	switch {
	case zero && !one:
		p.moveBounds(j, 0, 0)
	case one && !zero:
		p.moveBounds(j, 1, 1)
	default:
		return
	}
	p.count.Residues++
}
