package smps_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/proxybd/proxybd/lp/smps"
)

// The three files of a plant whose size is chosen before the demand, 4 or 6 units, is known. What is not made is
// bought.
var plant = map[string]string{
	"plant.cor": `NAME plant
ROWS
 N cost
 L size
 G need
COLUMNS
 y cost 1 size -1
 x cost 2 size 1
 x need 1
 z cost 9 need 1
RHS
 RHS need 5
ENDATA
`,
	"plant.tim": `TIME plant
PERIODS
 y cost today
 x size tomorrow
ENDATA
`,
	"plant.sto": `STOCH plant
INDEP DISCRETE
 RHS need 4 0.25
 RHS need 6 0.75
ENDATA
`}

func ExampleReadFiles() {
	dir, err := os.MkdirTemp("", "smps")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	for name, text := range plant {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			fmt.Println(err)
			return
		}
	}
	files, err := smps.Find(filepath.Join(dir, "plant.cor"), smps.Files{})
	if err != nil {
		fmt.Println(err)
		return
	}
	read, _, err := smps.ReadFiles(files)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := read.TwoStage(smps.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range p.Scenarios {
		fmt.Println(s.Probability, len(s.Changes))
	}
	m, err := p.Extensive()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(m.Cols), "columns,", len(m.Rows), "rows")
	// Output:
	// 0.25 1
	// 0.75 1
	// 5 columns, 4 rows
}
