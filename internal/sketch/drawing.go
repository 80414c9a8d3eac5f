// Package sketch draws designs as SVG: networks, and facilities with the clients that they serve. Pictures are the same
// bit for bit for the same drawing; they have light and dark colours, by the reader's preference, and tooltips describe
// nodes and lines.
package sketch

// Drawing is the content of a picture.
type Drawing struct {
	Title string

	// Lines below the title.
	Notes []string

	// Places returns the coordinates of the nodes, in any unit, y upwards; see Graph and Facilities.
	Places func() [][2]float64

	// Links are drawn in their order, below the nodes.
	Nodes []Node
	Links []Link

	// The meaning of the widest line, for the legend.
	Widest string
}

// kind is the kind of a node, which decides its shape and colour.
type kind uint8

const (
	transit     kind = iota // a node of a network without supply and demand
	Origin                  // one from which something is sent
	Destination             // one to which something is sent
	Both
	Client // of facilities
	Open   // a facility
	Closed
)

// Node is a point of a drawing.
type Node struct {
	Kind kind

	// A text next to the node and that of its tooltip, "" for none.
	Label string
	Tip   string

	// Its demand or capacity as a part of the greatest, from 0 to 1.
	Size float64
}

// Link is a line between two nodes.
type Link struct {
	From, To int
	Arrow    bool    // it is directed from From to To
	Faint    bool    // it is closed: drawn thin, whatever its width
	Width    float64 // from 0 to 1
	Tip      string  // the text of its tooltip
}
