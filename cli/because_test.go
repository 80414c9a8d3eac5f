package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInfeasibleInstancesSayWhy solves infeasible instances of several families and holds the reason against what was
// written into the file.
func TestInfeasibleInstancesSayWhy(t *testing.T) {
	core := "NAME p\nROWS\n N c\n G need\n L most\nCOLUMNS\n y c 3 most -2\n x c 4 need 1\n x most 1\nRHS\n RHS need 5\nBOUNDS\n" +
		" BV B y\nENDATA\n"
	stages := "TIME p\nPERIODS\n y c A\n x need B\nENDATA\n"
	draws := "STOCH p\nINDEP DISCRETE\n RHS need 1 0.5\n RHS need 5 0.5\nENDATA\n"
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("p.tim", stages)
	write("p.sto", draws)
	tests := map[string]string{
		write("a.csv", "problem,cap\nfacility,capacity,fixed_cost\nA,5,1\nB,6,1\nclient,demand\nu,12\ncosts,A,B\nu,1,2\n"): "the clients demand 12, and all facilities together (2) have a capacity of 11",
		write("u.csv", "problem,ufl\nfacility,fixed_cost\nA,5\nB,6\ncosts,A,B\nu,1,2\nclient\nu\nv\n"):                     "client v has no facility that may serve it",
		write("c.csv", "problem,cap\nfacility,capacity,fixed_cost\nA,9,1\nB,3,1\nclient,demand\nu,2\nv,2\nw,1\n"+
			"costs,A,B\nu,,2\nv,,3\nw,4,\n"): "clients {u, v} demand 4, and the facilities that may serve them, {B}, can bring them 3",
		write("n.csv", "problem,mcndp\narc,from,to,cost,capacity,fixed_cost\n1,A,B,1,4,1\n2,B,C,1,9,1\n"+
			"commodity,origin,destination,demand\ns,A,C,5\n"): "5 must leave node {A}, and the arcs that do (1) carry 4 with all of them open",
		write("p.cor", core): "scenario S00002 alone: these exclude each other: row need, row most, bound of y",
		write("m.lp", "min x + 2 y\nst\n a: x + y >= 3\n b: x - 2 z <= 0\nbounds\n y <= 1\nbin\n z\nend\n"): "",
	}
	for path, want := range tests {
		got := invoke(t, t.Context(), "solve", path, "--json").object(t)
		why, _ := got["infeasible_because"].(string)
		if why != want {
			t.Errorf("%s: %q, want %q", filepath.Base(path), why, want)
		}
	}
}
