package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/proxybd/proxybd/benders"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/atomicfile"
	"github.com/proxybd/proxybd/internal/digest"
)

// ErrCheckpoint is wrapped by the errors about a checkpoint that is damaged or of something else.
var ErrCheckpoint = errors.New("not a checkpoint of this run")

// A checkpoint is a line that says what it is, its version and the SHA-256 of the rest, and one JSON object.
const (
	checkpointName = "proxybd-checkpoint"
	// checkpointVersion is that of the layout. A program reads its own version only.
	checkpointVersion = "1"
)

// checkpoint is the object. Costs that are infinite are left out.
type checkpoint struct {
	Family string `json:"family"`
	Name   string `json:"name"`
	// Hash is that of the instance: cuts of another one are not valid.
	Hash string `json:"hash"`
	// Exponent: a cost of the run is 2^Exponent as much in the program given.
	Exponent int `json:"exponent"`
	// Design is the incumbent, and Cost its cost; left out where there is none.
	Design []float64 `json:"design,omitempty"`
	Cost   *float64  `json:"cost,omitempty"`
	// Bound is the lower bound, left out where it is infinite.
	Bound *float64 `json:"bound,omitempty"`
	// Epigraphs is the number of epigraphs that the cuts are for.
	Epigraphs int             `json:"epigraphs"`
	Cuts      []checkpointCut `json:"cuts"`
}

// checkpointCut is a cut theta >= alpha + beta'y, or for feasibility 0 >= alpha + beta'y; see benders.Cut.
type checkpointCut struct {
	Feasibility bool      `json:"f,omitempty"`
	Theta       int       `json:"t"`
	Alpha       float64   `json:"a"`
	Index       []int32   `json:"i"`
	Beta        []float64 `json:"b"`
}

// finite returns a pointer to a number, nil for one that is not finite.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return nil
	}
	return &v
}

// SaveCheckpoint writes the state of a run of an instance to a file, whole or not at all.
func SaveCheckpoint(path string, in families.Instance, s *decompose.State) error {
	label := in.Label()
	c := checkpoint{
		Family:    label.Family,
		Name:      label.Name,
		Hash:      in.Hash(),
		Exponent:  s.Exponent,
		Design:    s.Design,
		Cost:      finite(s.Cost),
		Bound:     finite(s.Bound),
		Epigraphs: s.Epigraphs,
		Cuts:      make([]checkpointCut, 0, len(s.Cuts)),
	}

	// Certificates are not saved: a cut that was certified once stays valid.
	for _, cut := range s.Cuts {
		c.Cuts = append(c.Cuts, checkpointCut{cut.Kind == benders.Feasibility, cut.Theta, cut.Alpha, cut.Index, cut.Beta})
	}

	// The hash covers everything behind the first line, its newline included.
	text, err := json.Marshal(&c)
	if err != nil {
		return fmt.Errorf("families: a checkpoint: %w", err)
	}
	text = append(text, '\n')
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s %s %s\n%s", checkpointName, checkpointVersion, digest.Text(text), text)
		return err
	})
}

// LoadCheckpoint reads a file that SaveCheckpoint wrote for the instance. Its error names the file, and wraps
// ErrCheckpoint where the file is damaged, of another version or of another instance.
func LoadCheckpoint(path string, in families.Instance) (*decompose.State, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w: %s", path, ErrCheckpoint, fmt.Sprintf(format, args...))
	}

	// The first line judges the rest, so that nothing is read out of a damaged file.
	line, rest, ok := bytes.Cut(text, []byte("\n"))
	head := strings.Fields(string(line))
	switch {
	case !ok || len(head) != 3 || head[0] != checkpointName:
		return nil, bad("line 1 is not that of a checkpoint")
	case head[1] != checkpointVersion:
		return nil, bad("its version is %.20s, this program reads %s", head[1], checkpointVersion)
	case head[2] != digest.Text(rest):
		return nil, bad("it is damaged: its SHA-256 is another")
	}
	var c checkpoint
	if err := json.Unmarshal(rest, &c); err != nil {
		return nil, bad("%v", err)
	}

	// Cuts of another instance are not valid in this one.
	if label := in.Label(); c.Hash != in.Hash() {
		return nil, bad("it is of the %s instance %s with the hash %.12s, and this is %s instance %s with %.12s", c.Family,
			c.Name, c.Hash, label.Family, label.Name, in.Hash())
	}
	for k, cut := range c.Cuts {
		if len(cut.Index) != len(cut.Beta) {
			return nil, bad("cut %d has %d columns and %d slopes", k+1, len(cut.Index), len(cut.Beta))
		}
	}
	return c.state(), nil
}

// state returns the state that the object describes.
func (c *checkpoint) state() *decompose.State {
	// A number that was left out is infinite: no cost, or no bound.
	s := &decompose.State{
		Design:    c.Design,
		Cost:      math.Inf(1),
		Bound:     math.Inf(-1),
		Epigraphs: c.Epigraphs,
		Exponent:  c.Exponent,
	}
	if c.Cost != nil {
		s.Cost = *c.Cost
	}
	if c.Bound != nil {
		s.Bound = *c.Bound
	}
	for _, cut := range c.Cuts {
		one := benders.Cut{Theta: cut.Theta, Alpha: cut.Alpha, Index: cut.Index, Beta: cut.Beta}
		if cut.Feasibility {
			one.Kind = benders.Feasibility
		}
		s.Cuts = append(s.Cuts, one)
	}
	return s
}
