package verify

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/proxybd/proxybd/record"
)

// About proves that a record is about a program: its family, and its data as record.Facilities, record.Network,
// record.ScenarioNetwork or record.Model, are those of the record, number for number; of several layouts of a program
// the one that the record has. Nothing that the record says of itself is believed: the data compared is the data that
// Verify proves everything from, and no hash is involved. The error wraps ErrProof.
func About(r *record.Record, family string, layouts ...any) error {
	if r.Header.Family != family {
		return failure(1, "the record is about an instance of the family %.20q, not %s", r.Header.Family, family)
	}

	// The layout of the record is the one that its data can be read in.
	var unread error
	for _, program := range layouts {
		var own any
		var err error
		switch program.(type) {
		case record.Facilities:
			own, err = data[record.Facilities](r)
		case record.Network:
			own, err = data[record.Network](r)
		case record.ScenarioNetwork:
			own, err = data[record.ScenarioNetwork](r)
		case record.Model:
			own, err = data[record.Model](r)
		default:
			return fmt.Errorf("verify: a program of the type %T", program)
		}
		if err != nil {
			unread = unreadable(err)
			continue
		}
		if d := record.Difference(own, program); d != "" {
			return failure(2, "the record is about another program: %s", d)
		}
		return nil
	}
	if unread == nil {
		return errors.New("verify: no program to compare with")
	}

	// A sound record in a layout that the program does not have is about another one.
	for _, other := range []any{new(record.Facilities), new(record.Network), new(record.ScenarioNetwork),
		new(record.Model)} {
		if r.Instance.Decode(other) == nil {
			return failure(2, "the record is about another program: its data is of another layout, a %s",
				reflect.TypeOf(other).Elem().Name())
		}
	}
	return unread
}

// data reads the instance of a record in a layout.
func data[P any](r *record.Record) (P, error) {
	var p P
	err := r.Instance.Decode(&p)
	return p, err
}
