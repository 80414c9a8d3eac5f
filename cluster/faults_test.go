package cluster

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
)

// spawn starts this test binary as a worker process.
func spawn(t *testing.T, place Place) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "CLUSTER_TEST_WORKER="+place.path)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// TestKilledProcesses kills a random worker process at a random moment of each of 100 runs and starts another.
func TestKilledProcesses(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	options := testOptions()
	options.Slots = 1
	options.SlowAfter = time.Second
	c, place := coordinate(t, options)
	workers := []*exec.Cmd{spawn(t, place), spawn(t, place), spawn(t, place)}
	mustWait(t, c, 4)

	jobs, want := sums(300, 12, 77)
	if err := c.Broadcast(t.Context(), "set", "", []byte{1, 77}); err != nil {
		t.Fatal(err)
	}
	for k := range 100 {
		// In every other round the process that was started last may be killed before it has joined.
		if k%2 == 0 {
			mustWait(t, c, 4)
		}
		killed := make(chan struct{})
		victim := random.IntN(len(workers))
		moment := time.Duration(random.IntN(20)) * time.Millisecond
		go func() {
			defer close(killed)
			time.Sleep(moment)
			workers[victim].Process.Kill()
			workers[victim].Wait()
		}()
		compare(t, mustRun(t, c, jobs), want)
		<-killed
		workers[victim] = spawn(t, place)
	}

	// The losses were noticed, and the end reaches the processes that are left.
	lost := 0
	within(t, 5*time.Second, "the members that were killed have left", func() bool {
		lost = 0
		for _, s := range c.Stats() {
			if !s.Present {
				lost++
			}
		}
		return lost >= 50
	})
	t.Logf("%d members were lost", lost)
	mustWait(t, c, 4)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, w := range workers {
		if err := w.Wait(); err != nil {
			t.Errorf("worker: %v", err)
		}
	}
}

// TestJobThatKills bounds how many workers a job may end.
func TestJobThatKills(t *testing.T) {
	options := testOptions()
	options.MaxLosses = 1
	options.Slots = 0
	c, place := coordinate(t, options)
	spawn(t, place)
	spawn(t, place)
	mustWait(t, c, 2)
	_, err := c.Run(t.Context(), []Job{{Kind: "die"}})
	if !errors.Is(err, errLosses) || !strings.Contains(err.Error(), "job 0 (die): 2 members") {
		t.Errorf("error %v", err)
	}
}

// TestSilence stops a worker process: it is lost after the time of silence, and its work is done by another.
func TestSilence(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("processes cannot be stopped")
	}
	options, text := logged(testOptions())
	c, place := coordinate(t, options)
	worker := spawn(t, place)
	mustWait(t, c, 2)
	jobs, want := sums(100, 5, 0)
	compare(t, mustRun(t, c, jobs), want)
	if err := stopProcess(worker.Process); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	compare(t, mustRun(t, c, jobs), want)
	if took := time.Since(begin); took < time.Second || took > 10*time.Second {
		t.Errorf("a run with a silent member took %v", took)
	}
	inLog(t, text, "member lost")
}

// TestCoordinatorDies ends a coordinator's connections without a word: a worker ends soon, with an error.
func TestCoordinatorDies(t *testing.T) {
	c, place := coordinate(t, testOptions())
	_, done := employ(t, place, testOptions(), arithmetic)
	mustWait(t, c, 2)
	within(t, 5*time.Second, "the worker has answered", func() bool {
		jobs, want := sums(20, 5, 0)
		compare(t, mustRun(t, c, jobs), want)
		return c.Stats()[1].Jobs > 0
	})
	begin := time.Now()
	c.server.Stop()
	err := <-done
	if !errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("the worker took %v", took)
	}
}

// TestRejoin replaces the coordinator by another one with the same address file: the worker joins it, with a program
// that has nothing of the first membership.
func TestRejoin(t *testing.T) {
	first, place := coordinate(t, testOptions())
	options := testOptions()
	options.Rejoin = 10 * time.Second
	_, done := employ(t, place, options, arithmetic)
	mustWait(t, first, 2)
	if err := first.Broadcast(t.Context(), "set", "", []byte{1, 50}); err != nil {
		t.Fatal(err)
	}
	first.server.Stop()

	second := testOptions()
	second.Slots = 0
	second.Listen = "127.0.0.1:0"
	c, err := Listen(t.Context(), place, second, arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	mustWait(t, c, 1)
	jobs, want := sums(50, 5, 0)
	compare(t, mustRun(t, c, jobs), want)

	// The first coordinator leaves the file of the second alone.
	if err := first.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(place.path); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; err != nil {
		t.Errorf("worker: %v", err)
	}
}

// forged returns the place of a worker whose address file is that of another after a change.
func forged(t *testing.T, place Place, change func(*rendezvous)) Place {
	t.Helper()
	meet, err := readAddressFile(place.path)
	if err != nil {
		t.Fatal(err)
	}
	change(&meet)
	place.path = filepath.Join(t.TempDir(), "forged")
	if err := os.WriteFile(place.path, meet.encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	return place
}

// inLog waits for words in the log of the coordinator, which writes them beside its answer to the worker.
func inLog(t *testing.T, text *capture, words string) {
	t.Helper()
	within(t, 10*time.Second, "in the log: "+words, func() bool { return text.has(words) })
}

// TestRefusals has peers that must not join while a run goes on: the run is not affected, each refusal is in the log,
// and no peer becomes a member.
func TestRefusals(t *testing.T) {
	options, text := logged(testOptions())
	options.Handshake = 700 * time.Millisecond
	c, place := coordinate(t, options)
	_, done := employ(t, place, testOptions(), arithmetic)
	mustWait(t, c, 2)
	address := c.meet.addresses[0]

	// The run lasts until the last peer has been refused.
	stop := make(chan struct{})
	ran := make(chan error, 1)
	go func() {
		jobs, want := sums(100, 5, 0)
		for {
			got, err := c.Run(context.Background(), jobs)
			if err == nil && fmt.Sprint(got) != fmt.Sprint(want) {
				err = errors.New("other answers")
			}
			if err != nil {
				ran <- err
				return
			}
			select {
			case <-stop:
				ran <- nil
				return
			default:
			}
		}
	}()

	t.Run("wrong secret", func(t *testing.T) {
		worse := forged(t, place, func(r *rendezvous) { r.secret = randomSecret() })
		err := Work(t.Context(), worse.AsWorker(), testOptions(), arithmetic)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "secret") {
			t.Errorf("error %v", err)
		}
		inLog(t, text, "no proof of the secret")
	})
	t.Run("another coordinator", func(t *testing.T) {
		worse := forged(t, place, func(r *rendezvous) { r.fingerprint[0] ^= 1 })
		impatient := testOptions()
		impatient.Join = 500 * time.Millisecond
		err := Work(t.Context(), worse.AsWorker(), impatient, arithmetic)
		if !errors.Is(err, errFingerprint) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("wrong version", func(t *testing.T) {
		other := testOptions()
		other.Version = "test 2"
		err := Work(t.Context(), place.AsWorker(), other, arithmetic)
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), `the coordinator is "test 1", the worker "test 2"`) {
			t.Errorf("error %v", err)
		}
		inLog(t, text, "test 2")
	})
	t.Run("garbage", func(t *testing.T) {
		for k := range 50 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			noise := make([]byte, 1+rand.IntN(5000))
			for i := range noise {
				noise[i] = byte(rand.Uint32())
			}
			if k%2 == 0 {
				copy(noise, "GET / HTTP/1.1\r\n")
			}
			conn.Write(noise)
			closed(t, conn)
		}
	})
	t.Run("slow-loris", func(t *testing.T) {
		for range 30 {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer closed(t, conn)
		}
	})
	t.Run("no certificate", func(t *testing.T) {
		conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
		if err == nil {
			closed(t, conn)
		}
	})
	t.Run("silent after the handshake", func(t *testing.T) {
		conn := rulebreaker(t, c)
		stream := attendRaw(t, conn)
		if err := stream.RecvMsg(&frame{}); err == nil || !strings.Contains(err.Error(), "no version") {
			t.Errorf("error %v", err)
		}
	})
	for name, f := range map[string]frame{
		"10 GB announced": {message: message{kind: typeHello, name: "test 1", slots: 1}, total: 10 << 30},
		"no slots":        {message: message{kind: typeHello, name: "test 1"}},
		"too many slots":  {message: message{kind: typeHello, name: "test 1", slots: 1 << 40}},
		"other message":   {message: message{kind: typeAnswer, id: 5}},
		"unknown message": {message: message{kind: 99}},
		"long name":       {message: message{kind: typeHello, name: strings.Repeat("x", 3000), slots: 1}},
		"payload short":   {message: message{kind: typeHello, name: "test 1", slots: 1, payload: []byte("abc")}, total: 2},
	} {
		t.Run(name, func(t *testing.T) {
			stream := attendRaw(t, rulebreaker(t, c))
			if err := stream.SendMsg(&f); err != nil {
				t.Fatal(err)
			}
			if err := stream.RecvMsg(&frame{}); err == nil || !strings.Contains(err.Error(), "InvalidArgument") {
				t.Errorf("error %v", err)
			}
		})
	}
	t.Run("10 GB frame", func(t *testing.T) {
		// The length of a frame of gRPC itself, after the frames of HTTP/2 that begin a stream.
		conn := rulebreaker(t, c)
		stream := attendRaw(t, conn)
		f := frame{message: message{kind: typeHello, name: "test 1", slots: 1, payload: make([]byte, 3*maxChunk)}}
		if err := stream.SendMsg(&f); err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if err := stream.RecvMsg(&frame{}); err == nil || !strings.Contains(err.Error(), "larger than max") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("answers to no job", func(t *testing.T) {
		stream := attendRaw(t, rulebreaker(t, c))
		hello := frame{message: message{kind: typeHello, name: "test 1", slots: 1}}
		if err := stream.SendMsg(&hello); err != nil {
			t.Fatal(err)
		}
		if err := stream.SendMsg(&frame{message: message{kind: typeAnswer, id: 1 << 50}}); err != nil {
			t.Fatal(err)
		}
		for {
			if err := stream.RecvMsg(&frame{}); err != nil {
				if !strings.Contains(err.Error(), errProtocol.Error()) {
					t.Errorf("error %v", err)
				}
				break
			}
		}
	})

	close(stop)
	if err := <-ran; err != nil {
		t.Errorf("the run: %v", err)
	}
	present := 0
	for _, s := range c.Stats() {
		if s.Present {
			present++
		}
	}
	if present != 2 {
		t.Errorf("%d members instead of 2", present)
	}
	c.Close()
	if err := <-done; err != nil {
		t.Errorf("worker: %v", err)
	}
}

// closed fails the test unless the other side closes the connection soon.
func closed(t *testing.T, conn net.Conn) {
	t.Helper()
	defer conn.Close()
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, err := io.Copy(io.Discard, conn)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		t.Error("the connection is still open")
	}
}

// rulebreaker returns a connection of a peer that has the secret and breaks the rules.
func rulebreaker(t *testing.T, c *Coordinator) *grpc.ClientConn {
	t.Helper()
	config, err := clientTLS(c.meet.fingerprint, c.meet.secret)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("passthrough:///"+c.meet.addresses[0],
		grpc.WithTransportCredentials(credentials.NewTLS(config)), grpc.WithDefaultCallOptions(grpc.ForceCodecV2(codec{})))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func attendRaw(t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	description := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	stream, err := conn.NewStream(t.Context(), description, "/"+serviceName+"/"+methodName)
	if err != nil {
		t.Fatal(err)
	}
	return stream
}
