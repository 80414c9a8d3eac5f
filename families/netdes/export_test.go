package netdes

// What the external tests of this package call directly.
var (
	Decode   = decode
	Generate = generate
	Read     = read
	New      = newInstance
)
