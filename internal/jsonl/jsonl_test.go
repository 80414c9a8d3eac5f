package jsonl

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, []byte(`{"n": 1}`+"\n"+`{"cut`), 0o644); err != nil {
		t.Fatal(err)
	}
	type record struct {
		N    int    `json:"n"`
		Text string `json:"text"`
		V    Number `json:"v"`
	}
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for range 10 {
				if err := Append(path, record{N: n, Text: strings.Repeat("x", 3000), V: Number(math.NaN())}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	good := 0
	bad, err := Read(strings.NewReader(string(text)), func(line []byte) error {
		good++
		return json.Unmarshal(line, new(record))
	})
	if err != nil {
		t.Fatal(err)
	}
	if good != 81 || bad != 1 {
		t.Errorf("%d good lines, %d bad ones, want 81 and the one that was cut off", good, bad)
	}
	if err := Append(filepath.Join(path, "x"), record{}); err == nil {
		t.Error("a path through a file was accepted")
	}
}

func TestNumber(t *testing.T) {
	for v, want := range map[float64]string{1: "1", 0.1: "0.1", math.Inf(1): "null", math.NaN(): "null", 1e300: "1e+300"} {
		text, err := json.Marshal(Number(v))
		if err != nil || string(text) != want {
			t.Errorf("%v: %s %v, want %s", v, text, err, want)
		}
		var back Number
		if err := json.Unmarshal(text, &back); err != nil || float64(back) != v && want != "null" || want == "null" && !math.IsNaN(float64(back)) {
			t.Errorf("%s is read as %v, %v", text, back, err)
		}
	}
}
