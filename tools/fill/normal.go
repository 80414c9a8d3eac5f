package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/proxybd/proxybd/lp"
)

// normalEquations returns the lower triangle of A A' + I, for a matrix A that is stored by columns, whose rows are
// scaled to length 1.
func normalEquations(name string, columns *lp.Matrix) *pattern {
	rows := columns.Transpose()
	p := &pattern{name: name, n: rows.Major, colPtr: []int32{0}}
	length := make([]float64, p.n)
	for i := range p.n {
		_, value := rows.Vec(i)
		for _, v := range value {
			length[i] = math.Hypot(length[i], v)
		}
	}

	// Column j of the product is the sum of columns of A with the coefficients of row j.
	sum := make([]float64, p.n)
	mark := make([]bool, p.n)
	for j := range p.n {
		list := []int32{int32(j)}
		mark[j] = true
		sum[j] = 1
		index, value := rows.Vec(j)
		for k, column := range index {
			other, entry := columns.Vec(int(column))
			for q, i := range other {
				if int(i) < j {
					continue
				}
				if !mark[i] {
					mark[i] = true
					list = append(list, i)
				}
				sum[i] += value[k] * entry[q] / (length[i] * length[j])
			}
		}
		slices.Sort(list)
		for _, i := range list {
			p.rowIdx = append(p.rowIdx, i)
			p.values = append(p.values, sum[i])
			sum[i] = 0
			mark[i] = false
		}
		p.colPtr = append(p.colPtr, int32(len(p.rowIdx)))
	}
	return p
}

// runMetis returns the order of ndmetis, and the processor time of the program.
func runMetis(p *pattern) ([]int32, time.Duration, error) {
	dir, err := os.MkdirTemp("", "fill")
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "graph")
	if err := os.WriteFile(path, []byte(graphFile(p)), 0o600); err != nil {
		return nil, 0, err
	}
	command := exec.Command("ndmetis", path)
	if out, err := command.CombinedOutput(); err != nil {
		return nil, 0, fmt.Errorf("ndmetis: %w\n%s", err, out)
	}

	// Line i of the answer is the place of vertex i.
	text, err := os.ReadFile(path + ".iperm")
	if err != nil {
		return nil, 0, err
	}
	order := make([]int32, p.n)
	for v, field := range strings.Fields(string(text)) {
		var place int
		if _, err := fmt.Sscan(field, &place); err != nil {
			return nil, 0, err
		}
		order[place] = int32(v)
	}
	return order, command.ProcessState.UserTime() + command.ProcessState.SystemTime(), nil
}

// graphFile returns the graph of a pattern as a text of METIS: a line with the numbers of vertices and edges, then the
// neighbours of each vertex, counted from 1.
func graphFile(p *pattern) string {
	neighbours := make([][]int32, p.n)
	edges := 0
	for j := range p.n {
		for _, i := range p.rowIdx[p.colPtr[j]:p.colPtr[j+1]] {
			if int(i) != j {
				neighbours[i] = append(neighbours[i], int32(j)+1)
				neighbours[j] = append(neighbours[j], i+1)
				edges++
			}
		}
	}
	var b strings.Builder
	fmt.Fprintln(&b, p.n, edges)
	for _, list := range neighbours {
		fmt.Fprintln(&b, strings.Trim(fmt.Sprint(list), "[]"))
	}
	return b.String()
}
