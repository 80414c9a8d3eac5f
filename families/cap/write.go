package cap

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/proxybd/proxybd/families/instance"
	"github.com/proxybd/proxybd/internal/outward"
)

// Encode implements families.Instance: it writes the OR-Library layout, which has no place for the name and none for an
// instance all of whose capacities are 0. Every number is written with as many digits as are needed to read the same
// float64 back.
func (in *Instance) Encode(w io.Writer) error {
	if err := in.Validate(); err != nil {
		return err
	}
	if outward.Total(in.Capacity) == 0 {
		return fmt.Errorf("cap: %w: every capacity is 0, which the layout takes for none", instance.ErrInstance)
	}

	if in.Forbidden != nil {
		return fmt.Errorf("cap: %w: the layout has a cost for every pair; tables may leave out those that are not allowed",
			instance.ErrInstance)
	}

	const perLine = 8
	bw := bufio.NewWriterSize(w, 1<<16)
	fmt.Fprintf(bw, "%d %d\n", in.Facilities, in.Clients)
	for j, f := range in.Fixed {
		writeNumber(bw, in.Capacity[j], ' ')
		writeNumber(bw, f, '\n')
	}

	// The demand of each client, and on the lines after it the costs from all facilities.
	for i, d := range in.Demand {
		writeNumber(bw, d, '\n')
		for j, c := range in.Row(i) {
			// A line ends after perLine costs, and at the last one.
			end := byte(' ')
			if (j+1)%perLine == 0 || j+1 == in.Facilities {
				end = '\n'
			}
			writeNumber(bw, c, end)
		}
	}

	return instance.Flush(name, bw)
}

// writeNumber writes the shortest number that reads back as the same float64, and a byte after it.
func writeNumber(w *bufio.Writer, v float64, end byte) {
	w.Write(append(strconv.AppendFloat(w.AvailableBuffer(), v, 'g', -1, 64), end))
}
