package lattice

import "math/big"

// Reduce makes the kernel short and nearly orthogonal (A. Lenstra, H. Lenstra, L. Lovasz, Factoring polynomials with
// rational coefficients, Mathematische Annalen 261, 1982, in integers as of H. Cohen, A Course in Computational
// Algebraic Number Theory, 1993, algorithm 2.6.7), and moves Point near to center (L. Babai, On Lovasz' lattice
// reduction and the nearest lattice point problem, Combinatorica 6, 1986).
func (s *Solutions) Reduce(center []*big.Int) {
	r := newReduction(s.Kernel)

	// Vectors before k are reduced; a swap takes the algorithm back by one.
	for k := 1; k < len(s.Kernel); {
		r.subtract(k, k-1)
		if r.swapPays(k) {
			r.swap(k)
			k = max(1, k-1)
			continue
		}

		// The other coefficients are reduced only once the vector keeps its place.
		for l := k - 2; l >= 0; l-- {
			r.subtract(k, l)
		}
		k++
	}

	// The point less the center, reduced as one more vector of the basis would be.
	rest := make([]*big.Int, len(s.Point))
	for i := range rest {
		rest[i] = new(big.Int).Sub(s.Point[i], center[i])
	}
	nearest := newReduction(append(append([][]*big.Int(nil), s.Kernel...), rest))
	for l := len(s.Kernel) - 1; l >= 0; l-- {
		nearest.subtract(len(s.Kernel), l)
	}

	// What is left of the difference is the distance of the new point from the center.
	for i := range rest {
		s.Point[i].Add(rest[i], center[i])
	}
}

// reduction is the state of the algorithm: det[k] is the determinant of the products of the first k vectors with each
// other, and lambda[k][l] = det[l+1] mu[k][l], for l < k, the coefficients of the orthogonalisation in integers.
type reduction struct {
	basis  [][]*big.Int
	det    []*big.Int
	lambda [][]*big.Int
}

func newReduction(basis [][]*big.Int) *reduction {
	r := &reduction{basis: basis, det: []*big.Int{big.NewInt(1)}}
	for k := range basis {
		r.lambda = append(r.lambda, make([]*big.Int, k))
		for l := 0; l <= k; l++ {
			u := product(basis[k], basis[l])

			// The integral Gram-Schmidt step (Cohen 1993, algorithm 2.6.7): every division is exact.
			// The products with the vectors before are taken out one by one.
			for i := range l {
				u.Mul(u, r.det[i+1])
				other := new(big.Int)
				if l == k {
					other.Mul(r.lambda[k][i], r.lambda[k][i])
				} else {
					other.Mul(r.lambda[k][i], r.lambda[l][i])
				}
				u.Quo(u.Sub(u, other), r.det[i])
			}

			if l < k {
				r.lambda[k][l] = u
			} else {
				r.det = append(r.det, u)
			}
		}
	}
	return r
}

// product returns the inner product of two vectors.
func product(a, b []*big.Int) *big.Int {
	// One integer serves all products.
	sum, term := new(big.Int), new(big.Int)
	for i := range a {
		sum.Add(sum, term.Mul(a[i], b[i]))
	}
	return sum
}

// subtract takes the nearest integer to mu[k][l] times vector l off vector k.
func (r *reduction) subtract(k, l int) {
	twice := new(big.Int).Lsh(r.lambda[k][l], 1)
	if twice.CmpAbs(r.det[l+1]) <= 0 {
		return
	}

	// The nearest integer to lambda / det is the floor of (2 lambda + det) / (2 det); det is positive.
	q := twice.Div(twice.Add(twice, r.det[l+1]), new(big.Int).Lsh(r.det[l+1], 1))
	q.Neg(q)
	addMultiple(r.basis[k], r.basis[l], q)

	// The coefficients of the vector change with it.
	r.lambda[k][l].Add(r.lambda[k][l], new(big.Int).Mul(q, r.det[l+1]))
	for i := range l {
		r.lambda[k][i].Add(r.lambda[k][i], new(big.Int).Mul(q, r.lambda[l][i]))
	}
}

// swapPays reports whether vector k is so much shorter than the one before, both orthogonal to those before them, that
// they change places: the condition of Lovasz, 4 det[k+1] det[k-1] < 3 det[k]^2 - 4 lambda^2.
func (r *reduction) swapPays(k int) bool {
	// 4 det[k+1] det[k-1], then 3 det[k]^2 less 4 lambda^2.
	left := new(big.Int).Mul(r.det[k+1], r.det[k-1])
	left.Lsh(left, 2)
	right := new(big.Int).Mul(r.det[k], r.det[k])
	right.Mul(right, big.NewInt(3))
	square := new(big.Int).Mul(r.lambda[k][k-1], r.lambda[k][k-1])
	right.Sub(right, square.Lsh(square, 2))
	return left.Cmp(right) < 0
}

// swap exchanges vectors k-1 and k.
func (r *reduction) swap(k int) {
	r.basis[k], r.basis[k-1] = r.basis[k-1], r.basis[k]
	for i := range k - 1 {
		r.lambda[k][i], r.lambda[k-1][i] = r.lambda[k-1][i], r.lambda[k][i]
	}

	// The determinants and coefficients of the exchanged vectors (Cohen 1993, algorithm 2.6.7, SWAPI).
	old, lambda := r.det[k], r.lambda[k][k-1]
	det := new(big.Int).Mul(r.det[k-1], r.det[k+1])
	det.Add(det, new(big.Int).Mul(lambda, lambda))
	det.Quo(det, old)

	// All later vectors have coefficients for the two.
	for i := k + 1; i < len(r.basis); i++ {
		t := r.lambda[i][k]
		before := r.lambda[i][k-1]
		u := new(big.Int).Mul(r.det[k+1], before)
		u.Sub(u, new(big.Int).Mul(lambda, t))
		r.lambda[i][k] = u.Quo(u, old)
		v := new(big.Int).Mul(det, t)
		v.Add(v, new(big.Int).Mul(lambda, r.lambda[i][k]))
		r.lambda[i][k-1] = v.Quo(v, r.det[k+1])
	}
	r.det[k] = det
}
