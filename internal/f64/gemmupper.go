package f64

// GemmUpper is Gemm for the elements on and above the diagonal of C, j >= i, whose bits are those of a blocked product.
// Elements below the diagonal may have any values afterwards. It takes about half of the time for a square C, as in
// updates of symmetric matrices.
func GemmUpper(transA, transB bool, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int,
	beta float64, c []float64, ldc int) {
	checkOperand("A", transA, m, k, lda, len(a))
	checkOperand("B", transB, k, n, ldb, len(b))
	checkTarget(m, n, ldc, len(c), Epilogue{})
	checkApart("Gemm A", transA, m, k, a, lda, m, n, c, ldc)
	checkApart("Gemm B", transB, k, n, b, ldb, m, n, c, ldc)
	if m == 0 || n == 0 {
		return
	}

	w := takeWorkspace()
	gemmBlocked(w, operand{a, lda, transA}, operand{b, ldb, transB}, nil, m, n, k, alpha, beta, c, ldc, Epilogue{}, true)
	giveWorkspace(w)
}
