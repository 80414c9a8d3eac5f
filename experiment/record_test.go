package experiment

import (
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
