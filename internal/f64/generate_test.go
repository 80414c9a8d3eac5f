package f64

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestGenerated regenerates the assembly and compares it with what is checked in. It is skipped where the
// generator's dependency is not in the module cache.
func TestGenerated(t *testing.T) {
	dir := t.TempDir()
	tool := filepath.Join(dir, "asm")
	build := exec.Command("go", "build", "-C", "../../tools/asm", "-o", tool, ".")
	build.Env = append(os.Environ(), "GOPROXY=off", "GOOS=", "GOARCH=") // it runs here, whatever the tests are built for
	if out, err := build.CombinedOutput(); err != nil {
		t.Skipf("the generator cannot be built here: %v\n%s", err, out)
	}
	if out, err := exec.Command(tool, "-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("the generator fails: %v\n%s", err, out)
	}
	fresh, err := filepath.Glob(filepath.Join(dir, "*.s"))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob("*.s")
	if err != nil {
		t.Fatal(err)
	}
	if len(fresh) != len(kept) {
		t.Errorf("%d files are generated, %d are checked in", len(fresh), len(kept))
	}
	for _, f := range fresh {
		want, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Base(f))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the generator writes; run go generate", filepath.Base(f))
		}
	}
}

// TestPureGo checks that no assembly survives the tag purego or another processor.
func TestPureGo(t *testing.T) {
	for _, c := range []struct{ arch, tags string }{{"amd64", "purego"}, {"arm64", ""}, {"riscv64", ""}} {
		list := exec.Command("go", "list", "-tags", c.tags, "-f", "{{.SFiles}} {{.GoFiles}}", ".")
		list.Env = append(os.Environ(), "GOARCH="+c.arch, "CGO_ENABLED=0")
		out, err := list.CombinedOutput()
		if err != nil {
			t.Skipf("go list does not run here: %v\n%s", err, out)
		}
		if s := string(out); !strings.HasPrefix(s, "[] ") || strings.Contains(s, "_amd64.go") || !strings.Contains(s, "gemm_noasm.go") {
			t.Errorf("%s with tags %q builds from %s", c.arch, c.tags, s)
		}
	}
}
