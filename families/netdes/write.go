package netdes

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// Encode implements families.Instance: it writes the file, which has no place for the name. Every number is written
// with as many digits as it takes to read the same float64 back.
func (in *Instance) Encode(w io.Writer) error {
	d := in.Data
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "Stochastic network design: nodes, density, ratio, arcs, fixed costs, scenarios, probabilities, and "+
		"for\n"+
		"every scenario unit costs, capacities and demands\n+\n%d\n%s\n%s\n", d.Nodes, number(d.Density), number(d.Ratio))
	ones := make([]float64, d.Arcs())
	for e := range ones {
		ones[e] = 1
	}
	d.matrix(b, ones)
	d.matrix(b, d.Fixed)
	fmt.Fprintln(b, len(d.Scenarios))
	for k, s := range d.Scenarios {
		if k > 0 {
			b.WriteByte(',')
		}
		b.WriteString(number(s.Probability))
	}
	b.WriteString("\n--Scenarios--\n")
	for k, s := range d.Scenarios {
		d.matrix(b, s.Cost)
		d.matrix(b, s.Capacity)
		for v, a := range s.Demand {
			if v > 0 {
				b.WriteByte(',')
			}
			b.WriteString(number(a))
		}
		fmt.Fprintf(b, "\n--- End of Scenario %d ---\n", k+1)
	}
	if err := b.Flush(); err != nil { // a bufio.Writer keeps its first error
		return fmt.Errorf("netdes: %w", err)
	}
	return nil
}

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
			if k < d.Arcs() && int(d.Tail[k]) == v && int(d.Head[k]) == w {
				b.WriteString(number(values[k]))
				k++
			} else {
				b.WriteByte('0')
			}
		}
	}
	b.WriteByte('\n')
}
