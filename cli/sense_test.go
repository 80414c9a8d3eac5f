package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// A maximisation with a constant: y = 1, x = 2 gives 7, and 1.5 more.
const maximisation = "max\n obj: 3 y + 2 x + 1.5\nst\n c: x - 4 y <= 0\n d: x + y <= 3\nbounds\n y <= 1\n x <= 10\nbinary\n y\nend\n"

// A program of two or three periods that sells u at the price of 4 and what is left of it at 1, less a constant; its
// expected profit is that of x = 3 bought today.
const (
	profitCore  = "NAME profit\nOBJSENSE\n MAX\nROWS\n N gain\n G room\n L sold\n L rest\nCOLUMNS\n x gain -1 room -1\n x sold -1\n u gain 4 sold 1\n u rest 1\n v gain 1 rest 1\nRHS\n R gain 2 room -3\n R rest 3\nBOUNDS\n UP B u 5\nENDATA\n"
	profitTwo   = "TIME profit\nPERIODS\n x room P1\n u sold P2\nENDATA\n"
	profitThree = "TIME profit\nPERIODS\n x room P1\n u sold P2\n v rest P3\nENDATA\n"
	profitStoch = "STOCH profit\nINDEP DISCRETE\n u gain 3 0.5\n u gain 5 0.5\n R rest 3 0.25\n R rest 6 0.75\nENDATA\n"
)

// TestExportsKeepTheSense writes maximisations, with a constant, in every format, and solves what was written: the
// value is the same, not its negative.
func TestExportsKeepTheSense(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put("two.tim", profitTwo)
	put("two.sto", profitStoch)
	put("three.tim", profitThree)
	put("three.sto", profitStoch)
	ways := map[string]string{".mps": "mip", ".lp": "mip", ".mps.gz": "mip", ".smps": "solve"}
	for _, path := range []string{put("m.lp", maximisation), put("two.cor", profitCore), put("three.cor", profitCore)} {
		want := value(t, invoke(t, t.Context(), "solve", path, "--json", "-q").object(t), "objective")
		if filepath.Base(path) == "m.lp" && !near(want, 8.5, 1e-6) {
			t.Errorf("%g, want 8.5", want)
		}
		if !(want > 0) {
			t.Fatalf("%s: %g", path, want)
		}
		for ending, command := range ways {
			if ending == ".smps" && filepath.Base(path) == "m.lp" {
				continue
			}
			out := filepath.Join(dir, "out"+ending)
			if o := invoke(t, t.Context(), "export", path, "-o", out); o.code != 0 {
				t.Fatal(o.stderr)
			}
			got := value(t, invoke(t, t.Context(), command, out, "--json", "-q").object(t), "objective")
			if !near(got, want, 1e-6) {
				t.Errorf("%s as %s: %g, want %g", path, ending, got, want)
			}
		}
	}
}

// TestSenseDefects exports the files that once came out with the negative of their value.
func TestSenseDefects(t *testing.T) {
	folder := filepath.Join(dataDir, "defects", "at-38c05f4")
	if _, err := os.Stat(folder); err != nil {
		t.Skip(err)
	}
	for file, want := range map[string]float64{"mx.lp": 7, "max-q.cor": 0.5} {
		for _, ending := range []string{".mps", ".lp"} {
			out := filepath.Join(t.TempDir(), "out"+ending)
			if o := invoke(t, t.Context(), "export", filepath.Join(folder, file), "-o", out); o.code != 0 {
				t.Fatal(o.stderr)
			}
			got := value(t, invoke(t, t.Context(), "mip", out, "--json", "-q").object(t), "objective")
			if !near(got, want, 1e-6) {
				t.Errorf("%s as %s: %g, want %g", file, ending, got, want)
			}
		}
	}
}
