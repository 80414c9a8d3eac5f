package verify_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"runtime/metrics"
	"strconv"
	"testing"
	"time"

	"github.com/proxybd/proxybd/record"
	"github.com/proxybd/proxybd/verify"
)

// sealed closes lines with the end that belongs to them.
func sealed(lines []line) []byte {
	var b bytes.Buffer
	for _, l := range lines {
		b.Write(l.text)
	}
	sum := sha256.Sum256(b.Bytes())
	return fmt.Appendf(b.Bytes(), `{"kind":"end","Lines":%d,"SHA256":"%s"}`+"\n", len(lines), hex.EncodeToString(sum[:]))
}

// battery forges records and holds what is accepted against the truth.
type battery struct {
	records []honest
	truths  map[string]program
	judged  map[string]bool // claims that were found true, by program and text

	tries, unread, refused, accepted, undecided int
	changed                                     int // accepted ones whose program is not the honest one
	slowest                                     time.Duration
	largest                                     uint64 // bytes allocated by a try
}

func newBattery(tb testing.TB) *battery {
	return &battery{records: honestRecords(tb), truths: map[string]program{}, judged: map[string]bool{}}
}

// try forges the record that belongs to a seed; the error says what was accepted and is wrong, or that the checker
// panicked.
func (b *battery) try(tb testing.TB, seed uint64) (err error) {
	f := forger{rand.New(rand.NewPCG(seed, 0xf04))}
	own := &b.records[f.IntN(len(b.records))]
	other := &b.records[f.IntN(len(b.records))]
	for other.family != own.family {
		other = &b.records[f.IntN(len(b.records))]
	}
	text := sealed(f.mutate(own.lines, other.lines))
	b.tries++
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s: panic: %v", own.name, r)
		}
	}()
	began, before := time.Now(), allocated()
	rec, report, err := b.check(tb, text, f.IntN(10) > 0)
	b.slowest, b.largest = max(b.slowest, time.Since(began)), max(b.largest, allocated()-before)
	switch {
	case errors.Is(err, record.ErrFormat):
		b.unread++
		return nil
	case errors.Is(err, verify.ErrProof):
		b.refused++
		return nil
	case err != nil:
		return fmt.Errorf("%s: an error of no kind: %w", own.name, err)
	}
	b.accepted++
	if own.lines[1].tree["Hash"] != report.Hash {
		b.changed++
	}
	if err := b.judge(rec, &report); err != nil {
		return fmt.Errorf("%s: accepted: %w", own.name, err)
	}
	return nil
}

// check reads and verifies a text, as a rule with the hash that belongs to it.
func (b *battery) check(tb testing.TB, text []byte, rehash bool) (*record.Record, verify.Report, error) {
	rec, err := record.Read(bytes.NewReader(text), "forged")
	if err != nil {
		return nil, verify.Report{}, err
	}
	if rehash {
		if h := verify.HashOf(rec); h != "" {
			rec.Instance.Hash = h
		}
	}
	report, err := verify.Verify(tb.Context(), rec, nil)
	return rec, report, err
}

// allocated is how many bytes were allocated since the start of the program.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// judge holds everything that an accepted record claims against the truth.
func (b *battery) judge(rec *record.Record, report *verify.Report) error {
	key := rec.Header.Family + report.Hash + strconv.Itoa(rec.Header.Epigraphs)
	if m := blocksOf(rec); m != "" {
		key += m
	}
	truth, ok := b.truths[key]
	if !ok {
		truth = meaning(rec)
		if len(b.truths) < 1<<14 {
			b.truths[key] = truth
		}
	}
	if truth == nil {
		b.undecided++
		return nil
	}
	for _, step := range []func(program, string, *record.Record, *verify.Report) error{b.bound, b.design, b.cuts} {
		if err := step(truth, key, rec, report); err != nil {
			return err
		}
	}
	return nil
}

// blocksOf is the part of a record in which the claims of two records of the same program differ.
func blocksOf(rec *record.Record) string {
	var m record.Model
	if rec.Instance.Decode(&m) != nil {
		return ""
	}
	return fmt.Sprint(m.Block)
}

// bound holds the bound against the optimum, and that against the objective.
func (b *battery) bound(truth program, key string, rec *record.Record, report *verify.Report) error {
	claims := fmt.Sprint(key, rec.Header.Bound, report.Bound, report.Objective, rec.Header.Run)
	if b.judged[claims] {
		return nil
	}
	if report.Bound < float64(rec.Header.Bound) || report.Objective > float64(rec.Header.Objective) {
		return fmt.Errorf("%g >= %g claimed, %g >= %g reported", rec.Header.Objective, rec.Header.Bound, report.Objective, report.Bound)
	}
	status, best := truth.optimum()
	switch {
	case status == undecided:
		b.undecided++
		return nil
	case status == unbounded && !math.IsInf(report.Bound, -1):
		return fmt.Errorf("a bound of %g where there is none", report.Bound)
	case status == infeasible && !math.IsInf(report.Objective, 1):
		return fmt.Errorf("an objective of %g where nothing is feasible", report.Objective)
	case status == solved && above(report.Bound, best):
		return fmt.Errorf("a bound of %.17g where the optimum is %s", report.Bound, best.FloatString(20))
	case status == solved && below(report.Objective, best):
		return fmt.Errorf("an objective of %.17g where the optimum is %s", report.Objective, best.FloatString(20))
	}
	if status == solved {
		if err := run(rec.Header.Run, best); err != nil {
			return err
		}
	}
	b.remember(claims)
	return nil
}

// run holds what an accepted run says of itself against the optimum: objective and bound up to rounding, and a design
// that is called optimal within its gap.
func run(c *record.Claim, best *big.Rat) error {
	if c == nil {
		return nil
	}
	truth, _ := best.Float64()
	slack := 2e-9 * max(1, math.Abs(truth))
	switch {
	case float64(c.Objective) < truth-slack:
		return fmt.Errorf("the run claims the objective %g where the optimum is %g", c.Objective, truth)
	case float64(c.Bound) > truth+slack:
		return fmt.Errorf("the run claims the bound %g where the optimum is %g", c.Bound, truth)
	case c.Status == "infeasible":
		return fmt.Errorf("the run claims that nothing is feasible where the optimum is %g", truth)
	case c.Status == "optimal" && math.IsInf(float64(c.Objective), 1):
		return errors.New("the run claims an optimal design without a cost")
	case c.Status == "optimal" && float64(c.Objective) > truth+slack+float64(c.Gap)*math.Abs(float64(c.Objective)):
		return fmt.Errorf("the run claims that %g is optimal within %g where the optimum is %g", c.Objective, c.Gap, truth)
	}
	return nil
}

// remember notes a claim that is true.
func (b *battery) remember(claim string) {
	if len(b.judged) < 1<<18 {
		b.judged[claim] = true
	}
}

func above(v float64, r *big.Rat) bool {
	return math.IsInf(v, 1) || !math.IsInf(v, -1) && rat(v).Cmp(r) > 0
}

func below(v float64, r *big.Rat) bool {
	return math.IsInf(v, -1) || !math.IsInf(v, 1) && rat(v).Cmp(r) < 0
}

// design holds the objective against the cost of the design.
func (b *battery) design(truth program, key string, rec *record.Record, report *verify.Report) error {
	if rec.Design == nil {
		if !math.IsInf(report.Objective, 1) {
			return fmt.Errorf("an objective of %g without a design", report.Objective)
		}
		return nil
	}
	claim := fmt.Sprint(key, rec.Design.Y, report.Objective)
	if b.judged[claim] {
		return nil
	}
	status, cost := truth.price(rec.Design.Y)
	switch {
	case status == infeasible:
		return fmt.Errorf("the design %v is infeasible", rec.Design.Y)
	case status == solved && below(report.Objective, cost):
		return fmt.Errorf("the design costs %s, not %.17g", cost.FloatString(20), report.Objective)
	}
	b.remember(claim)
	return nil
}

// cuts holds every row and every cut against all feasible points.
func (b *battery) cuts(truth program, key string, rec *record.Record, _ *verify.Report) error {
	n := len(firstStage(rec))
	for k := range rec.Rows {
		r := &rec.Rows[k]
		if err := b.holds(truth, key, n, false, 0, r.Lower, 1, r.Index, rats(r.Value)); err != nil {
			return fmt.Errorf("row %d: %w", k, err)
		}
	}
	for k := range rec.Cuts {
		c := &rec.Cuts[k]
		epigraph := c.Theta
		if rec.Header.Epigraphs == 1 {
			epigraph = record.AllEpigraphs
		}
		slopes := rats(c.Beta)
		for j, text := range c.Slopes {
			if text != "" {
				slopes[j].SetString(text)
			}
		}
		if err := b.holds(truth, key, n, !c.Feasibility, epigraph, c.Alpha, -1, c.Index, slopes); err != nil {
			return fmt.Errorf("cut %d: %w", k, err)
		}
	}
	return nil
}

// holds proves sign*value'y + [recourse] >= lower for all feasible points.
func (b *battery) holds(truth program, key string, n int, recourse bool, epigraph int, lower float64, sign float64, index []int32, value []*big.Rat) error {
	claim := fmt.Sprint(key, recourse, epigraph, lower, sign, index, value)
	if b.judged[claim] {
		return nil
	}
	weight := make([]*big.Rat, n)
	for j := range weight {
		weight[j] = new(big.Rat)
	}
	for k, j := range index {
		weight[j].Add(weight[j], new(big.Rat).Mul(value[k], rat(sign)))
	}
	status, least := truth.least(weight, recourse, epigraph)
	switch {
	case status == unbounded:
		return fmt.Errorf("at least %g is claimed of what has no bound", lower)
	case status == solved && least.Cmp(rat(lower)) < 0:
		return fmt.Errorf("at least %.17g is claimed, but there is a point with %s", lower, least.FloatString(20))
	case status == undecided:
		b.undecided++
	}
	b.remember(claim)
	return nil
}

// firstStage is the first stage's share of the columns.
func firstStage(rec *record.Record) (columns []int) {
	var f record.Facilities
	var w record.Network
	var n record.ScenarioNetwork
	var m record.Model
	switch {
	case rec.Instance.Decode(&f) == nil:
		columns = make([]int, len(f.Fixed))
	case rec.Instance.Decode(&w) == nil:
		columns = make([]int, len(w.Fixed))
	case rec.Instance.Decode(&n) == nil:
		columns = make([]int, len(n.Fixed))
	case rec.Instance.Decode(&m) == nil:
		for j, first := range m.First {
			if first {
				columns = append(columns, j)
			}
		}
	}
	return columns
}

// TestHonestRecordsHold verifies the records that are forged below as they are, and judges them.
func TestHonestRecordsHold(t *testing.T) {
	b := newBattery(t)
	families, fractions := map[string]int{}, map[string]int{}
	for k := range b.records {
		h := &b.records[k]
		rec, report, err := b.check(t, sealed(h.lines), false)
		if err == nil || errors.Is(err, verify.ErrClaim) { // of a run that was stopped the bound may be above the proven one
			err = b.judge(rec, &report)
		}
		if err != nil {
			t.Errorf("%s: %v", h.name, err)
		}
		families[h.family]++
		for _, l := range h.lines {
			for _, name := range []string{"Exact", "Slopes"} {
				if l.tree[name] != nil {
					fractions[l.kind+" "+name]++
				}
			}
		}
	}
	t.Logf("records by family: %v, %d undecided; lines with fractions: %v", families, b.undecided, fractions)
	if fractions["cut Exact"] == 0 || fractions["cut Slopes"] == 0 || fractions["node Exact"] == 0 {
		t.Errorf("no fractions: %v", fractions)
	}
	if families["mps"] < 30 || families["cap"] < 6 || families["ufl"] < 6 || families["mcndp"] < 6 || families["netdes"] < 8 {
		t.Errorf("too few records: %v", families)
	}
}

// TestForgedFieldsProveNothing changes honest records field by field, with the hash and the check sum made right again.
// No try may make the checker panic, allocate much, or accept a claim that is false. PROXYBD_BULK is the number of
// tries, PROXYBD_SEED the first seed.
func TestForgedFieldsProveNothing(t *testing.T) {
	tries, first := uint64(4000), uint64(1)
	if testing.Short() {
		tries = 500
	}
	for name, v := range map[string]*uint64{"PROXYBD_BULK": &tries, "PROXYBD_SEED": &first} {
		if text := os.Getenv(name); text != "" {
			var err error
			if *v, err = strconv.ParseUint(text, 10, 64); err != nil {
				t.Fatal(err)
			}
		}
	}
	b := newBattery(t)
	wrong := 0
	for k := range tries {
		if err := b.try(t, first+k); err != nil {
			if wrong++; wrong <= 20 {
				t.Errorf("seed %d: %v", first+k, err)
			}
		}
		if k%20000 == 19999 {
			t.Logf("%s", b.summary())
		}
	}
	t.Logf("%d wrong: %s", wrong, b.summary())
	if b.largest > 64<<20 {
		t.Errorf("a try allocated %d bytes", b.largest)
	}
}

func (b *battery) summary() string {
	return fmt.Sprintf("%d tries, %d unread, %d refused, %d accepted (%d of other programs, %d claims undecided); slowest %v, largest %d bytes",
		b.tries, b.unread, b.refused, b.accepted, b.changed, b.undecided, b.slowest, b.largest)
}

// FuzzForgedFields lets the fuzzer choose the seeds.
func FuzzForgedFields(f *testing.F) {
	b := newBattery(f)
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := b.try(t, seed); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	})
}
