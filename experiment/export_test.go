package experiment

// Owns reports for tests whether job k is one of the shard's.
func (s Shard) Owns(k int) bool { return s.owns(k) }
