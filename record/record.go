// Package record is the file format of a recorded run. It holds all that a proof needs, without any solver, that every
// cut holds, that the design has its cost, and that no design is cheaper than the bound.
//
// A record is a text file of JSON objects, one a line, each with a field "kind" for what it is:
//
//	header    family, name, method, the objective and bound to be proven, and the result that the run claims
//	instance  the instance itself, in the family's own fields, and its hash
//	row       a row of the master, sum_j value_j y_index_j >= lower
//	cut       a Benders cut with the certificate that it follows from
//	node      a node of the proof tree, see Node
//	design    the incumbent and its recourse solution
//	end       the number of lines before it, and the SHA-256 of all their bytes
//
// in this order; rows, cuts and nodes are numbered from 0. Floats are written with as many digits as it takes to read
// the same float64 back. Read refuses a file that was altered in any byte. That guards against accidents, not against
// forgers: nothing in a record has to be believed, because package verify proves all of it.
package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
)

// Schema is the version of the format. Since version 2 the hash of a model is that of its program alone, since version
// 3 slopes and weights may be fractions, since version 4 netdes has a layout of its own, since version 5 the header
// has the claim of the run, and since version 6 a recourse may have integer columns, whose cuts have trees as proofs.
// Records of the versions 3 and 4 are read: they have no such claim.
const Schema = 6

const (
	oldest    = 3 // version that is read
	RunSchema = 5 // first version whose header has the claim of the run
)

// Number is a float64 that may be infinite: "inf" and "-inf" in JSON.
type Number float64

// MarshalJSON implements json.Marshaler. NaN is an error.
func (v Number) MarshalJSON() ([]byte, error) {
	// JSON has no infinite numbers; the shortest decimal that gives the same float64 stands for the others.
	switch f := float64(v); {
	case math.IsNaN(f):
		return nil, fmt.Errorf("record: NaN has no place in a record")
	case math.IsInf(f, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(f, -1):
		return []byte(`"-inf"`), nil
	default:
		return strconv.AppendFloat(nil, f, 'g', -1, 64), nil
	}
}

// UnmarshalJSON implements json.Unmarshaler.
func (v *Number) UnmarshalJSON(b []byte) error {
	// Package json takes null for "leave it as it is", which would make a missing number 0.
	switch string(b) {
	case "null":
		return errors.New("record: null is no number")
	case `"inf"`:
		*v = Number(math.Inf(1))
		return nil
	case `"-inf"`:
		*v = Number(math.Inf(-1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(v))
}

// Record is a recorded run.
type Record struct {
	Header   Header
	Instance Instance
	Rows     []Row
	Cuts     []Cut
	Tree     []Node
	Design   *Design // nil if there is none
}

// Claims returns what the header claims in the sense of the program that the record was made from: with the other sign
// where that is a maximisation.
func (r *Record) Claims() (objective, bound float64, err error) {
	objective, bound = float64(r.Header.Objective), float64(r.Header.Bound)

	// Only Model has the field; all other families minimise.
	var sense struct{ Maximize bool }
	if err := json.Unmarshal(r.Instance.Data, &sense); err != nil {
		return 0, 0, fmt.Errorf("record: %w: the instance: %w", ErrFormat, err)
	}
	if sense.Maximize {
		return -objective, -bound, nil
	}
	return objective, bound, nil
}

// Header has what was run and what the record is to prove: the design costs at most Objective, and no design costs
// less than Bound. Without a design Objective is +Inf; where no design is feasible Bound is +Inf. Run is the claim of
// the run, which may be more than its record proves.
type Header struct {
	Schema    int
	Family    string
	Name      string
	Method    string
	Epigraphs int // the recourse cost is bounded by the sum of theta_0 ... theta_{Epigraphs-1}
	Objective Number
	Bound     Number
	Run       *Claim `json:",omitempty"` // nil before version 5
}

// Claim is the result of a run, as the run gives it, of the same minimisation as the objective and the bound of the
// header. Without a design Objective is +Inf.
type Claim struct {
	Status    string // as lp.Status names it, such as "optimal"
	Objective Number
	Bound     Number
	Gap       Number // relative gap within which the run calls a design optimal
}

// Instance holds the instance in the fields of its family (Facilities, Network, ScenarioNetwork or Model) and its hash.
type Instance struct {
	Hash string
	Data json.RawMessage
}

// Facilities is the data of ufl and cap: Cost is clients x facilities row-major, each what serving all of the client
// costs. Capacity and Demand are empty for ufl.
type Facilities struct {
	Facilities, Clients int
	Fixed               []float64
	Cost                []float64
	Capacity, Demand    []float64 `json:",omitempty"`
	// Forbidden are the pairs, as numbers i*n + j of client i and facility j, ascending, that may not be used.
	Forbidden []int32 `json:",omitempty"`
}

// Network is the data of mcndp. Nodes are numbered from 0; the cost of an arc is per unit of flow.
type Network struct {
	Nodes                 int
	Tail, Head            []int32
	Cost, Capacity, Fixed []float64
	Origin, Target        []int32 // of the commodities
	Demand                []float64
}

// ScenarioNetwork is the data of netdes: arcs are built before the scenario is known, and each scenario has its
// probability, unit costs, capacities and demands (what leaves a node less what enters it). Cost and Capacity are
// scenarios x arcs, Demand is scenarios x nodes, row-major. With E epigraphs and S scenarios, scenario s is of epigraph
// s*E/S, rounded down.
type ScenarioNetwork struct {
	Nodes          int
	Tail, Head     []int32
	Fixed          []float64
	Probability    []float64
	Cost, Capacity []float64
	Demand         []float64
}

// Model is the data of a general two-stage model, a minimisation: of the negative, where Maximize says that the model
// it was made from is a maximisation, and then the claims of the header are about the negative too. First marks the
// first-stage columns. These make the program; what helps the proof is Block, the epigraph that a recourse column
// belongs to (-1 for a first-stage one), Implied, bounds that rows imply, each from the bounds of the columns and
// those before it, and Derived, rows that the rows, the integrality and the derived rows before it imply.
type Model struct {
	Maximize     bool `json:",omitempty"`
	Offset       float64
	Cost         []float64
	Lower, Upper []Number
	Integer      []bool
	First        []bool
	Block        []int
	RowLower     []Number
	RowUpper     []Number
	Start        []int // the entries of row i are Start[i] to Start[i+1]
	Index        []int32
	Value        []float64
	Implied      []Implied `json:",omitempty"`
	Derived      []Derived `json:",omitempty"`
}

// Implied is a bound of a column that has none on that side, and the row that it follows from.
type Implied struct {
	Row, Column int
	Upper       bool
	Bound       float64
}

// Derived is the row sum_k Value_k x_k >= Lower over columns of the first stage and of the epigraph Block. Proof is a
// tree as that of a cut (see Cut), of the least value of the left side.
type Derived struct {
	Block int
	Lower float64
	Index []int32
	Value []float64
	Proof []Node
}

// Row is a row of the master that the recourse does not appear in. Nodes is the set of nodes that a row of mcndp or
// netdes is the cut set of; Case is the scenario of netdes in which what has to leave the set proves the row, AllCases
// where it takes all of them.
type Row struct {
	Lower float64
	Index []int32
	Value []float64
	Nodes []int32 `json:",omitempty"`
	Case  int     `json:",omitempty"`
}

// AllCases as the Case of a cut set is all scenarios at once.
const AllCases = -1

// AllEpigraphs as Cut.Theta is the sum of all of them.
const AllEpigraphs = -1

// Cut is theta >= Alpha + Beta'y, or 0 >= Alpha + Beta'y if Feasibility. Certificate is the predicted block of the
// dual, as the family defines it: the multipliers of the demand rows (cap; ufl, where a cut on one theta has the one
// of its client), the node potentials node by node (mcndp), those of every scenario of its epigraph (netdes: scenario
// by scenario, not weighted; of a feasibility cut those of the scenario Case alone), or the multipliers of all rows
// (mps, positive for the lower side), where Exact, if there is any, says as fractions what float64 cannot; so does
// Slopes for Beta in mps. A feasibility cut of mcndp or netdes with Nodes instead of a certificate follows from the
// capacities of a cut set, as a Row does.
//
// In mps a cut may have a tree as its Proof instead of a certificate, which uses the integrality of the recourse too.
// It is one of the program of a single epigraph, Theta or, for a feasibility cut, Case: that of the first stage and
// the columns and rows of the epigraph, which minimises their costs (none for a feasibility cut) less Beta'y. The
// splits are on integer columns of the model. The rows of a leaf are numbered as in the model, with the derived rows
// after them; a positive weight is on the lower side and a negative one on the upper side. Box restricts the cut to
// the designs within its bounds: only leaves whose box lies inside may use the cut.
type Cut struct {
	Feasibility bool `json:",omitempty"`
	Theta       int
	Alpha       float64
	Index       []int32
	Beta        []float64
	Slopes      []string `json:",omitempty"`
	Certificate []float64
	Exact       []string `json:",omitempty"`
	Nodes       []int32  `json:",omitempty"`
	Case        int      `json:",omitempty"`
	Proof       []Node   `json:",omitempty"`
	Box         []Domain `json:",omitempty"`
}

// Domain is Lower <= y_Column <= Upper.
type Domain struct {
	Column       int
	Lower, Upper Number
}

// Node is a node of the proof tree in preorder. An inner node splits on a column: first comes the subtree with y_Split
// <= At, then the one with y_Split >= At+1, or y_Split >= At where the column is continuous. Split is -1 at a leaf,
// whose Weights >= 0 on the rows named (a cut k as k, a row r of the master as -1-r) prove its bound, or, if
// Infeasible, that nothing is inside. Exact, if there is any, says as fractions the weights that are no float64, ""
// for the others.
type Node struct {
	Split      int
	At         float64   `json:",omitempty"`
	Infeasible bool      `json:",omitempty"`
	Rows       []int32   `json:",omitempty"`
	Weights    []float64 `json:",omitempty"`
	Exact      []string  `json:",omitempty"`
}

// Design is the incumbent. Recourse is a recourse solution at it, in the order that the family defines (cap: share of
// client i at facility j, clients x facilities; mcndp: flow of commodity i on arc e, commodities x arcs; netdes: flow
// on arc e in scenario s, scenarios x arcs; mps: the recourse columns), as Index and Value of the entries that are
// not zero; ufl has none, its recourse is the nearest open facility.
type Design struct {
	Y     []float64
	Index []int32   `json:",omitempty"`
	Value []float64 `json:",omitempty"`
}
