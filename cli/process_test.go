package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

// childEnv makes the test binary act as the command, so that signals meet a whole process.
const childEnv = "PROXYBD_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "command":
		os.Exit(Main(os.Args[1:], Families()...))
	case "hang": // ignores its cancelled context
		ctx, _ := interruptible(context.Background())
		fmt.Println("ready")
		<-ctx.Done()
		fmt.Println("cancelled")
		time.Sleep(time.Minute)
	default:
		os.Exit(m.Run())
	}
}

// hardModel writes a market-split model with slacks, which no solver closes in the time that a test has, and returns
// its path.
func hardModel(t *testing.T) string {
	t.Helper()
	const rows, cols = 6, 50
	r := rand.New(rand.NewPCG(1, 2))
	m := &lp.Model{Name: "MARKET"}
	for j := range cols {
		m.AddCol(lp.Col{Name: fmt.Sprintf("x%d", j), Upper: 1, Integer: true})
	}
	for i := range rows {
		index, value := make([]int32, cols, cols+2), make([]float64, cols, cols+2)
		sum := 0.0
		for j := range cols {
			index[j], value[j] = int32(j), float64(r.IntN(100))
			sum += value[j]
		}
		over := m.AddCol(lp.Col{Name: fmt.Sprintf("over%d", i), Cost: 1, Upper: lp.Inf})
		under := m.AddCol(lp.Col{Name: fmt.Sprintf("under%d", i), Cost: 1, Upper: lp.Inf})
		side := float64(int(sum / 2))
		m.AddRow(lp.Row{Name: fmt.Sprintf("r%d", i), Lower: side, Upper: side}, append(index, int32(over), int32(under)), append(value, -1, 1))
	}
	path := filepath.Join(t.TempDir(), "market.mps")
	if err := writeFile(path, func(w io.Writer) error { return mps.Write(w, m) }); err != nil {
		t.Fatal(err)
	}
	return path
}

func child(t *testing.T, mode string, args ...string) *exec.Cmd {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no signals")
	}
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), childEnv+"="+mode)
	return c
}

// TestTermination sends SIGTERM and SIGINT to a running solve: it must stop soon and report what it has.
func TestTermination(t *testing.T) {
	hard := hardModel(t)
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		c := child(t, "command", "mip", hard, "--json", "--log-every", "10ms")
		var stdout bytes.Buffer
		c.Stdout = &stdout
		stderr, err := c.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(stderr)
		for rows := 0; rows < 4 && lines.Scan(); { // the search is running
			if strings.Contains(lines.Text(), "%") {
				rows++
			}
		}
		if err := c.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
		}
		c.Wait()
		var got map[string]any
		if err := json.Unmarshal(stdout.Bytes(), &got); err != nil {
			t.Fatalf("%v: %v in %q", sig, err, stdout.String())
		}
		if c.ProcessState.ExitCode() != exitLimit || got["status"] != "interrupted" || got["objective"] == nil || got["bound"] == nil {
			t.Errorf("%v: exit code %d, %v", sig, c.ProcessState.ExitCode(), got)
		}
	}
}

// TestSecondSignalKills needs a process that does not heed its context.
func TestSecondSignalKills(t *testing.T) {
	c := child(t, "hang")
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for _, want := range []string{"ready", "cancelled"} {
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
		time.Sleep(50 * time.Millisecond) // the default action is back soon after the context ends
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Wait(); err == nil || c.ProcessState.Success() {
		t.Errorf("the second signal left %v", c.ProcessState)
	}
}
