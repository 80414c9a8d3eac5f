package mps_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/proxybd/proxybd/lp/mps"
)

// A model in the LP format is read, changed and written as MPS.
func ExampleReadLP() {
	m, warnings, err := mps.ReadLP(strings.NewReader(`\ two products
max
 profit: 3 bread + 5 cake
st
 oven: 3 bread + 2 cake <= 18
bounds
 cake <= 6
end
`), "products.lp")
	if err != nil {
		fmt.Println(err)
		return
	}
	bread, err := m.FindVar("bread")
	if err != nil {
		fmt.Println(err)
		return
	}
	m.Cols[bread].Upper = 4
	fmt.Println(len(warnings), "warnings")
	if err := mps.Write(os.Stdout, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 0 warnings
	// NAME
	// OBJSENSE
	//     MAX
	// ROWS
	//  N  profit
	//  L  oven
	// COLUMNS
	//     bread     profit               3
	//     bread     oven                 3
	//     cake      profit               5
	//     cake      oven                 2
	// RHS
	//     RHS       oven                18
	// BOUNDS
	//  UP BND       bread                4
	//  UP BND       cake                 6
	// ENDATA
}
