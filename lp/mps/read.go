package mps

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
	"github.com/proxybd/proxybd/lp"
)

// ReadFile reads a model from a file, packed or plain (the first bytes show gzip, bzip2 and zstd), in MPS or in the LP
// format, whichever its first line shows. Where that shows neither, a name that ends in .lp makes it LP.
func ReadFile(path string) (*lp.Model, []string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	defer f.Close()

	// Reading a folder would give an error that says little.
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, nil, fmt.Errorf("%s: is a directory, not a model file", path)
	}
	return ReadModel(f, path)
}

// ReadModel reads a model as ReadFile does. The name stands for the input in warnings and errors.
func ReadModel(r io.Reader, name string) (*lp.Model, []string, error) {
	return readModel(r, name, parseAny)
}

// readModel reads the whole input, unpacked where it is packed, and parses it.
func readModel(r io.Reader, name string, parse func(data []byte, name string) (*lp.Model, []string, error)) (
	*lp.Model, []string, error) {
	data, err := readAll(r, name)
	if err != nil {
		return nil, nil, err
	}
	return parse(data, name)
}

// parseAny parses a model in the format that its first line shows, or else its name; MPS is the default.
func parseAny(data []byte, name string) (*lp.Model, []string, error) {
	layout := layoutOf(data)
	if layout == LP || layout == Unknown && strings.HasSuffix(strings.ToLower(unpack.Plain(name)), ".lp") {
		return parseLP(data, name)
	}
	return parseMPS(data, name)
}

// Layout is a format of models.
type Layout uint8

const (
	// Unknown stands for a line that begins neither format.
	Unknown Layout = iota
	// MPS is fixed or free MPS.
	MPS
	// LP is the LP format of CPLEX.
	LP
)

// LayoutOf returns the format of a model file that begins with the line. It reports false for a line that decides
// nothing: a blank one or a comment. Comments begin with * in MPS and with \ in LP.
func LayoutOf(line []byte) (l Layout, decides bool) {
	var tok [maxTokens][]byte
	if split(line, &tok) == 0 || line[0] == '*' || tok[0][0] == '\\' {
		return Unknown, false
	}

	// An LP file begins with its objective. A comment may follow the word without a blank.
	word, _, _ := bytes.Cut(tok[0], []byte("\\"))
	if s := lpKeywords[lower(word)]; s == lpMinimize || s == lpMaximize {
		return LP, true
	}

	// A section of MPS begins in the first column.
	if slices.Contains(firstSections, strings.ToUpper(string(tok[0]))) && !blank(line[0]) {
		return MPS, true
	}
	return Unknown, true
}

// firstSections are the sections that an MPS file may begin with.
var firstSections = []string{"NAME", "ROWS", "OBJSENSE", "OBJNAME"}

// layoutOf returns the format that the first line that decides shows.
func layoutOf(data []byte) Layout {
	for len(data) > 0 {
		// Comments and blank lines may come first.
		line, rest, _ := bytes.Cut(data, []byte{'\n'})
		if l, decides := LayoutOf(line); decides {
			return l
		}
		data = rest
	}
	return Unknown
}

// fileError puts the name in front, once.
func fileError(path string, err error) error {
	// An error of the system names the path already.
	var pathErr *os.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Read reads a model in fixed or free MPS, packed or plain. It returns warnings, each a line, about
// what it had to interpret (see the package comment). The name stands for the file in warnings and errors; an
// error about the contents is an *Error.
func Read(r io.Reader, name string) (*lp.Model, []string, error) { return readModel(r, name, parseMPS) }

// parseMPS reads the model of a file.
func parseMPS(data []byte, name string) (*lp.Model, []string, error) {
	p, err := parsed(data, name, false)
	if err != nil {
		return nil, nil, err
	}
	return p.model, p.warn.list(name), nil
}

// parsed reads the file as free MPS and, where that fails at the fields, as fixed MPS. It returns the parser at the end
// of the file; core says that the file is the core file of a stochastic program.
func parsed(data []byte, name string, core bool) (*parser, error) {
	p := newParser(data, false, core)
	bad := p.parse()
	if bad != nil && !p.final {
		// In fixed MPS names may hold blanks, which makes more fields of a line than free MPS has.
		fixed := newParser(data, true, core)
		errFixed := fixed.parse()
		if errFixed == nil {
			return fixed, nil
		}

		// The reading that got further has understood more of the file.
		if errFixed.Line > bad.Line {
			bad = errFixed
		}
	}
	if bad != nil {
		bad.File = name
		return nil, bad
	}
	return p, nil
}

// readAll reads everything, unpacked where it is packed, without the byte order mark that some editors leave. The name
// stands in front of errors.
func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := unpack.All(r)
	if err != nil {
		return nil, fileError(name, err)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))

	// Where no line feed is, carriage returns end the lines. Next to line feeds they count as blanks.
	if bytes.IndexByte(data, '\n') < 0 {
		data = bytes.ReplaceAll(data, []byte{'\r'}, []byte{'\n'})
	}
	return data, nil
}
