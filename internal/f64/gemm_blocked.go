package f64

import (
	"sync/atomic"
	"unsafe"
)

// Blocking (Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008):
// a block of A, maxMC x maxKC, stays in the second-level cache; a panel of B, maxKC x nr, in the first.
const (
	maxKC = 512
	maxMC = 96
	maxNC = 1536
)

// workspace holds the packed blocks of one product, and a tile for the ragged edges.
type workspace struct {
	a, b []float64
	tile []float64
}

// spare keeps workspaces between products. Unlike a sync.Pool it survives garbage collections, so that products
// allocate nothing once a workspace is there.
var spare [8]atomic.Pointer[workspace]

// takeWorkspace returns a spare workspace, or a new one.
func takeWorkspace() *workspace {
	// The swap takes the workspace out, so that no other product can use it.
	for i := range spare {
		if w := spare[i].Swap(nil); w != nil {
			return w
		}
	}
	return &workspace{
		a:    Aligned((maxMC + maxMR) * maxKC),
		b:    Aligned((maxNC + maxNR) * maxKC),
		tile: Aligned(maxMR * maxNR),
	}
}

// giveWorkspace makes a workspace spare again; beyond eight it is left to the garbage collector.
func giveWorkspace(w *workspace) {
	// The first free place takes the workspace.
	for i := range spare {
		if spare[i].CompareAndSwap(nil, w) {
			return
		}
	}
}

// Aligned allocates n zeros that start on a cache line of 64 bytes.
func Aligned(n int) []float64 {
	s := make([]float64, n+8)

	// A slice of float64 is aligned to 8 bytes, so the distance to the next line is a number of elements.
	off := 0
	if r := uintptr(unsafe.Pointer(unsafe.SliceData(s))) & 63; r != 0 {
		off = int(64-r) / 8
	}
	return s[off : off+n : off+n]
}

// roundUp returns the smallest multiple of to that is at least n.
func roundUp(n, to int) int { return (n + to - 1) / to * to }

// blockLen cuts k into the fewest blocks of at most maxKC and returns their even length, rounded up to a multiple
// of 8.
func blockLen(k int) int {
	if k <= maxKC {
		return max(k, 1)
	}

	// Blocks of even length waste less of the last one.
	blocks := (k + maxKC - 1) / maxKC
	return roundUp((k+blocks-1)/blocks, 8)
}

// operand is a factor as stored: element (r, c) of the logical matrix is data[r*ld+c], or data[c*ld+r] if
// trans.
type operand struct {
	data  []float64
	ld    int
	trans bool
}

// Packing A saves time if C has more than directLimit columns, packing B if C has more than directLimit rows. B is
// read where it is stored only if it takes at most directSize values, since its rows are far apart.
const (
	directLimit = 64
	directSize  = 1 << 14
)

// gemmBlocked runs the blocked product. B comes packed, or is packed here block by block. With upper, tiles below the
// diagonal of C are left out.
func gemmBlocked(w *workspace, a, b operand, packed *PackedB, m, n, k int, alpha, beta float64, c []float64, ldc int,
	ep Epilogue, upper bool) {
	// If beta is 0, the first block of p overwrites C, so nothing has to be cleared.
	if k == 0 || beta != 0 {
		for i := range m {
			scaleBy(beta, c[i*ldc:i*ldc+n])
		}
	}
	if k == 0 {
		applyEpilogue(m, n, c, ldc, ep)
		return
	}

	// The blocks have whole tiles; a packed B has all columns in one block.
	kc := blockLen(k)
	mc := roundUp(maxMC, gemmMR())
	nc := roundUp(maxNC, gemmNR())
	if packed != nil {
		nc = n
	}
	x := macro{
		workspace: w,
		a:         a,
		b:         b,
		job:       tileJob{alpha: alpha, ldc: ldc},
		directA:   direct() && !a.trans && n <= directLimit,
		upper:     upper,
		directB:   direct() && packed == nil && !b.trans && m <= directLimit && k*b.ld <= directSize,
	}

	// The loops 5, 4 and 3 of Goto and van de Geijn, over columns of C, blocks of p and rows of C.
	for j0 := 0; j0 < n; j0 += nc {
		x.j0 = j0
		x.n = min(nc, n-j0)
		for p0 := 0; p0 < k; p0 += kc {
			x.p0 = p0
			x.k = min(kc, k-p0)
			// A block of B is packed once for all blocks of A.
			if packed != nil {
				x.packed = packed.data[p0*roundUp(n, gemmNR()):]
			} else {
				x.packed = w.b
				x.packB()
			}

			for i0 := 0; i0 < m; i0 += mc {
				x.i0 = i0
				x.m = min(mc, m-i0)
				x.left = m - i0 - x.m
				block := c[i0*ldc+j0:]
				x.run(block, p0 > 0 || beta != 0)
				// The last block of p completes the sums of these rows.
				if p0+x.k == k {
					applyEpilogue(x.m, x.n, block, ldc, Epilogue{biasPart(ep.Bias, j0, x.n), ep.Act})
				}
			}
		}
	}
}

// biasPart returns the biases of columns j0..j0+n, nil if there are none.
func biasPart(bias []float64, j0, n int) []float64 {
	if bias == nil {
		return nil
	}
	return bias[j0 : j0+n]
}

// storeTile copies or adds the part of a tile that lies inside C.
func storeTile(tile []float64, ldt, m, n int, c []float64, ldc int, add bool) {
	// The tile is as wide as the kernel, the part of C may be narrower.
	for i := range m {
		src := tile[i*ldt : i*ldt+n]
		dst := c[i*ldc : i*ldc+n]
		if add {
			for j, v := range src {
				dst[j] += v
			}
		} else {
			copy(dst, src)
		}
	}
}
