package f64

const (
	genericMR = 4
	genericNR = 4
)

// gemmTilePart computes the leading rows x cols part of a tile from packed panels.
func gemmTilePart(t *tileJob, spare []float64, rows, cols int, a, b, c []float64) {
	// A whole tile goes to C directly, a part of one to the spare tile first.
	if rows == genericMR && cols == genericNR {
		gemmTileGeneric(t.k, t.alpha, a, b, c, t.ldc, t.add != 0)
		return
	}
	gemmTileGeneric(t.k, t.alpha, a, b, spare, genericNR, false)
	storeTile(spare, genericNR, rows, cols, c, t.ldc, t.add != 0)
}

// gemmTileGeneric computes a full tile: C (+)= alpha * A B with A packed 4 wide by columns and B packed 4 wide by
// rows.
func gemmTileGeneric(k int, alpha float64, a, b, c []float64, ldc int, add bool) {
	// Two pairs of rows make the tile; the sums of each stay in registers.
	var s [genericMR * genericNR]float64
	gemmPair(k, a, b, s[:8:8])
	gemmPair(k, a[2:], b, s[8:16:16])
	for i := range genericMR {
		// The row has the length of a tile, which the compiler needs to leave out the checks.
		row := c[i*ldc : i*ldc+genericNR : i*ldc+genericNR]
		for j := range genericNR {
			v := float64(alpha * s[i*genericNR+j]) // not fused with the sum: an edge tile adds it later
			if add {
				v += row[j]
			}
			row[j] = v
		}
	}
}

// gemmPair sums two rows of a tile; eight sums, four values of B and two of A fill the registers of amd64.
func gemmPair(k int, a, b, s []float64) {
	var s0, s1, s2, s3, t0, t1, t2, t3 float64

	// Each step adds the outer product of two values of A and four of B.
	for len(b) >= 4 && len(a) >= 2 && k > 0 {
		s0 += a[0] * b[0]
		s1 += a[0] * b[1]
		s2 += a[0] * b[2]
		s3 += a[0] * b[3]
		t0 += a[1] * b[0]
		t1 += a[1] * b[1]
		t2 += a[1] * b[2]
		t3 += a[1] * b[3]

		// The second pair of rows starts in the middle of a panel, so fewer than four values of a follow the last column.
		k--
		if k == 0 {
			break
		}
		a = a[4:]
		b = b[4:]
	}

	// The sums leave the registers at the end only.
	copy(s, []float64{s0, s1, s2, s3, t0, t1, t2, t3})
}
