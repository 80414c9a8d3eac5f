package f64

const (
	genericMR = 4
	genericNR = 4
)

// gemmTilePart computes the leading rows x cols part of a tile from packed panels.
func gemmTilePart(t *tileJob, spare []float64, rows, cols int, a, b, c []float64) {
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
	var s [genericMR * genericNR]float64
	gemmPair(k, a, b, s[:8:8])
	gemmPair(k, a[2:], b, s[8:16:16])
	for i := range genericMR {
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
	for len(b) >= 4 && len(a) >= 2 && k > 0 {
		x, y := a[0], a[1]
		b0, b1, b2, b3 := b[0], b[1], b[2], b[3]
		s0 += x * b0
		s1 += x * b1
		s2 += x * b2
		s3 += x * b3
		t0 += y * b0
		t1 += y * b1
		t2 += y * b2
		t3 += y * b3
		if k == 1 {
			break
		}
		a, b, k = a[4:], b[4:], k-1
	}
	s[0], s[1], s[2], s[3] = s0, s1, s2, s3
	s[4], s[5], s[6], s[7] = t0, t1, t2, t3
}
