package ufl

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families/instance"
)

// Encode implements families.Instance: it writes the simple UflLib layout, which holds the name. Every number is
// written with as many digits as are needed to read the same float64 back. A name that the layout cannot hold (with a
// line break in it, or blanks around it) is an error.
func (in *Instance) Encode(w io.Writer) error {
	if err := in.Validate(); err != nil {
		return err
	}
	if in.Forbidden != nil {
		return fmt.Errorf("ufl: %w: the simple layout has a cost for every pair; tables may leave out those that are not "+
			"allowed", instance.ErrInstance)
	}
	if strings.ContainsAny(in.Name, "\r\n") || strings.TrimSpace(in.Name) != in.Name {
		return fmt.Errorf("ufl: %w: the simple layout cannot hold the name %q", instance.ErrInstance, in.Name)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	encodeSimple(b, in)
	return instance.Flush(name, b)
}

// encodeSimple writes the simple layout: the costs facility by facility.
func encodeSimple(w *bufio.Writer, in *Instance) {
	n := in.Facilities
	fmt.Fprintf(w, "FILE: %s\n%d %d 0\n", in.Name, n, in.Clients)
	for j := range n {
		fmt.Fprintf(w, "%d ", j+1)
		writeNumber(w, in.Fixed[j])

		// The costs of all clients for the facility.
		for i := range in.Clients {
			w.WriteByte(' ')
			writeNumber(w, in.Cost[i*n+j])
		}
		w.WriteByte('\n')
	}
}

// writeNumber writes the shortest number that reads back as the same float64.
func writeNumber(w *bufio.Writer, v float64) {
	w.Write(strconv.AppendFloat(w.AvailableBuffer(), v, 'g', -1, 64))
}
