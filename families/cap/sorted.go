package cap

import "slices"

// sortRows returns the facilities of each client by ascending cost, m x n; equal costs are in the order of the index.
func sortRows(in *Instance) []int32 {
	n := in.Facilities
	order := make([]int32, n*in.Clients)
	for i := range in.Clients {
		row, list := in.Row(i), order[i*n:(i+1)*n]
		for j := range list {
			list[j] = int32(j)
		}
		slices.SortFunc(list, func(a, b int32) int {
			switch {
			case row[a] < row[b]:
				return -1
			case row[a] > row[b]:
				return 1
			}
			return int(a - b)
		})
	}
	return order
}
