package cluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestParseSpec(t *testing.T) {
	for _, value := range []string{"auto", "slurm", "k8s", "pmi", "file:/shared/a:b"} {
		spec, err := ParseSpec(value)
		if err != nil || spec.String() != value {
			t.Errorf("%s is read as %+v, error %v", value, spec, err)
		}
	}
	for _, value := range []string{"", "file:", "file", "mpi", "Slurm", "auto "} {
		if spec, err := ParseSpec(value); err == nil {
			t.Errorf("%q is read as %+v", value, spec)
		}
	}
}

// env returns a function that looks up name=value pairs.
func env(pairs ...string) func(string) string {
	return func(name string) string {
		for _, pair := range pairs {
			if key, value, _ := strings.Cut(pair, "="); key == name {
				return value
			}
		}
		return ""
	}
}

func TestLocate(t *testing.T) {
	slurm := []string{"SLURM_JOB_ID=7", "SLURM_STEP_ID=0", "SLURM_STEP_NODELIST=n[1-2]", "SLURM_PROCID=2", "SLURM_NTASKS=4"}
	pmi := []string{"PMI_FD=5", "PMI_RANK=1", "PMI_SIZE=3"}
	kubernetes := []string{"JOB_COMPLETION_INDEX=0", "PROXYBD_CLUSTER_SIZE=8"}
	for _, test := range []struct {
		spec string
		env  []string
		want string // the place, or a part of the error
	}{
		{"auto", slurm, "slurm, rank 2 of 4"},
		{"auto", pmi, "pmi, rank 1 of 3"},
		{"auto", append(slices.Clone(pmi), slurm...), "pmi, rank 1 of 3"},
		{"auto", kubernetes, "k8s, rank 0 of 8"},
		{"slurm", append(slices.Clone(pmi), slurm...), "slurm, rank 2 of 4"},
		{"slurm", append([]string{"SLURM_STEP_NUM_TASKS=3"}, slurm...), "slurm, rank 2 of 3"},
		{"file:x", nil, "file, rank 0"},
		{"auto", nil, "no launcher"},
		{"auto", []string{"SLURM_JOB_ID=7", "SLURM_PROCID=0", "SLURM_NTASKS=4"}, "start the program by srun"},
		{"auto", []string{"PMI_PORT=h:1"}, "PMI_PORT"},
		{"slurm", nil, "SLURM_PROCID is not set"},
		{"pmi", []string{"PMI_RANK=1"}, "PMI_SIZE is not set"},
		{"pmi", []string{"PMI_RANK=3", "PMI_SIZE=3"}, "PMI_RANK is 3, but PMI_SIZE is 3"},
		{"k8s", []string{"JOB_COMPLETION_INDEX=-1", "PROXYBD_CLUSTER_SIZE=8"}, `"-1" is not a number`},
		{"k8s", []string{"JOB_COMPLETION_INDEX=1"}, "PROXYBD_CLUSTER_SIZE is not set"},
	} {
		spec, err := ParseSpec(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		place, err := spec.locate(env(test.env...))
		got := place.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, test.want) {
			t.Errorf("%s %v: %q instead of %q", test.spec, test.env, got, test.want)
		}
	}
	spec := Spec{Launcher: Auto}
	if _, err := spec.locate(env()); !errors.Is(err, ErrNoLauncher) {
		t.Errorf("error %v", err)
	}
}

// TestHosts has lists with the answers of `scontrol show hostnames`.
func TestHosts(t *testing.T) {
	for list, want := range map[string]string{
		"node[01-03,07],gpu1":  "node01 node02 node03 node07 gpu1",
		"a":                    "a",
		"a,b,a":                "a b a",
		"n[9-11]":              "n9 n10 n11",
		"n[098-101]":           "n098 n099 n100 n101",
		"n[1-2]-ib":            "n1-ib n2-ib",
		"rack[1-2]node[1-2]":   "rack1node1 rack1node2 rack2node1 rack2node2",
		"a.b-c_d,x[5]":         "a.b-c_d x5",
		"n[1,3-4,10],m[01-02]": "n1 n3 n4 n10 m01 m02",
	} {
		got, err := Hosts(list)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %v, error %v", list, got, err)
		}
	}
	for list, want := range map[string]string{
		"":                           "empty",
		",":                          "ends with a comma",
		"a,":                         "ends with a comma",
		"a,,b":                       "empty",
		"n[1-[2]]":                   "brackets within brackets",
		"n[1":                        "[ without ]",
		"n1]":                        "] without [",
		"n[]":                        "not a number",
		"n[1-]":                      "not a number",
		"n[3-1]":                     "not a number or a range",
		"n[a]":                       "not a number",
		"n[1--2]":                    "not a number",
		"n[0-999999999]":             "more than 65536 hosts",
		"n[1-9999999999]":            "not a number",
		"a b":                        "not part of a host name",
		"a/../../etc":                "not part of a host name",
		"[1-300][1-300]":             "more than 65536 hosts",
		"n" + repeat(300):            "more than 255 characters",
		strings.Repeat("[1]", 40000): "more than 255 characters",
	} {
		if got, err := Hosts(list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %.5v, error %v", list, got, err)
		}
	}
}

func repeat(n int) string { return strings.Repeat("n", n) }

// FuzzHosts holds what is accepted to the rules of host names, and to being read again as it is.
func FuzzHosts(f *testing.F) {
	for _, list := range []string{"node[01-03,07],gpu1", "rack[1-2]node[1-4]", "n[1-[2]]", "a,,b", "n[0-999999999]", "[1"} {
		f.Add(list)
	}
	f.Fuzz(func(t *testing.T, list string) {
		hosts, err := Hosts(list)
		if err != nil {
			return
		}
		if len(hosts) == 0 || len(hosts) > maxHosts {
			t.Fatalf("%d hosts", len(hosts))
		}
		again, err := Hosts(strings.Join(hosts, ","))
		if err != nil || !slices.Equal(hosts, again) {
			t.Fatalf("%q: %v is read as %v, error %v", list, hosts, again, err)
		}
	})
}

// FuzzRendezvous holds what is accepted to being written and read as it is.
func FuzzRendezvous(f *testing.F) {
	r := rendezvous{addresses: []string{"host:80", "[::1]:443"}, secret: randomSecret()}
	f.Add(r.encode())
	f.Add([]byte(`{"format":"proxybd-cluster-1","addresses":["a:0"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := decodeRendezvous(text)
		if err != nil {
			return
		}
		again, err := decodeRendezvous(r.encode())
		if err != nil || fmt.Sprint(again) != fmt.Sprint(r) {
			t.Fatalf("%v is read as %v, error %v", r, again, err)
		}
	})
}

// FuzzFrame holds what is accepted to being written and read as it is.
func FuzzFrame(f *testing.F) {
	one := frame{message: message{kind: typeAnswer, id: 1, key: 2, name: "n", failure: "f", nanos: 3, slots: 4,
		skipped: true, payload: []byte("p")}, total: 9}
	f.Add(append(one.head(), one.payload...))
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var first, second frame
		if first.decode(b) != nil {
			return
		}
		if err := second.decode(append(first.head(), first.payload...)); err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(first) != fmt.Sprint(second) {
			t.Fatalf("%v is read as %v", first, second)
		}
	})
}

// FuzzPMI holds the reader of answers to keys that are there.
func FuzzPMI(f *testing.F) {
	f.Add("cmd=get_result rc=0 msg=success value=abc\n")
	f.Add("cmd=get_result rc=-1 msg=key not found\n")
	f.Fuzz(func(t *testing.T, line string) {
		fields, err := parsePMI(line)
		for key, value := range fields {
			if err != nil || key == "" || !strings.Contains(line, key+"="+value) {
				t.Fatalf("%q: %q=%q, error %v", line, key, value, err)
			}
		}
	})
}

// TestAddressFile holds the file to its mode, and readers to refusing one that others can read.
func TestAddressFile(t *testing.T) {
	c, place := coordinate(t, testOptions())
	info, err := os.Stat(place.path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(place.path))
	if err != nil || len(entries) != 1 {
		t.Errorf("%d files beside the address file, error %v", len(entries)-1, err)
	}
	if c.meet.addresses[0] == "" {
		t.Error("no address")
	}

	if runtime.GOOS != "windows" {
		if err := os.Chmod(place.path, 0o640); err != nil {
			t.Fatal(err)
		}
		err = Work(t.Context(), place.AsWorker(), testOptions(), arithmetic)
		if err == nil || !strings.Contains(err.Error(), "0640") {
			t.Errorf("a file that the group can read: error %v", err)
		}
	}
}

// TestBadAddressFiles names the field that is wrong, and never shows a secret.
func TestBadAddressFiles(t *testing.T) {
	key := strings.Repeat("ab", secretSize)
	whole := `{"format":"proxybd-cluster-1","addresses":["h:1"],"fingerprint":"` + key + `","secret":"` + key + `"}`
	if _, err := decodeRendezvous([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ old, new, want string }{
		{`{"format"`, `"format"`, "not the JSON"},
		{`cluster-1`, `cluster-2`, "field format"},
		{`"h:1"`, ``, "field addresses: 0 addresses"},
		{`"h:1"`, strings.Repeat(`"h:1",`, 8) + `"h:1"`, "field addresses: 9 addresses"},
		{`h:1`, `h`, "field addresses"},
		{`h:1`, `h:65536`, "field addresses"},
		{`h:1`, `:1`, "field addresses"},
		{`"fingerprint":"ab`, `"fingerprint":"`, "field fingerprint"},
		{`"secret":"ab`, `"secret":"xx`, "field secret"},
	} {
		_, err := decodeRendezvous([]byte(strings.Replace(whole, test.old, test.new, 1)))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s for %s: error %v", test.new, test.old, err)
		}
		if err != nil && strings.Contains(err.Error(), "abab") {
			t.Errorf("the error shows a secret: %v", err)
		}
	}
}

// TestNoCoordinator ends a worker for which no file is written.
func TestNoCoordinator(t *testing.T) {
	place := Place{Launcher: File, Rank: -1, path: filepath.Join(t.TempDir(), "none")}
	options := testOptions()
	options.Join = 300 * time.Millisecond
	err := Work(t.Context(), place, options, arithmetic)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), place.path) {
		t.Errorf("error %v", err)
	}
}

// together runs ranks 0 to size-1 of a launcher in this process; the coordinator's answers must be right.
func together(t *testing.T, places []Place, options Options) {
	t.Helper()
	ends := make(chan error, len(places))
	for _, place := range places[1:] {
		go func() { ends <- Work(t.Context(), place, testOptions(), arithmetic) }()
	}
	c, err := Listen(t.Context(), places[0], options, arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	mustWait(t, c, len(places))
	jobs, want := sums(100, 5, 0)
	compare(t, mustRun(t, c, jobs), want)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for range places[1:] {
		if err := <-ends; err != nil {
			t.Errorf("worker: %v", err)
		}
	}
}

// places locates every rank with variables in which %d is the rank.
func places(t *testing.T, spec string, size int, pairs ...string) []Place {
	t.Helper()
	var list []Place
	for rank := range size {
		var own []string
		for _, pair := range pairs {
			own = append(own, strings.ReplaceAll(pair, "%d", fmt.Sprint(rank)))
		}
		s, err := ParseSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		place, err := s.locate(env(own...))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, place)
	}
	return list
}

// TestSlurm has the variables of a step on one node and the working directory as the shared folder.
func TestSlurm(t *testing.T) {
	t.Chdir(t.TempDir())
	list := places(t, "auto", 4, "SLURM_JOB_ID=12", "SLURM_STEP_ID=0", "SLURM_CLUSTER_NAME=big",
		"SLURM_STEP_NODELIST=node7", "SLURM_PROCID=%d", "SLURM_NTASKS=4")
	together(t, list, testOptions())
	if entries, err := os.ReadDir("."); err != nil || len(entries) != 0 {
		t.Errorf("%d files are left, error %v", len(entries), err)
	}
}

// TestSlurmChannel looks at names and hosts.
func TestSlurmChannel(t *testing.T) {
	base := []string{"SLURM_JOB_ID=12", "SLURM_STEP_ID=3", "SLURM_STEP_NODELIST=n[1-3]"}
	channel, err := openSlurm(env(append(base, "SLURM_RESTART_COUNT=2")...), "/shared")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join("/shared", ".proxybd-cluster-12-2-3"); channel.path != want {
		t.Errorf("path %s instead of %s", channel.path, want)
	}
	if fmt.Sprint(channel.limit.hosts) != "[n1]" || channel.limit.listen != "" {
		t.Errorf("terms %+v", channel.limit)
	}
	channel, err = openSlurm(env(append(base, "SLURMD_NODENAME=n2")...), "")
	if err != nil || fmt.Sprint(channel.limit.hosts) != "[n2]" {
		t.Errorf("%+v, error %v", channel, err)
	}
	for _, wrong := range []string{"SLURM_JOB_ID=../x", "SLURM_STEP_ID=", "SLURM_STEP_NODELIST=n[["} {
		if _, err := openSlurm(env(append([]string{wrong}, base[:0]...)...), ""); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

// TestKubernetes has the variables of an Indexed Job.
func TestKubernetes(t *testing.T) {
	port := freePort(t)
	secret := strings.Repeat("s3cret-", 6)
	list := places(t, "auto", 4, "JOB_COMPLETION_INDEX=%d", envSize+"=4", envHost+"=localhost", envPort+"="+port,
		envSecret+"="+secret)
	together(t, list, testOptions())

	// A worker with another secret, one in a file here, does not take the coordinator for its own.
	c, err := Listen(t.Context(), list[0], testOptions(), arithmetic)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte(strings.Repeat("x", 40)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := places(t, "k8s", 2, "JOB_COMPLETION_INDEX=%d", envSize+"=4", envHost+"=localhost", envPort+"="+port,
		envSecretFile+"="+path)
	if err := Work(t.Context(), other[1], testOptions(), arithmetic); !errors.Is(err, ErrRefused) {
		t.Errorf("error %v", err)
	}

	for _, test := range []struct{ pairs, want string }{
		{envSecret + "=" + secret, envHost},
		{envHost + "=h", envSecretFile},
		{envHost + "=h " + envSecret + "=short", "less than 32"},
		{envHost + "=h " + envPort + "=x " + envSecret + "=" + secret, "not a port"},
	} {
		_, err := openKubernetes(env(strings.Fields(test.pairs)...))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v", test.pairs, err)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// manager is a process manager that speaks PMI-1 as Hydra does (src/pm/hydra/proxy/pmip_pmi_v1.c).
type manager struct {
	mu      sync.Mutex
	values  map[string]string
	waiting []net.Conn
	size    int
	final   int
	long    int // the longest line in bytes
}

func (m *manager) serve(conn net.Conn) {
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		fields, err := parsePMI(lines.Text())
		if err != nil {
			conn.Close()
			return
		}
		m.mu.Lock()
		m.long = max(m.long, len(lines.Text()))
		m.mu.Unlock()
		m.answer(conn, fields)
	}
}

func (m *manager) answer(conn net.Conn, fields map[string]string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch fields["cmd"] {
	case "init":
		fmt.Fprintf(conn, "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0\n")
	case "get_maxes":
		fmt.Fprintf(conn, "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n")
	case "get_my_kvsname":
		fmt.Fprintf(conn, "cmd=my_kvsname kvsname=kvs_9_0\n")
	case "put":
		m.values[fields["kvsname"]+"/"+fields["key"]] = fields["value"]
		fmt.Fprintf(conn, "cmd=put_result rc=0 msg=success\n")
	case "get":
		value, ok := m.values[fields["kvsname"]+"/"+fields["key"]]
		if !ok {
			fmt.Fprintf(conn, "cmd=get_result rc=-1 msg=key not found value=unknown\n")
			return
		}
		fmt.Fprintf(conn, "cmd=get_result rc=0 msg=success value=%s\n", value)
	case "barrier_in":
		m.waiting = append(m.waiting, conn)
		if len(m.waiting) == m.size {
			for _, c := range m.waiting {
				fmt.Fprintf(c, "cmd=barrier_out\n")
			}
			m.waiting = nil
		}
	case "finalize":
		m.final++
		fmt.Fprintf(conn, "cmd=finalize_ack\n")
	default:
		conn.Close()
	}
}

// TestPMI runs four ranks over the socket pairs of a process manager.
func TestPMI(t *testing.T) {
	m := &manager{values: make(map[string]string), size: 4}
	var list []Place
	for rank := range 4 {
		descriptor := socketPair(t, m)
		place, err := Spec{Launcher: Auto}.locate(env(fmt.Sprintf("PMI_FD=%d", descriptor),
			fmt.Sprintf("PMI_RANK=%d", rank), "PMI_SIZE=4"))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, place)
	}
	together(t, list, testOptions())
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.final != 4 {
		t.Errorf("%d of 4 processes have finalized", m.final)
	}
	if m.long > 1000 {
		t.Errorf("a line has %d bytes, more than Hydra takes", m.long)
	}
}

// TestPMIFailures has process managers that go away, answer nonsense, or do not have a key.
func TestPMIFailures(t *testing.T) {
	for answers, want := range map[string]string{
		"":                                 "EOF",
		"cmd=maxes\n":                      "answered by",
		"cmd=response_to_init rc=1\n":      "code 1",
		"nonsense\n":                       "key=value",
		"cmd=response_to_init rc=0 rc=0\n": "twice",
		"cmd=response_to_init rc=0\ncmd=maxes keylen_max=64\n": "vallen_max",
	} {
		near, far := net.Pipe()
		go func() {
			lines := bufio.NewScanner(far)
			for answer := range strings.Lines(answers) {
				lines.Scan()
				fmt.Fprint(far, answer)
			}
			lines.Scan()
			far.Close()
		}()
		if _, err := startPMI(near, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v", answers, err)
		}
	}

	// A process that never comes to the barrier lets the others wait no longer than they want.
	near, far := net.Pipe()
	m := &manager{values: make(map[string]string), size: 2}
	go m.serve(far)
	p, err := startPMI(near, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := p.await(ctx); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	p.close()
}
