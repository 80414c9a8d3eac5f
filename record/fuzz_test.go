package record

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"reflect"
	"testing"
)

// FuzzRead reads any lines, closed with the end that belongs to them: they are refused, or written again they are
// read as the same record.
func FuzzRead(f *testing.F) {
	var b bytes.Buffer
	if err := Write(&b, sample()); err != nil {
		f.Fatal(err)
	}
	lines := bytes.SplitAfter(b.Bytes(), []byte("\n"))
	f.Add(bytes.Join(lines[:len(lines)-2], nil))
	f.Add([]byte("{}\n[]\n"))
	f.Add([]byte(`{"kind":"header","Schema":3,"Bound":"inf","Objective":"-inf"}` + "\n" + `{"kind":"instance","Hash":"\"","Data":{"Implied":[{"Row":1}]}}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		sum := sha256.Sum256(text)
		end, err := json.Marshal(endLine{"end", bytes.Count(text, []byte("\n")), hex.EncodeToString(sum[:])})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(bytes.NewReader(append(append(bytes.Clone(text), end...), '\n')), "fuzz")
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Errorf("an error of no kind: %v", err)
			}
			return
		}
		var b bytes.Buffer
		if err := Write(&b, r); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b, "again")
		if err != nil {
			t.Fatalf("%v: %q", err, text)
		}
		r.Instance.Data, again.Instance.Data = nil, nil // JSON is written without blanks
		if !reflect.DeepEqual(r, again) {
			t.Errorf("read %+v, then %+v", r, again)
		}
		for _, program := range []any{new(Facilities), new(Network), new(ScenarioNetwork), new(Model)} {
			in := Instance{Data: text}
			if err := in.Decode(program); err != nil && !errors.Is(err, ErrFormat) {
				t.Errorf("an error of no kind: %v", err)
			}
		}
	})
}
