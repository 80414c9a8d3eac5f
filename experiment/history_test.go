package experiment

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHistory reads a training that was killed twice, once before its first check: the time up to the last checkpoint
// counts, a check that was repeated counts once, and the history has the checks alone.
func TestHistory(t *testing.T) {
	log := filepath.Join(t.TempDir(), "progress.jsonl")
	const lines = `{"step":7,"loss":null,"validation":null,"rate":null,"seconds":60}
{"step":15,"loss":null,"validation":null,"rate":null,"seconds":60}
{"step":20,"loss":-1,"validation":-2,"rate":0.1,"seconds":30}
{"step":33,"loss":null,"validation":null,"rate":null,"seconds":60}
{"step":40,"loss":-3,"validation":-4,"rate":0.1,"seconds":20}
{"step":40,"loss":-3,"validation":-4,"rate":0.1,"seconds":25}
{"step":44,"loss":null,"validation":null,"rate":null,"seconds":60}
`
	if err := os.WriteFile(log, []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}

	var tr training
	spent, err := tr.history(log)
	if err != nil {
		t.Fatal(err)
	}
	if want := (60 + 60 + 30 + 60 + 25 + 60) * time.Second; spent != want {
		t.Errorf("spent %v, want %v", spent, want)
	}
	got := tr.record.History
	if len(got) != 2 || got[0].Step != 20 || got[0].Seconds != 150 || got[1].Step != 40 || got[1].Seconds != 85 {
		t.Errorf("history %+v", got)
	}
}
