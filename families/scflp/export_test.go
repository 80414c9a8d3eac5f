package scflp

// What the tests of this package call directly.
var (
	Decode   = decode
	Generate = generate
	Read     = read
	New      = newInstance
)
