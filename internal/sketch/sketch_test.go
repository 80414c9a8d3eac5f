package sketch

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func apart(a, b [2]float64) float64 { return math.Hypot(a[0]-b[0], a[1]-b[1]) }

// TestGraphKeepsDistances places a path, whose nodes must be about one apart each, and a graph of two parts.
func TestGraphKeepsDistances(t *testing.T) {
	at := Graph(6, []int32{0, 1, 2, 4, 4}, []int32{1, 2, 3, 3, 5})
	for v := range at {
		for w := range v {
			if d, want := apart(at[v], at[w]), float64(v-w); math.Abs(d-want) > 0.15*want {
				t.Errorf("nodes %d and %d of a path are %g apart", w, v, d)
			}
		}
	}
	at = Graph(4, []int32{0, 2}, []int32{1, 3})
	if apart(at[0], at[1]) > apart(at[0], at[2]) || math.IsNaN(at[3][1]) {
		t.Errorf("two parts: %v", at)
	}
	if one := Graph(1, nil, nil); len(one) != 1 || math.IsNaN(one[0][0]) {
		t.Errorf("one node: %v", one)
	}
}

// TestFacilitiesFindPlaces draws points in a square and gives their distances as costs: the distances of what comes
// back must follow those of the points.
func TestFacilitiesFindPlaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n, m = 12, 60
	points := make([][2]float64, n+m)
	for k := range points {
		points[k] = [2]float64{rng.Float64(), rng.Float64()}
	}
	at := Facilities(n, m, func(i, j int) float64 { return apart(points[n+i], points[j]) })
	var xy, xx, yy, x, y, count float64
	for v := range at {
		for w := range v {
			p, q := apart(points[v], points[w]), apart(at[v], at[w])
			xy, xx, yy, x, y, count = xy+p*q, xx+p*p, yy+q*q, x+p, y+q, count+1
		}
	}
	correlation := (xy - x*y/count) / math.Sqrt((xx-x*x/count)*(yy-y*y/count))
	if !(correlation > 0.97) {
		t.Errorf("distances correlate by %g", correlation)
	}
	for _, p := range Facilities(3, 4, func(i, j int) float64 { return 0 }) {
		if p != p {
			t.Error("a place that is no number, without costs")
		}
	}
	for _, p := range Facilities(3, 4, func(i, j int) float64 { return [...]float64{0, 1, 1e300}[(i+j)%3] }) {
		if p != p {
			t.Error("a place that is no number, with a forbidden pair")
		}
	}
}

// TestSVG draws everything that there is: the text must be XML, the same each time, with all tips and labels.
func TestSVG(t *testing.T) {
	d := &Drawing{Title: `a < b & "c"`, Notes: []string{"a note"}, Widest: "the widest carries 7",
		Places: func() [][2]float64 { return [][2]float64{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 2}, {3, 2}, {3, 3}} }}
	for k := transit; k <= Closed; k++ {
		d.Nodes = append(d.Nodes, Node{Kind: k, Label: "n<" + string('0'+rune(k)), Tip: "tip " + legend[k], Size: 0.5})
	}
	d.Links = []Link{{From: 0, To: 1, Arrow: true, Width: 1, Tip: "there"}, {From: 1, To: 0, Arrow: true, Faint: true, Tip: "back"},
		{From: 5, To: 4, Width: 0.5, Tip: "serves"}, {From: 2, To: 2, Tip: "loop"}}
	var first, second bytes.Buffer
	if err := errors.Join(d.SVG(&first), d.SVG(&second)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two pictures of one drawing differ")
	}
	var titles, labels []string
	dec, inside := xml.NewDecoder(&second), ""
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		switch e := token.(type) {
		case xml.StartElement:
			inside = e.Name.Local
		case xml.EndElement:
			inside = ""
		case xml.CharData:
			switch inside {
			case "title":
				titles = append(titles, string(e))
			case "text":
				labels = append(labels, string(e))
			}
		}
	}
	for _, want := range []string{`a < b & "c"`, "there", "back", "serves", "tip closed facility", "tip transit"} {
		if !strings.Contains(strings.Join(titles, "\n"), want) {
			t.Errorf("no title %q in %q", want, titles)
		}
	}
	for _, want := range []string{`a < b & "c"`, "a note", "n<0", "n<6", "the widest carries 7", "closed arc"} {
		if !strings.Contains(strings.Join(labels, "\n"), want) {
			t.Errorf("no text %q in %q", want, labels)
		}
	}
	if strings.Contains(first.String(), "NaN") {
		t.Error("a coordinate that is no number")
	}
}

// FuzzSVG draws random places, also equal and huge ones: no coordinate may be NaN.
func FuzzSVG(f *testing.F) {
	f.Add(0.0, 0.0, 1.0, 2.0)
	f.Add(1e300, -1e300, 1e-300, 5.0)
	f.Fuzz(func(t *testing.T, a, b, c, e float64) {
		for _, v := range []float64{a, b, c, e} {
			if math.IsNaN(v) || math.Abs(v) > 1e300 {
				t.Skip()
			}
		}
		d := &Drawing{Places: func() [][2]float64 { return [][2]float64{{a, b}, {c, e}, {a, e}} }, Nodes: make([]Node, 3),
			Links: []Link{{From: 0, To: 1, Arrow: true, Width: 1}, {From: 1, To: 0, Arrow: true}, {From: 1, To: 2}}}
		var w bytes.Buffer
		if err := d.SVG(&w); err != nil || strings.Contains(w.String(), "NaN") || strings.Contains(w.String(), "Inf") {
			t.Errorf("%v: %s", err, w.String())
		}
	})
}
