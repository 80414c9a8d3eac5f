package experiment

import (
	"fmt"
	"strings"
	"testing"
)

// TestStalledRecords reads a stalled run as this version writes it and as older ones did, and one that a node limit
// ended.
func TestStalledRecords(t *testing.T) {
	lines := `{"schema":1,"kind":"eval","status":"stalled"}
{"schema":1,"kind":"eval","status":"node_limit","stalled":true}
{"schema":1,"kind":"eval","status":"node_limit"}
`
	records, broken, err := ReadRecords(strings.NewReader(lines))
	if err != nil || broken != 0 || len(records) != 3 {
		t.Fatalf("%d records, %d broken, %v", len(records), broken, err)
	}
	for k, want := range []bool{true, true, false} {
		if r := &records[k]; r.Stalled() != want || r.Censored() == want {
			t.Errorf("line %d: status %s, stalled %v, censored %v", k+1, r.Status, r.Stalled(), r.Censored())
		}
	}
}

// TestSplitShards divides shards: every job belongs to one of the parts of its shard, and to no other.
func TestSplitShards(t *testing.T) {
	for count := 1; count <= 4; count++ {
		for n := 1; n <= 5; n++ {
			for k := range 40 {
				for index := 1; index <= count; index++ {
					s, owners := Shard{index, count}, 0
					for _, part := range s.Split(n) {
						if _, err := ParseShard(fmt.Sprintf("%d/%d", part.Index, part.Count)); err != nil {
							t.Fatal(err)
						}
						if part.owns(k) {
							owners++
						}
					}
					if (owners == 1) != s.owns(k) || owners > 1 {
						t.Errorf("job %d of %v by %d: %d owners", k, s, n, owners)
					}
				}
			}
		}
	}
}
