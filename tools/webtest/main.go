// Command webtest drives the page of the folder web in headless Chromium: it drops files on it, waits for the answers,
// compares them with known optima, and takes pictures. It is a module of its own, so that the browser's protocol is no
// dependency of the program.
//
//	cd tools/webtest && go run . -dist ../../web/dist -data ../../../shared/data
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
)

// drop is a set of files that is dropped on the page, and what comes of it.
type drop struct {
	name      string
	files     []string // paths
	example   string   // the title of an example in place of files
	limit     int      // seconds
	status    string
	objective float64 // NaN for none
	stop      time.Duration
}

func main() {
	dist := flag.String("dist", "../../web/dist", "folder of the page")
	data := flag.String("data", "../../../shared/data", "folder of published instances; missing ones are left out")
	browser := flag.String("browser", "chromium", "the browser")
	flag.Parse()
	if err := test(*dist, *data, *browser); err != nil {
		fmt.Fprintln(os.Stderr, "webtest:", err)
		os.Exit(1)
	}
}

// drops lists the tests. The examples are on the page, so that there are some without published data.
func drops(data string) []drop {
	at := func(names ...string) (list []string) {
		for _, name := range names {
			list = append(list, filepath.Join(data, name))
		}
		return list
	}
	none := math.NaN()
	const stem = "smps/readsmps/lands2/lands2"
	lands := at(stem+".cor.gz", stem+".tim.gz", stem+".sto.gz")
	large := at("mcnd/r14.5.dow")
	draws := at("mcnd/r04.1.dow", "stoch/smcf/r04-0-16.scen")
	return []drop{
		{name: "csv", example: "two facilities (CSV)", status: "optimal", objective: 377},
		{name: "network", example: "a network (CSV)", status: "optimal", objective: none},
		{name: "knapsack", example: "a knapsack (LP)", status: "optimal", objective: 125},
		{name: "infeasible", example: "an infeasible model (LP)", status: "infeasible", objective: none},
		{name: "cap41", files: at("cap/cap41.txt"), status: "optimal", objective: 1040444.375},
		{name: "p0033", files: at("miplib/p0033.mps.gz"), status: "optimal", objective: 3089},
		{name: "smps", files: lands, status: "optimal", objective: none},
		{name: "scenarios", files: draws, status: "optimal", objective: none},
		{name: "stopped", files: large, limit: 100, stop: 12 * time.Second, status: "interrupted", objective: none},
		{name: "limit", files: large, limit: 10, status: "time_limit", objective: none},
	}
}

// test serves the page and runs every drop on it, and one on the single file.
func test(dist, data, browser string) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, http.FileServer(http.Dir(dist)))
	served := "http://" + listener.Addr().String() + "/"
	pictures := filepath.Join(dist, "test")
	if err := os.MkdirAll(pictures, 0o755); err != nil {
		return err
	}

	// A root user's browser has no sandbox, and this one has no network to talk to.
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(browser),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("allow-file-access-from-files", false))
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), options...)
	defer cancel()

	failed := 0
	run := func(url string, d drop, width int64, dark bool) {
		began := time.Now()
		picture := filepath.Join(pictures, fmt.Sprintf("%s-%d.png", d.name, width))
		if err := one(allocator, url, d, width, dark, picture); err != nil {
			fmt.Printf("%-12s %v\n", d.name, err)
			failed++
			return
		}
		fmt.Printf("%-12s ok, %.1f s, %s\n", d.name, time.Since(began).Seconds(), picture)
	}
	for k, d := range drops(data) {
		if missing(d.files) {
			fmt.Printf("%-12s left out: no %s\n", d.name, strings.Join(d.files, ", "))
			continue
		}
		width := int64(1400)
		if k%2 == 1 {
			width = 400
		}
		run(served, d, width, k%3 == 1)
	}

	// The single file is opened from the disk, where nothing can be fetched.
	path, err := filepath.Abs(filepath.Join(dist, "proxybd.html"))
	if err != nil {
		return err
	}
	single := drops(data)[0]
	single.name = "single-file"
	run("file://"+path, single, 1400, false)
	if failed > 0 {
		return fmt.Errorf("%d tests failed", failed)
	}
	return nil
}

// missing reports whether a file is not there.
func missing(files []string) bool {
	for _, name := range files {
		if _, err := os.Stat(name); err != nil {
			return true
		}
	}
	return false
}

// one runs a drop in a page of its own, and takes a picture of the whole page at the end.
func one(allocator context.Context, url string, d drop, width int64, dark bool, picture string) error {
	ctx, cancel := chromedp.NewContext(allocator)
	defer cancel()
	ctx, cancel = context.WithTimeout(ctx, 3*time.Minute)
	defer cancel()
	actions := []chromedp.Action{chromedp.EmulateViewport(width, 900), scheme(dark), chromedp.Navigate(url)}
	if d.limit > 0 {
		set := fmt.Sprintf(`document.getElementById("limit").value = "%d"`, d.limit)
		actions = append(actions, chromedp.Evaluate(set, nil))
	}
	if d.example != "" {
		actions = append(actions, chromedp.Click(fmt.Sprintf(`//button[text()=%q]`, d.example)))
	} else {
		files, err := absolute(d.files)
		if err != nil {
			return err
		}
		actions = append(actions,
			chromedp.SetUploadFiles("#files", files),
			chromedp.WaitEnabled("#run"),
			chromedp.Click("#run"))
	}
	if d.stop > 0 {
		actions = append(actions, chromedp.WaitEnabled("#stop"), chromedp.Sleep(d.stop), chromedp.Click("#stop"))
	}

	// The page marks itself when the run has ended.
	var status, shown string
	var image []byte
	actions = append(actions,
		chromedp.Poll("document.body.dataset.done", &status),
		chromedp.Text("#result", &shown),
		chromedp.FullScreenshot(&image, 100))
	if err := chromedp.Run(ctx, actions...); err != nil {
		return err
	}
	if err := os.WriteFile(picture, image, 0o644); err != nil {
		return err
	}
	if status != d.status {
		return fmt.Errorf("status %s, want %s:\n%s", status, d.status, shown)
	}
	return objective(ctx, d)
}

// absolute makes paths absolute, as the browser requires them.
func absolute(files []string) (list []string, err error) {
	for _, name := range files {
		path, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		list = append(list, path)
	}
	return list, nil
}

// objective compares the objective of the object that the page offers for download.
func objective(ctx context.Context, d drop) error {
	var text string
	fetch := `fetch([...document.querySelectorAll("#downloads a")].find((a) => a.download === "result.json").href)
		.then((r) => r.text())`
	if err := chromedp.Run(ctx, chromedp.Evaluate(fetch, &text, awaited)); err != nil {
		return err
	}
	var object struct {
		Objective *float64 `json:"objective"`
		Bound     *float64 `json:"bound"`
	}
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		return err
	}
	switch {
	case d.status == "infeasible":
		return nil
	case object.Objective == nil || object.Bound == nil:
		return fmt.Errorf("no objective or no bound: %s", text)
	case !math.IsNaN(d.objective) && math.Abs(*object.Objective-d.objective) > 1e-4*math.Abs(d.objective):
		return fmt.Errorf("objective %g, want %g", *object.Objective, d.objective)
	}
	return nil
}
