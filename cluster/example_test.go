package cluster_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proxybd/proxybd/cluster"
)

// squares is what every process of the run does: it holds a range of numbers and sums their squares times a factor that
// is broadcast.
func squares() cluster.Program {
	factor := uint64(1)
	return cluster.Program{
		Hold: func(_ context.Context, _ uint64, data []byte) (any, error) {
			return data, nil // a real program would build its models of the data
		},
		Jobs: map[string]cluster.Handler{
			"squares": func(_ context.Context, state any, _ []byte) ([]byte, error) {
				sum := uint64(0)
				for _, x := range state.([]byte) {
					sum += factor * uint64(x) * uint64(x)
				}
				return binary.BigEndian.AppendUint64(nil, sum), nil
			},
		},
		Broadcasts: map[string]func(context.Context, []byte) error{
			"factor": func(_ context.Context, payload []byte) error {
				factor = binary.BigEndian.Uint64(payload)
				return nil
			},
		},
	}
}

// A coordinator and a worker, here in one process. A command takes the value of --cluster from its flags, and the
// process is one or the other, as place.Coordinator() says.
func Example() {
	folder, err := os.MkdirTemp("", "cluster")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	spec, err := cluster.ParseSpec("file:" + filepath.Join(folder, "address"))
	if err != nil {
		fmt.Println(err)
		return
	}
	place, err := spec.Locate()
	if err != nil {
		fmt.Println(err)
		return
	}

	// The data of a key is made when a member is to hold it: here the numbers 10k to 10k + 9 of range k, whose key is
	// k + 1, since key 0 stands for none.
	options := cluster.DefaultOptions()
	options.Version = "1.0"
	options.Holding = func(key uint64) ([]byte, error) {
		var numbers []byte
		for x := range byte(10) {
			numbers = append(numbers, 10*byte(key-1)+x)
		}
		return numbers, nil
	}

	ctx := context.Background()
	ended := make(chan error)
	go func() { ended <- cluster.Work(ctx, place.AsWorker(), options, squares) }()
	coordinator, err := cluster.Listen(ctx, place, options, squares)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := coordinator.Wait(ctx, 2); err != nil {
		fmt.Println(err)
		return
	}

	// Two rounds over the same ranges, which are sent once.
	jobs := []cluster.Job{{Kind: "squares", Key: 1}, {Kind: "squares", Key: 2}, {Kind: "squares", Key: 3}}
	for factor := range uint64(2) {
		payload := binary.BigEndian.AppendUint64(nil, factor+1)
		if err := coordinator.Broadcast(ctx, "factor", "", payload); err != nil {
			fmt.Println(err)
			return
		}
		answers, err := coordinator.Run(ctx, jobs)
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, answer := range answers {
			fmt.Println(binary.BigEndian.Uint64(answer))
		}
	}
	fmt.Println(coordinator.Close(), <-ended)
	// Output:
	// 285
	// 2185
	// 6085
	// 570
	// 4370
	// 12170
	// <nil> <nil>
}
