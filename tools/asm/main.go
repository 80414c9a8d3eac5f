// Command asm writes the amd64 assembly of package f64: one file a group of kernels, each kernel for AVX2 with
// FMA and for AVX-512. Run it with go generate in the folder of that package.
package main

import (
	"flag"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// groups maps the stem of a file to what generates its kernels.
var groups = []struct {
	stem string
	emit func(g *gen)
}{
	{"dot", dotKernels},
	{"gemv", gemvKernels},
	{"axpy", axpyKernels},
	{"elem", elemKernels},
	{"addrows", addrowsKernels},
	{"relu", reluKernels},
	{"softplus", softplusKernels},
	{"adam", adamKernels},
	{"pack", packKernels},
	{"gemm", gemmKernels},
	{"peak", peakKernels},
}

func main() {
	log.SetFlags(0)
	out := flag.String("dir", "../../internal/f64", "directory to write to")
	flag.Parse()
	for _, group := range groups {
		if err := write(filepath.Join(*out, group.stem+"_amd64.s"), group.emit); err != nil {
			log.Fatalf("%s: %v", group.stem, err)
		}
	}
}

// write generates one file, the kernels of both instruction sets.
func write(path string, emit func(g *gen)) error {
	ctx := build.NewContext()
	ctx.ConstraintExpr("!purego")
	for _, isa := range []isa{avx2, avx512} {
		emit(&gen{Context: ctx, isa: isa})
	}
	file, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "tools/asm", Pkg: "f64"}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
