package iis_test

import (
	"context"
	"fmt"

	"github.com/proxybd/proxybd/iis"
	"github.com/proxybd/proxybd/lp"
)

// Work of 20 hours does not fit into three days if two of them together have at most 9.
func ExampleFind() {
	m := &lp.Model{}
	monday := m.Between("monday", 3, 0, 8)
	tuesday := m.Between("tuesday", 2, 0, 8)
	wednesday := m.Between("wednesday", 4, 0, 8)
	work := m.AtLeast(20, monday, tuesday, wednesday)
	early := m.AtMost(9, monday, tuesday)
	m.AtLeast(2, tuesday, wednesday)
	m.Rows[work].Name = "work"
	m.Rows[early].Name = "early"

	set, err := iis.Find(context.Background(), m, iis.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range set.Sides {
		if s.Row {
			fmt.Println("row", m.RowName(lp.Con(s.Index)))
		} else {
			fmt.Println("bound of", m.ColName(lp.Var(s.Index)))
		}
	}
	// Output:
	// row work
	// row early
	// bound of wednesday
}
