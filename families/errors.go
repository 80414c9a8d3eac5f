package families

import (
	"errors"
	"fmt"

	"github.com/proxybd/proxybd/benders/assess"
	"github.com/proxybd/proxybd/benders/decompose"
	"github.com/proxybd/proxybd/benders/proxy"
)

// Errors that the implementations wrap.
var (
	ErrForeign     = errors.New("instance of another family") // the file is sound but belongs to another family
	ErrUnsupported = decompose.ErrUnsupported                 // a method, scheme or class that the family does not have
	ErrModel       = proxy.ErrModel                           // a trained model that does not fit
	ErrOptions     = proxy.ErrOptions
	ErrDesign      = assess.ErrDesign // not a design, or one without a feasible recourse
)

// Foreign is an error text of its own that wraps ErrForeign.
type Foreign string

// Error returns the text.
func (f Foreign) Error() string { return string(f) }

// Unwrap returns ErrForeign.
func (f Foreign) Unwrap() error { return ErrForeign }

// As returns an instance of a family's own type as an Instance.
func As[I Instance](in I, err error) (Instance, error) {
	// A nil pointer of the own type would not be a nil Instance.
	if err != nil {
		return nil, err
	}
	return in, nil
}

// Own returns an instance in its family's own type. The error of one of another family wraps ErrModel.
func Own[I any](family string, in any) (I, error) {
	// A model is asked for instances of its own family only.
	own, ok := in.(I)
	if !ok {
		return own, fmt.Errorf("%s: %w: the model is for %s, not for a %T", family, ErrModel, family, in)
	}
	return own, nil
}
