// Command logicbench compares the two forms of special ordered sets, semi-continuous columns and indicators: rows with
// 0-1 columns, and branching. It draws models of some classes, writes them as LP files for other solvers if asked to,
// and prints the time and the nodes of each form.
//
//	go run ./tools/logicbench -class piecewise -size 20 -seeds 5 -write /tmp/models
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/proxybd/proxybd/bnb"
	"github.com/proxybd/proxybd/lp"
	"github.com/proxybd/proxybd/lp/mps"
)

func main() {
	class := flag.String("class", "", "class of models; all if empty")
	size := flag.Int("size", 0, "size of the models; 0 for that of the class")
	seeds := flag.Uint64("seeds", 3, "models of each class")
	limit := flag.Duration("limit", time.Minute, "time limit of a run")
	write := flag.String("write", "", "folder for the models as LP files; nothing is solved then")
	forms := flag.String("forms", "rows,branching,automatic", "forms to be compared")
	flag.Parse()

	for _, c := range classes {
		if *class != "" && *class != c.name {
			continue
		}
		n := c.size
		if *size > 0 {
			n = *size
		}
		for seed := range *seeds {
			text := c.draw(rand.New(rand.NewPCG(seed, 0)), n)
			name := fmt.Sprintf("%s-%d-%d", c.name, n, seed)
			if err := handle(name, text, *write, strings.Split(*forms, ","), *limit); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
	}
}

// formNames are the forms in the order of their values.
var formNames = []string{lp.Automatic: "automatic", lp.AsRows: "rows", lp.ByBranching: "branching"}

// handle writes a model or solves it in each form.
func handle(name, text, folder string, forms []string, limit time.Duration) error {
	if folder != "" {
		return os.WriteFile(filepath.Join(folder, name+".lp"), []byte(text), 0o644)
	}
	for _, f := range forms {
		form := slices.Index(formNames, f)
		if form < 0 {
			return fmt.Errorf("form %q: not one of %v", f, formNames)
		}
		line, err := solve(text, lp.Form(form), limit)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Printf("%-20s %-10s %s\n", name, f, line)
	}
	return nil
}

// solve reads the model, states its logic in a form, and returns a line about the run.
func solve(text string, form lp.Form, limit time.Duration) (string, error) {
	m, _, err := mps.ReadLP(strings.NewReader(text), "model")
	if err != nil {
		return "", err
	}
	stated, logic := m.Stated()
	logic.Form = form
	if err := stated.Impose(logic); err != nil {
		return "refused: " + err.Error(), nil
	}

	// Time is that of the processor.
	opt := bnb.DefaultOptions()
	opt.TimeLimit = limit
	before := processor()
	res, err := bnb.Solve(context.Background(), stated, opt, bnb.Hooks{})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%-11v %14.8g %14.8g %8d nodes %8.2f s", res.Status, res.Objective, res.Bound, res.Nodes,
		(processor() - before).Seconds()), nil
}

// processor is the time that the process has used.
func processor() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
