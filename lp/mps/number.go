package mps

import (
	"math"
	"strconv"
)

// infinite is the magnitude from which a bound counts as infinite.
const infinite = 1e30

// exactPow10 holds the powers of ten that a float64 represents exactly.
var exactPow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// parseNumber reads a decimal number, correctly rounded: sign, digits with a point anywhere among them, and an
// exponent after e, E, d or D. A number beyond the range of float64 is returned as an infinity.
// Everything else, the words inf and nan included, is not a number.
func parseNumber(s []byte) (v float64, ok bool) {
	i, negative := 0, false
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		negative = s[i] == '-'
		i++
	}
	var mantissa uint64
	digits, significant, scale := 0, 0, 0
	point := false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		digits++
		if significant < 18 {
			mantissa = mantissa*10 + uint64(c-'0')
			if mantissa != 0 {
				significant++
			}
			if point {
				scale--
			}
		} else {
			significant++ // too long for the exact path
		}
	}
	if digits == 0 {
		return 0, false
	}
	if i < len(s) {
		e, valid := parseExponent(s[i:])
		if !valid {
			return 0, false
		}
		scale += e
	}
	if significant > 18 || mantissa >= 1<<53 || scale < -22 || scale > 22 {
		return parseSlowly(s)
	}
	v = float64(mantissa)
	if scale < 0 {
		v /= exactPow10[-scale]
	} else {
		v *= exactPow10[scale]
	}
	if negative {
		v = -v
	}
	return v, true
}

// parseExponent reads e+12 and the like, to the end of s.
func parseExponent(s []byte) (int, bool) {
	if c := s[0] | 0x20; c != 'e' && c != 'd' {
		return 0, false
	}
	s = s[1:]
	sign := 1
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if len(s) == 0 {
		return 0, false
	}
	e := 0
	for _, c := range s {
		if c < '0' || c > '9' {
			return 0, false
		}
		e = min(e*10+int(c-'0'), 100000) // far outside the range either way
	}
	return sign * e, true
}

// parseSlowly reads what parseNumber has found well formed.
func parseSlowly(s []byte) (float64, bool) {
	var buf [64]byte
	text := append(buf[:0], s...)
	for i, c := range text {
		if c == 'd' || c == 'D' {
			text[i] = 'e'
		}
	}
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
		if v, ok = parseInfinity(s); !ok {
			return 0, false
		}
	}
	switch {
	case v >= infinite:
		v = math.Inf(1)
	case v <= -infinite:
		v = math.Inf(-1)
	}
	return v, true
}

func parseInfinity(s []byte) (float64, bool) {
	sign := 1
	if len(s) > 0 && (s[0] == '+' || s[0] == '-') {
		if s[0] == '-' {
			sign = -1
		}
		s = s[1:]
	}
	if w := lower(s); w == "inf" || w == "infinity" {
		return math.Inf(sign), true
	}
	return 0, false
}

// lower returns short ASCII words in lower case, and longer text as it is.
func lower(s []byte) string {
	if len(s) > 16 {
		return string(s)
	}
	var buf [16]byte
	for i, c := range s {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		buf[i] = c
	}
	return string(buf[:len(s)])
}
