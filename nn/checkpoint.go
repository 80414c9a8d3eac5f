package nn

import (
	"encoding/hex"
	"fmt"
	"strconv"
)

// checkpointFormat is the value of the metadata key "format" of a checkpoint.
const checkpointFormat = "proxybd.checkpoint.1"

// write keeps the state in a safetensors file: per parameter the weights, the best weights and the moments;
// everything else as metadata. Floats are in hexadecimal, so that reading them gives the same bits.
func (s *state) write(path string) error {
	t := Tensors{File: path, Meta: map[string]string{
		"format":   checkpointFormat,
		"task":     s.task,
		"step":     strconv.Itoa(s.step),
		"seed":     strconv.FormatUint(s.seed, 10),
		"rng":      hex.EncodeToString(s.source.AppendTo(nil)),
		"rate":     exact(s.rate),
		"best":     exact(s.best),
		"bestStep": strconv.Itoa(s.bestStep),
		"target":   exact(s.target),
		"stalled":  strconv.Itoa(s.stalled),
		"idle":     strconv.Itoa(s.idle),
		"due":      strconv.FormatBool(s.due),
		"lossSum":  exact(s.lossSum),
		"lossN":    strconv.Itoa(s.lossN),
	}}

	// The tensors of a parameter share its name; the prefix distinguishes them.
	for i, p := range s.params {
		for _, part := range s.parts(i) {
			t.Add(part.prefix+p.Name, p.Shape(), part.values)
		}
	}

	// The file is replaced as a whole, so that a run that is killed here still has its last checkpoint.
	if err := t.WriteFile(path); err != nil {
		return fmt.Errorf("nn: checkpoint: %w", err)
	}
	return nil
}

// part is a vector that is stored for each parameter, under the prefix and the name of the parameter.
type part struct {
	prefix string
	values []float64
}

// parts lists the vectors that are stored for parameter i.
func (s *state) parts(i int) [4]part {
	return [4]part{{"weights/", s.params[i].Value}, {"best/", s.kept[i]}, {"adam.m/", s.m[i]}, {"adam.v/", s.v[i]}}
}

// exact returns a float in hexadecimal, which reads back as the same bits.
func exact(x float64) string { return strconv.FormatFloat(x, 'x', -1, 64) }

// read restores the state from a checkpoint of the same parameters and seed. On an error the state is partly
// restored and must not be used.
func (s *state) read(path string) error {
	// The caller decides about a missing file; any other error is about this checkpoint.
	t, err := ReadTensors(path)
	if err != nil {
		return err
	}
	if t.Meta["format"] != checkpointFormat {
		return t.errorf("the format is %q, want %q", t.Meta["format"], checkpointFormat)
	}

	// The weights of another task would go on with data on which they were not trained. Files of earlier versions have no
	// name.
	if of := t.Meta["task"]; of != "" && of != s.task {
		return t.errorf("it is of a training with other data or another kind of network; to begin again, delete it")
	}

	// Each parameter has four tensors: its weights, its best weights and its two moments.
	if len(t.List) != 4*len(s.params) {
		return t.errorf("it holds %d tensors, want %d", len(t.List), 4*len(s.params))
	}

	// The position of the run in its schedule.
	f := metaReader{t: t}
	f.int("step", &s.step)
	f.float("rate", &s.rate)
	f.float("best", &s.best)
	f.int("bestStep", &s.bestStep)
	f.float("target", &s.target)
	f.int("stalled", &s.stalled)
	f.int("idle", &s.idle)
	f.float("lossSum", &s.lossSum)
	f.int("lossN", &s.lossN)
	f.parse("due", func(v string) (err error) { s.due, err = strconv.ParseBool(v); return err })

	// The random source continues from its state; the seed only prevents a resumption from another run's checkpoint.
	f.parse("rng", func(v string) error {
		b, err := hex.DecodeString(v)
		if err != nil {
			return err
		}
		return s.source.UnmarshalBinary(b)
	})
	f.parse("seed", func(v string) error {
		seed, err := strconv.ParseUint(v, 10, 64)
		if err == nil && seed != s.seed {
			err = fmt.Errorf("the run's seed is %d", s.seed)
		}
		return err
	})

	if f.err != nil {
		return f.err
	}

	// The tensors are copied into the buffers of the state, whose sizes they must have.
	for i, p := range s.params {
		for _, part := range s.parts(i) {
			if err := t.Float64(part.prefix+p.Name, p.Shape(), part.values); err != nil {
				return err
			}
		}
	}
	return nil
}

// metaReader parses metadata and keeps the first error.
type metaReader struct {
	t   *Tensors
	err error
}

// parse gives the value of a key to set, unless there has been an error.
func (r *metaReader) parse(key string, set func(string) error) {
	// Later keys are left alone, so that the first error is the one to report.
	if r.err != nil {
		return
	}
	v, ok := r.t.Meta[key]
	if !ok {
		r.err = r.t.errorf("the metadata lacks %q", key)
	} else if err := set(v); err != nil {
		r.err = r.t.errorf("the metadata %q is %q: %v", key, v, err)
	}
}

// int reads a number that is not negative.
func (r *metaReader) int(key string, dst *int) {
	r.parse(key, func(v string) error {
		n, err := strconv.Atoi(v)
		// All integers of a checkpoint are counts.
		if err == nil && n < 0 {
			err = fmt.Errorf("it is negative")
		}
		*dst = n
		return err
	})
}

// float reads a number that exact has written.
func (r *metaReader) float(key string, dst *float64) {
	r.parse(key, func(v string) (err error) { *dst, err = strconv.ParseFloat(v, 64); return err })
}
