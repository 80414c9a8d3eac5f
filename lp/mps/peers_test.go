//go:build peers

package mps

import (
	"bufio"
	"context"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// TestOthersReadOurFiles has glpsol and cbc, where they are installed, solve models that Write and WriteLP wrote, and
// compares the optima with the published ones.
func TestOthersReadOurFiles(t *testing.T) {
	values := publishedOptima(t)
	peers := []struct {
		name  string
		args  func(file string) []string
		value *regexp.Regexp
	}{
		{"glpsol", func(file string) []string {
			format := "--freemps"
			if strings.HasSuffix(file, ".lp") {
				format = "--lp"
			}
			return []string{format, file, "-o", "/dev/stdout"}
		}, regexp.MustCompile(`Objective:\s+\S+ = (\S+)`)},
		{"cbc", func(file string) []string { return []string{file, "-solve", "-quit"} },
			regexp.MustCompile(`(?:Objective value:\s+|Optimal objective )(\S+)`)},
	}
	dir := t.TempDir()
	for _, name := range []string{"netlib/afiro", "netlib/boeing2", "netlib/recipe", "netlib/e226", "netlib/forplan", "miplib/p0033", "miplib/flugpl"} {
		m, _, err := ReadFile(filepath.Join(dataDir, name+".mps.gz"))
		if err != nil {
			t.Fatal(err)
		}
		for end, write := range map[string]func(io.Writer, *lp.Model) error{".mps": Write, ".lp": WriteLP} {
			file := filepath.Join(dir, filepath.Base(name)+end)
			f, err := os.Create(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := write(f, m); err != nil {
				t.Fatal(err)
			}
			f.Close()
			for _, peer := range peers {
				if skip := peerLimits[peer.name+end]; slices.Contains(skip, filepath.Base(name)) {
					continue
				}
				if _, err := exec.LookPath(peer.name); err != nil {
					t.Logf("%s is not installed", peer.name)
					continue
				}
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				out, err := exec.CommandContext(ctx, peer.name, peer.args(file)...).CombinedOutput()
				cancel()
				found := peer.value.FindSubmatch(out)
				if err != nil || found == nil {
					t.Errorf("%s %s: %v\n%s", peer.name, file, err, out)
					continue
				}
				got, _ := strconv.ParseFloat(string(found[1]), 64)
				if want := values[filepath.Base(name)]; !(math.Abs(got-want) <= 1e-5*max(1, math.Abs(want))) {
					t.Errorf("%s %s: %v, want %v", peer.name, file, got, want)
				}
			}
		}
	}
}

// peerLimits lists what the others read differently: glpsol adds a right-hand side of the objective instead of taking
// it off (e226), and reads no ranges and no constants in LP files; cbc drops such constants.
var peerLimits = map[string][]string{
	"glpsol.mps": {"e226"},
	"glpsol.lp":  {"boeing2", "e226", "forplan"},
	"cbc.lp":     {"e226"},
}

// publishedOptima reads the numbers of OPTIMA.tsv.
func publishedOptima(t *testing.T) map[string]float64 {
	t.Helper()
	values := map[string]float64{}
	for _, folder := range []string{"netlib", "miplib"} {
		f, err := os.Open(filepath.Join(dataDir, folder, "OPTIMA.tsv"))
		if err != nil {
			t.Skip(err)
		}
		defer f.Close()
		for sc := bufio.NewScanner(f); sc.Scan(); {
			cells := strings.Split(sc.Text(), "\t")
			if v, err := strconv.ParseFloat(cells[1], 64); err == nil {
				values[cells[0]] = v
			}
		}
	}
	return values
}
