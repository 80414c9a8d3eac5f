package verify_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
)

// line is a line of a record, as a tree of JSON and as text.
type line struct {
	kind string
	tree map[string]any
	text []byte
}

// parseLines reads the lines of a record without the last.
func parseLines(text []byte) (out []line) {
	for _, b := range bytes.SplitAfter(text, []byte("\n")) {
		if len(b) == 0 || bytes.Contains(b, []byte(`"kind":"end"`)) {
			continue
		}
		l := line{text: b}
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber()
		if err := dec.Decode(&l.tree); err != nil {
			panic(err)
		}
		l.kind = l.tree["kind"].(string)
		out = append(out, l)
	}
	return out
}

// forger changes records field by field.
type forger struct{ *rand.Rand }

// mutate returns changed lines; others are lines of records of the same family, to take some from.
func (f *forger) mutate(lines, others []line) []line {
	out := slices.Clone(lines)
	if f.IntN(5) == 0 {
		out = f.weaken(out)
	}
	for range 1 + f.IntN(2)*f.IntN(3) {
		if f.IntN(6) == 0 {
			out = f.moveLines(out, others)
		} else {
			k := f.pick(out)
			out[k] = f.change(out[k])
		}
	}
	return out
}

// weaken takes back the claim of a bound, or that of an objective, so that another program may keep the rest.
func (f *forger) weaken(lines []line) []line {
	name, value, kind := "Bound", "-inf", "node"
	if f.IntN(2) == 0 {
		name, value, kind = "Objective", "inf", "design"
	}
	tree := clone(lines[0].tree).(map[string]any)
	tree[name] = value
	tree["Schema"] = json.Number("4") // which has no claim of the run
	delete(tree, "Run")
	lines[0] = written(lines[0].kind, tree)
	lines = slices.DeleteFunc(lines, func(l line) bool { return l.kind == kind })
	lines[1] = f.change(lines[1])
	return lines
}

// written is the line of a tree.
func written(kind string, tree map[string]any) line {
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err)
	}
	return line{kind, tree, append(text, '\n')}
}

// pick chooses a kind and then one of its lines, so that no kind is lost among the others.
func (f *forger) pick(lines []line) int {
	kinds := [...]string{"header", "header", "instance", "row", "cut", "cut", "node", "node", "design", "design"}
	for {
		kind := kinds[f.IntN(len(kinds))]
		if k := f.of(lines, kind); k >= 0 {
			return k
		}
	}
}

// of returns a line of a kind, -1 if there is none.
func (f *forger) of(lines []line, kind string) int {
	var at []int
	for k := range lines {
		if lines[k].kind == kind {
			at = append(at, k)
		}
	}
	if len(at) == 0 {
		return -1
	}
	return at[f.IntN(len(at))]
}

// moveLines drops, doubles, swaps or replaces a line.
func (f *forger) moveLines(lines, others []line) []line {
	a := f.pick(lines)
	b := f.of(lines, lines[a].kind)
	switch f.IntN(6) {
	case 0:
		return slices.Delete(lines, a, a+1)
	case 1:
		return slices.Insert(lines, a, lines[a])
	case 2:
		b = f.pick(lines)
		fallthrough
	case 3:
		lines[a], lines[b] = lines[b], lines[a]
	case 4:
		lines[a] = lines[b]
	case 5:
		if k := f.of(others, lines[a].kind); k >= 0 {
			lines[a] = others[k]
		}
	}
	return lines
}

// slot is a place in a tree that holds a value.
type slot struct {
	value any
	set   func(any)
	key   string
}

// slots lists all places, those of lists too.
func slots(v any, key string, set func(any), out []slot) []slot {
	out = append(out, slot{v, set, key})
	switch t := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(t)) {
			if name != "kind" && name != "Hash" {
				out = slots(t[name], name, func(w any) { t[name] = w }, out)
			}
		}
	case []any:
		for k := range t {
			out = slots(t[k], key, func(w any) { t[k] = w }, out)
		}
	}
	return out
}

func clone(v any) any {
	switch t := v.(type) {
	case map[string]any:
		m := make(map[string]any, len(t))
		for k, w := range t {
			m[k] = clone(w)
		}
		return m
	case []any:
		l := make([]any, len(t))
		for k := range t {
			l[k] = clone(t[k])
		}
		return l
	}
	return v
}

// change changes one place of a line, now and then a missing one.
func (f *forger) change(l line) line {
	tree := clone(l.tree).(map[string]any)
	all := slots(tree, "", nil, nil)[1:]
	switch f.IntN(12) {
	case 0:
		f.mark(l.kind, tree)
	case 1:
		f.pairs(tree)
	default:
		if len(all) > 0 {
			f.alter(&all[f.IntN(len(all))], all)
		}
	}
	return written(l.kind, tree)
}

// mark changes what a field that is left out says: a status, a place.
func (f *forger) mark(kind string, tree map[string]any) {
	flip := func(name string) {
		b, _ := tree[name].(bool)
		tree[name] = !b
	}
	switch kind {
	case "node":
		switch f.IntN(4) {
		case 0:
			flip("Infeasible")
		case 1:
			tree["At"] = f.number(json.Number("0"), nil)
		case 2:
			f.fractions(tree, "Weights", "Exact")
		default: // one more row, with a weight of any sign
			rows, _ := tree["Rows"].([]any)
			weights, _ := tree["Weights"].([]any)
			tree["Rows"] = append(rows, numeral(float64(f.IntN(12)-3)))
			tree["Weights"] = append(weights, numeral(0.2*f.NormFloat64()))
		}
	case "cut":
		switch f.IntN(4) {
		case 0:
			f.fractions(tree, "Beta", "Slopes")
		case 1:
			f.fractions(tree, "Certificate", "Exact")
		default:
			flip("Feasibility")
		}
	case "instance":
		if data, ok := tree["Data"].(map[string]any); ok {
			names := slices.Sorted(maps.Keys(data))
			delete(data, names[f.IntN(len(names))])
		}
	case "header":
		tree["Bound"], tree["Objective"] = tree["Objective"], tree["Bound"]
	default:
		names := slices.Sorted(maps.Keys(tree))
		delete(tree, names[f.IntN(len(names))])
	}
}

// fractions says some of the numbers of a list as fractions.
func (f *forger) fractions(tree map[string]any, numbers, name string) {
	given, _ := tree[numbers].([]any)
	list := make([]any, len(given))
	for k := range list {
		list[k] = [...]any{"", "", "0", "1/3", "-2/7", "5", "10000000000000001/10000000000000000"}[f.IntN(7)]
	}
	tree[name] = list
}

// pairs drops, doubles or swaps the same entry of all lists of one length, so that lengths still fit.
func (f *forger) pairs(tree map[string]any) {
	if data, ok := tree["Data"].(map[string]any); ok {
		tree = data
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		if l, ok := tree[name].([]any); ok && len(l) > 0 {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return
	}
	n := len(tree[names[f.IntN(len(names))]].([]any))
	a, b, how := f.IntN(n), f.IntN(n), f.IntN(3)
	for _, name := range names {
		if l := tree[name].([]any); len(l) == n {
			tree[name] = rearranged(l, a, b, how)
		}
	}
}

// rearranged drops entry a, doubles it, or swaps it with b.
func rearranged(l []any, a, b, how int) []any {
	switch l = slices.Clone(l); how {
	case 0:
		return slices.Delete(l, a, a+1)
	case 1:
		return slices.Insert(l, a, l[b])
	}
	l[a], l[b] = l[b], l[a]
	return l
}

// alter changes a value according to its type.
func (f *forger) alter(s *slot, all []slot) {
	switch v := s.value.(type) {
	case json.Number:
		s.set(f.number(v, all))
	case bool:
		s.set(!v)
	case string:
		s.set(f.text(v))
	case []any:
		if len(v) == 0 {
			s.set([]any{json.Number("0")})
			return
		}
		if how := f.IntN(5); how < 3 {
			s.set(rearranged(v, f.IntN(len(v)), f.IntN(len(v)), how))
			return
		}
		factor := [...]float64{2, 0.5, -1, 1e-9, 1e9, 0, 1 + 1e-9, 1 - 1e-9, 1 + 0x1p-52}[f.IntN(9)]
		for k := range v {
			if x, ok := v[k].(json.Number); ok {
				w, _ := x.Float64()
				v[k] = numeral(w * factor)
			}
		}
	}
}

// text changes an infinite number, a fraction or a name.
func (f *forger) text(s string) any {
	return [...]any{"inf", "-inf", json.Number("0"), json.Number("1e9"), "1/3", "-" + s, s + "0", "", "cap", "mps"}[f.IntN(10)]
}

// number changes a number: a little, much, its sign, to another of the line.
func (f *forger) number(old json.Number, all []slot) any {
	v, _ := old.Float64()
	switch f.IntN(18) {
	case 0:
		return numeral(v + 1)
	case 1:
		return numeral(v - 1)
	case 2:
		return numeral(-v)
	case 3:
		return numeral(v * 2)
	case 4:
		return numeral(v / 2)
	case 5:
		return numeral(v * (1 + 1e-9))
	case 6:
		return numeral(v * (1 - 1e-9))
	case 7:
		return numeral(math.Nextafter(v, math.Inf(1)))
	case 8:
		return numeral(math.Nextafter(v, math.Inf(-1)))
	case 9:
		return numeral([...]float64{0, 1, -1, 2, 0.5, -0.5, 1e300, -1e300, 1e-300, 5e-324, 1e18, -1e18, 1 << 31, 1 << 32, 1 << 62, 1e15}[f.IntN(16)])
	case 10:
		return numeral(float64(f.IntN(10)))
	case 11:
		return [...]any{"inf", "-inf"}[f.IntN(2)]
	case 12:
		return numeral(math.Round(v))
	case 13:
		return numeral(v * math.Exp(f.NormFloat64()))
	case 14:
		return numeral(v + 1e-6*f.NormFloat64())
	}
	if len(all) > 0 {
		if w, ok := all[f.IntN(len(all))].value.(json.Number); ok {
			return w
		}
	}
	return numeral(v + float64(f.IntN(7)-3))
}

func numeral(v float64) json.Number {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return "0"
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<63 {
		return json.Number(strconv.FormatInt(int64(v), 10))
	}
	return json.Number(strconv.FormatFloat(v, 'g', -1, 64))
}
