package sslp

// What the tests of this package call directly.
var (
	Decode   = decode
	Generate = generate
	New      = newInstance
)
