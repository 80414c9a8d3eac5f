//go:build linux

// Lossylink joins two network namespaces by a link that delays and loses packets, to try programs that talk over a bad
// network on one machine whose kernel has no network emulator.
//
//	ip netns add a; ip netns add b
//	lossylink -a a -b b -delay 20ms -drop 0.01
//
// Each namespace gets a TUN device, tun0 with the addresses 10.9.0.1 and 10.9.0.2. Every packet arrives after the
// delay, in order, or is dropped. SIGUSR1 cuts the link, and joins it again. It needs root.
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// link is what happens to packets.
type link struct {
	delay time.Duration
	drop  float64
	cut   atomic.Bool
}

// packet is one on its way, and when it arrives.
type packet struct {
	data []byte
	due  time.Time
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("lossylink: ")
	a := flag.String("a", "a", "name of the first namespace")
	b := flag.String("b", "b", "name of the second namespace")
	var l link
	flag.DurationVar(&l.delay, "delay", 20*time.Millisecond, "time that a packet takes")
	flag.Float64Var(&l.drop, "drop", 0.01, "part of the packets that is lost")
	seed := flag.Uint64("seed", 1, "seed of what is lost")
	flag.Parse()

	first, err := device(*a, "10.9.0.1/24")
	if err != nil {
		log.Fatal(err)
	}
	second, err := device(*b, "10.9.0.2/24")
	if err != nil {
		log.Fatal(err)
	}
	go l.carry(first, second, rand.New(rand.NewPCG(*seed, 1)))
	go l.carry(second, first, rand.New(rand.NewPCG(*seed, 2)))
	fmt.Println("joined")

	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGUSR1)
	for range signals {
		l.cut.Store(!l.cut.Load())
	}
}

// device makes tun0 in a namespace, gives it an address, and returns the file that its packets are read from.
func device(namespace, address string) (*os.File, error) {
	// A namespace is that of a thread: the thread changes into it, and ends with the goroutine.
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened)
	go func() {
		runtime.LockOSThread() // and no unlocking: the thread is not used again
		f, err := openIn(namespace)
		done <- opened{f, err}
	}()
	r := <-done
	if r.err != nil {
		return nil, fmt.Errorf("namespace %s: %w", namespace, r.err)
	}

	for _, args := range [][]string{{"addr", "add", address, "dev", "tun0"}, {"link", "set", "tun0", "up"},
		{"link", "set", "lo", "up"}} {
		if out, err := exec.Command("ip", append([]string{"-n", namespace}, args...)...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("ip -n %s %v: %w: %s", namespace, args, err, out)
		}
	}
	return r.file, nil
}

// openIn changes the thread into a namespace, and makes tun0 there.
func openIn(namespace string) (*os.File, error) {
	ns, err := os.Open("/var/run/netns/" + namespace)
	if err != nil {
		return nil, err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, fmt.Errorf("setns: %w", err)
	}

	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/net/tun: %w", err)
	}
	request, err := unix.NewIfreq("tun0")
	if err != nil {
		return nil, err
	}
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, request); err != nil {
		return nil, fmt.Errorf("TUNSETIFF: %w", err)
	}
	return os.NewFile(uintptr(fd), "tun0"), nil
}

// carry moves packets from one device to the other.
func (l *link) carry(from, to *os.File, rng *rand.Rand) {
	way := make(chan packet, 4096)
	go func() {
		for p := range way {
			time.Sleep(time.Until(p.due))
			if !l.cut.Load() {
				to.Write(p.data) // a packet that the device refuses is lost, too
			}
		}
	}()

	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			log.Fatal(err)
		}
		if rng.Float64() < l.drop || l.cut.Load() {
			continue
		}
		select {
		case way <- packet{append([]byte(nil), buffer[:n]...), time.Now().Add(l.delay)}:
		default: // too many on the way: lost
		}
	}
}
