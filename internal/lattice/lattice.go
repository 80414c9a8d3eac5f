// Package lattice describes the integer solutions of a system of linear equations by a short basis: x = x0 + K t with t
// integer and free. Where coefficients are large, few t leave x within small bounds, so that branching on t ends at
// once where branching on x enumerates (K. Aardal, C. Hurkens, A. Lenstra, Solving a system of linear Diophantine
// equations with lower and upper bounds on the variables, Mathematics of Operations Research 25, 2000).
package lattice

import "math/big"

// Solutions are the integer points x = Point + sum_k t_k Kernel[k].
type Solutions struct {
	Point  []*big.Int
	Kernel [][]*big.Int // independent vectors that span all integer solutions of the homogeneous system
}

// Solve returns the integer solutions of rows * x = sides, nil if there are none. Point and Kernel may be long: see
// Reduce.
//
// Unimodular operations on the columns, those of Euclid's algorithm, make the matrix a lower triangular H followed by
// columns of zeros: rows * U = (H 0). The columns of U over the zeros are the kernel, and H y = sides, solved from the
// top, gives x0 = U y, or a proof that there is none where a division has a remainder.
func Solve(rows [][]*big.Int, sides []*big.Int) *Solutions {
	n := len(rows[0])

	// Each column of the matrix with its column of U below it.
	columns := make([][]*big.Int, n)
	for j := range columns {
		for _, row := range rows {
			columns[j] = append(columns[j], new(big.Int).Set(row[j]))
		}
		for k := range n {
			columns[j] = append(columns[j], new(big.Int))
			if k == j {
				columns[j][len(rows)+k].SetInt64(1)
			}
		}
	}

	point := make([]*big.Int, len(rows)+n) // the same for x0: the sums that it has made, and x0
	for k := range point {
		point[k] = new(big.Int)
	}
	first := 0 // columns before it are those of H

	// Row by row, one column becomes that of H, and gives the next entry of y.
	for i := range rows {
		pivot := euclid(columns[first:], i)
		rest := new(big.Int).Sub(sides[i], point[i])
		if !pivot { // the equation depends on those before
			if rest.Sign() != 0 {
				return nil
			}
			continue
		}

		// The diagonal entry of H must divide what the equation leaves.
		factor, remainder := new(big.Int).QuoRem(rest, columns[first][i], new(big.Int))
		if remainder.Sign() != 0 {
			return nil
		}
		addMultiple(point, columns[first], factor)
		first++
	}

	// The columns behind H are zero in the rows: below them is the kernel.
	s := &Solutions{Point: point[len(rows):]}
	for _, c := range columns[first:] {
		s.Kernel = append(s.Kernel, c[len(rows):])
	}
	return s
}

// euclid subtracts multiples of columns from each other until the first alone has an entry in row i, the greatest
// common divisor of the entries; false where all are zero.
func euclid(columns [][]*big.Int, i int) bool {
	for {
		// The column with the smallest entry comes first, and the others keep the remainders.
		least := -1
		for j, c := range columns {
			if c[i].Sign() != 0 && (least < 0 || c[i].CmpAbs(columns[least][i]) < 0) {
				least = j
			}
		}
		if least < 0 {
			return false
		}
		columns[0], columns[least] = columns[least], columns[0]

		done := true
		// A column whose remainder is not zero needs another pass.
		for _, c := range columns[1:] {
			if c[i].Sign() != 0 {
				quotient := new(big.Int).Quo(c[i], columns[0][i])
				addMultiple(c, columns[0], quotient.Neg(quotient))
				done = done && c[i].Sign() == 0
			}
		}
		if done {
			return true
		}
	}
}

// addMultiple adds factor times other to v.
func addMultiple(v, other []*big.Int, factor *big.Int) {
	if factor.Sign() == 0 {
		return
	}
	var product big.Int
	for k, e := range other {
		if e.Sign() != 0 {
			v[k].Add(v[k], product.Mul(e, factor))
		}
	}
}
