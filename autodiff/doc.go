// Package autodiff computes gradients by reverse-mode differentiation over a static graph.
//
// A Tape is built once, for a fixed batch size: each call of an op appends a node, a matrix of rows x cols
// values in row-major order, and checks the shapes there and then. Compile lays all values and gradients out
// in one arena. After that a training step costs no allocation: fill the buffers of the input nodes, call
// Forward, call Backward, read the gradients of the parameters.
//
//	t := autodiff.NewTape()
//	x := t.Input("x", batch, features)
//	h := t.Dense(x, t.Param("w0", w0, g0), t.Param("b0", b0, h0), autodiff.ReLU)
//	loss := t.Mean(t.Custom(myOp, batch, 1, h))
//	if err := t.Compile(loss); err != nil { ... }
//	for step := range steps {
//		copy(x.Value(), features)
//		err := t.Forward()
//		...
//		err = t.Backward()
//	}
//
// Errors are sticky: an op that is given wrong shapes records an error that names it, and Compile returns the
// first one; so a graph is written without a check after every line.
//
// Determinism. Nodes run in the order of creation, and backwards in the reverse of it; every gradient is
// accumulated in that order, and every sum has the order that package f64 states. The same values give the
// same bits.
//
// Kinks. Where an op is not differentiable its rule gives one fixed element of the generalised gradient; the op's
// doc says which. A custom op may return any supergradient or subgradient: the tape only applies
// the chain rule to what it returns.
package autodiff
