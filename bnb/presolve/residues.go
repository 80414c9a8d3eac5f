package presolve

import (
	"math"
	"slices"
)

// residues reasons modulo small primes. An equation over integer columns with integral coefficients is a congruence,
// from which columns whose coefficients are multiples of the prime are gone; Gaussian elimination over the field of
// residues leaves the residue of a column, or relates those of two binary ones. No linear relaxation sees that: where
// sum x_j - 2 k = b, the column k takes up whatever the others miss.
func (p *problem) residues() {
	if !p.has(Residues) {
		return
	}
	equations, at := p.integralEquations(), p.changes()
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
		if p.changes() != at { // what a column stands for may be among that
			equations, at = p.integralEquations(), p.changes()
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

// congruence says that the sum of vals[k] x[cols[k]] is side, modulo a number; cols ascend.
type congruence struct {
	cols []int32
	vals []int64
	side int64
}

// integralEquations lists the equations over integer columns in units of the common divisor of their coefficients.
func (p *problem) integralEquations() []congruence {
	var list []congruence
	for i := range int32(len(p.RowLo)) {
		b := p.RowLo[i]
		if p.GoneRow[i] || b != p.RowUp[i] || p.A.RowLen[i] < 2 || p.A.RowLen[i] > residueLen {
			continue
		}
		unit, ok := p.commonDivisor(i)
		if !ok || unit < unitMin*p.opt.Feasibility || math.Abs(b) > maxSide*unit || !integral(b/unit, unit) {
			continue
		}
		c := congruence{side: int64(math.Round(b / unit))}
		for k := p.A.RowHead[i]; k >= 0; k = p.A.E[k].NextR {
			e := &p.A.E[k]
			c.cols, c.vals = append(c.cols, e.Col), append(c.vals, int64(math.Round(e.Val/unit)))
		}
		c.sort()
		list = append(list, c)
	}
	return list
}

func (c *congruence) sort() {
	order := make([]int, len(c.cols))
	for k := range order {
		order[k] = k
	}
	slices.SortFunc(order, func(a, b int) int { return int(c.cols[a] - c.cols[b]) })
	cols, vals := make([]int32, len(order)), make([]int64, len(order))
	for k, o := range order {
		cols[k], vals[k] = c.cols[o], c.vals[o]
	}
	c.cols, c.vals = cols, vals
}

// congruences is a system modulo a prime.
type congruences struct {
	prime  int64
	rows   []congruence
	alone  []congruence      // taken out first: each has a column that no later one of these, and none of rows, has
	uses   map[int32][]int32 // the rows of a column, and some that have lost it
	pivot  []int32           // by row, the column that it was solved for, -1 for none
	solved []int32           // rows, in the order of elimination
	work   int               // entries touched
}

// newCongruences reads equations modulo a prime. It is empty where no equation loses a column by that.
func newCongruences(prime int64, equations []congruence) *congruences {
	s := &congruences{prime: prime, uses: map[int32][]int32{}}
	var rows []congruence
	var lost []bool
	some := false
	count := map[int32]int{}
	for _, e := range equations {
		c := congruence{side: s.mod(e.side)}
		for k, j := range e.cols {
			if v := s.mod(e.vals[k]); v != 0 {
				c.cols, c.vals = append(c.cols, j), append(c.vals, v)
				count[j]++
			}
		}
		rows, lost = append(rows, c), append(lost, len(c.cols) < len(e.cols))
		some = some || len(c.cols) < len(e.cols)
	}
	if some {
		s.strip(rows, lost, count)
	}
	return s
}

// strip sorts out the rows with a column of their own, which say something about no other column, and those that are
// nothing but the equations they come from.
func (s *congruences) strip(rows []congruence, lost []bool, count map[int32]int) {
	gone := make([]bool, len(rows))
	for pass, again := 0, true; again && pass < residuePasses; pass++ {
		again = false
		for i, c := range rows {
			own := func(j int32) bool { return count[j] == 1 }
			if gone[i] || !slices.ContainsFunc(c.cols, own) {
				continue
			}
			gone[i], again = true, true
			s.alone = append(s.alone, c)
			for _, j := range c.cols {
				count[j]--
			}
		}
	}
	some := false
	for i, c := range rows {
		if !gone[i] {
			s.rows, some = append(s.rows, c), some || lost[i]
		}
	}
	if !some || len(s.rows) > residueRows {
		s.rows = nil
	}
}

func (s *congruences) mod(v int64) int64 {
	if v %= s.prime; v < 0 {
		v += s.prime
	}
	return v
}

// inverse returns 1/v.
func (s *congruences) inverse(v int64) int64 {
	r := int64(1)
	for s.mod(r*v) != 1 {
		r++
	}
	return r
}

// coef returns the coefficient of column j in row i.
func (s *congruences) coef(i, j int32) int64 {
	if k, ok := slices.BinarySearch(s.rows[i].cols, j); ok {
		return s.rows[i].vals[k]
	}
	return 0
}

// eliminate brings the rows to echelon form and substitutes backward, within the work allowed. Every row is a
// consequence of the given ones at any time, so that it may end early.
func (s *congruences) eliminate() {
	s.pivot = make([]int32, len(s.rows))
	for i, c := range s.rows {
		s.pivot[i] = -1
		for _, j := range c.cols {
			s.uses[j] = append(s.uses[j], int32(i))
		}
	}
	for s.work < residueWork {
		i := s.shortest()
		if i < 0 {
			break
		}
		j := s.rarest(i)
		s.pivot[i], s.solved = j, append(s.solved, i)
		for _, r := range s.uses[j] {
			if s.pivot[r] < 0 {
				s.clear(r, i, j)
			}
		}
	}
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
		if n := len(s.rows[i].cols); s.pivot[i] < 0 && n > 0 && (best < 0 || n < len(s.rows[best].cols)) {
			best = int32(i)
		}
	}
	s.work += len(s.rows)
	return best
}

// rarest returns the column of row i that the fewest rows have.
func (s *congruences) rarest(i int32) int32 {
	cols := s.rows[i].cols
	best := cols[0]
	for _, j := range cols[1:] {
		if len(s.uses[j]) < len(s.uses[best]) {
			best = j
		}
	}
	return best
}

// clear takes column j out of row r by means of row i.
func (s *congruences) clear(r, i, j int32) {
	a := s.coef(r, j)
	if a == 0 {
		return
	}
	f := s.mod(a * s.inverse(s.coef(i, j)))
	x, y := &s.rows[r], &s.rows[i]
	out := congruence{side: s.mod(x.side - f*y.side)}
	k, l := 0, 0
	for k < len(x.cols) || l < len(y.cols) {
		var col int32
		var v int64
		switch {
		case l == len(y.cols) || k < len(x.cols) && x.cols[k] < y.cols[l]:
			col, v = x.cols[k], x.vals[k]
			k++
		case k == len(x.cols) || y.cols[l] < x.cols[k]:
			col, v = y.cols[l], s.mod(-f*y.vals[l])
			s.uses[col] = append(s.uses[col], r)
			l++
		default:
			col, v = x.cols[k], s.mod(x.vals[k]-f*y.vals[l])
			k, l = k+1, l+1
		}
		if v != 0 {
			out.cols, out.vals = append(out.cols, col), append(out.vals, v)
		}
	}
	s.work += len(x.cols) + len(y.cols)
	*x = out
}

// conclude takes over what the rows say of one column or of two binary ones. The rows that were taken out first come
// last in reverse: all but one of their columns may have got a residue by then.
func (p *problem) conclude(s *congruences) {
	known := map[int32]int64{}
	for i := range s.rows {
		c := &s.rows[i]
		switch {
		case len(c.cols) == 0 && c.side != 0:
			p.infeasible = true
			return
		case len(c.cols) == 1:
			known[c.cols[0]] = s.mod(c.side * s.inverse(c.vals[0]))
		}
	}
	for k := len(s.alone) - 1; k >= 0; k-- {
		c := &s.alone[k]
		if j, residue, ok := s.last(c, known); ok {
			known[j] = residue
		}
	}
	cols := make([]int32, 0, len(known))
	for j := range known {
		cols = append(cols, j)
	}
	slices.Sort(cols)
	for _, j := range cols {
		p.takeResidue(j, known[j], s.prime)
	}
	for i := range s.rows {
		c := &s.rows[i]
		if len(c.cols) != 2 || p.infeasible {
			continue
		}
		_, first := known[c.cols[0]] // it may count something by now
		_, second := known[c.cols[1]]
		if !first && !second {
			p.takePair(c, s.prime)
		}
	}
}

// last returns the residue of the only column of c for which none is known.
func (s *congruences) last(c *congruence, known map[int32]int64) (col int32, residue int64, ok bool) {
	side, at := c.side, -1
	for k, j := range c.cols {
		r, has := known[j]
		switch {
		case has:
			side -= c.vals[k] * r
		case at >= 0:
			return 0, 0, false
		default:
			at = k
		}
	}
	if at < 0 {
		return 0, 0, false
	}
	return c.cols[at], s.mod(side * s.inverse(c.vals[at])), true
}

// takeResidue says that x_j is r modulo a prime: its bounds move to such values, and where there are several the column
// counts them.
func (p *problem) takeResidue(j int32, r, prime int64) {
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
	if lo < up && !p.opt.KeepColumns && p.usable(j, g) {
		p.countSteps(j, g)
	}
}

// takePair looks at the values that a congruence leaves to two binary columns: one of them may be fixed, or be the
// other or its complement.
func (p *problem) takePair(c *congruence, prime int64) {
	j, k := c.cols[0], c.cols[1]
	if !p.isBinary(j) || !p.isBinary(k) {
		return
	}
	var may [2][2]bool
	for a := range int64(2) {
		for b := range int64(2) {
			may[a][b] = (c.vals[0]*a+c.vals[1]*b-c.side)%prime == 0
		}
	}
	switch {
	case !may[0][0] && !may[0][1] && !may[1][0] && !may[1][1]:
		p.infeasible = true
	case may[0][0] == may[1][1] && may[0][1] == may[1][0] && may[0][0] != may[0][1]:
		if p.opt.KeepColumns || p.A.ColLen[k] == 0 {
			return
		}
		at0, at1 := 0.0, 1.0
		if may[0][1] {
			at0, at1 = 1, 0
		}
		p.eliminate(k, 1, at0, terms{[]int32{j}, []float64{at0 - at1}})
		p.count.Residues++
	default:
		p.narrow(j, may[0][0] || may[0][1], may[1][0] || may[1][1])
		p.narrow(k, may[0][0] || may[1][0], may[0][1] || may[1][1])
	}
}

func (p *problem) isBinary(j int32) bool {
	return !p.GoneCol[j] && p.integer[j] && p.Lo[j] == 0 && p.Up[j] == 1
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
