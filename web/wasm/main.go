//go:build js && wasm

// Command wasm is the program in a web page: cli.Main in a worker thread, with files in memory. It is compiled with
// GOOS=js GOARCH=wasm; web/worker.js provides the file system, the arguments and the exit.
package main

import (
	"context"
	"os"
	"syscall/js"

	"github.com/proxybd/proxybd/cli"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()

	// The page stops a run by this function, which counts as an interrupt: the best design is returned with its bound.
	stopped := js.FuncOf(func(js.Value, []js.Value) any {
		stop()
		return nil
	})
	js.Global().Set("proxybdStop", stopped)
	os.Exit(cli.MainContext(ctx, os.Args[1:], cli.Families()...))
}
