package netdes

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families/instance"
)

// Encode implements families.Instance: it writes the file, which has no place for the name. Every number is written
// with as many digits as it takes to read the same float64 back.
func (in *Instance) Encode(w io.Writer) error {
	d := in.Data
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Stochastic network design: nodes, density, ratio, arcs, fixed costs, scenarios, probabilities, and "+
		"for\nevery scenario unit costs, capacities and demands\n+\n%d\n%s\n%s\n", d.Nodes, number(d.Density),
		number(d.Ratio))
	d.matrix(b, slices.Repeat([]float64{1}, d.arcs()))
	d.matrix(b, d.Fixed)

	// The probabilities of all scenarios are on one line.
	var probability []float64
	for _, s := range d.Scenarios {
		probability = append(probability, s.Probability)
	}
	fmt.Fprintf(b, "%d\n%s\n--Scenarios--\n", len(d.Scenarios), list(probability))
	for k, s := range d.Scenarios {
		d.matrix(b, s.Cost)
		d.matrix(b, s.Capacity)
		fmt.Fprintf(b, "%s\n--- End of Scenario %d ---\n", list(s.Demand), k+1)
	}

	return instance.Flush(name, b)
}

// list joins numbers by commas.
func list(values []float64) string {
	text := make([]string, len(values))
	for k, v := range values {
		text[k] = number(v)
	}
	return strings.Join(text, ",")
}

// number is the shortest decimal that gives the same float64.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// matrix writes the numbers of the arcs as a matrix on a line.
func (d *Data) matrix(b *bufio.Writer, values []float64) {
	k := 0
	for v := range d.Nodes {
		for w := range d.Nodes {
			switch {
			case w > 0:
				b.WriteByte(',')
			case v > 0:
				b.WriteByte(';')
			}
			// The arcs are in the order of the matrix, so k is the next one to come.
			if k < d.arcs() && int(d.Tail[k]) == v && int(d.Head[k]) == w {
				b.WriteString(number(values[k]))
				k++
			} else {
				b.WriteByte('0')
			}
		}
	}
	b.WriteByte('\n')
}
