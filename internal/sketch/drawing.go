// Package sketch draws designs as SVG: networks and facilities with what serves whom. Pictures are the same bit for bit
// for the same drawing; they have a light and a dark look, by the reader's preference, and tell by tooltips what things
// are.
package sketch

// Drawing is what a picture shows.
type Drawing struct {
	Title string
	Notes []string // lines below the title

	// Places returns where the nodes are, in any unit, y upwards; see Graph and Facilities.
	Places func() [][2]float64

	Nodes []Node
	Links []Link // drawn in this order, below the nodes

	Widest string // what the widest line stands for, for the legend
}

// Kind says what a node is, and so how it looks.
type Kind uint8

const (
	Transit     Kind = iota // a node of a network that wants nothing
	Origin                  // one from which something is sent
	Destination             // one to which something is sent
	Both
	Client // of facilities
	Open   // a facility
	Closed
)

// Node is a point of a drawing.
type Node struct {
	Kind  Kind
	Label string  // stands beside it, "" for none
	Tip   string  // tells about it
	Size  float64 // its demand or capacity as a part of the greatest, from 0 to 1
}

// Link is a line between two nodes.
type Link struct {
	From, To int
	Arrow    bool // it leads from From to To
	Faint    bool // it is closed: drawn thin, whatever its width
	Width    float64
	Tip      string
}
