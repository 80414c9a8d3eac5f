package cli

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

// TestProgressEvents reads the events of runs: their times grow, bounds only rise and objectives only fall, the last
// one is the result, and the trace of --json ends with it.
func TestProgressEvents(t *testing.T) {
	path := makeClass(t, "cap", "30x12:1.2")
	model := filepath.Join(t.TempDir(), "m.mps")
	if o := invoke(t, t.Context(), "export", path, "-o", model); o.code != 0 {
		t.Fatal(o.stderr)
	}
	for _, args := range [][]string{{"solve", path}, {"solve", path, "--scheme", "outer"}, {"mip", model}} {
		o := invoke(t, t.Context(), append(args, "--progress", "ndjson", "--json")...)
		got := o.object(t)
		type row struct {
			Event, Status             string
			Seconds, Objective, Bound *float64
		}
		var rows []row
		for line := range strings.Lines(o.stderr) {
			var r row
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				t.Fatalf("%v: %v in %s", args, err, line)
			}
			rows = append(rows, r)
		}
		last := row{}
		seconds, bound, cost := 0.0, math.Inf(-1), math.Inf(1)
		for _, r := range rows {
			if r.Seconds == nil || *r.Seconds < seconds {
				t.Errorf("%v: %+v", args, r)
			} else {
				seconds = *r.Seconds
			}
			if r.Bound != nil {
				if *r.Bound < bound-1e-6 {
					t.Errorf("%v: a bound of %v after %v", args, *r.Bound, bound)
				}
				bound = *r.Bound
			}
			if r.Objective != nil {
				if *r.Objective > cost+1e-6 {
					t.Errorf("%v: an objective of %v after %v", args, *r.Objective, cost)
				}
				cost = *r.Objective
			}
			last = r
		}
		if last.Event != "result" || last.Status != "optimal" || *last.Objective != value(t, got, "objective") {
			t.Errorf("%v: %+v", args, last)
		}
		trace := got["trace"].([]any)
		if end := trace[len(trace)-1].(map[string]any); end["objective"] != got["objective"] || end["bound"] != got["bound"] {
			t.Errorf("%v: %v", args, end)
		}
	}
	if o := invoke(t, t.Context(), "solve", path, "--progress", "xml"); o.code != exitBadInput || !strings.Contains(o.stderr, "ndjson") {
		t.Errorf("%d %s", o.code, o.stderr)
	}
}
