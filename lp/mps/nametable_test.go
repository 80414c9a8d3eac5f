package mps

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNameTable adds and looks for names in random order beside a map, long and empty ones too.
func TestNameTable(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 28))
	table, want := newNameTable(), map[string]int32{}
	for range 20000 {
		name := fmt.Sprintf("x%d", rng.IntN(5000))
		switch rng.IntN(100) {
		case 0:
			name = strings.Repeat(name, 1+rng.IntN(3000))
		case 1:
			name = ""
		}
		n, known := want[name]
		if got, ok := table.find([]byte(name)); ok != known || known && got != n {
			t.Fatalf("find %q: %d, %t instead of %d, %t", name, got, ok, n, known)
		}
		kept, added := table.add([]byte(name))
		if added == known || added && kept != name {
			t.Fatalf("add %q: %q, %t after %d names", name, kept, added, len(want))
		}
		if added {
			want[name] = int32(len(want))
		}
	}
	for name, n := range want {
		if got, ok := table.find([]byte(name)); !ok || got != n || table.names[n] != name {
			t.Errorf("find %q: %d, %t instead of %d", name, got, ok, n)
		}
	}
}
