package cli

import (
	"strings"
	"testing"
)

// TestSolutionOfAnUnboundedModel writes the point of a model that has no reduced costs and duals.
func TestSolutionOfAnUnboundedModel(t *testing.T) {
	for _, flag := range []string{"--solution", "--write-sol"} {
		o := invoke(t, t.Context(), "lp", "testdata/unbounded.mps", "-q", flag, "-")
		if !strings.Contains(o.stdout, "BALANCE") || strings.Contains(o.stderr, "internal error") {
			t.Errorf("%s: %s%s", flag, o.stdout, o.stderr)
		}
	}
}

// TestTemplateToStandardOutput writes a template to the path "-", which is standard output for every command.
func TestTemplateToStandardOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	want := invoke(t, t.Context(), "template", "cap").stdout
	if o := invoke(t, t.Context(), "template", "cap", "-o", "-"); o.code != 0 || o.stdout != want || want == "" {
		t.Errorf("%d %s%s", o.code, o.stdout, o.stderr)
	}
}
