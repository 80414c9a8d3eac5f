package experiment

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is a share of a stage's jobs: those whose number is Index-1 modulo Count.
type Shard struct{ Index, Count int }

// whole is all jobs.
var whole = Shard{1, 1}

// ParseShard reads "i/n" with 1 <= i <= n.
func ParseShard(s string) (Shard, error) {
	// Both parts must be numbers, and nothing else.
	i, n, ok := strings.Cut(s, "/")
	index, errIndex := strconv.Atoi(i)
	count, errCount := strconv.Atoi(n)
	numbers := ok && errIndex == nil && errCount == nil
	if !numbers || index < 1 || index > count {
		return Shard{}, fmt.Errorf("%w: shard %q is not i/n with 1 <= i <= n", ErrOptions, s)
	}
	return Shard{index, count}, nil
}

// owns reports whether job k (0, 1, ...) belongs to the shard.
func (s Shard) owns(k int) bool { return k%s.Count == s.Index-1 }

// Split divides the shard into n shards of n times as many.
func (s Shard) Split(n int) []Shard {
	list := make([]Shard, n)
	for k := range list {
		// The shards of a shard own the same jobs, divided among n processes.
		list[k] = Shard{s.Index + k*s.Count, n * s.Count}
	}
	return list
}

// file returns the name of the shard's file of a stage.
func (s Shard) file(stage, ext string) string {
	return fmt.Sprintf("%s-%d-of-%d.%s", stage, s.Index, s.Count, ext)
}
