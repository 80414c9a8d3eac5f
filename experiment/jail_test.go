package experiment_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proxybd/proxybd/experiment"
	"github.com/proxybd/proxybd/experiment/report"
)

// sentinel makes a folder with an experiment's folder in it and returns both, and a function that fails the test where
// anything but the experiment has changed.
func sentinel(t *testing.T) (outside, dir string, check func()) {
	t.Helper()
	outside = t.TempDir()
	dir = filepath.Join(outside, "experiment")
	for _, sub := range []string{dir, filepath.Join(outside, "other")} {
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	return outside, dir, func() {
		t.Helper()
		if list, err := os.ReadDir(outside); err != nil || len(list) != 2 {
			t.Errorf("beside the experiment: %v, %v", list, err)
		}
		if list, err := os.ReadDir(filepath.Join(outside, "other")); err != nil || len(list) > 0 {
			t.Errorf("in another folder: %v, %v", list, err)
		}
	}
}

// TestManifestNames refuses names that lead out of the folder, or are none.
func TestManifestNames(t *testing.T) {
	const plain = `{"schema":1,"bases":[{"id":"b","family":"cap","shape":"1x1","part":"test","file":"bases/b"}],` +
		`"instances":[{"id":"x","base":"b","family":"cap","shape":"1x1","part":"test"}]}`
	_, dir, check := sentinel(t)
	open := func(text string) error {
		if err := os.WriteFile(filepath.Join(dir, "manifest.json"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := experiment.Open(dir, all)
		return err
	}
	if err := open(plain); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"../../other/x", "..", "a/b", `a\\b`, "/x", ".x", "", `a\nb`, "c:x", strings.Repeat("x", 300)} {
		for _, old := range []string{`"x"`, `"b"`, `"cap"`, `"1x1"`} {
			text := strings.ReplaceAll(plain, old, `"`+bad+`"`)
			if err := open(text); !errors.Is(err, experiment.ErrManifest) {
				t.Errorf("%s as %q: %v", old, bad, err)
			}
		}
	}
	for _, file := range []string{"../other/b", "/etc/passwd"} {
		if err := open(strings.Replace(plain, "bases/b", file, 1)); !errors.Is(err, experiment.ErrManifest) {
			t.Errorf("file %s: %v", file, err)
		}
	}
	if err := open(`{"schema":1,"instances":[` + strings.Repeat("{},", 3<<20) + `{}]}`); !errors.Is(err,
		experiment.ErrManifest) || !strings.Contains(err.Error(), "values") {
		t.Errorf("a manifest of many entries: %v", err)
	}
	check()
}

// TestLinks does not follow symbolic links out of the folder, neither to read nor to write.
func TestLinks(t *testing.T) {
	outside, dir, check := sentinel(t)
	e, err := experiment.Split(context.Background(), dir, all, nil, splitOptions())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"states", "results", "models"} {
		if err := os.Symlink(filepath.Join(outside, "other"), filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	for name, run := range map[string]func() error{
		"states": func() error { return e.CollectStates(t.Context(), statesOptions()) },
		"train":  func() error { return e.Train(t.Context(), trainOptions()) },
		"eval":   func() error { return e.Evaluate(t.Context(), evalOptions()) },
		"loss": func() error {
			return report.WriteLosses(dir, []experiment.Training{{Family: "../../other/x", Shape: "y", History: make([]experiment.TrainPoint, 2)}})
		},
	} {
		if err := run(); err == nil {
			t.Errorf("%s through a link: no error", name)
		}
	}
	check()

	base := filepath.Join(dir, filepath.FromSlash(e.Manifest.Bases[0].File))
	moved := filepath.Join(t.TempDir(), filepath.Base(base))
	if err := errors.Join(os.Rename(base, moved), os.Symlink(moved, base)); err != nil {
		t.Fatal(err)
	}
	for _, in := range e.Manifest.Instances {
		if in.Base != e.Manifest.Bases[0].ID {
			continue
		}
		if _, err := e.Instance(in); err == nil || !strings.Contains(err.Error(), "escapes") {
			t.Errorf("a base behind a link: %v", err)
		}
	}
}

// TestResultNames refuses results whose names lead out of the folder.
func TestResultNames(t *testing.T) {
	for _, c := range []struct {
		family, shape, id string
		ok                bool
	}{{"cap", "1x1", "a", true}, {"../x", "1x1", "a", false}, {"cap", "../../x", "a", false}, {"cap", "1x1", "/a", false}} {
		line := fmt.Sprintf(`{"schema":1,"kind":"eval","family":%q,"shape":%q,"id":%q}`, c.family, c.shape, c.id)
		if _, _, err := experiment.ReadRecords(strings.NewReader(line)); (err == nil) != c.ok {
			t.Errorf("%s: %v", line, err)
		}
	}
}

// FuzzResults reports results of arbitrary names: nothing outside of the folder of the report is written.
func FuzzResults(f *testing.F) {
	f.Add("cap", "1x1", "a", "exact")
	f.Add("../../other/x", "..", "/a", "=cmd")
	f.Fuzz(func(t *testing.T, family, shape, id, method string) {
		_, dir, check := sentinel(t)
		line, err := json.Marshal(map[string]any{"schema": 1, "kind": "eval", "family": family, "shape": shape, "id": id,
			"method": method, "status": "optimal"})
		if err != nil {
			t.Fatal(err)
		}
		records, _, err := experiment.ReadRecords(strings.NewReader(string(line)))
		if err != nil {
			return
		}
		{
			r := report.Make(&report.Data{Records: records})
			if err := r.Write(filepath.Join(dir, "report")); err != nil {
				t.Error(err)
			}
		}
		check()
	})
}
