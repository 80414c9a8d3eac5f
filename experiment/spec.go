package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
)

// Spec is a way to solve: a method, the control that replaces the trained network, the scheme, and whether there are
// heuristics.
type Spec struct {
	Method  decompose.Method
	Control proxy.Control
	Scheme  decompose.Scheme // "" for decompose.Auto
	Plain   bool             // without starting designs, local search and other heuristics
}

// ParseSpec reads METHOD[+CONTROL][/SCHEME][/plain].
func ParseSpec(text string) (Spec, error) {
	// The first word is the method, with its control; the words after it are the scheme and plain.
	words := strings.Split(text, "/")
	method, control, controlled := strings.Cut(words[0], "+")
	s := Spec{Method: decompose.Method(method), Control: proxy.Control(control), Scheme: decompose.Auto}

	// The method must exist, and a control needs a network that it can replace.
	ok := slices.Contains(decompose.Methods, s.Method)
	if controlled {
		ok = ok && s.learned() && slices.Contains(proxy.Controls, s.Control)
	}

	// The word plain is the last one, and a scheme comes right after the method.
	for k, w := range words[1:] {
		switch {
		case w == "plain" && k == len(words)-2:
			s.Plain = true
		case k == 0 && slices.Contains(decompose.Schemes, decompose.Scheme(w)):
			s.Scheme = decompose.Scheme(w)
		default:
			ok = false
		}
	}

	// The method start consists of heuristics.
	if !ok || s.Plain && s.Method == decompose.Started {
		return s, fmt.Errorf("%w: method %q is not METHOD[+CONTROL][/SCHEME][/plain]", ErrOptions, text)
	}
	return s, nil
}

// String returns what ParseSpec reads; it names the method in records and tables.
func (s Spec) String() string {
	text := string(s.Method)
	// What is the default is left out, so that each specification has one name.
	if s.Control != proxy.Trained {
		text += "+" + string(s.Control)
	}
	if s.Scheme != decompose.Auto && s.Scheme != "" {
		text += "/" + string(s.Scheme)
	}
	if s.Plain {
		text += "/plain"
	}
	return text
}

// learned reports whether the method needs a trained model.
func (s Spec) learned() bool { return s.Method == decompose.Proxy || s.Method == decompose.Hybrid }

// preset is that of the network: the paper's by its own schemes.
func (s Spec) preset() families.Preset {
	// The networks of the paper belong to the schemes of the paper.
	if s.Scheme == decompose.Paper || s.Scheme == decompose.Classic {
		return families.Paper
	}
	return families.Fast
}

// DefaultSpecs are the methods that the report compares: the start alone, the exact ones, the trained network with its
// controls, with heuristics and without.
var DefaultSpecs = mustSpecs("exact", "exact/plain", "aggregated", "start", "proxy", "proxy+zero", "proxy+random",
	"proxy/plain", "proxy+zero/plain", "proxy+random/plain", "hybrid")

// mustSpecs parses specifications that the program itself contains.
func mustSpecs(list ...string) (specs []Spec) {
	for _, text := range list {
		s, err := ParseSpec(text)
		if err != nil {
			panic(err)
		}
		specs = append(specs, s)
	}
	return specs
}
