package families

// Format is a layout of files, for whoever has a file that no family reads.
type Format struct {
	Name string   // what it is, on one line
	Head []string // what its first lines look like
}

// Label says what an instance is.
type Label struct {
	Family string
	Name   string
	Shape  string // the sizes, such as 50x16 (clients x facilities), 200x200, 10x35x50 (nodes, arcs, commodities)
	Title  string // name and sizes on one line, for people
	Ext    string // the usual ending of its files, without .gz
}
