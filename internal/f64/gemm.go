package f64

// Activation is the elementwise function of a layer.
type Activation uint8

const (
	Identity    Activation = iota
	ReluAct                // max(x, 0)
	SoftplusAct            // log(1 + exp(x))
)

// Epilogue is applied to each element of a product when its sum is complete:
// c[i][j] = Act(c[i][j] + Bias[j]). A nil Bias adds nothing.
type Epilogue struct {
	Bias []float64
	Act  Activation
}

// Gemm forms a matrix product in row-major storage:
//
//	for i := range m { for j := range n {
//		var s float64
//		for p := range k { s += A[i][p] * B[p][j] }
//		C[i][j] = alpha*s + beta*C[i][j]
//	}}
//
// where A is m x k: a[i*lda+p], or a[p*lda+i] if transA; B is k x n: b[p*ldb+j], or b[j*ldb+p] if transB; and
// C is m x n: c[i*ldc+j], not read when beta is 0. C must not overlap A or B.
//
// Order: the range of p is cut in blocks of equal length (the last may be shorter), at most 512 long; each
// block is summed in order of p, may be fused, and alpha times it is added to C in order of the blocks. Thin
// products (n = 1, m = 1 or k <= 2) go through Gemv, gemvT and Axpy and have their order. An element's order
// depends on the shape (m, n, k), not on i and j.
func Gemm(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	GemmEpilogue(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, Epilogue{})
}

// GemmEpilogue is Gemm followed by the epilogue on every row of C, done while the rows are in cache.
func GemmEpilogue(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int, ep Epilogue) {
	// All shapes and overlaps are checked before anything is written.
	checkOperand("A", transA, m, k, lda, len(a))
	checkOperand("B", transB, k, n, ldb, len(b))
	checkTarget(m, n, ldc, len(c), ep)
	checkApart("Gemm A", transA, m, k, a, lda, m, n, c, ldc)
	checkApart("Gemm B", transB, k, n, b, ldb, m, n, c, ldc)
	if m == 0 || n == 0 {
		return
	}
	// Thin products need no packing.
	if gemmThin(transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc) {
		applyEpilogue(m, n, c, ldc, ep)
		return
	}

	w := takeWorkspace()
	gemmBlocked(w, operand{a, lda, transA}, operand{b, ldb, transB}, nil, m, n, k, alpha, beta, c, ldc, ep, false)
	giveWorkspace(w)
}

// PackedB is the right-hand matrix of a product, k x n, laid out once for the kernel in use. It is read-only after
// PackB and may be shared between goroutines.
type PackedB struct {
	k, n int
	data []float64
}

// PackB lays out B (k x n: b[p*ldb+j], or b[j*ldb+p] if transB) for GemmPacked.
func PackB(transB bool, k, n int, b []float64, ldb int) *PackedB {
	checkOperand("B", transB, k, n, ldb, len(b))

	// The panels are filled up to the width of a tile, except for a single column.
	width := roundUp(n, gemmNR())
	if n == 1 {
		width = 1
	}
	p := &PackedB{k: k, n: n, data: Aligned(k * width)}
	p.Repack(transB, b, ldb)
	return p
}

// Repack replaces the values by another matrix of the same shape.
func (p *PackedB) Repack(transB bool, b []float64, ldb int) {
	checkOperand("B", transB, p.k, p.n, ldb, len(b))

	// A column of numbers goes to Gemv, which takes it without gaps.
	if p.n == 1 {
		step := ldb
		if transB {
			step = 1
		}
		for i := range p.data {
			p.data[i] = b[i*step]
		}
		return
	}

	// The blocks of rows are those of gemmBlocked, each with all of its panels.
	kc := blockLen(p.k)
	width := roundUp(p.n, gemmNR())
	for p0 := 0; p0 < p.k; p0 += kc {
		packB(p.data[p0*width:], operand{b, ldb, transB}, p0, min(kc, p.k-p0), 0, p.n)
	}
}

// GemmPacked is GemmEpilogue with a packed B. It takes the blocked path unless n = 1, so for other thin
// shapes its summation order, and so its last bits, differ from Gemm's.
func GemmPacked(transA bool, m int, alpha float64, a []float64, lda int, b *PackedB, beta float64, c []float64, ldc int,
	ep Epilogue) {
	checkOperand("A", transA, m, b.k, lda, len(a))
	checkTarget(m, b.n, ldc, len(c), ep)
	checkApart("Gemm A", transA, m, b.k, a, lda, m, b.n, c, ldc)
	if m == 0 || b.n == 0 {
		return
	}
	// A single column was stored without gaps, as Gemv takes it.
	if b.n == 1 {
		GemmEpilogue(transA, false, m, 1, b.k, alpha, a, lda, b.data, 1, beta, c, ldc, ep)
		return
	}

	w := takeWorkspace()
	gemmBlocked(w, operand{a, lda, transA}, operand{}, b, m, b.n, b.k, alpha, beta, c, ldc, ep, false)
	giveWorkspace(w)
}

// checkOperand checks one factor of rows x cols, stored transposed if trans.
func checkOperand(name string, trans bool, rows, cols, ld, size int) {
	// A transposed factor is stored with its dimensions exchanged.
	if trans {
		rows, cols = cols, rows
	}
	matrixFits("Gemm", name, rows, cols, ld, size)
}

// checkApart checks that C, m x n, does not overlap a factor of rows x cols.
func checkApart(kernel string, trans bool, rows, cols int, x []float64, ld, m, n int, c []float64, ldc int) {
	// The checks are on the factor as it is stored.
	if trans {
		rows, cols = cols, rows
	}
	denseApart(kernel, c, m, n, ldc, x, rows, cols, ld)
}

// checkTarget checks C and the epilogue's bias.
func checkTarget(m, n, ldc, size int, ep Epilogue) {
	matrixFits("Gemm", "C", m, n, ldc, size)

	// The bias has a value for each column.
	if ep.Bias != nil {
		equalLen("Gemm bias", len(ep.Bias), n)
	}
}

// gemmThin computes a product with a dimension so small that packing would take longer than it saves. It reports
// whether the product is one of these.
func gemmThin(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) bool {
	columnOfB := transB || ldb == 1          // B has one column, stored without gaps, if n is 1
	rowsOfB := !transB || k == 1 && ldb == 1 // the rows of B are stored without gaps

	switch {
	case n == 1 && ldc == 1 && columnOfB:
		x := b[:k]
		if transA {
			gemvT(k, m, alpha, a, lda, x, beta, c[:m])
		} else {
			Gemv(m, k, alpha, a, lda, x, beta, c[:m])
		}

	case m == 1 && (!transA || lda == 1):
		x := a[:k]
		if transB {
			Gemv(n, k, alpha, b, ldb, x, beta, c[:n])
		} else {
			gemvT(k, n, alpha, b, ldb, x, beta, c[:n])
		}

	// A product of one or two outer products: each row of C is a sum of multiples of rows of B.
	case k <= 2 && rowsOfB:
		for i := range m {
			row := c[i*ldc : i*ldc+n]
			scaleBy(beta, row)
			for p := range k {
				v := alpha
				if transA {
					v *= a[p*lda+i]
				} else {
					v *= a[i*lda+p]
				}
				axpy(v, b[p*ldb:p*ldb+n], row)
			}
		}

	default:
		return false
	}
	return true
}

// applyEpilogue finishes rows 0..m-1 of C.
func applyEpilogue(m, n int, c []float64, ldc int, ep Epilogue) {
	// The product itself is complete already.
	if ep.Bias == nil && ep.Act == Identity {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		// Bias and activation together take one pass over the row.
		switch {
		case ep.Act == ReluAct && ep.Bias != nil:
			addRelu(row, ep.Bias)
			continue
		case ep.Bias != nil:
			add(row, row, ep.Bias)
		}

		// Otherwise the activation follows the bias.
		switch ep.Act {
		case ReluAct:
			relu(row, row)
		case SoftplusAct:
			Softplus(row, row)
		}
	}
}
