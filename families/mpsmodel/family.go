// Package mpsmodel is the family of any two-stage model in an MPS or LP file, whose first stage is the integer columns
// or those that a pattern names, and of stochastic programs in SMPS files, as their deterministic equivalents. All it
// has is the default of package families; what it generates are stochastic location models.
package mpsmodel

import "github.com/proxybd/proxybd/families"

// Family is any two-stage model. Its name on the command line and in files is mps.
var Family = families.Family{
	Name:    name,
	About:   "any two-stage model (MPS, LP), stochastic programs (SMPS)",
	Classes: classes,
	Formats: []families.Format{{Name: "MPS (.mps)", Head: []string{"NAME MODEL", "ROWS", " N COST", " L LIMIT", "..."}},
		{Name: "LP (.lp)", Head: []string{"minimize", " 3 open + 2 x", "subject to", " limit: x - 10 open <= 0", "..."}},
		{Name: "SMPS: .cor (MPS), .tim and .sto", Head: []string{"TIME MODEL", "PERIODS", " X1 LIMIT FIRST", "..."}}},
	Options:  readOptions,
	Read:     readAny,
	Generate: func(class string, seed uint64) (families.Instance, error) { return families.As(generate(class, seed)) },
}

const name = "mps"
