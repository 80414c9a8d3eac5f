package autodiff

import (
	"fmt"

	"github.com/proxybd/proxybd/internal/f64"
)

// GatherRows appends the listed rows of x: out[k] = x[index[k]]. The caller keeps index and may change its
// entries between steps; Forward returns an error if one is not a row of x.
func (t *Tape) GatherRows(x Node, index []int32) Node {
	op := gather{index}
	// An output without a row would be no node.
	if len(index) == 0 {
		return t.fail(op.Name(), "no rows are listed")
	}
	return t.push(op, len(index), x.Cols(), x)
}

// SegmentSum appends segments x cols sums of rows of x: out[segment[k]] += x[k], in order of k. The caller
// keeps segment and may change its entries between steps; Forward returns an error if one is not below
// segments.
func (t *Tape) SegmentSum(x Node, segment []int32, segments int) Node {
	op := segmentSum{segment}
	if !t.usable(op.Name(), x) {
		return Node{}
	}

	// Every row of x belongs to one segment.
	if len(segment) != x.Rows() {
		return t.fail(op.Name(), "x has %d rows but %d segments are listed", x.Rows(), len(segment))
	}
	return t.push(op, segments, x.Cols(), x)
}

// gather copies rows; its gradient adds each row of dOut to the row that was copied.
type gather struct{ index []int32 }

func (gather) Name() string { return "gather rows" }

func (g gather) Forward(out Matrix, in []Matrix) error {
	// The caller may have changed the entries since the last step.
	if err := checkIndex(g.index, in[0].Rows); err != nil {
		return err
	}
	for k, i := range g.index {
		copy(out.Row(k), in[0].Row(int(i)))
	}
	return nil
}

// Backward adds in the order of the list: a row that is listed twice gets both gradients.
func (g gather) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for k, i := range g.index {
		// The entries are those that the last Forward has checked.
		d := dIn[0].Row(int(i))
		f64.Add(d, d, dOut.Row(k))
	}
	return nil
}

// segmentSum adds rows to segments; its gradient in a row is the row of dOut of the segment.
type segmentSum struct{ segment []int32 }

func (segmentSum) Name() string { return "segment sum" }

// Forward adds the rows to their segments, in the order of the rows.
func (s segmentSum) Forward(out Matrix, in []Matrix) error {
	// The caller may have changed the entries since the last step.
	if err := checkIndex(s.segment, out.Rows); err != nil {
		return err
	}

	// A segment without rows has the sum zero.
	clear(out.Data)
	for k, i := range s.segment {
		d := out.Row(int(i))
		f64.Add(d, d, in[0].Row(k))
	}
	return nil
}

// Backward adds to the gradient of every row that of its segment.
func (s segmentSum) Backward(_, dOut Matrix, _, dIn []Matrix) error {
	for k, i := range s.segment {
		d := dIn[0].Row(k)
		f64.Add(d, d, dOut.Row(int(i)))
	}
	return nil
}

// checkIndex returns an error unless all entries are in [0, n).
func checkIndex(index []int32, n int) error {
	// The first wrong entry is named.
	for k, i := range index {
		if i < 0 || int(i) >= n {
			return fmt.Errorf("entry %d is %d, not in [0, %d)", k, i, n)
		}
	}
	return nil
}
