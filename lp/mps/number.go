package mps

import (
	"math"
	"strconv"

	"github.com/proxybd/proxybd/lp"
)

// infinite is the magnitude from which a bound counts as infinite, as in CBC and most other readers of MPS.
const infinite = 1e30

// exactPow10 holds the powers of ten that a float64 represents exactly.
var exactPow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a decimal number, correctly rounded: sign, digits with a point anywhere among them, and an
// exponent after e, E, d or D. A number beyond the range of float64 is returned as an infinity.
// Everything else, the words inf and nan included, is not a number.
func parseNumber(s []byte) (v float64, ok bool) {
	text, sign := cutSign(s)

	// The digits as an integer, scaled by a power of ten. More than maxDigits might overflow the integer.
	const maxDigits = 18
	var mantissa uint64
	digits := 0      // all of them, leading zeros too
	significant := 0 // those from the first one on that is not zero
	scale := 0       // the number is mantissa times ten to this power
	point := false   // the point has been read
	i := 0
	for ; i < len(text); i++ {
		c := text[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}

		digits++
		// Digits beyond the eighteenth do not enter the mantissa. parseSlowly reads the whole text then, so that
		// they count.
		if significant >= maxDigits {
			significant++
			continue
		}
		mantissa = mantissa*10 + uint64(c-'0')

		// Leading zeros are not significant.
		if mantissa != 0 {
			significant++
		}
		if point {
			scale--
		}
	}

	// A sign or a point alone is no number.
	if digits == 0 {
		return 0, false
	}

	// What follows the digits must be an exponent, to the end of the text.
	if i < len(text) {
		e, valid := parseExponent(text[i:])
		if !valid {
			return 0, false
		}
		scale += e
	}

	// An integer below 2^53 times or over an exact power of ten is rounded once, so the result is the nearest float64.
	exact := significant <= maxDigits && mantissa < 1<<53
	if !exact || scale < -22 || scale > 22 {
		return parseSlowly(s)
	}
	v = float64(mantissa)
	if scale < 0 {
		v /= exactPow10[-scale]
	} else {
		v *= exactPow10[scale]
	}
	return math.Copysign(v, sign), true
}

// cutSign returns the text behind a sign, if there is one, and the sign as 1 or -1.
func cutSign(s []byte) (rest []byte, sign float64) {
	if len(s) > 0 && s[0] == '-' {
		return s[1:], -1
	}
	if len(s) > 0 && s[0] == '+' {
		return s[1:], 1
	}
	return s, 1
}

// parseExponent reads e+12 and the like, to the end of s.
func parseExponent(s []byte) (int, bool) {
	if c := s[0] | 0x20; c != 'e' && c != 'd' {
		return 0, false
	}

	// The letter must be followed by digits.
	digits, sign := cutSign(s[1:])
	if len(digits) == 0 {
		return 0, false
	}

	e := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 100000) // far outside the range of float64 either way
	}
	return int(sign) * e, true
}

// parseSlowly reads what parseNumber has found well formed.
func parseSlowly(s []byte) (float64, bool) {
	// The d of Fortran is not an exponent to strconv.
	var buf [64]byte
	text := append(buf[:0], s...)
	for i, c := range text {
		if c == 'd' || c == 'D' {
			text[i] = 'e'
		}
	}

	// A number out of range comes as an infinity with an error.
	v, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(v, 0) {
		return 0, false
	}
	return v, true
}

// parseBound reads a bound: a number, where a magnitude of 1e30 or more is infinite, or one of the
// words inf and infinity with or without a sign.
func parseBound(s []byte) (float64, bool) {
	v, ok := parseNumber(s)
	if !ok {
		v, ok = parseInfinity(s)
	}
	return clip(v), ok
}

// clip makes a bound infinite where readers take it for infinite.
func clip(v float64) float64 {
	switch {
	case v >= infinite:
		return lp.Inf
	case v <= -infinite:
		return -lp.Inf
	}
	return v
}

// parseInfinity reads inf or infinity in any case, with or without a sign.
func parseInfinity(s []byte) (float64, bool) {
	word, sign := cutSign(s)
	if w := lower(word); w == "inf" || w == "infinity" {
		return math.Inf(int(sign)), true
	}
	return 0, false
}

// lower returns short ASCII words in lower case, and longer text as it is: no keyword is so long.
func lower(s []byte) string {
	if len(s) > 16 {
		return string(s)
	}

	var buf [16]byte

	// Only ASCII letters change; keywords have no others.
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return string(buf[:len(s)])
}
