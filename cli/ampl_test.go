package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// amplModel is the model max 3x + 2y, x + y <= 4, x + 2y <= 7, x <= 3, as Pyomo writes it, with y integer or not.
func amplModel(t *testing.T, integers string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "model.nl")
	text := "g3 1 1 0\n 2 2 1 0 0\n 0 0\n 0 0\n 0 0 0\n 0 0 0 1\n 0 " + integers + " 0 0 0\n 4 2\n 0 0\n 0 0 0 0 0\n" +
		"C0\nn0\nC1\nn0\nO0 1\nn0\nr\n1 4\n1 7\nb\n0 0 3\n2 0\nk1\n2\nJ0 2\n0 1\n1 1\nJ1 2\n0 1\n1 2\nG0 2\n0 3\n1 2\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAMPL calls the program as modelling tools do, and reads the file that they read.
func TestAMPL(t *testing.T) {
	for _, test := range []struct {
		integers, variable string
		args               []string
		want               []string
	}{
		// Values, duals with the sign of the derivative of a maximum, and the basis.
		{integers: "0", args: []string{"-AMPL"}, want: []string{"optimal solution; objective 11",
			"Options\n3\n1\n1\n0\n2\n2\n2\n2\n2\n0\n3\n1\nobjno 0 0\nsuffix 0 2 8 0 0\nsstatus\n0 4\n1 1\n"}},
		{integers: "1", args: []string{"-AMPL", "timelim=60", "mipgap=0"}, want: []string{"branching nodes",
			"2\n0\n2\n2\n3\n1\nobjno 0 0\n"}},
		{integers: "1", args: []string{"-AMPL"}, variable: "relax=1 threads 1", want: []string{"2\n2\n2\n2\n2\n0\n3\n1\nobjno 0 0\n"}},
		{integers: "0", args: []string{"-AMPL", "objno=0"}, want: []string{"objno 0 0\n"}},
	} {
		path := amplModel(t, test.integers)
		t.Setenv(amplOptions, test.variable)

		// The ending may be left out.
		stub := strings.TrimSuffix(path, ".nl")
		o := invoke(t, context.Background(), append([]string{stub}, test.args...)...)
		sol, err := os.ReadFile(stub + ".sol")
		if o.code != 0 || err != nil {
			t.Errorf("%v: code %d, %v, %s", test.args, o.code, err, o.stderr)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(string(sol), want) {
				t.Errorf("%v %s: %q lacks %q", test.args, test.variable, sol, want)
			}
		}
	}
}

// TestAMPLPaths calls the program with models whose paths have an equals sign, with and without the ending.
func TestAMPLPaths(t *testing.T) {
	text, err := os.ReadFile(amplModel(t, "0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("a=b", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, model := range []string{"a=b/model.nl", "a=b/model", "./a=b/model.nl", "./timelim=5", "c=d.nl"} {
		stub := strings.TrimSuffix(model, ".nl")
		if err := os.WriteFile(stub+".nl", text, 0o600); err != nil {
			t.Fatal(err)
		}
		o := invoke(t, context.Background(), model, "-AMPL", "timelim=60")
		sol, err := os.ReadFile(stub + ".sol")
		if o.code != 0 || err != nil || !strings.Contains(string(sol), "optimal solution; objective 11") {
			t.Errorf("%s: %d, %v, %s", model, o.code, err, o.stderr)
		}
		os.Remove(stub + ".sol")
	}
}

// TestAMPLWithoutFile prints the values that wantsol asks for, and writes no file.
func TestAMPLWithoutFile(t *testing.T) {
	path := amplModel(t, "0")
	stub := strings.TrimSuffix(path, ".nl")
	for ending, names := range map[string]string{".col": "apples\npears\n", ".row": "land\nwork\n"} {
		if err := os.WriteFile(stub+ending, []byte(names), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := invoke(t, context.Background(), path, "wantsol=6")
	if o.code != 0 || !strings.Contains(o.stdout, "apples 3\npears 1\nland 2\nwork 0\n") {
		t.Errorf("code %d, %q, %s", o.code, o.stdout, o.stderr)
	}
	if _, err := os.Stat(stub + ".sol"); err == nil {
		t.Error("a .sol file without -AMPL and wantsol=1")
	}
}

// TestAMPLErrors has options and models that are refused.
func TestAMPLErrors(t *testing.T) {
	path := amplModel(t, "0")
	for _, test := range []struct {
		args      []string
		complaint string
	}{
		{[]string{path, "-AMPL", "speed=9"}, `there is no option "speed"`},
		{[]string{path, "-AMPL", "mipgap=x"}, `option mipgap: "x" is not a number`},
		{[]string{path, "other", "-AMPL"}, `"other" is neither the model nor key=value`},
		{[]string{"-AMPL"}, "the model is missing"},
		{[]string{path, "-AMPL", "objno=3"}, "line 2: objective 3 is asked for, and there are 1"},
		{[]string{filepath.Join(t.TempDir(), "none.nl"), "-AMPL"}, "none.nl: no such file"},
	} {
		if o := invoke(t, context.Background(), test.args...); o.code != 2 || !strings.Contains(o.stderr, test.complaint) {
			t.Errorf("%v: code %d, %s", test.args, o.code, o.stderr)
		}
	}
}

// TestNLOfOthers reads files that Pyomo and AMPL wrote: the objectives are SCIP's, and what SCIP refuses is refused.
func TestNLOfOthers(t *testing.T) {
	folder := filepath.Join(dataDir, "doors", "nl")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no ../shared/data (.nl files)")
	}

	// The optimal objectives, by the name of the file without its ending.
	optima := map[string]float64{
		"core-tests-examples-_pmedian4": -5.01560955891062, "examples-pyomobook-abstract-ch-concrete1-ref": 1,
		"mpec-tests-cov2_nlxfrm": 0, "mpec-tests-cov8_nlxfrm": 0, "mpec-tests-t4a_nlxfrm": 0, "mpec-tests-t4b_nlxfrm": 0,
		"mpec-tests-t4d_nlxfrm": 0, "mpec-tests-t9_nlxfrm": 0, "opt-tests-base-test4": 88.2,
		"repn-tests-ampl-EXPORT_suffixes_float.baseline": 3, "repn-tests-ampl-small10.ampl": 0,
		"repn-tests-ampl-small10.pyomo": 0, "solvers-tests-mip-test4": 88.578, "solvers-tests-piecewise_linear-convex": 1,
		"solvers-tests-piecewise_linear-nonconvex": 0, "solvers-tests-piecewise_linear-step": 4, "mpec-tests-cov3_nlxfrm": 0,
	}

	// The files whose status is not optimal.
	statuses := map[string]string{
		"mpec-tests-list1_nlxfrm": "infeasible", "mpec-tests-list5_nlxfrm": "infeasible", "mpec-tests-t10_nlxfrm": "infeasible",
		"mpec-tests-t13_nlxfrm": "infeasible", "repn-tests-ampl-small9.ampl": "infeasible",
		"repn-tests-ampl-small11.pyomo": "unbounded",
	}

	// The files that are refused, with a part of the error message.
	refused := map[string]string{
		"mpec-tests-t12_nlxfrm": "row number 1, counted from 0", "mpec-tests-t1b_nlxfrm": "complementarity",
		"mpec-tests-t1c_nlxfrm": "complementarity", "mpec-tests-t2b_nlxfrm": "complementarity",
		"mpec-tests-t3a_nlxfrm": "complementarity",
	}

	// Every file of the folder is in one of the three lists, so that a new file is not taken for one with optimum 0.
	files, err := filepath.Glob(filepath.Join(folder, "*.nl"))
	if err != nil || len(files) != len(optima)+len(statuses)+len(refused) {
		t.Fatal(len(files), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".nl")
		o := invoke(t, context.Background(), "mip", path, "--json", "--gap", "0")

		// A file that is refused has exit code 2 and its reason on standard error.
		if complaint, bad := refused[name]; bad {
			if o.code != 2 || !strings.Contains(o.stderr, complaint) {
				t.Errorf("%s: code %d, %s", name, o.code, o.stderr)
			}
			continue
		}

		// The other files are solved: the status is compared first, and the objective where the status is optimal.
		r := o.object(t)
		if status, other := statuses[name]; other {
			if r["status"] != status {
				t.Errorf("%s: %v, want %s", name, r["status"], status)
			}
			continue
		}
		if v, ok := r["objective"].(float64); !ok || !near(v, optima[name], 1e-8) {
			t.Errorf("%s: %v, want %g", name, r["objective"], optima[name])
		}
	}
}

// TestPackedBinaryModels solves .nl files in binary numbers, plain and packed: packed ones were refused as binary files.
func TestPackedBinaryModels(t *testing.T) {
	for _, name := range []string{"k.bin.nl", "k.bin.nl.gz", "k.nl.gz"} {
		path := filepath.Join(t.TempDir(), name)
		if o := invoke(t, t.Context(), "export", "testdata/blend.lp", "-o", path); o.code != 0 {
			t.Fatal(o)
		}
		for _, args := range [][]string{{"mip"}, {"solve", "--method", "full"}} {
			o := invoke(t, t.Context(), append(args, path, "--json", "-q")...)
			if o.code != exitSolved || !near(o.object(t)["objective"].(float64), 9.5, 1e-6) {
				t.Errorf("%v %s: %v", args, name, o)
			}
		}
	}
}
