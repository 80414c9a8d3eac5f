package experiment

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/internal/jsonl"
)

// Training is the record of a trained model: models/FAMILY-SHAPE.json.
type Training struct {
	Schema int             `json:"schema"`
	Family string          `json:"family"`
	Shape  string          `json:"shape"`
	Preset families.Preset `json:"preset"`
	Seed   uint64          `json:"seed"`
	Status string          `json:"status"` // completed, stopped early, or time limit
	Steps  int             `json:"steps"`

	// The step of the weights that were kept, and their loss.
	BestStep   int          `json:"best_step"`
	Validation jsonl.Number `json:"validation"`

	// The certified share of the exact recourse cost on the validation states.
	Share jsonl.Number `json:"certified_share"`

	// The comparison with zero and random weights; no bases where it could not be made.
	Score Score `json:"score"`

	// Of the training part, the validation part, and one of each held-out base.
	Instances [3]int `json:"instances"`
	States    [3]int `json:"states"`

	// The time of training, resumptions included, and of the exact runs that made the states.
	Seconds    jsonl.Number `json:"seconds"`
	Collecting jsonl.Number `json:"states_seconds"`

	// SHA-256 of the file of weights, and over the hashes of the instances.
	Model string `json:"model"`
	Data  string `json:"data"`

	History []TrainPoint `json:"history"`
}

// Score is a proxy.Score: certified shares as runs have them and of the network alone, and the leads over the controls
// with their lower limits.
type Score struct {
	Bases      int             `json:"bases"`
	Trained    [2]jsonl.Number `json:"trained"`
	Zero       [2]jsonl.Number `json:"zero"`
	Random     [2]jsonl.Number `json:"random"`
	OverZero   [2]jsonl.Number `json:"over_zero"`
	OverRandom [2]jsonl.Number `json:"over_random"`
	Reused     []Rival         `json:"reused,omitempty"`
	Helps      bool            `json:"helps"`
}

// Rival is a proxy.Rival.
type Rival struct {
	Control string          `json:"control"`
	Share   [2]jsonl.Number `json:"share"`
	Over    [2]jsonl.Number `json:"over"`
}

// newScore makes the record of a score.
func newScore(s *proxy.Score) Score {
	shares := func(x proxy.Shares) [2]jsonl.Number {
		return [2]jsonl.Number{jsonl.Number(x.Run), jsonl.Number(x.Alone)}
	}
	lead := func(x proxy.Lead) [2]jsonl.Number { return [2]jsonl.Number{jsonl.Number(x.Mean), jsonl.Number(x.Low)} }

	out := Score{
		Bases:      s.Bases,
		Trained:    shares(s.Trained),
		Zero:       shares(s.Zero),
		Random:     shares(s.Random),
		OverZero:   lead(s.OverZero),
		OverRandom: lead(s.OverRandom),
		Helps:      s.Helps(),
	}
	for _, r := range s.Reused {
		out.Reused = append(out.Reused, Rival{string(r.Control), shares(r.Shares), lead(r.Over)})
	}
	return out
}

// TrainPoint is a validation check, or in the progress file also a checkpoint between two: there Loss, Validation and
// Rate are NaN.
type TrainPoint struct {
	Step       int          `json:"step"`
	Loss       jsonl.Number `json:"loss"`
	Validation jsonl.Number `json:"validation"`
	Rate       jsonl.Number `json:"rate"`
	Seconds    jsonl.Number `json:"seconds"` // since the last point or resumption
}

// training reads the record of a trained model.
func (e *Experiment) training(s Shape, p families.Preset) (*Training, error) {
	path := e.modelPath(s, p, ".json")
	data, err := readIn(e.Dir, filepath.Join("models", filepath.Base(path)), maxTraining)
	if err != nil {
		return nil, err
	}
	t := &Training{}
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}

	// A file that was copied from another shape would be taken for its training.
	if t.Family != s.Family || t.Shape != s.Shape {
		return nil, fmt.Errorf("%w: %s is of %s:%s", ErrManifest, path, t.Family, t.Shape)
	}
	return t, nil
}

// Trainings reads the records of all trained models of the folder, in the order of the manifest.
func (e *Experiment) Trainings() ([]Training, error) {
	var out []Training
	for _, s := range e.Manifest.Shapes() {
		for _, p := range families.Presets {
			t, err := e.training(s, p)
			// A model that has not been trained yet has no record.
			if errors.Is(err, os.ErrNotExist) {
				continue
			} else if err != nil {
				return nil, err
			}
			out = append(out, *t)
		}
	}
	return out, nil
}
