package cluster

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// pmiChannel speaks version 1 of the process management interface with mpiexec, over a socket that the process has
// inherited: lines of the form "cmd=NAME key=value ...", one answer for each. (Balaji and others, "PMI: a scalable
// parallel process-management interface for extreme-scale systems", EuroMPI 2010; src/pm/hydra of MPICH.)
type pmiChannel struct {
	conn   net.Conn
	lines  *bufio.Reader
	isRoot bool
	space  string // the name of the key-value space
	limits struct{ key, value int }
	found  *rendezvous
	done   bool
}

// pmiKey is the key of the rendezvous; pmiChunk is how many bytes of a value are used at most, so that a line of
// Hydra (1024 bytes with the command and the names) has room for it.
const (
	pmiKey   = "proxybd-rendezvous"
	pmiChunk = 512
)

// maxPMILine is the largest answer in bytes that is read.
const maxPMILine = 1 << 16

// startPMI begins the conversation: the version, the limits and the name of the key-value space.
func startPMI(conn net.Conn, rank int) (*pmiChannel, error) {
	p := &pmiChannel{conn: conn, lines: bufio.NewReaderSize(conn, maxPMILine), isRoot: rank == 0}
	if err := p.begin(); err != nil {
		return nil, errors.Join(fmt.Errorf("PMI: %w", err), conn.Close())
	}
	return p, nil
}

func (p *pmiChannel) begin() error {
	// The process manager answers at once, so half a minute without an answer is an error.
	if err := p.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		return err
	}
	if _, err := p.ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init"); err != nil {
		return err
	}

	limits, err := p.ask("cmd=get_maxes", "maxes")
	if err != nil {
		return err
	}
	var okKey, okValue bool
	p.limits.key, okKey = digits(limits["keylen_max"])
	p.limits.value, okValue = digits(limits["vallen_max"])
	if !okKey || !okValue {
		return errors.New("the answer to get_maxes has no keylen_max or vallen_max")
	}

	names, err := p.ask("cmd=get_my_kvsname", "my_kvsname")
	if err != nil {
		return err
	}
	p.space = names["kvsname"]
	return p.conn.SetDeadline(time.Time{})
}

// ask sends a command and returns the fields of its answer. An answer of another name or a result code other than 0 is
// an error.
func (p *pmiChannel) ask(command, want string) (map[string]string, error) {
	if _, err := p.conn.Write([]byte(command + "\n")); err != nil {
		return nil, err
	}
	line, err := p.lines.ReadSlice('\n')
	if err != nil {
		return nil, fmt.Errorf("answer %s: %w", want, err)
	}
	fields, err := parsePMI(string(line))
	if err != nil {
		return nil, err
	}

	name, _, _ := strings.Cut(strings.TrimPrefix(command, "cmd="), " ")
	if fields["cmd"] != want {
		return nil, fmt.Errorf("%s was answered by %q instead of %s", name, fields["cmd"], want)
	}
	if code, ok := fields["rc"]; ok && code != "0" {
		return nil, fmt.Errorf("%s failed with code %s", name, code)
	}
	return fields, nil
}

// parsePMI splits a line into its fields.
func parsePMI(line string) (map[string]string, error) {
	fields := make(map[string]string)
	for _, field := range strings.Fields(line) {
		key, value, ok := strings.Cut(field, "=")

		// Messages for people (msg=not found) may have spaces, which later fields never follow.
		if !ok && fields["msg"] != "" {
			break
		}
		if !ok || key == "" {
			return nil, fmt.Errorf("answer: %q is not of the form key=value", field)
		}
		if _, twice := fields[key]; twice {
			return nil, fmt.Errorf("answer: %s is there twice", key)
		}
		fields[key] = value
	}
	return fields, nil
}

func (p *pmiChannel) terms() (terms, error) { return terms{}, nil }

func (p *pmiChannel) renewable() bool { return false }

// publish puts the rendezvous, in as many values as it needs, and meets the other processes at the barrier.
func (p *pmiChannel) publish(ctx context.Context, r rendezvous) error {
	defer p.interruptible(ctx)()

	// Base 64 in its form for addresses has neither spaces nor equals signs.
	text := base64.RawURLEncoding.EncodeToString(r.encode())
	size := min(pmiChunk, p.limits.value-1)
	if size < 1 || p.limits.key <= len(pmiKey)+4 {
		return fmt.Errorf("PMI: keys of %d and values of %d characters are too short", p.limits.key, p.limits.value)
	}
	count := (len(text) + size - 1) / size
	values := []string{fmt.Sprint(count)}
	for k := range count {
		values = append(values, text[k*size:min((k+1)*size, len(text))])
	}
	for k, value := range values {
		put := fmt.Sprintf("cmd=put kvsname=%s key=%s-%d value=%s", p.space, pmiKey, k, value)
		if _, err := p.ask(put, "put_result"); err != nil {
			return fmt.Errorf("PMI: %w", err)
		}
	}
	return p.meet()
}

// await meets the other processes at the barrier, after which what rank 0 has put can be got.
func (p *pmiChannel) await(ctx context.Context) (rendezvous, error) {
	if p.found != nil {
		return *p.found, nil
	}
	defer p.interruptible(ctx)()
	if err := p.meet(); err != nil {
		return rendezvous{}, err
	}

	first, err := p.get(0)
	if err != nil {
		return rendezvous{}, err
	}
	count, ok := digits(first)
	if !ok || count > 64 {
		return rendezvous{}, fmt.Errorf("PMI: %q is not the number of values", first)
	}
	text := ""
	for k := range count {
		value, err := p.get(k + 1)
		if err != nil {
			return rendezvous{}, err
		}
		text += value
	}

	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return rendezvous{}, fmt.Errorf("PMI: the value of %s is not base 64", pmiKey)
	}
	r, err := decodeRendezvous(plain)
	if err != nil {
		return rendezvous{}, fmt.Errorf("PMI: value of %s: %w", pmiKey, err)
	}
	p.found = &r
	return r, p.finalize()
}

func (p *pmiChannel) get(k int) (string, error) {
	answer, err := p.ask(fmt.Sprintf("cmd=get kvsname=%s key=%s-%d", p.space, pmiKey, k), "get_result")
	if err != nil {
		return "", fmt.Errorf("PMI: %w", err)
	}
	return answer["value"], nil
}

// meet returns when every process of the run has come to the barrier.
func (p *pmiChannel) meet() error {
	if _, err := p.ask("cmd=barrier_in", "barrier_out"); err != nil {
		return fmt.Errorf("PMI: %w", err)
	}
	if p.isRoot {
		return p.finalize()
	}
	return nil
}

// finalize ends the conversation. A process that ends before it counts as failed to mpiexec, which then ends the
// others.
func (p *pmiChannel) finalize() error {
	p.done = true
	_, err := p.ask("cmd=finalize", "finalize_ack")
	if err := errors.Join(err, p.conn.Close()); err != nil {
		return fmt.Errorf("PMI: %w", err)
	}
	return nil
}

// interruptible lets the end of the context end a wait for an answer, until the function that it returns is called.
func (p *pmiChannel) interruptible(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() { p.conn.SetDeadline(time.Unix(1, 0)) })
}

func (p *pmiChannel) close() error {
	if p.done {
		return nil
	}
	return p.conn.Close()
}
