// Package mpsmodel is the family of any two-stage model in an MPS or LP file, whose first stage is the integer columns
// or those that a pattern names, and of stochastic programs in SMPS files. All it has are the instances of package
// families/generic; what it generates are stochastic location models (generate.go).
//
// What a path is decides what Read returns (smps.go):
//
//   - a model in MPS or LP: generic.Plain;
//   - a folder with a model for each scenario (mpi-sppy): generic.Scenarios;
//   - SMPS files of two periods, or of more with integer columns: generic.Scenarios, where everything after the first
//     period is the recourse;
//   - SMPS files of three periods or more with continuous columns: generic.Periods, solved by the graph of its nodes.
//
// Columns after the first period may be integer (package benders/integer); --relax-recourse drops their integrality.
package mpsmodel

import "github.com/proxybd/proxybd/families"

// Family is any two-stage model. Its name on the command line and in files is mps.
var Family = families.Family{
	Name:    name,
	About:   "any two-stage model (MPS, LP, .nl), stochastic programs (SMPS)",
	Classes: classes,
	Formats: []families.Format{{Name: "MPS (.mps)", Head: []string{"NAME MODEL", "ROWS", " N COST", " L LIMIT", "..."}},
		{Name: "LP (.lp)", Head: []string{"minimize", " 3 open + 2 x", "subject to", " limit: x - 10 open <= 0", "..."}},
		{Name: "mpi-sppy: a folder", Head: []string{"Scenario1.lp Scenario1_nonants.json", "Scenario2.lp ..."}},
		{Name: "SMPS: .cor (MPS), .tim and .sto", Head: []string{"TIME MODEL", "PERIODS", " X1 LIMIT FIRST", "..."}}},
	Options:  readOptions,
	Read:     readAny,
	Generate: func(class string, seed uint64) (families.Instance, error) { return families.As(generate(class, seed)) },
}

// name is what the command line, files and errors call the family.
const name = "mps"
