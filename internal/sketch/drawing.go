// Package sketch draws designs as SVG: networks, and facilities with the clients that they serve. Pictures are the same
// bit for bit for the same drawing; they have light and dark colours, by the reader's preference, and tooltips describe
// nodes and lines.
package sketch

// Drawing is the content of a picture.
type Drawing struct {
	Title string
	Notes []string // lines below the title

	// Places returns the coordinates of the nodes, in any unit, y upwards; see Graph and Facilities.
	Places func() [][2]float64

	Nodes []Node
	Links []Link // drawn in this order, below the nodes

	Widest string // the meaning of the widest line, for the legend
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
	Kind  kind
	Label string  // text next to it, "" for none
	Tip   string  // text of its tooltip
	Size  float64 // its demand or capacity as a part of the greatest, from 0 to 1
}

// Link is a line between two nodes.
type Link struct {
	From, To int
	Arrow    bool // it is directed from From to To
	Faint    bool // it is closed: drawn thin, whatever its width
	Width    float64
	Tip      string
}
