package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestReadingStops ends commands by their time limit, or by an interrupt, while they wait for standard input: with the
// status and the exit code of a limit, and without a copy of the input in the folder of temporary files.
func TestReadingStops(t *testing.T) {
	record := filepath.Join("testdata", "none")
	for _, c := range []struct {
		args   string
		limit  bool
		status string
	}{
		{"lp -", true, "time_limit"}, {"mip -", true, "time_limit"}, {"solve -", true, "time_limit"},
		{"lp -", false, "interrupted"}, {"solve -", false, "interrupted"}, {"verify -", false, "interrupted"},
		{"evaluate - " + record, false, "interrupted"}, {"saa -", false, "interrupted"},
	} {
		// Each command has its own folder for temporary files.
		temporary := t.TempDir()
		t.Setenv("TMPDIR", temporary)

		// Either the time limit or the interrupt comes after 50 milliseconds.
		ctx, cancel := context.WithCancel(context.Background())
		args := append(strings.Fields(c.args), "--json", "-q")
		if c.limit {
			args = append(args, "--time-limit", "0.05")
		} else {
			time.AfterFunc(50*time.Millisecond, cancel)
		}

		// Nothing is written to the pipe, and it stays open until the command has ended.
		in, hold := io.Pipe()
		var out, log bytes.Buffer
		began := time.Now()
		code := run(ctx, Families(), args, in, &out, &log)
		took := time.Since(began)
		cancel()
		hold.Close()

		var object struct{ Status string }
		if err := json.Unmarshal(out.Bytes(), &object); err != nil || object.Status != c.status || code != exitLimit {
			t.Errorf("%s: exit %d, status %q, %v: %s", c.args, code, object.Status, err, log.String())
		}

		// The time allowed is far more than the limit, as the machine may be busy.
		if took > 20*time.Second {
			t.Errorf("%s took %s", c.args, took)
		}

		if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
			t.Errorf("%s left %v, %v", c.args, left, err)
		}
	}
}

// TestMaxInput refuses an input by --max-input, with its name and the option in the error.
func TestMaxInput(t *testing.T) {
	model := "NAME m\nROWS\n N c\n L r\nCOLUMNS\n x c -1 r 1\nRHS\n r r 4\nENDATA\n"
	path := filepath.Join(t.TempDir(), "m.mps")
	if err := os.WriteFile(path, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args, stdin, want string
		code              int
	}{
		{"lp " + path + " --max-input 1kB", "", "", 0},
		{"lp " + path + " --max-input 20", "", path + ": it has more than 20 bytes", exitBadInput},
		{"lp - --max-input 20", model, "standard input: it has more than 20 bytes", exitBadInput},
		{"solve - --max-input 20", model, "standard input: it has more than 20 bytes", exitBadInput},
		{"verify " + path + " --max-input 5", "", path, exitBadInput},
	} {
		var out, log bytes.Buffer
		code := run(context.Background(), Families(), strings.Fields(c.args), strings.NewReader(c.stdin), &out, &log)
		if code != c.code || !strings.Contains(log.String(), c.want) {
			t.Errorf("%s: exit %d, %s", c.args, code, log.String())
		}
	}
}

// TestSlowStart counts the time to read a start, which comes late on standard input, against the time limit of a search
// that would go on for long.
func TestSlowStart(t *testing.T) {
	// A market split of six equations over fifty 0-1 columns, which takes far longer than the limit.
	rng := rand.New(rand.NewPCG(1, 1))
	var model strings.Builder
	model.WriteString("min\n z: x1\nst\n")
	for row := range 6 {
		sum := 0
		for j := range 50 {
			v := rng.IntN(100)
			sum += v
			fmt.Fprintf(&model, " + %d x%d\n", v, j+1)
		}
		fmt.Fprintf(&model, " + over%d - under%d = %d\n", row, row, sum/2)
	}
	model.WriteString(" over0 + under0 + over1 + under1 + over2 + under2 + over3 + under3 + over4 + under4 + over5 + under5 <= 1\nbinary\n")
	for j := range 50 {
		fmt.Fprintf(&model, " x%d\n", j+1)
	}
	model.WriteString("end\n")
	path := filepath.Join(t.TempDir(), "split.lp")
	if err := os.WriteFile(path, []byte(model.String()), 0o600); err != nil {
		t.Fatal(err)
	}

	const limit = 2 * time.Second
	in, hold := io.Pipe()
	time.AfterFunc(limit*7/8, func() {
		io.WriteString(hold, "x1 0\n")
		hold.Close()
	})
	var out, log bytes.Buffer
	began := time.Now()
	args := []string{"mip", path, "--start", "-", "--json", "-q", "--time-limit", limit.String()}
	code := run(t.Context(), Families(), args, in, &out, &log)
	if code != exitLimit {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	if took := time.Since(began); took > limit*7/4 {
		t.Errorf("%s, the limit is %s", took, limit)
	}
}
