// Package nn trains and evaluates multilayer perceptrons in float64.
//
// Fit is plain regression: rows of X, rows of Y, a network.
//
// An MLP holds weights, activations and the normalisation of inputs and outputs; Save and LoadMLP keep it as
// a safetensors file, which PyTorch reads and writes. MLP.Apply adds it to an autodiff.Tape. Train runs the
// optimiser over a Task, the caller's graph, batches and validation; a run with a checkpoint file resumes bit
// for bit after it is killed. Inference and Split evaluate a trained MLP without allocation.
//
// Everything is deterministic: the same seed, data and kind of processor give the same bits.
package nn
