// Package jsonl stores records in files of JSON lines. Several processes may append to a file, and a crash may truncate
// the last line.
package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
)

// Append adds a record to a file by one write to a file opened for appending, so that processes that share the file
// do not mix their lines, and waits until it is on the disk. A line that a crash has truncated is ended first.
func Append(path string, record any) error {
	line, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}

	// The file is readable as well, so that its last byte can be checked.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}

	// The truncated line is ended, so that Read skips it alone.
	if truncated(f) {
		line = append([]byte{'\n'}, line...)
	}
	_, err = f.Write(append(line, '\n'))

	// A pipe cannot be synced.
	if info, failed := f.Stat(); err == nil && failed == nil && info.Mode().IsRegular() {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// truncated reports whether the last line of a file has no end.
func truncated(f *os.File) bool {
	info, err := f.Stat()

	// An empty file and a pipe have no last line.
	if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}

	// A complete file ends with a line break.
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// Read calls each with every line of r that is a complete JSON value and returns the number of other lines: those that
// a crash has truncated. Empty lines do not count. An error of each ends the reading.
func Read(r io.Reader, each func(line []byte) error) (broken int, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for {
		// The last line may have no end, so that the text comes before the error.
		line, err := readLine(in)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			// A line that a crash has truncated is no JSON value.
			if !json.Valid(line) {
				broken++
			} else if failed := each(line); failed != nil {
				return broken, failed
			}
		}
		if errors.Is(err, io.EOF) {
			return broken, nil
		}
		if err != nil {
			return broken, err
		}
	}
}

// longestLine is the largest size of a line, in bytes.
const longestLine = 1 << 26

// readLine reads a line with its end.
func readLine(in *bufio.Reader) (line []byte, err error) {
	for {
		part, err := in.ReadSlice('\n')
		// A buffer that is full holds a part of the line.
		if line = append(line, part...); !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > longestLine {
			return nil, fmt.Errorf("a line has more than %d bytes", longestLine)
		}
	}
}

// Number is a float64 whose infinities and NaN are null in JSON; null is read as NaN.
type Number float64

// MarshalJSON writes the shortest decimal that gives the same float64.
func (v Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
		return []byte("null"), nil
	}
	return strconv.AppendFloat(nil, float64(v), 'g', -1, 64), nil
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (v *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		// The zero value would be a number.
		*v = Number(math.NaN())
		return nil
	}

	// Every other value is a JSON number.
	f, err := strconv.ParseFloat(string(b), 64)
	*v = Number(f)
	return err
}
