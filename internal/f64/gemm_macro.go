package f64

// tileJob is what the tiles of a product have in common: C (+)= alpha * A B in k steps, where element (i, p) of A's
// panel is a[i*ra+p*ca] and element (p, j) of B's is b[p*rb+j]. A tile brings two lines near every four steps, for
// later ones, the next time ahead values further. The assembly knows the layout.
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
}

// packB packs the block of B, as far as it is not read where it is stored.
func (x *macro) packB() {
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
	mr, nr, t := gemmMR(), gemmNR(), &x.job
	t.k, t.add = x.k, 0
	if add {
		t.add = 1
	}
	if !x.directA {
		packA(x.workspace.a, x.a, x.i0, x.m, x.p0, x.k)
	}
	t.ra, t.ca = 1, mr
	parts, part := x.partsOfA(), 0
	for j := 0; j < x.n; j += nr {
		cols := min(nr, x.n-j)
		b := x.panelB(j, cols)
		ahead := (j + nr) * x.k // the panel after this one, or the first
		if j+nr >= x.n {
			ahead = 0
		}
		for i, q := 0, 0; i < x.m; i, q = i+mr, q+1 {
			rows, a, next := min(mr, x.m-i), x.workspace.a[i*x.k:], &b[0]
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
			if x.directA {
				a = x.panelA(a, i, rows)
			}
			gemmTile(t, x.tile, rows, cols, a, b, c[i*t.ldc+j:], next)
		}
	}
}

// panelA returns the panel of rows i..i+rows of the block, which is not packed, and sets its strides. One that is not
// whole is packed in dst.
func (x *macro) panelA(dst []float64, i, rows int) []float64 {
	mr := gemmMR()
	if rows == mr {
		x.job.ra, x.job.ca = x.a.ld, 1
		return x.a.data[(x.i0+i)*x.a.ld+x.p0:]
	}
	x.job.ra, x.job.ca = 1, mr
	packA(dst, x.a, x.i0+i, rows, x.p0, x.k)
	return dst
}

// panelB returns the panel of columns j..j+cols of the block and sets its stride.
func (x *macro) panelB(j, cols int) []float64 {
	nr := gemmNR()
	if x.directB && cols == nr {
		x.job.rb = x.b.ld
		return x.b.data[x.p0*x.b.ld+x.j0+j:]
	}
	x.job.rb = nr
	return x.packed[j*x.k:]
}

// fetches is how many tiles bring the next panel of B near.
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

// fetchA returns where part q of the block of A after this one begins.
func (x *macro) fetchA(q int) *float64 {
	i, ld := x.i0+x.m, x.a.ld
	at := i*ld + x.p0 + q*4*x.k // stored by rows: run on through them
	if x.a.trans {
		at = (x.p0+q%fetches*(x.k/fetches))*ld + i + q/fetches*16
		x.job.ahead = ld
	}
	return &x.a.data[min(at, len(x.a.data)-1)]
}
