package experiment

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/proxybd/proxybd/benders/proxy"
	"github.com/proxybd/proxybd/families"
	"github.com/proxybd/proxybd/families/pipeline"
	"github.com/proxybd/proxybd/internal/atomicfile"
	"github.com/proxybd/proxybd/internal/digest"
	"github.com/proxybd/proxybd/internal/jsonl"
	"github.com/proxybd/proxybd/nn"
)

// TrainOptions steer Train. Start from DefaultTrainOptions.
type TrainOptions struct {
	Jobs
	Model families.ModelOptions

	// Optimiser steps at most; 0 for the preset's.
	Steps int

	// Of a model's steps and checks, resumptions included; the best weights of then are kept.
	TimeLimit time.Duration

	// Train although states of some instances are missing.
	Partial bool

	// Called at every validation check.
	Progress func(Shape, nn.Progress)
}

// DefaultTrainOptions returns the defaults: the fast preset, without a time limit.
func DefaultTrainOptions() TrainOptions {
	return TrainOptions{
		Jobs:      allJobs,
		Model:     families.ModelOptions{Preset: families.Fast, Seed: 1},
		TimeLimit: noLimit,
		Progress:  func(Shape, nn.Progress) {},
	}
}

// Train fits a proxy for each shape of the shard to the states that are there (paper, section 4.2.1, stage 2). A
// model whose record is there is skipped; one that was interrupted goes on from its checkpoint and ends with the
// same weights, to the bit, unless the time limit ends it. It returns the error of a cancelled context.
func (e *Experiment) Train(ctx context.Context, o TrainOptions) error {
	if _, err := e.folder("models"); err != nil {
		return err
	}

	// A model with a record is done.
	var jobs []Shape
	ev := Event{}
	for k, s := range e.Manifest.Shapes() {
		if !o.Shard.owns(k) || !wanted(o.Shapes, s) {
			// The number of a shape in the manifest decides which shard trains its model.
			continue
		}
		if _, err := e.training(s, o.Model.Preset); err == nil {
			ev.Skipped++
		} else if errors.Is(err, os.ErrNotExist) {
			jobs = append(jobs, s)
		} else {
			return err
		}
	}
	ev.Total = len(jobs)
	o.report(&ev, "train: %d models to do, %d are there", ev.Total, ev.Skipped)

	// The models are trained one after the other, each to its end.
	for _, s := range jobs {
		t, scored, err := e.train(ctx, s, o)
		if err != nil {
			return fmt.Errorf("training for %s: %w", s, err)
		}
		ev.Done++
		o.report(&ev, "%s: %s after %d steps, %.0fs, certifies %.2f%% on validation states", s, t.Status, t.Steps,
			float64(t.Seconds), 100*float64(t.Share))
		if scored != "" {
			o.report(&ev, "%s", scored)
		}
	}
	return nil
}

// modelPath returns the path of a file of a shape's model of a preset.
func (e *Experiment) modelPath(s Shape, p families.Preset, ext string) string {
	return filepath.Join(e.Dir, "models", s.file()+p.Suffix()+ext)
}

// training is what Train needs for one model.
type training struct {
	*Experiment
	shape  Shape
	o      TrainOptions
	family families.Family

	// The samples for training, for validation, and one of each held-out base. They refer to the open files.
	parts [3][]proxy.Sample
	files []*stateFile

	// What is written in the end: the record, and the score for people.
	record Training
	scored string
}

// train makes one model: states, training, score and record.
func (e *Experiment) train(ctx context.Context, s Shape, o TrainOptions) (_ *Training, scored string, err error) {
	f, err := e.family(s.Family)
	if err != nil {
		return nil, "", err
	}
	t := &training{
		Experiment: e,
		shape:      s,
		o:          o,
		family:     f,
		record:     Training{Schema: Schema, Family: s.Family, Shape: s.Shape, Preset: o.Model.Preset, Seed: o.Model.Seed},
	}

	// The samples refer to the files, which stay open until the model is saved.
	defer func() { closeAll(t.files) }()
	if err := t.load(); err != nil {
		return nil, "", err
	}
	model, err := t.fit(ctx)
	if err != nil {
		return nil, "", err
	}
	err = t.save(ctx, model)
	return &t.record, t.scored, err
}

// load reads the states of the shape, in the order of the manifest, whatever shards they were collected in.
func (t *training) load() (err error) {
	if t.files, err = t.stateFiles(t.o.Model.Preset); err != nil {
		return err
	}

	// Of two records of an instance the later one counts.
	records := map[string]*StateRecord{}
	for _, s := range t.files {
		for k := range s.Records {
			records[s.Records[k].Meta.ID] = &s.Records[k]
		}
	}

	// The hash of the data is that of the instances to learn from.
	data := sha256.New()
	var missing []string
	only := []Shape{t.shape}
	for k, part := range [3][]Entry{t.Manifest.Entries(only, Train), t.Manifest.Entries(only, Validation),
		t.Manifest.scored(only)} {
		for _, in := range part {
			r := records[in.ID]
			// States of another instance of the same name are as good as missing.
			if r == nil || r.Meta.Hash != in.Hash {
				missing = append(missing, in.ID)
				continue
			}
			sample, err := r.sample(t.family)
			if err != nil {
				return err
			}
			sample.Base = in.Base
			t.record.Collecting += r.Meta.Seconds
			t.parts[k] = append(t.parts[k], sample)
			// The instances for the score do not change the weights.
			if k < 2 {
				io.WriteString(data, in.Hash)
			}
		}
		t.record.Instances[k] = len(t.parts[k])
		t.record.States[k] = statesOf(t.parts[k])
	}

	t.record.Data = hex.EncodeToString(data.Sum(nil))
	// Without --partial a training with fewer instances is a mistake.
	switch {
	case len(missing) > 0 && !t.o.Partial:
		return fmt.Errorf("%w: states of %d instances (%s first)", ErrMissing, len(missing), missing[0])
	case t.record.States[0] == 0 || t.record.States[1] == 0:
		return fmt.Errorf("%w: no states to train on, or none to validate on", ErrMissing)
	}
	return nil
}

// fit trains from the last checkpoint, or from the start.
func (t *training) fit(ctx context.Context) (*proxy.Model, error) {
	model, o, err := pipeline.NewModel(t.family, t.parts[0][0].Instance.(families.Instance), t.o.Model)
	if err != nil {
		return nil, err
	}

	// The budget of the preset is replaced where one is given.
	if t.o.Steps > 0 {
		o.NN.Steps = t.o.Steps
		o.NN.ValidateEvery = min(o.NN.ValidateEvery, t.o.Steps)
	}

	// A training goes on from its checkpoint, if there is one.
	o.NN.Seed = t.o.Model.Seed
	o.NN.Checkpoint = t.modelPath(t.shape, t.o.Model.Preset, ".checkpoint")
	o.NN.Resume = true
	o.NN.Task = t.task(model)

	// Every check and checkpoint is written to a file, from which a resumed training takes its history and its time.
	log := t.modelPath(t.shape, t.o.Model.Preset, ".progress.jsonl")
	last := time.Now()
	var failed error
	// The context ends the training at its time limit, or where its progress cannot be written.
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	note := func(p TrainPoint) {
		p.Seconds = jsonl.Number(time.Since(last).Seconds())
		last = time.Now()
		if err := jsonl.Append(log, p); err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	o.NN.Progress = func(p nn.Progress) {
		note(TrainPoint{Step: p.Step, Loss: jsonl.Number(p.Loss), Validation: jsonl.Number(p.Validation),
			Rate: jsonl.Number(p.Rate)})
		t.o.Progress(t.shape, p)
	}
	o.NN.Saved = func(step int) {
		// A checkpoint between two checks has no losses.
		nan := jsonl.Number(math.NaN())
		note(TrainPoint{Step: step, Loss: nan, Validation: nan, Rate: nan})
	}

	// What earlier runs of this training took counts for the limit and for the record. Without their checkpoint, which was
	// not written yet or was deleted to begin again, nothing of them is left.
	if _, err := os.Stat(o.NN.Checkpoint); errors.Is(err, os.ErrNotExist) {
		if err := os.Remove(log); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	spent, err := t.history(log)
	if err != nil {
		return nil, err
	}

	// The limit is on the training, not on its preparation.
	var began time.Time
	o.NN.Started = func() {
		began = time.Now()
		last = began
		if t.o.TimeLimit != noLimit {
			time.AfterFunc(max(0, t.o.TimeLimit-spent), cancel)
		}
	}

	res, err := model.Train(limited, t.parts[0], t.parts[1], o)
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, failed
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case res.Step == 0:
		return nil, fmt.Errorf("%w: the time limit ended it before its first step", ErrMissing)
	case res.BestStep == 0: // the limit came before the first check, so the last weights are the result
		if res.Best, err = model.Validation(ctx, t.parts[1]); err != nil {
			return nil, err
		}
		res.BestStep = res.Step
	}

	// The history is read again, with the lines of this run.
	if _, err := t.history(log); err != nil {
		return nil, err
	}
	t.record.Status = res.Status.String()
	t.record.Steps = res.Step
	t.record.BestStep = res.BestStep
	t.record.Validation = jsonl.Number(res.Best)
	// The training itself was ended by its context, which here is the limit alone.
	if res.Status == nn.Interrupted {
		t.record.Status = "time limit"
	}
	t.record.Seconds = jsonl.Number((spent + time.Since(began)).Seconds())
	return model, nil
}

// task returns the hash of all that the steps of a training depend on beside its seed: the network with its inputs, and
// the instances with their states. States that are collected while a training is interrupted, or collected anew, change
// it.
func (t *training) task(model *proxy.Model) string {
	h := sha256.New()
	// A map is printed in the order of its keys.
	fmt.Fprintln(h, model.Describe(), model.Net.Sizes)

	// The lengths separate the samples from each other. The samples for the score have no influence on the weights.
	for _, part := range t.parts[:2] {
		fmt.Fprintln(h, len(part))
		for _, s := range part {
			fmt.Fprintln(h, s.Instance.(families.Instance).Hash(), len(s.States))
			for _, state := range s.States {
				// Numbers are never written to a hash with an error.
				binary.Write(h, binary.LittleEndian, []bool{state.Integer, state.Infeasible})
				binary.Write(h, binary.LittleEndian, state.Y)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// history reads the validation checks so far into the record, each with the time since the one before, and returns the
// time of all steps up to the last checkpoint. A check that was repeated after a resumption counts once.
func (t *training) history(log string) (time.Duration, error) {
	t.record.History = nil
	f, err := os.Open(log)
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	} else if err != nil {
		return 0, err
	}
	defer f.Close()

	// A later line of the same step, or of an earlier one, was written after a resumption.
	_, err = jsonl.Read(f, func(line []byte) error {
		var p TrainPoint
		if err := json.Unmarshal(line, &p); err != nil {
			return err
		}

		// Steps from this one on were undone by the resumption.
		t.record.History = slices.DeleteFunc(t.record.History, func(q TrainPoint) bool { return q.Step >= p.Step })
		t.record.History = append(t.record.History, p)
		return nil
	})

	// The time of a checkpoint between two checks belongs to the second one.
	var total, between jsonl.Number
	checks := t.record.History[:0]
	for _, p := range t.record.History {
		total += p.Seconds
		between += p.Seconds
		if !math.IsNaN(float64(p.Validation)) {
			p.Seconds = between
			checks = append(checks, p)
			between = 0
		}
	}
	t.record.History = checks
	return time.Duration(float64(total) * float64(time.Second)), err
}

// save scores the model on the validation states, writes it, and then its record: a model with a record is complete.
func (t *training) save(ctx context.Context, model *proxy.Model) error {
	share, err := model.Share(ctx, t.parts[1])
	if err != nil {
		return err
	}

	// The share is that of the validation states, which chose the weights.
	r := &t.record
	r.Share = jsonl.Number(share)
	if err := t.score(ctx, model); err != nil {
		return err
	}

	// The file of weights says where they come from.
	maps.Copy(model.Meta, map[string]string{
		"preset":          string(r.Preset),
		"seed":            strconv.FormatUint(r.Seed, 10),
		"steps":           strconv.Itoa(r.Steps),
		"validation":      formatFloat(float64(r.Validation)),
		"certified_share": formatFloat(share),
		"data":            r.Data,
		"instances":       strconv.Itoa(r.Instances[0]),
		"states":          strconv.Itoa(r.States[0]),
	})

	// The weights are there before their record, which refers to them by their hash.
	path := t.modelPath(t.shape, t.o.Model.Preset, ".safetensors")
	if err := model.Save(path); err != nil {
		return err
	}
	if r.Model, err = digest.File(path); err != nil {
		return err
	}
	return atomicfile.Write(t.modelPath(t.shape, t.o.Model.Preset, ".json"),
		func(w io.Writer) error { return json.NewEncoder(w).Encode(r) })
}

// score compares the model with its controls on the held-out bases that have states.
func (t *training) score(ctx context.Context, model *proxy.Model) error {
	if statesOf(t.parts[2]) == 0 {
		return nil // a partial training
	}

	// The random weights of the control have the seed of the model.
	s, err := model.Score(ctx, t.parts[2], t.o.Model.Seed)
	if err != nil {
		return err
	}
	t.record.Score = newScore(s)
	t.scored = s.String()
	maps.Copy(model.Meta, s.Meta())
	return nil
}

// formatFloat writes a number so that it is read back without loss.
func formatFloat(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
