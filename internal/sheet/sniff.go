package sheet

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"strings"

	"github.com/proxybd/proxybd/internal/unpack"
)

// sniffed is the number of bytes of a JSON object that must hold the key problem.
const sniffed = 1 << 16

// Sniff reads the beginning of a file, plain or packed, and returns the problem that it names; "" if it is no table
// file.
func Sniff(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return ""
	}

	// A packed file is unpacked as far as it is read.
	text, err := beginning(r)
	if err != nil {
		return ""
	}

	// An object begins with a brace; everything else is read line by line.
	if text = unmarked(text); looksLikeObject(text) {
		return sniffObject(text)
	}
	problem, _ := sniffLines(text)
	return problem
}

// Untitled reports whether a file is a table file of a schema but for its first line, which should name the problem:
// its first line is the header of a table.
func Untitled(path string, schema *Schema) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	r, err := unpack.Reader(f)
	if err != nil {
		return false
	}
	text, err := beginning(r)
	if err != nil {
		return false
	}
	cells, _ := firstLine(unmarked(text))
	return len(cells) > 1 && schema.begins(cells)
}

// firstLine returns the cells of the first line that is no comment, and the separator that parts most of them.
func firstLine(text []byte) (cells []string, comma rune) {
	for line := range bytes.Lines(text) {
		line := strings.TrimSpace(string(line))
		if line == "" || strings.Trim(line, `"`) == "" || strings.Trim(line, `"`)[0] == '#' {
			continue
		}
		for _, mark := range ",;\t" {
			if parts := strings.Split(line, string(mark)); len(parts) > len(cells) {
				cells = parts
				comma = mark
			}
		}
		for k := range cells {
			cells[k] = strings.Trim(strings.TrimSpace(cells[k]), `"`)
		}
		return cells, comma
	}
	return nil, ','
}

// beginning reads the bytes that Sniff needs. These are few for a CSV file, and for a file of another kind, since every
// family with tables calls Sniff on every file.
func beginning(r io.Reader) ([]byte, error) {
	// A first piece is enough for most files, such as those of other kinds.
	text := make([]byte, 1<<10)
	n, err := io.ReadFull(r, text)
	// A file that is shorter is read as a whole.
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return text[:n], nil
	}

	// A text file is decided by its first line that is no comment.
	if err != nil || !looksLikeObject(unmarked(text)) && hasContentLine(text) {
		return text, err
	}

	// The key problem of an object may come after a long description.
	rest, err := io.ReadAll(io.LimitReader(r, int64(sniffed-n)))
	return append(text, rest...), err
}

// hasContentLine reports whether a text has a complete line that is neither empty nor a comment.
func hasContentLine(text []byte) bool {
	// A line that is cut off at the end of the piece may go on.
	for line := range bytes.Lines(unmarked(text)) {
		if shown := bytes.Trim(bytes.TrimSpace(line), `"`); len(shown) > 0 && shown[0] != '#' {
			return line[len(line)-1] == '\n'
		}
	}
	return false
}

// unmarked drops a byte order mark.
func unmarked(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) }

// looksLikeObject reports whether a text begins like a JSON object.
func looksLikeObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("{"))
}

// sniffLines returns the problem in the first line that is no comment, and the separator of its fields.
func sniffLines(text []byte) (problem string, comma rune) {
	for line := range bytes.Lines(text) {
		// Spreadsheets put quotes around cells with commas.
		line := strings.Trim(strings.TrimSpace(string(line)), `"`)
		if line == "" || line[0] == '#' {
			continue
		}

		// The word problem, a separator and the name of the problem are the first line of every table file.
		rest, ok := strings.CutPrefix(line, "problem")
		rest = strings.TrimLeft(rest, ` "`)
		if !ok || rest == "" || !strings.Contains(",;\t", rest[:1]) {
			return "", 0
		}

		// The separator after the word is that of all lines.
		comma = rune(rest[0])
		problem, _, _ = strings.Cut(rest[1:], rest[:1])
		return strings.Trim(strings.TrimSpace(problem), `"`), comma
	}
	return "", 0
}

// sniffObject returns the value of the key problem. Only texts and lists of texts may come before it.
func sniffObject(text []byte) string {
	dec := json.NewDecoder(bytes.NewReader(text))
	// The first token is the brace.
	if _, err := dec.Token(); err != nil {
		return ""
	}

	// Keys and values alternate until the key problem.
	for {
		key, _ := dec.Token() // an error repeats at the next call
		value, err := dec.Token()
		if err != nil {
			return ""
		}

		// A value of another kind says that this is no table file.
		text, isText := value.(string)
		switch {
		case isText && key == "problem":
			return text
		case isText:
		case value != json.Delim('[') || !skipTexts(dec):
			return ""
		}
	}
}

// skipTexts reads the rest of a list and reports whether all its elements are texts.
func skipTexts(dec *json.Decoder) bool {
	// The list is read to its end, so that the next token is a key.
	for {
		element, err := dec.Token()
		if err != nil || element == json.Delim(']') {
			return err == nil
		}
		if _, isText := element.(string); !isText {
			return false
		}
	}
}
