package main

import (
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// scheme sets whether the system of the browser is dark.
func scheme(dark bool) chromedp.Action {
	value := "light"
	if dark {
		value = "dark"
	}
	preference := &emulation.MediaFeature{Name: "prefers-color-scheme", Value: value}
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{preference})
}

// awaited makes an evaluation wait for the promise that it returns.
func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
