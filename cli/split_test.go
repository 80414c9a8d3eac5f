package cli

import (
	"strings"
	"testing"

	"github.com/proxybd/proxybd/families/cap"
)

// TestOpenBase reads FILE@VALUE where the file leaves something open, and a file whose own name has an @.
func TestOpenBase(t *testing.T) {
	open := written(t, "a.txt", openCapacity)
	in, err := catalogue(Families()).openBase(open + "@4")
	if err != nil || in.(*cap.Instance).Capacity[0] != 4 {
		t.Fatalf("%v, %v", in, err)
	}
	closed := strings.ReplaceAll(openCapacity, "capacity", "4")
	if in, err = catalogue(Families()).openBase(written(t, "b@5", closed)); err != nil || in.(*cap.Instance).Capacity[1] != 4 {
		t.Errorf("a name with an @: %v, %v", in, err)
	}
	for _, c := range []struct{ arg, want string }{
		{open, "the capacity is left open"},
		{open + "@x", `parsing "x"`},
		{written(t, "c.txt", closed) + "@5", "leaves nothing open that @5 could be"},
		{open + "no@5", "no such file"},
	} {
		if _, err := catalogue(Families()).openBase(c.arg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.arg, err, c.want)
		}
	}
}
