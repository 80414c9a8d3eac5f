package nn

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/proxybd/proxybd/autodiff"
)

// ConvConfig says what Conv to make.
type ConvConfig struct {
	Source, Target, Edge int                 // features of a source node, a target node and an edge; Edge may be 0
	Hidden               int                 // width of the messages
	Output               int                 // features of a target node afterwards
	Activation           autodiff.Activation // of messages and outputs
	Scale                float64             // multiplies the sums of messages, such as one over a usual degree; > 0
	Seed                 uint64              // of the initial weights
}

// Conv is one half of a convolution on a bipartite graph, from source nodes along the edges to target nodes (after
// Gasse et al., "Exact combinatorial optimization with graph convolutional neural networks", NeurIPS 2019, section
// 4.2):
//
//	m_e = Activation(S s_from(e) + T t_to(e) + E x_e + b)              for each edge e
//	y_v = Activation(U [t_v, Scale * sum over e into v of m_e] + c)    for each target node v
//
// S and T are applied to the nodes, before the edges gather the results. A target without edges has an empty
// sum. The parameters are named source.weight, target.weight, edge.weight (if there are edge features), message.bias,
// output.weight and output.bias; Prefixed tells several layers apart.
type Conv struct {
	config                                     ConvConfig
	source, target, edge, bias, output, offset *Param
}

// NewConv allocates a layer and draws its weights as NewMLP does: variance 2/fan-in before a ReLU, 2/(fan-in +
// fan-out) elsewhere, where a message's fan-in is all its features.
func NewConv(c ConvConfig) (*Conv, error) {
	if c.Source < 1 || c.Target < 1 || c.Edge < 0 || c.Hidden < 1 || c.Output < 1 {
		return nil, fmt.Errorf("nn: a convolution of %d source, %d target and %d edge features, %d hidden and %d outputs",
			c.Source, c.Target, c.Edge, c.Hidden, c.Output)
	}
	if c.Activation > autodiff.Softplus {
		return nil, fmt.Errorf("nn: unknown activation %d", c.Activation)
	}
	if !(c.Scale > 0) || math.IsInf(c.Scale, 0) {
		return nil, fmt.Errorf("nn: the scale of a convolution is %g", c.Scale)
	}
	l := &Conv{config: c,
		source: NewParam("source.weight", c.Hidden, c.Source),
		target: NewParam("target.weight", c.Hidden, c.Target),
		edge:   NewParam("edge.weight", c.Hidden, c.Edge),
		bias:   NewVector("message.bias", c.Hidden),
		output: NewParam("output.weight", c.Output, c.Target+c.Hidden),
		offset: NewVector("output.bias", c.Output),
	}
	rng := rand.New(rand.NewPCG(c.Seed, 0x6e6e2e436f6e76))
	bound := func(in, out int) float64 {
		if c.Activation == autodiff.ReLU {
			return math.Sqrt(6 / float64(in))
		}
		return math.Sqrt(6 / float64(in+out))
	}
	for _, p := range []*Param{l.source, l.target, l.edge} {
		uniform(p.Value, bound(c.Source+c.Target+c.Edge, c.Hidden), rng)
	}
	uniform(l.output.Value, bound(l.output.Cols, c.Output), rng)
	return l, nil
}

// Params returns the trainable parameters.
func (l *Conv) Params() []*Param {
	ps := []*Param{l.source, l.target}
	if l.config.Edge > 0 {
		ps = append(ps, l.edge)
	}
	return append(ps, l.bias, l.output, l.offset)
}

// Apply adds the layer to a tape: source, target and edge have a row for each source node, target node and edge; edge
// is the zero Node if there are no edge features. Edge e leads from row from[e] of source to row to[e] of target. The
// tape reads from and to at every Forward, which returns an error if an entry is out of range; their entries may
// change between steps. The result is target nodes x Output. Errors stay with the tape.
func (l *Conv) Apply(t *autodiff.Tape, source, target, edge autodiff.Node, from, to []int32) autodiff.Node {
	s := t.Affine(source, l.source.Node(t), autodiff.Node{})
	r := t.Affine(target, l.target.Node(t), l.bias.Node(t))
	m := t.Add(t.GatherRows(s, from), t.GatherRows(r, to))
	if l.config.Edge > 0 || edge != (autodiff.Node{}) {
		m = t.Add(m, t.Affine(edge, l.edge.Node(t), autodiff.Node{}))
	}
	switch l.config.Activation {
	case autodiff.ReLU:
		m = t.Relu(m)
	case autodiff.Softplus:
		m = t.Softplus(m)
	}
	sum := t.SegmentSum(m, to, target.Rows())
	if l.config.Scale != 1 {
		sum = t.Scale(l.config.Scale, sum)
	}
	return t.Dense(t.ConcatColumns(target, sum), l.output.Node(t), l.offset.Node(t), l.config.Activation)
}
