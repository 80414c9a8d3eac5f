package experiment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/families"
)

// Spec is a way to solve: a method, and where they are not the defaults, the scheme and the absence of heuristics.
type Spec struct {
	Method families.Method
	Scheme families.Scheme
	Plain  bool // without starting designs, local search and what else is not Benders decomposition
}

// ParseSpec reads METHOD, METHOD/SCHEME, METHOD/plain or METHOD/SCHEME/plain.
func ParseSpec(text string) (Spec, error) {
	words := strings.Split(text, "/")
	s := Spec{Method: families.Method(words[0]), Scheme: families.Auto}
	ok := slices.Contains(families.Methods, s.Method)
	for k, w := range words[1:] {
		switch {
		case w == "plain" && k == len(words)-2:
			s.Plain = true
		case k == 0 && slices.Contains(families.Schemes, families.Scheme(w)):
			s.Scheme = families.Scheme(w)
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
	if s.Scheme != families.Auto {
		text += "/" + string(s.Scheme)
	}
	if s.Plain {
		text += "/plain"
	}
	return text
}

// Learned reports whether the method needs a trained model.
func (s Spec) Learned() bool { return s.Method == families.Proxy || s.Method == families.Hybrid }

// DefaultSpecs are the methods that the report compares.
var DefaultSpecs = []Spec{{Method: families.Exact, Scheme: families.Auto}, {Method: families.Aggregated, Scheme: families.Auto},
	{Method: families.Proxy, Scheme: families.Auto}, {Method: families.Hybrid, Scheme: families.Auto}}
