package verify

import (
	"fmt"

	"github.com/proxybd/proxybd/record"
)

// About proves that a record is about a program: its family, and its data as record.Facilities, record.Network or
// record.Model, are those of the record, number for number. Nothing that the record says of itself is believed: the
// data compared is the data that Verify proves everything from, and no hash is involved. The error wraps ErrProof.
func About(r *record.Record, family string, program any) error {
	if r.Header.Family != family {
		return failure(1, "the record is about an instance of the family %.20q, not %s", r.Header.Family, family)
	}
	var own any
	var err error
	switch program.(type) {
	case record.Facilities:
		own, err = data[record.Facilities](r)
	case record.Network:
		own, err = data[record.Network](r)
	case record.Model:
		own, err = data[record.Model](r)
	default:
		return fmt.Errorf("verify: a program of the type %T", program)
	}
	if err != nil {
		return fmt.Errorf("verify: line 2: %w", err)
	}
	if d := record.Difference(own, program); d != "" {
		return failure(2, "the record is about another program: %s", d)
	}
	return nil
}

func data[P any](r *record.Record) (P, error) {
	var p P
	err := r.Instance.Decode(&p)
	return p, err
}
