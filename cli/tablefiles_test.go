package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTablesInFilesOfTheirOwn solves an instance whose tables are in three files, with pairs that are left out, joins
// them, and solves the file that comes of it: the same optimum, computed by hand.
func TestTablesInFilesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--family", "cap"}
	for _, f := range [][2]string{
		{"facilities", "Facility,Capacity,Fixed cost,owner\nA,10,3\nB,10,4\nC,20,9\n"},
		{"clients", "client,demand\nu,4\nv,5\nw,6\n"},
		{"costs", "client,A,B,C\nu,1,,7\nv,,2,8\nw,,3,9\n"},
	} {
		path := filepath.Join(dir, f[0]+".csv")
		if err := os.WriteFile(path, []byte(f[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--"+f[0], path)
	}

	// B has room for all but one unit of v and w. With everything open u costs 1, v 2, and w 2.5 at B and 1.5 at C.
	ran := invoke(t, t.Context(), append([]string{"solve", "--json"}, args...)...)
	if got := ran.object(t)["objective"]; got != 3+4+9+1+2+2.5+1.5 {
		t.Errorf("%v, want 23", got)
	}
	for _, want := range []string{"costs.csv: 3 of 9 pairs have no cost", `the column "owner" of the facilities is ignored`} {
		if !strings.Contains(ran.stderr, want) {
			t.Errorf("%s\nwant %s", ran.stderr, want)
		}
	}
	all := filepath.Join(dir, "all.json")
	invoke(t, t.Context(), append([]string{"export", "-o", all}, args...)...)
	if got := invoke(t, t.Context(), "solve", "--json", all).object(t)["objective"]; got != 23.0 {
		t.Errorf("joined: %v", got)
	}
}
