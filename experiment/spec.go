package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/benders/decompose"
)

// Spec is a way to solve: a method, and where they are not the defaults, the scheme and the absence of heuristics.
type Spec struct {
	Method decompose.Method
	Scheme decompose.Scheme
	Plain  bool // without starting designs, local search and what else is not Benders decomposition
}

// ParseSpec reads METHOD, METHOD/SCHEME, METHOD/plain or METHOD/SCHEME/plain.
func ParseSpec(text string) (Spec, error) {
	words := strings.Split(text, "/")
	s := Spec{Method: decompose.Method(words[0]), Scheme: decompose.Auto}
	ok := slices.Contains(decompose.Methods, s.Method)
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
	if !ok {
		return s, fmt.Errorf("%w: method %q is not METHOD[/SCHEME][/plain]", ErrOptions, text)
	}
	return s, nil
}

// String returns what ParseSpec reads; it names the method in records and tables.
func (s Spec) String() string {
	text := string(s.Method)
	if s.Scheme != decompose.Auto {
		text += "/" + string(s.Scheme)
	}
	if s.Plain {
		text += "/plain"
	}
	return text
}

// Learned reports whether the method needs a trained model.
func (s Spec) Learned() bool { return s.Method == decompose.Proxy || s.Method == decompose.Hybrid }

// DefaultSpecs are the methods that the report compares.
var DefaultSpecs = []Spec{{Method: decompose.Exact, Scheme: decompose.Auto}, {Method: decompose.Aggregated,
	Scheme: decompose.Auto},
	{Method: decompose.Proxy, Scheme: decompose.Auto}, {Method: decompose.Hybrid, Scheme: decompose.Auto}}
