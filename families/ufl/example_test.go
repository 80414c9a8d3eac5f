package ufl_test

import (
	"fmt"
	"path/filepath"

	"github.com/proxybd/proxybd/families/ufl"
)

func ExampleRead() {
	in, err := ufl.Read(filepath.Join("testdata", "tiny.simple"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(in.Name, in.Facilities, in.Clients)
	// Output: M5x8-1 5 8
}
