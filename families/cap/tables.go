package cap

import (
	"fmt"

	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/location"
	"github.com/proxybd/proxybd/internal/sheet"
)

// schema is that of table files.
var schema = location.Schema(name, true)

// fromTables makes the instance of a table file.
func fromTables(s *sheet.Sheet) (families.Instance, error) {
	data, err := location.FromTables(s, true)
	if err != nil {
		return nil, err
	}
	in := &Instance{data}
	in.penalise()

	// Numbers that are right each may be too large together.
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.File, err)
	}
	return in, nil
}

// Tables implements families.Tabled.
func (in *Instance) Tables() (*sheet.Document, error) { return in.Document(name, true), nil }
