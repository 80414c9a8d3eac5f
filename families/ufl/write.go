package ufl

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/proxybd/proxybd/families"
)

// fileLayout is one of the two file layouts of UflLib; see Decode.
type fileLayout uint8

const (
	simple    fileLayout = iota // Koerkel-Ghosh and most other classes
	orLibrary                   // the M class; it has no place for the name
)

// write writes the instance to a file, gzipped if the path ends in .gz.
func write(path string, in *Instance, layout fileLayout) error {
	return families.WriteFile(path, func(w io.Writer) error { return Encode(w, in, layout) })
}

// Encode writes the instance in the layout asked for. Every number is written with as many digits as it
// takes to read the same float64 back. A name that the simple layout cannot hold (a line break in it,
// or blanks around it) is an error.
func Encode(w io.Writer, in *Instance, layout fileLayout) error {
	if err := in.Validate(); err != nil {
		return err
	}
	bw := bufio.NewWriterSize(w, 1<<16)
	switch layout {
	case simple:
		if strings.ContainsAny(in.Name, "\r\n") || strings.TrimSpace(in.Name) != in.Name {
			return fmt.Errorf("ufl: %w: the simple layout cannot hold the name %q", ErrInstance, in.Name)
		}
		encodeSimple(bw, in)
	case orLibrary:
		encodeORLibrary(bw, in)
	default:
		return fmt.Errorf("ufl: %w: layout %d", ErrInstance, layout)
	}
	if err := bw.Flush(); err != nil { // a bufio.Writer keeps its first error
		return fmt.Errorf("ufl: %w", err)
	}
	return nil
}

func encodeSimple(w *bufio.Writer, in *Instance) {
	n, m := in.Facilities, in.Clients
	fmt.Fprintf(w, "FILE: %s\n%d %d 0\n", in.Name, n, m)
	for j := range n {
		fmt.Fprintf(w, "%d ", j+1)
		writeNumber(w, in.Fixed[j])
		for i := range m {
			w.WriteByte(' ')
			writeNumber(w, in.Cost[i*n+j])
		}
		w.WriteByte('\n')
	}
}

func encodeORLibrary(w *bufio.Writer, in *Instance) {
	const perLine = 8
	fmt.Fprintf(w, "%d %d\n", in.Facilities, in.Clients)
	for _, f := range in.Fixed {
		w.WriteString("0 ")
		writeNumber(w, f)
		w.WriteByte('\n')
	}
	for i := range in.Clients {
		w.WriteString("0\n")
		for j, c := range in.Row(i) {
			writeNumber(w, c)
			if (j+1)%perLine == 0 || j+1 == in.Facilities {
				w.WriteByte('\n')
			} else {
				w.WriteByte(' ')
			}
		}
	}
}

func writeNumber(w *bufio.Writer, v float64) {
	w.Write(strconv.AppendFloat(w.AvailableBuffer(), v, 'g', -1, 64))
}
