package verify

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/proxybd/proxybd/record"
)

// dataLayouts are the layouts that the instance of a record may have.
var dataLayouts = []reflect.Type{
	reflect.TypeFor[record.Facilities](),
	reflect.TypeFor[record.Network](),
	reflect.TypeFor[record.ScenarioNetwork](),
	reflect.TypeFor[record.Model](),
}

// About proves that a record is about a program: its family, and its data as record.Facilities, record.Network,
// record.ScenarioNetwork or record.Model, are those of the record, number for number; of several layouts of a program
// the one that the record has. Nothing that the record says of itself is believed: the data compared is the data that
// Verify proves everything from, and no hash is involved. The error wraps ErrProof.
func About(r *record.Record, family string, layouts ...any) error {
	// The family decides what the numbers mean, so that equal numbers of two families are different programs.
	if r.Header.Family != family {
		return failure(1, "the record is about an instance of the family %.20q, not %s", r.Header.Family, family)
	}

	// The layout of the record is the one that its data can be read in.
	var unread error
	for _, program := range layouts {
		layout := reflect.TypeOf(program)
		if !slices.Contains(dataLayouts, layout) {
			return fmt.Errorf("verify: a program of the type %T", program)
		}

		// The error is kept for the case that the data cannot be read in any layout.
		own := reflect.New(layout)
		if err := r.Instance.Decode(own.Interface()); err != nil {
			unread = unreadable(err)
			continue
		}
		if d := record.Difference(own.Elem().Interface(), program); d != "" {
			return failure(2, "the record is about another program: %s", d)
		}
		return nil
	}

	// Without any layout to compare with, the caller has made a mistake.
	if unread == nil {
		return errors.New("verify: no program to compare with")
	}

	// A sound record in a layout that the program does not have is about another one.
	for _, other := range dataLayouts {
		if r.Instance.Decode(reflect.New(other).Interface()) == nil {
			return failure(2, "the record is about another program: its data is of another layout, a %s", other.Name())
		}
	}
	return unread
}
