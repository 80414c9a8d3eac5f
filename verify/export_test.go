package verify

import "github.com/proxybd/proxybd/record"

// HashOf returns the hash that the instance of a record should have, as a forger would compute it; "" for one that
// cannot be opened.
func HashOf(r *record.Record) string {
	p, err := open(r)
	if err != nil {
		return ""
	}
	return p.hash()
}
