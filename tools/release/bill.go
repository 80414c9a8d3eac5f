package main

import (
	"bufio"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The bill of materials is an SPDX 2.3 document: the program, and the modules and the Go version that went into any of
// its builds, with the licences and the sums of go.sum.

type spdxDocument struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      spdxCreation   `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []spdxRelation `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	Name       string          `json:"name"`
	ID         string          `json:"SPDXID"`
	Version    string          `json:"versionInfo"`
	Purpose    string          `json:"primaryPackagePurpose"`
	Location   string          `json:"downloadLocation"`
	Analyzed   bool            `json:"filesAnalyzed"`
	Concluded  string          `json:"licenseConcluded"`
	Declared   string          `json:"licenseDeclared"`
	Copyright  string          `json:"copyrightText"`
	Source     string          `json:"sourceInfo,omitempty"`
	References []spdxReference `json:"externalRefs,omitempty"`
}

type spdxReference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelation struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

const (
	documentID = "SPDXRef-DOCUMENT"
	programID  = "SPDXRef-proxybd"
	unknown    = "NOASSERTION"
	module     = "github.com/proxybd/proxybd"
)

// document returns the document about the programs.
func (r *release) document(programs []string) ([]byte, error) {
	// All programs have to be of one compiler; their modules are joined.
	versions := map[string]string{}
	compiler := ""
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if compiler != "" && compiler != info.GoVersion {
			return nil, fmt.Errorf("%s was built by %s, others by %s", path, info.GoVersion, compiler)
		}
		compiler = info.GoVersion
		for _, d := range info.Deps {
			versions[d.Path] = d.Version
		}
	}

	// The program itself and the standard library come first.
	sums, err := moduleSums(filepath.Join(r.from, "source", "go.sum"))
	if err != nil {
		return nil, err
	}
	own, err := licences(filepath.Join(r.from, "source"))
	if err != nil {
		return nil, err
	}
	goVersion := strings.TrimPrefix(compiler, "go")
	d := spdxDocument{Version: "SPDX-2.3", License: "CC0-1.0", ID: documentID, Name: "proxybd-" + r.version,
		Namespace: "https://" + module + "/spdx/" + r.version,
		Creation:  spdxCreation{r.epoch.Format(time.RFC3339), []string{"Tool: proxybd-internal-release"}},
		Packages: []spdxPackage{newPackage(programID, module, r.version, "APPLICATION", own),
			newPackage("SPDXRef-go", "stdlib", goVersion, "LIBRARY", "BSD-3-Clause")},
		Relationships: []spdxRelation{{documentID, "DESCRIBES", programID}, {programID, "DEPENDS_ON", "SPDXRef-go"}}}

	// Each module follows with its licence, in the order of their paths.
	var paths []string
	for path := range versions {
		paths = append(paths, path)
	}
	slices.Sort(paths)
	for _, path := range paths {
		text, err := licences(filepath.Join(r.from, "source", "vendor", filepath.FromSlash(path)))
		if err != nil {
			return nil, err
		}
		version := versions[path]
		sum := sums[path+" "+version]
		if sum == "" {
			return nil, fmt.Errorf("go.sum has no sum of %s %s", path, version)
		}
		p := newPackage("SPDXRef-"+strings.NewReplacer("/", "-", "_", "-").Replace(path), path, version, "LIBRARY", text)
		p.Source = "go.sum: " + sum
		d.Packages = append(d.Packages, p)
		d.Relationships = append(d.Relationships, spdxRelation{programID, "DEPENDS_ON", p.ID})
	}
	data, err := json.MarshalIndent(d, "", "  ")
	return append(data, '\n'), err
}

func newPackage(id, path, version, purpose, licence string) spdxPackage {
	return spdxPackage{Name: path, ID: id, Version: version, Purpose: purpose, Location: unknown, Concluded: unknown,
		Declared: licence, Copyright: unknown, References: []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + path +
			"@" + version}}}
}

// moduleSums reads the sums of modules from a go.sum file, by "path version".
func moduleSums(path string) (map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sums := map[string]string{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if words := strings.Fields(lines.Text()); len(words) == 3 {
			sums[words[0]+" "+words[1]] = words[2]
		}
	}
	return sums, lines.Err()
}

// licenceTexts are words of licences by which they are distinguished, spaces made one.
var licenceTexts = []struct{ id, has, not string }{
	{"Apache-2.0", "Apache License Version 2.0", ""},
	{"MIT", "Permission is hereby granted, free of charge", ""},
	{"BSD-3-Clause", "Neither the name of", ""},
	{"BSD-2-Clause", "Redistributions in binary form", "Neither the name of"},
}

// licences names the licences in the file LICENSE of a module, which every one has here, as an SPDX expression.
func licences(folder string) (string, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "LICEN[CS]E*"))
	if err != nil || len(paths) == 0 {
		return "", errors.Join(err, errors.New(folder+": no file LICENSE"))
	}
	var ids []string
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		text := strings.Join(strings.Fields(string(data)), " ")
		for _, l := range licenceTexts {
			if strings.Contains(text, l.has) && (l.not == "" || !strings.Contains(text, l.not)) && !slices.Contains(ids, l.id) {
				ids = append(ids, l.id)
			}
		}
	}
	if ids == nil {
		return unknown, nil
	}
	return strings.Join(ids, " AND "), nil
}
