package f64

// tileJob is what the tiles of a product have in common: C (+)= alpha * A B in k steps, where element (i, p) of A's
// panel is a[i*ra+p*ca] and element (p, j) of B's is b[p*rb+j]. Every four steps a tile prefetches two cache lines for
// later tiles, each time ahead values further. The assembly depends on this layout.
type tileJob struct {
	alpha         float64
	k, ra, ca, rb int
	ldc           int
	ahead         int
	add           int // 0 to overwrite C
}

// macro multiplies a block of A, rows i0..i0+m and columns p0..p0+k, by a block of B, columns j0..j0+n, tile by
// tile.
type macro struct {
	*workspace
	job              tileJob
	a, b             operand
	packed           []float64 // the panels of B
	i0, m, p0, k     int
	j0, n            int
	left             int  // rows of A after this block
	directA, directB bool // whole panels are read where they are stored
	upper            bool // tiles below the diagonal of C are left out
}

// tiles returns the number of tiles, from the top of the block, that a panel of B has up to column j of C.
func (x *macro) tiles(j int) int {
	mr := gemmMR()
	rows := x.m
	if x.upper {
		rows = max(0, min(rows, j-x.i0))
	}
	return (rows + mr - 1) / mr
}

// packB packs the panels of the block of B, except those that are read where they are stored.
func (x *macro) packB() {
	// Whole panels may be read where they are stored; the last one, if it is narrower, is packed.
	from := 0
	if x.directB {
		from = x.n / gemmNR() * gemmNR()
	}
	if from < x.n {
		packB(x.packed[from*x.k:], x.b, x.p0, x.k, x.j0+from, x.n-from)
	}
}

// run overwrites the block of C that begins at c, or adds to it.
func (x *macro) run(c []float64, add bool) {
	mr := gemmMR()
	nr := gemmNR()
	t := &x.job
	t.k = x.k
	t.add = 0
	if add {
		t.add = 1
	}

	// Panels of A are packed by columns; panelA changes the strides of those that are not packed.
	if !x.directA {
		packA(x.workspace.a, x.a, x.i0, x.m, x.p0, x.k)
	}
	t.ra = 1
	t.ca = mr

	// The first tiles of a panel of B prefetch the next panel of B, the others the next block of A, part by part.
	parts := x.partsOfA()
	part := 0
	for j := 0; j < x.n; j += nr {
		cols := min(nr, x.n-j)
		b := x.panelB(j, cols)
		ahead := (j + nr) * x.k // the panel after this one, or the first
		if j+nr >= x.n {
			ahead = 0
		}

		// The tiles of a panel of B, from the top of C down.
		for q := range x.tiles(x.j0 + j + cols) {
			i := q * mr
			rows := min(mr, x.m-i)
			next := &b[0]
			t.ahead = 16
			switch {
			case q < fetches && !x.directB:
				next = &x.packed[min(ahead+q*4*x.k, len(x.packed)-1)]
			case part < parts:
				next = x.fetchA(part)
				part++
			default:
				t.ahead = 0
			}

			// The panel of A was packed before, or is taken from where it is stored.
			a := x.workspace.a[i*x.k:]
			if x.directA {
				a = x.panelA(a, i, rows)
			}
			gemmTile(t, x.tile, rows, cols, a, b, c[i*t.ldc+j:], next)
		}
	}
}

// panelA returns the panel of rows i..i+rows of a block that is not packed, and sets its strides. A panel with fewer
// rows than a tile is packed in dst.
func (x *macro) panelA(dst []float64, i, rows int) []float64 {
	mr := gemmMR()

	// A panel with as many rows as a tile is read in place, with the strides of the matrix.
	if rows == mr {
		x.job.ra = x.a.ld
		x.job.ca = 1
		return x.a.data[(x.i0+i)*x.a.ld+x.p0:]
	}
	x.job.ra = 1
	x.job.ca = mr
	packA(dst, x.a, x.i0+i, rows, x.p0, x.k)
	return dst
}

// panelB returns the panel of columns j..j+cols of the block and sets its stride.
func (x *macro) panelB(j, cols int) []float64 {
	nr := gemmNR()

	// A panel with as many columns as a tile is read in place.
	if x.directB && cols == nr {
		x.job.rb = x.b.ld
		return x.b.data[x.p0*x.b.ld+x.j0+j:]
	}
	x.job.rb = nr
	return x.packed[j*x.k:]
}

// fetches is the number of tiles that prefetch the next panel of B.
const fetches = 4

// partsOfA is the number of parts of the block of A after this one, 0 if there is none or it is not packed.
func (x *macro) partsOfA() int {
	switch next := min(x.left, x.m); {
	case next == 0 || x.directA:
		return 0
	case x.a.trans:
		return (next + 15) / 16 * fetches
	default:
		return (next*x.a.ld + 4*x.k - 1) / (4 * x.k)
	}
}

// fetchA returns the address of part q of the block of A after this one.
func (x *macro) fetchA(q int) *float64 {
	// The address of the part in the stored matrix; beyond its end the last value is fetched.
	ld := x.a.ld
	i := x.i0 + x.m
	at := i*ld + x.p0 + q*4*x.k // a matrix stored by rows is read in one run
	if x.a.trans {
		at = (x.p0+q%fetches*(x.k/fetches))*ld + i + q/fetches*16
		x.job.ahead = ld
	}
	return &x.a.data[min(at, len(x.a.data)-1)]
}
