package proxybd_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/proxybd/proxybd"

// layers lists, for every package of the module, the packages of the module that it may import
// (CONTRIBUTING.md, conventions). A family may not import another family; only cli imports everything.
var layers = map[string][]string{
	"":                    {},
	"internal/f64":        {},
	"internal/fields":     {"internal/unpack"},
	"internal/wire":       {},
	"internal/unpack":     {},
	"internal/jsonl":      {},
	"internal/runstats":   {"internal/jsonl", "benders"},
	"internal/sheet":      {"internal/unpack"},
	"internal/sketch":     {},
	"internal/activity":   {},
	"internal/farkas":     {"internal/activity", "internal/f64"},
	"internal/atomicfile": {},
	"internal/digest":     {},
	"internal/parallel":   {},
	"internal/errname":    {},
	"internal/outward":    {},
	"internal/lattice":    {},
	"internal/rational":   {},
	"internal/splitmix":   {},
	"internal/ordering":   {"internal/splitmix"},
	"internal/cholesky":   {"internal/f64", "internal/ordering", "internal/parallel"},
	"internal/sparse":     {},
	"lp":                  {"internal/outward", "internal/sparse"},
	"lp/mps":              {"internal/errname", "internal/unpack", "lp"},
	"lp/nl":               {"internal/errname", "internal/unpack", "lp"},
	"lp/lpmat":            {"lp"},
	"lp/stoch":            {"internal/errname", "lp"},
	"lp/scenfolder":       {"internal/unpack", "lp", "lp/mps", "lp/stoch"},
	"lp/smps":             {"internal/errname", "internal/unpack", "lp", "lp/mps", "lp/stoch"},
	"internal/program":    {"internal/activity", "internal/f64", "internal/sparse", "lp"},
	"simplex/presolve":    {"internal/activity", "internal/program", "internal/sparse", "lp"},
	"simplex/fold":        {"internal/sparse", "internal/splitmix", "lp"},
	"simplex/exact":       {"lp"},
	"simplex":             {"internal/activity", "internal/f64", "internal/farkas", "internal/parallel", "internal/sparse", "lp", "simplex/exact", "simplex/fold", "simplex/presolve"},
	"interior":            {"internal/cholesky", "internal/farkas", "internal/sparse", "lp", "simplex", "simplex/presolve"},
	"bnb/cuts":            {"internal/activity", "internal/sparse", "bnb/presolve"},
	"bnb/symmetry":        {"internal/sparse", "internal/splitmix"},
	"bnb/presolve":        {"internal/activity", "internal/program", "internal/sparse", "lp"},
	"bnb":                 {"internal/activity", "internal/f64", "internal/farkas", "internal/lattice", "internal/sparse", "lp", "simplex", "bnb/cuts", "bnb/presolve", "bnb/symmetry"},
	"benders":             {"internal/outward", "lp", "bnb"},
	"benders/lagrange":    {"internal/outward", "benders"},
	"autodiff":            {"internal/f64"},
	"nn":                  {"internal/atomicfile", "internal/f64", "autodiff"},
	"benders/proxy":       {"lp", "benders", "autodiff", "nn"},
	"benders/decompose":   {"lp", "bnb", "simplex", "record", "benders", "benders/lagrange", "benders/proxy", "benders/prove"},
	"benders/conformance": {"benders/decompose", "simplex/exact", "benders/lagrange", "record", "verify", "lp", "simplex", "bnb", "benders", "benders/proxy", "autodiff", "nn"},
	"benders/twostage":    {"internal/errname", "benders/decompose", "benders/prove", "internal/modelwire", "internal/outward", "internal/rational", "internal/wire", "lp", "simplex", "benders", "record", "lp/stoch"},
	"benders/scenario":    {"internal/errname", "internal/parallel", "internal/replay", "internal/wire", "benders", "benders/decompose", "benders/lagrange", "benders/proxy", "benders/twostage", "internal/f64", "lp", "lp/stoch", "nn", "simplex"},
	"benders/integer":     {"internal/errname", "internal/parallel", "internal/wire", "benders", "benders/decompose", "benders/prove", "record", "benders/scenario", "benders/twostage", "bnb", "bnb/cuts", "internal/outward", "lp", "lp/stoch", "simplex"},
	"internal/replay":     {"internal/wire"},
	"internal/modelwire":  {"internal/wire", "lp"},
	"internal/replaytest": {},
	"internal/countdown":  {},
	"benders/nested":      {"benders", "bnb", "internal/modelwire", "internal/outward", "internal/parallel", "internal/replay", "internal/wire", "lp", "lp/stoch", "simplex"},
	"record":              {},
	"iis":                 {"lp", "simplex", "bnb"},
	"verify":              {"internal/errname", "record"},
	"benders/prove":       {"internal/rational", "lp", "simplex", "benders", "record", "verify"},
	"families":            {"internal/sheet", "internal/sketch", "nn", "benders/assess", "benders/decompose", "benders/proxy", "benders/scenario", "benders/twostage", "lp/stoch"},
	"families/instance":   {"families", "internal/atomicfile", "internal/fields", "internal/sheet", "internal/unpack", "lp", "lp/stoch"},
	"families/tables":     {"families", "internal/sheet", "internal/unpack", "lp"},
	"families/familytest": {"benders/decompose", "bnb", "families", "families/location", "families/pipeline", "lp"},
	"families/graph":      {"families", "families/tables", "benders/cutset", "internal/sketch"},
	"families/location":   {"families", "families/instance", "families/tables", "benders/lagrange", "internal/fields", "internal/outward", "internal/sheet", "internal/sketch", "lp"},
	"families/generic":    {"families", "families/instance", "families/tables", "benders", "benders/assess", "benders/decompose", "benders/integer", "benders/nested", "benders/scenario", "benders/twostage", "iis", "internal/errname", "internal/unpack", "lp", "lp/mps", "lp/nl", "lp/scenfolder", "lp/stoch", "simplex"},
	"families/pipeline":   {"families", "families/instance", "benders", "benders/decompose", "benders/prove", "benders/proxy", "benders/proxy/variants", "benders/scenario", "internal/atomicfile", "internal/digest", "lp", "nn", "record"},
	"families/*":          {"families", "families/generic", "families/graph", "families/instance", "families/location", "families/tables", "internal/sheet", "internal/wire", "internal/unpack", "benders/assess", "benders/cutset", "benders/decompose", "benders/scenario", "internal/outward", "benders/lagrange", "benders/twostage", "lp/scenfolder", "lp/smps", "lp/stoch", "benders/prove", "record", "internal/fields", "lp", "simplex", "bnb", "benders", "autodiff", "nn", "benders/proxy"},
	"benders/cutset":      {"lp", "simplex", "benders"},
	"benders/assess":      {"internal/errname", "benders", "benders/integer", "benders/twostage", "bnb", "lp", "lp/stoch"},
	"models":              {"families", "families/pipeline", "nn", "benders/proxy"},
	"experiment":          {"internal/digest", "internal/runstats", "benders/decompose", "internal/atomicfile", "internal/jsonl", "families", "families/pipeline", "benders", "benders/proxy", "nn"},
	"experiment/report":   {"experiment", "internal/sheet"},
	"cluster":             {"internal/errname"},
	"cli":                 {"cluster", "*"},
	"cmd/proxybd":         {"cli"},
	"examples/*":          {"lp", "bnb", "cli", "families", "families/generic"},
	"tools/capexpansion":  {"lp", "lp/mps"},
	"tools/classes":       {"lp"},
	"tools/clusterprobe":  {"cluster"},
	"tools/fill":          {"internal/cholesky", "lp", "lp/mps"},
	"tools/firstdesign":   {},
	"tools/lossylink":     {},
	"tools/logicbench":    {"bnb", "lp", "lp/mps"},
	"tools/multipliers":   {"autodiff", "benders/integer", "bnb", "lp", "lp/stoch", "nn", "simplex"},
	"tools/paired":        {},
	"tools/scalesim":      {"benders/decompose", "benders/scenario", "cli", "cluster", "families", "families/pipeline", "internal/wire"},
	"tools/rootcuts":      {"benders/integer", "bnb", "lp", "lp/smps", "lp/stoch", "simplex"},
	"tools/prosemetrics":  {},
	"tools/webpage":       {},
	"tools/release":       {"internal/digest"},

	"benders/proxy/variants": {"lp", "benders", "benders/decompose", "benders/proxy", "benders/twostage", "nn"},
}

// TestImportDirections keeps the arrows of ARCHITECTURE.md: it reads the import graph from the go
// command and fails on an arrow that the table does not have, and on a package that it does not name.
func TestImportDirections(t *testing.T) {
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}

	// The command writes one object a package.
	dec := json.NewDecoder(strings.NewReader(string(out)))
	seen := 0
	for {
		var p struct {
			ImportPath string
			Imports    []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		seen++
		name := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, module), "/")
		allowed, ok := layers[layerOf(name)]
		if !ok {
			t.Errorf("package %s has no layer: add it to the table and to ARCHITECTURE.md", p.ImportPath)
			continue
		}

		// Each import is one that the table has.
		for _, imp := range p.Imports {
			if imp == "C" {
				t.Errorf("%s imports C: this module has no cgo", p.ImportPath)
			}
			if rest, ok := strings.CutPrefix(imp, module+"/"); ok && !permits(allowed, rest) {
				t.Errorf("%s imports %s: that arrow points the wrong way", p.ImportPath, imp)
			}
			if strings.HasPrefix(imp, module+"/tools/") && !strings.HasPrefix(name, "tools/") {
				t.Errorf("%s imports %s: tools serve the development, no program imports them", p.ImportPath, imp)
			}
		}
	}
	if seen < len(layers)-1 {
		t.Errorf("go list named only %d packages", seen)
	}
}

func layerOf(name string) string {
	if _, own := layers[name]; own {
		return name
	}
	for _, folder := range []string{"families/", "examples/"} {
		if strings.HasPrefix(name, folder) {
			return folder + "*"
		}
	}
	return name
}

func permits(allowed []string, imported string) bool {
	for _, a := range allowed {
		if ok, _ := path.Match(a, imported); ok || a == "*" {
			return true
		}
	}
	return false
}
