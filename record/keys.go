package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// names holds every key of the format. Package json accepts keys in any case and takes the last of several equal ones.
// A record has each key once and spelt as here, so that all readers read the same.
var names = sync.OnceValue(func() map[string]bool {
	return fieldNames(headerLine{}, instanceLine{}, rowLine{}, cutLine{}, nodeLine{}, designLine{}, endLine{},
		Facilities{}, Network{}, ScenarioNetwork{}, Model{}, Implied{}, Derived{}, Domain{}, Claim{})
})

// fieldNames returns the JSON keys of structs.
func fieldNames(structs ...any) map[string]bool {
	// An embedded struct has its fields at the same level; a tag may rename one.
	out := make(map[string]bool)
	for _, s := range structs {
		for _, f := range reflect.VisibleFields(reflect.TypeOf(s)) {
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" {
				name = f.Name
			}
			out[name] = true
		}
	}
	return out
}

// strict decodes JSON whose keys are those of v, each once and spelt as the format spells it, and whose lists hold no
// null.
func strict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return err
	}

	// A decoder stops behind the first value.
	if rest := b[dec.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return fmt.Errorf("%.20q behind the value", rest)
	}
	return checkKeys(b)
}

// checkKeys checks the keys and lists of a JSON text that is known to be well formed.
func checkKeys(b []byte) error {
	// Outside of strings the bytes { } [ ] open and close objects and lists, and n begins a null: numbers, true and false
	// have none of them.
	var open []map[string]bool // the keys of the objects around the place, nil for a list
	for k := 0; k < len(b); k++ {
		switch b[k] {
		case '{':
			open = append(open, map[string]bool{})
		case '[':
			open = append(open, nil)
		case '}', ']':
			open = open[:len(open)-1]
		case 'n':
			k += len("null") - 1
			if len(open) > 0 && open[len(open)-1] == nil {
				return fmt.Errorf("null in a list")
			}

		// A string that a colon follows is a key.
		case '"':
			end := stringEnd(b, k)
			text := b[k+1 : end-1]
			k = end - 1

			// Spaces may stand in front of the colon.
			if rest := bytes.TrimLeft(b[end:], " \t\r\n"); len(rest) == 0 || rest[0] != ':' {
				continue
			}
			if err := newKey(string(text), open[len(open)-1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// stringEnd returns the place behind the string that begins at k.
func stringEnd(b []byte, k int) int {
	// A backslash makes the next byte a part of the string.
	for k++; b[k] != '"'; k++ {
		if b[k] == '\\' {
			k++
		}
	}
	return k + 1
}

// newKey adds a key to those of its object.
func newKey(key string, seen map[string]bool) error {
	// Package json accepts a key in any case, so that its spelling is checked here.
	switch {
	case !names()[key]:
		return fmt.Errorf("unknown field %q", key)
	case seen[key]:
		return fmt.Errorf("field %q twice", key)
	}
	seen[key] = true
	return nil
}
