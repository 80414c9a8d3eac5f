package mps

import (
	"io"

	"github.com/proxybd/proxybd/lp"
)

// Core is the core file of a stochastic program: a model with what a model does not keep of its file, so that another
// right-hand side of a row gives the two sides that the file would give with it.
type Core struct {
	// Model is the model, as Read returns it.
	Model *lp.Model
	// Types has the type of each row of the model: N (a free row), L, G or E.
	Types []byte
	// Ranges has the range of each row of the model with the sign of the file, NaN for none.
	Ranges []float64
	// RHS is the name of the right-hand side set that counts, "" for none.
	RHS string
	// Warnings are those of Read.
	Warnings []string
}

// ReadCore reads a model as Read does, with the types and ranges of its rows. Sets, semi-continuous columns and
// indicators would become more rows and columns, which the other files of the program cannot name, and are an *Error.
func ReadCore(r io.Reader, name string) (*Core, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, err
	}
	p, err := parsed(data, name, true)
	if err != nil {
		return nil, err
	}

	// The rows of the file are those of the model and the objective.
	c := &Core{
		Model:    p.model,
		Types:    make([]byte, len(p.model.Rows)),
		Ranges:   make([]float64, len(p.model.Rows)),
		RHS:      string(p.sets[inRHS]),
		Warnings: p.warn.list(name),
	}
	for i, k := range p.modelRow {
		if k != objective {
			c.Types[k] = p.kind[i]
			c.Ranges[k] = p.rng[i]
		}
	}
	return c, nil
}

// Sides returns the two sides of row i of the model with the right-hand side v, by the rules for ranges of the package
// comment.
func (c *Core) Sides(i int, v float64) (lower, upper float64) {
	return rowBounds(c.Types[i], v, c.Ranges[i])
}

// refuseLogic is the error of a section or a type of bound that a core file cannot have; nil in other models. kind is
// what the section or bound makes.
func (p *parser) refuseLogic(what, text, kind string) *Error {
	if !p.core {
		return nil
	}
	return p.fail(what, []byte(text), "%s are not supported in programs with scenarios", kind)
}
