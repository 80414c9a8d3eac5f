package mcndp

import (
	"bufio"
	"fmt"
	"io"
	"strconv"

	"github.com/proxybd/proxybd/families/instance"
)

// Encode implements families.Instance: it writes a .dow file, which has no place for the name. Every number is written
// with as many digits as it takes to read the same float64 back.
func (in *Instance) Encode(w io.Writer) error {
	if err := in.Validate(); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%s\n%d %d %d\n", title, in.Nodes, in.arcs(), in.commodities())

	// The shortest text that reads back as the same float64.
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

	// The last two numbers of an arc mean nothing here: 1 and its number, as in the files of the R set.
	for j := range in.arcs() {
		fmt.Fprintf(b, "%d %d %s %s %s 1 %d\n", in.Tail[j]+1, in.Head[j]+1, number(in.Cost[j]), number(in.Capacity[j]),
			number(in.Fixed[j]), j+1)
	}
	for i := range in.commodities() {
		fmt.Fprintf(b, "%d %d %s\n", in.Origin[i]+1, in.Destination[i]+1, number(in.Demand[i]))
	}
	return instance.Flush(name, b)
}
