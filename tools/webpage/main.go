// Command webpage puts the page of the folder web together: the program for the browser, compressed, with the texts of
// the page beside it for a web server, and all of it once more in a single file that a browser opens from a disk.
//
//	go run ./tools/webpage -wasm proxybd.wasm -from web -to web/dist
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	wasm := flag.String("wasm", "", "the program, compiled with GOOS=js GOARCH=wasm")
	from := flag.String("from", "web", "folder of the page's texts")
	to := flag.String("to", "web/dist", "folder that is written")
	flag.Parse()
	if err := assemble(*wasm, *from, *to); err != nil {
		fmt.Fprintln(os.Stderr, "webpage:", err)
		os.Exit(1)
	}
}

// assemble writes the folder.
func assemble(wasm, from, to string) error {
	program, err := os.ReadFile(wasm)
	if err != nil {
		return err
	}
	packed, err := compress(program)
	if err != nil {
		return err
	}
	worker, err := workerText(from)
	if err != nil {
		return err
	}
	page, err := texts(from, "index.html", "style.css", "app.js")
	if err != nil {
		return err
	}
	single, err := inOne(page, worker, packed)
	if err != nil {
		return err
	}

	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"index.html":      page["index.html"],
		"style.css":       page["style.css"],
		"app.js":          page["app.js"],
		"worker.js":       worker,
		"proxybd.wasm.gz": packed,
		"proxybd.html":    single,
	} {
		if err := os.WriteFile(filepath.Join(to, name), text, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s: the program has %.1f MB, %.1f MB compressed; the single file %.1f MB\n",
		to, mega(program), mega(packed), mega(single))
	return nil
}

// mega is a length in millions of bytes.
func mega(b []byte) float64 { return float64(len(b)) / 1e6 }

// compress returns the gzip of a text, which browsers unpack themselves.
func compress(text []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(text); err != nil {
		return nil, err
	}
	// The end of the stream is written by Close.
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// workerText is the text of the worker thread: the support code of the Go distribution that compiled the program, the
// file system, and the worker itself.
func workerText(from string) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	list := []string{
		filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"),
		filepath.Join(from, "memfs.js"),
		filepath.Join(from, "worker.js"),
	}
	var all []byte
	for _, name := range list {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(append(all, text...), '\n')
	}
	return all, nil
}

// texts reads files of a folder.
func texts(from string, names ...string) (map[string][]byte, error) {
	all := make(map[string][]byte)
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(from, name))
		if err != nil {
			return nil, err
		}
		all[name] = text
	}
	return all, nil
}

// partsText gives a page its worker and its program from the page itself. JSON of a text is a literal of JavaScript;
// with < written by its number it cannot end the script that it stands in.
const partsText = `globalThis.proxybdParts = {
  worker: async () => URL.createObjectURL(new Blob([%s], { type: "text/javascript" })),
  program: async () => {
    const text = document.getElementById("program").textContent;
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    return new Response(bytes, { headers: { "Content-Length": String(bytes.length) } });
  },
};
`

// inOne returns the page with everything that it needs inside.
func inOne(page map[string][]byte, worker, packed []byte) ([]byte, error) {
	literal, err := json.Marshal(string(worker)) // which writes < by its number
	if err != nil {
		return nil, err
	}
	data := base64.StdEncoding.EncodeToString(packed)
	parts := fmt.Sprintf(partsText, literal)

	// Each reference of the page to another file is replaced by the text of that file.
	text := string(page["index.html"])
	for reference, inside := range map[string]string{
		`<link rel="stylesheet" href="style.css">`: "<style>\n" + string(page["style.css"]) + "</style>",
		`<script src="app.js"></script>`: `<script type="application/octet-stream" id="program">` + data + "</script>\n" +
			"<script>\n" + parts + string(page["app.js"]) + "</script>",
	} {
		if strings.Count(text, reference) != 1 {
			return nil, fmt.Errorf("index.html has not one %s", reference)
		}
		text = strings.Replace(text, reference, inside, 1)
	}
	return []byte(text), nil
}
